// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace with many runs, written straight into its tables: what is wanted of them is their number.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/store/summary.h"
#include "engine/store/workspace.h"

namespace syncline {

// `seeds` runs of each experiment; every 20th run failed, every 50th is starred; summaries are stored for all of them.
inline void write_many_runs(const std::filesystem::path& path, int count, int seeds = 5) {
  const Workspace workspace = Workspace::open(path);
  Database database = workspace.connect();
  Transaction transaction(database);
  Statement run = database.prepare(
      "INSERT INTO run (key, id, name, kind, group_key, baseline_key, experiment_as_typed, experiment, state, reason, created_at, "
      "started_at, ended_at, exit_code, host, version, seed, workers, servers, threads_per_worker, model, dataset, strategy, plan, "
      "palette) "
      "VALUES (?,?,?,'measured',?,'',?,?,?,?,?,?,?,?,?,'0.1.0',?,?,0,1,'lenet','fashion-mnist',?,?,?)");
  Statement beat = database.prepare("INSERT INTO heartbeat (run, supervisor_at) VALUES (?, ?)");
  Statement progress = database.prepare("INSERT INTO progress (run, sequence) VALUES (?, ?)");
  Statement summary = database.prepare("INSERT INTO summary (run, sequence, version, json) VALUES (?, ?, ?, ?)");
  Statement annotation = database.prepare("INSERT INTO annotation (run_id, starred, notes) VALUES (?, 1, 'kept for the figure')");
  Statement tag = database.prepare("INSERT INTO tag (run_id, tag) VALUES (?, ?)");
  const std::string text =
      "name = \"many\"\nseed = 1\n[model]\nzoo = \"lenet\"\n[data]\nsource = \"fashion-mnist\"\n[train]\nepochs = 3\nbatch_per_worker = "
      "[64]\n[cluster]\nworkers = 2\n[strategy]\nname = \"sync\"\nplan = \"wfbp\"\n" +
      std::string(1500, '#') + "\n";
  for (std::int64_t i = 1; i <= count; ++i) {
    const std::int64_t group = (i - 1) / seeds;
    const bool failed = i % 20 == 0;
    const std::string id = fmt::format("0195{:04x}-{:04x}-7000-8000-{:012x}", (i >> 16) & 0xffff, i & 0xffff, i);
    const double created = 1.8e9 + 60.0 * static_cast<double>(i);
    run.reset();
    run.bind_all(i, id, fmt::format("run {} of batch {}", group, group % 7), fmt::format("group {}", group), text, text,
                 failed ? "failed" : "finished", failed ? "out of memory on rank 1" : "", created, created + 1, created + 30,
                 failed ? 4 : 0, "gpu07", 1 + (i - 1) % seeds, std::int64_t{1} << (group % 4), group % 3 == 0 ? "none" : "sync",
                 group % 2 == 0 ? "wfbp" : "single", group % 21);
    run.run();
    beat.bind_all(i, created + 30).run();
    progress.bind_all(i, std::int64_t{100}).run();
    Summary values;
    values.steps = 1000 + i;
    values.samples = 64000;
    values.final_train_loss = 1.0 / static_cast<double>(1 + i % 997);
    values.final_test_accuracy = values.best_test_accuracy = 0.5 + 0.4 * static_cast<double>(i % 101) / 101;
    values.samples_per_s = 1000 + static_cast<double>((i * 7919) % 5000);
    values.step_s = 0.02;
    values.exposed_comm_s = 0.0001 * static_cast<double>(i % 100);
    values.comm_s = 0.01;
    values.compute_s = 0.015;
    values.warm_up_steps = 10;
    summary.bind_all(i, std::int64_t{100}, summary_version, to_json(values).dump()).run();
    if (i % 50 == 0) annotation.bind_all(id).run();
    if (i % 10 == 0) tag.bind_all(id, fmt::format("batch {}", group % 7)).run();
  }
  transaction.commit();
}

}  // namespace syncline
