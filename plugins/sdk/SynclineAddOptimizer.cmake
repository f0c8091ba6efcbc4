# syncline_add_optimizer(NAME SOURCES...): libNAME.so, which exports syncline_optimizer_v1 and nothing else. The plugin's table must carry
# the same NAME; experiments call it "plugin:NAME".
set(SYNCLINE_PLUGIN_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/exports.map)
function(syncline_add_optimizer name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Syncline::PluginSDK)
  # One rounding per operation: an update must not depend on which loops the compiler contracts.
  target_compile_options(${name} PRIVATE -ffp-contract=off -fvisibility=hidden)
  target_link_options(${name} PRIVATE -Wl,--version-script=${SYNCLINE_PLUGIN_EXPORTS} -Wl,--no-undefined)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON LINK_DEPENDS ${SYNCLINE_PLUGIN_EXPORTS})
  install(TARGETS ${name} LIBRARY DESTINATION lib/syncline/plugins)
endfunction()
