# find_package(SynclinePluginSDK 1): the target Syncline::PluginSDK and the function syncline_add_optimizer.
if(NOT TARGET Syncline::PluginSDK)
  find_path(SynclinePluginSDK_INCLUDE_DIR syncline_optimizer.h PATH_SUFFIXES include/syncline syncline
    PATHS ${CMAKE_CURRENT_LIST_DIR}/../../../.. ${CMAKE_CURRENT_LIST_DIR}/../../.. NO_DEFAULT_PATH)
  if(NOT SynclinePluginSDK_INCLUDE_DIR)
    set(SynclinePluginSDK_FOUND FALSE)
    set(SynclinePluginSDK_NOT_FOUND_MESSAGE "syncline_optimizer.h is not beside this package")
    return()
  endif()
  add_library(Syncline::PluginSDK INTERFACE IMPORTED)
  target_include_directories(Syncline::PluginSDK INTERFACE ${SynclinePluginSDK_INCLUDE_DIR})
endif()
include(${CMAKE_CURRENT_LIST_DIR}/SynclineAddOptimizer.cmake)
