// SPDX-License-Identifier: Apache-2.0
// The commands' definitions, each in app/commands/<family>.cpp.
#pragma once

#include "app/cli.h"

namespace syncline::app {

Action define_train(CLI::App&, const Global&);         // train.cpp
Action define_launch(CLI::App&, const Global&);        // train.cpp
Action define_describe(CLI::App&, const Global&);      // model.cpp
Action define_plan(CLI::App&, const Global&);          // model.cpp
Action define_simulate(CLI::App&, const Global&);      // simulate.cpp
Action define_plugins(CLI::App&, const Global&);       // plugins.cpp
Action define_plugin_child(CLI::App&, const Global&);  // plugins.cpp; used by plugins itself
Action define_schema(CLI::App&, const Global&);        // schema.cpp
Action define_runs(CLI::App&, const Global&);          // runs.cpp
Action define_show(CLI::App&, const Global&);          // runs.cpp
Action define_compare(CLI::App&, const Global&);       // compare.cpp
Action define_export(CLI::App&, const Global&);        // workspace.cpp
Action define_import(CLI::App&, const Global&);        // workspace.cpp
Action define_delete(CLI::App&, const Global&);        // workspace.cpp
Action define_tag(CLI::App&, const Global&);           // workspace.cpp
Action define_stop(CLI::App&, const Global&);          // requests.cpp
Action define_checkpoint(CLI::App&, const Global&);    // requests.cpp
Action define_bench(CLI::App&, const Global&);         // bench.cpp
Action define_recipes(CLI::App&, const Global&);       // recipes.cpp
Action define_validate(CLI::App&, const Global&);      // validate.cpp

}  // namespace syncline::app
