// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_page_window.h"

#include <limits>

namespace syncline::ui {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A series that has a sample of every step.
std::optional<SeriesInfo> of_every_step(Reader& reader, const std::string& run_id) {
  const auto rate = reader.find_series(run_id, series::learning_rate);
  return rate ? rate : reader.find_series(run_id, series::train_loss);
}

// The window of the samples with from <= x <= to on an axis; the neighbours that a reading brings along are left out.
std::optional<StepWindow> window_between(Reader& reader, std::int64_t series, XAxis along, double from, double to, XAxis shown) {
  std::optional<StepWindow> window;
  const auto take = [&](const Axes& axes) {
    const double at = value_of(axes, along);
    if (at < from || at > to) return;
    if (!window) window = StepWindow{axes.step, axes.step, value_of(axes, shown), value_of(axes, shown)};
    window->last_step = axes.step;
    window->to_x = value_of(axes, shown);
  };
  constexpr int pixels = 4096;  // the ends of buckets are exact, and there are many
  const SeriesView view = reader.read(series, along, from, to, pixels);
  for (const Point& point : view.points) take(point.axes);
  for (const SeriesBucket& bucket : view.buckets) {
    take(bucket.first_axes);
    take(bucket.last_axes);
  }
  return window;
}

}  // namespace

std::optional<StepWindow> window_of_last(Reader& reader, const std::string& run_id, XAxis axis, double seconds) {
  const auto series = of_every_step(reader, run_id);
  if (!series) return std::nullopt;
  const SeriesView newest = reader.read(series->key, XAxis::step, infinity, infinity, 0);
  if (newest.points.empty()) return std::nullopt;
  return window_between(reader, series->key, XAxis::active_s, newest.points.back().axes.active_s - seconds, infinity, axis);
}

std::optional<StepWindow> window_of_steps(Reader& reader, const std::string& run_id, XAxis axis, std::int64_t from_step,
                                          std::int64_t to_step) {
  const auto series = of_every_step(reader, run_id);
  if (!series) return std::nullopt;
  return window_between(reader, series->key, XAxis::step, static_cast<double>(from_step), static_cast<double>(to_step), axis);
}

}  // namespace syncline::ui
