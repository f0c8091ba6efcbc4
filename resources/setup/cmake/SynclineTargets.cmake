# One static library per folder: the linker enforces the layers (CONTRIBUTING, "The house"). Sources are found by pattern, so that adding a
# strategy, a layer or a codec is one file and its registry line.

add_library(syncline_flags INTERFACE)
target_include_directories(syncline_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
# One rounding per operation everywhere: results may not depend on which loops the compiler contracts into fused multiply-adds.
target_compile_options(syncline_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -ffp-contract=off
  $<$<COMPILE_LANGUAGE:CXX>:-Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # GCC 12 reports std::string's own operator+ (its bug 105651)
if(SYNCLINE_SANITIZE)
  # Line tables are all that a report needs. What clang warns of beyond the release compiler is no business of these builds, and GCC 12 takes
  # instrumented reads of std::optional for uninitialised ones.
  target_compile_options(syncline_flags INTERFACE $<IF:$<CXX_COMPILER_ID:Clang>,-Wno-error,-Wno-maybe-uninitialized>
    -fsanitize=${SYNCLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -g1)
  target_link_options(syncline_flags INTERFACE -fsanitize=${SYNCLINE_SANITIZE})
endif()

# Headers of others, parsed once a build folder and not once a file. Off for what is not a test in the release build, which shows when an
# include is missing. (GCC gains nothing from them there: what it saves in parsing it spends on loading them.)
set(precompiled_headers <algorithm> <array> <atomic> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <deque> <filesystem> <fstream>
  <functional> <map> <memory> <mutex> <optional> <set> <span> <sstream> <string> <string_view> <thread> <vector> <fmt/format.h>
  <nlohmann/json.hpp>)
if(SYNCLINE_PRECOMPILE)
  # Libraries and programs share them, so both are compiled alike.
  set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
  add_compile_options(-fPIC)
  file(WRITE ${CMAKE_BINARY_DIR}/generated/empty.cpp "")
  add_library(syncline_precompiled STATIC ${CMAKE_BINARY_DIR}/generated/empty.cpp)
  target_link_libraries(syncline_precompiled PRIVATE syncline_flags fmt::fmt Threads::Threads)
  target_precompile_headers(syncline_precompiled PRIVATE ${precompiled_headers})
endif()

# What GCC 12 reports of std::string and std::variant below -O2 is not there (its bugs 105329 and 105593).
set(false_warnings "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-maybe-uninitialized;-Wno-stringop-overflow>")

# syncline_little_optimised(TARGET): what reads texts, starts processes or waits for a person. The compiler takes a third less time
# for them at -O1, in every Release build: what is tested is what is installed.
function(syncline_little_optimised target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1> ${false_warnings})
endfunction()

# Test programs share what they all include in every build, and are hardly optimised: most of the time that they cost is the compiler's.
# syncline_test_program(TARGET [QT]): call it when the target has its libraries.
function(syncline_test_program target)
  cmake_parse_arguments(ARG "QT" "" "" ${ARGN})
  set(shared syncline_precompiled_tests)
  set(needed syncline_flags fmt::fmt Threads::Threads GTest::gtest)
  set(headers ${precompiled_headers} <gtest/gtest.h>)
  if(ARG_QT)
    set(shared syncline_precompiled_ui_tests)
    set(needed syncline_qt_flags Qt6::Widgets Qt6::Test fmt::fmt Threads::Threads GTest::gtest)
    list(APPEND headers <QtCore> <QtGui> <QtWidgets> <QtTest>)
  endif()
  set(optimised $<$<CONFIG:Release>:$<IF:$<CXX_COMPILER_ID:GNU>,-Og,-O1>>)
  if(NOT TARGET ${shared})
    file(WRITE ${CMAKE_BINARY_DIR}/generated/empty_main.cpp "int main() {}\n")
    add_executable(${shared} ${CMAKE_BINARY_DIR}/generated/empty_main.cpp)  # a program, so that it is compiled as programs are
    target_link_libraries(${shared} PRIVATE ${needed})
    target_compile_options(${shared} PRIVATE ${optimised})
    target_precompile_headers(${shared} PRIVATE ${headers})
  endif()
  target_compile_options(${target} PRIVATE ${optimised} ${false_warnings})
  target_precompile_headers(${target} REUSE_FROM ${shared})
endfunction()

# syncline_library(NAME [FOLDER dir] [DEPENDS targets...] [EXCLUDE regex]): every .cpp of the folder (not below it).
function(syncline_library name)
  cmake_parse_arguments(ARG "" "FOLDER;EXCLUDE" "DEPENDS;PATTERNS" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  if(NOT ARG_PATTERNS)
    set(ARG_PATTERNS *.cpp)
  endif()
  list(TRANSFORM ARG_PATTERNS PREPEND ${ARG_FOLDER}/)
  file(GLOB sources CONFIGURE_DEPENDS ${ARG_PATTERNS})
  if(ARG_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX ${ARG_EXCLUDE})
  endif()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC syncline_flags ${ARG_DEPENDS})
    if(SYNCLINE_PRECOMPILE AND NOT ARG_FOLDER MATCHES "/kernels(/|$)")  # which use no fmt, whose definition the headers were compiled with
      target_precompile_headers(${name} REUSE_FROM syncline_precompiled)
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE syncline_flags ${ARG_DEPENDS})
  endif()
endfunction()

# syncline_unit_test(FOLDER [THREADED] [DEPENDS targets...]): tests/unit/FOLDER/*.cpp as one GoogleTest program, unit_FOLDER. Slashes become "_".
function(syncline_unit_test folder)
  cmake_parse_arguments(ARG "THREADED" "" "DEPENDS" ${ARGN})
  string(REPLACE "/" "_" name "unit_${folder}")
  set(time_limit 120)
  if(SYNCLINE_SANITIZE)
    set(time_limit 300)
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  if(sources)
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE syncline_flags ${ARG_DEPENDS} GTest::gtest GTest::gtest_main)
    target_compile_definitions(${name} PRIVATE SYNCLINE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" SYNCLINE_BINARY_DIR="${CMAKE_BINARY_DIR}")
    if(NOT folder STREQUAL "kernels")  # compiled with OpenMP, the shared headers without
      syncline_test_program(${name})
    endif()
    add_test(NAME ${name} COMMAND ${name} --gtest_color=no)
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT ${time_limit})
    add_dependencies(unit_tests ${name})
    if(ARG_THREADED)  # also run under the thread sanitizer: links neither MPI nor OpenMP
      set_tests_properties(${name} PROPERTIES LABELS "unit;threaded")
      add_dependencies(threaded_tests ${name})
    endif()
  endif()
endfunction()
