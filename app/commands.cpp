// SPDX-License-Identifier: Apache-2.0
#include "app/commands.h"

namespace syncline::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> table = {
      {.name = "train", .summary = "train an experiment, or go on with a run", .define = define_train},
      {.name = "launch", .summary = "start a job, attached or on its own", .define = define_launch},
      {.name = "describe", .summary = "the model as a table: shapes, parameters, work, memory", .define = define_describe},
      {.name = "plan", .summary = "what would be sent when", .define = define_plan},
      {.name = "simulate", .summary = "what a step would take with other workers, plans or strategies", .define = define_simulate},
      {.name = "runs", .summary = "list the runs of the workspace", .define = define_runs},
      {.name = "show", .summary = "one run with its summary", .define = define_show},
      {.name = "compare", .summary = "runs side by side", .define = define_compare},
      {.name = "export", .summary = "write a run as CSV, JSON, Perfetto trace or TensorBoard events", .define = define_export},
      {.name = "stop", .summary = "ask a run to stop", .define = define_stop},
      {.name = "checkpoint", .summary = "ask a run to save a checkpoint", .define = define_checkpoint},
      {.name = "delete", .summary = "remove a run and its files", .define = define_delete},
      {.name = "tag", .summary = "give a run tags", .define = define_tag},
      {.name = "import", .summary = "merge another workspace into this one", .define = define_import},
      {.name = "validate", .summary = "check an experiment file, or print it complete", .define = define_validate},
      {.name = "bench", .summary = "measure a step, its operations or the allreduce on this machine", .define = define_bench},
      {.name = "recipes", .summary = "what papers claim, tested here", .define = define_recipes},
      {.name = "plugins", .summary = "list the optimizers, or test a plugin", .define = define_plugins},
      {.name = "plugin-child", .summary = "look into a plugin", .define = define_plugin_child, .hidden = true},
      {.name = "schema", .summary = "every key that an experiment file can have", .define = define_schema},
  };
  return table;
}

}  // namespace syncline::app
