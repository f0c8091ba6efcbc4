// SPDX-License-Identifier: GPL-3.0-or-later
// A SeriesChart among others, and over time: the shared range and crosshair, new data, the age of the newest.
#include <QDateTime>

#include "ui/widgets/series_chart_p.h"

namespace syncline::ui {

void SeriesChart::Implementation::setFollowing(bool on) {
  following_ = on;
  if (on && state_.data && state_.zoomed() && state_.data->any()) {
    const double width = state_.upper - state_.lower;
    follow_width_ = width;
    plot_->setView(state_.data->last_x - width, state_.data->last_x, state_.y_lower, state_.y_upper);
    following_ = true;
  }
  showTexts();
}

void SeriesChart::Implementation::shareXAxis() {
  const ChartGroup::Shared& shared = group_.shared();
  if (!x_series_.isEmpty()) return;
  if (state_.data && (state_.data->query.axis != shared.axis || state_.data->query.align_starts != shared.align_starts)) {
    state_.lower = state_.upper = state_.crosshair = state_.cursor_a = state_.cursor_b = nothing;
    plot_->forgetHistory();
  }
  following_ = true;
  labelButtons();
  invalidate(true);
}

void SeriesChart::Implementation::shareRange(double from, double to) {
  if (!x_series_.isEmpty() || (from == state_.lower && to == state_.upper)) return;
  state_.lower = from;
  state_.upper = to;
  plot_->scene().forgetYRange();
  if (std::isnan(from)) state_.y_lower = state_.y_upper = nothing;
  following_ = !state_.zoomed() || (state_.data && to >= state_.data->last_x);
  if (onScreen()) plot_->hurry();
  plot_->scene().layOut();
  redraw_waits_ = true;
  late_.start();
  invalidate(false);
}

void SeriesChart::Implementation::shareCrosshair(double x) {
  if (onScreen() && x_series_.isEmpty()) plot_->setCrosshair(x);
}

void SeriesChart::Implementation::shareMargins() {
  if (!onScreen()) return;
  margin_busy_ = true;
  plot_->replot(QCustomPlot::rpQueuedReplot);
  QTimer::singleShot(0, this, [this] { margin_busy_ = false; });
}

void SeriesChart::Implementation::refreshData() {
  plot_->scene().keepYRange(true);
  // Zoomed into the past: what is new lies outside.
  if (state_.data && state_.zoomed() && !following_ && state_.upper < state_.data->last_x && x_series_.isEmpty()) return;
  new_data_ = true;
  if (tooLittleToRead()) {
    if (!settle_.isActive()) settle_.start(settle_ms - static_cast<int>(read_at_.elapsed()));
  } else {
    invalidate(false);
  }
}

void SeriesChart::Implementation::lookAtAge() {
  double newest = 0, typical = 0;
  bool running = false;
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr || !curve->running || !curve->last || !curve->last->axes) continue;
    running = true;
    newest = std::max(newest, curve->last->axes->wall_s);
    typical = std::max(typical, curve->typical_interval_s);
  }
  const double age = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000 - newest;
  constexpr double least = 3;  // s: below that, flushing and reading alone explain it
  const bool stale = running && newest > 0 && age > std::max(least, 3 * typical);
  const QString words = stale ? tr("last point %1").arg(format::ago(newest, newest + age)) : QString();
  if (words != age_->text()) age_->setText(words);
  static const char* const property = "stale";
  if (plot_->property(property).toBool() == stale) return;
  plot_->setProperty(property, stale);
  plot_->scene().setStale(stale);
  if (onScreen()) plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace syncline::ui
