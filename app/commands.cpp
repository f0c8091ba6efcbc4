// SPDX-License-Identifier: Apache-2.0
#include "app/commands.h"

namespace syncline::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {};
  return table;
}

}  // namespace syncline::app
