// SPDX-License-Identifier: Apache-2.0
// The commands' definitions, each in app/commands/<family>.cpp.
#pragma once

#include "app/cli.h"

namespace syncline::app {

Action define_plugins(CLI::App&, const Global&);       // plugins.cpp
Action define_plugin_child(CLI::App&, const Global&);  // plugins.cpp; used by plugins itself

}  // namespace syncline::app
