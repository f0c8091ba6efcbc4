// SPDX-License-Identifier: Apache-2.0
#include "engine/store/attempts.h"

#include <algorithm>
#include <charconv>

#include "engine/base/error.h"

namespace syncline {
namespace {

// --from-step of the command, for a run that ended before its first step.
std::optional<std::int64_t> step_asked_for(const RunInfo& run) {
  for (std::size_t i = 0; i < run.command.size(); ++i) {
    std::string_view text = run.command[i];
    if (constexpr std::string_view option = "--from-step="; text.starts_with(option)) {
      text.remove_prefix(option.size());
    } else if (text == "--from-step" && i + 1 < run.command.size()) {
      text = run.command[i + 1];
    } else {
      continue;
    }
    std::int64_t step = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), step).ec == std::errc()) return step;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> first_step(Reader& reader, std::string_view run_id) {
  constexpr double before = -std::numeric_limits<double>::infinity();
  for (const std::string_view name : {series::learning_rate, series::train_loss}) {
    const auto series = reader.find_series(run_id, name);
    if (!series || series->count == 0) continue;
    const SeriesView view = reader.read(series->key, XAxis::step, before, before, 0);
    if (!view.points.empty()) return view.points.front().axes.step;
  }
  return std::nullopt;
}

std::vector<ResumeSource> resume_sources(Reader& reader, const RunInfo& run) {
  std::vector<ResumeSource> sources = {{.run = run}};
  while (!sources.back().run.resumed_from.empty()) {
    const ResumeSource& newer = sources.back();
    const std::string older = newer.run.resumed_from;
    const bool circle = std::any_of(sources.begin(), sources.end(), [&](const ResumeSource& known) { return known.run.id == older; });
    if (circle || !reader.has_run(older)) break;
    std::optional<std::int64_t> begin = first_step(reader, newer.run.id);
    if (!begin) begin = step_asked_for(newer.run);
    const std::int64_t last_step = std::min(newer.last_step, begin.value_or(std::numeric_limits<std::int64_t>::max()));
    sources.push_back({.run = reader.run(older), .last_step = last_step});
  }
  return sources;
}

}  // namespace syncline
