// SPDX-License-Identifier: Apache-2.0
// Exports of one run. Each writes to `output` through a temporary file beside it, so that a failed export leaves nothing half written.
#pragma once

#include <filesystem>
#include <string_view>

#include "engine/store/reader.h"

namespace syncline {

// csv: every point of every series, one line each (series, rank, axes, value), then the step sums as series of their rank.
void export_csv(Reader&, const RunInfo&, const std::filesystem::path& output);
// json: run, summary, series with all points, step sums, events, checkpoints. Non-finite values as "NaN", "Infinity", "-Infinity".
void export_json(Reader&, const RunInfo&, const std::filesystem::path& output);
// trace: the traced steps as a Chrome/Perfetto trace, one process per rank, a compute and a communication row each, clocks aligned to rank
// 0.
void export_trace(Reader&, const RunInfo&, const std::filesystem::path& output);
// tensorboard: a folder with one event file; scalars by step, wall times as recorded.
void export_tensorboard(Reader&, const RunInfo&, const std::filesystem::path& output);

// By the name of `--format`. ConfigError for an unknown one, WorkspaceError when the output cannot be written.
void export_run(Reader&, const RunInfo&, std::string_view format, const std::filesystem::path& output);

}  // namespace syncline
