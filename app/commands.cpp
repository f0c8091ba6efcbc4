// SPDX-License-Identifier: Apache-2.0
#include "app/commands.h"

namespace syncline::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {.name = "plugins", .summary = "list the optimizers, or test a plugin", .define = define_plugins},
      {.name = "plugin-child", .summary = "look into a plugin", .define = define_plugin_child, .hidden = true},
  };
  return table;
}

}  // namespace syncline::app
