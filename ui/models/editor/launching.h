// SPDX-License-Identifier: GPL-3.0-or-later
// What is looked at before a launch, and the words of its answers.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <optional>
#include <vector>

#include "ui/models/editor/examination.h"
#include "ui/models/engine_program.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

// "1-5", "1, 2, 7", "3"; empty: the experiment's own seed, once. nullopt with the reason: no such list.
std::optional<std::vector<std::uint64_t>> parse_seeds(const QString& typed, QString* reason = nullptr);

struct PreflightItem {
  enum State { good, warning, bad, unknown } state = unknown;
  QString id, text;  // text: one sentence
};

// What is known from outside the text.
struct Surroundings {
  QString engine_problem;  // empty: found and of this version
  std::optional<QString> engine_version;
  bool mpirun = true;
  int cores = 1;
  int ranks_running = 0;             // of other runs on this computer
  std::optional<double> free_bytes;  // where the workspace lies
};
std::vector<PreflightItem> preflight(const Examination&, const Surroundings&);

// Answer of `train --dry-run --json` in sentences. ok: it started what was asked for.
struct DryRunAnswer {
  bool ok = false;
  QStringList sentences;
};
DryRunAnswer read_dry_run(const EngineProgram::Answer&, std::int64_t workers_asked);

// Of `launch --detach --json`: the run's id, or empty.
QString launched_id(const EngineProgram::Answer&);

// Where the text of a draft is written for the engine to read: beside the workspace. Writes it; the error's sentence, or empty.
QString launch_file(const QString& workspace, const QString& draft_id);
QString write_private_file(const QString& path, const std::string& content);

}  // namespace syncline::ui
