// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/split_feed.h"

#include <QEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr double everything = std::numeric_limits<double>::quiet_NaN();

}  // namespace

SplitBar split_bar(const StepBucket& bucket, XAxis axis, double previous_x) {
  const StepSums& sums = bucket.mean;
  SplitBar bar;
  if (axis == XAxis::step) {
    bar.width = static_cast<double>(std::max<std::int64_t>(1, bucket.count));
    bar.x = static_cast<double>(bucket.first_step) + (bar.width - 1) / 2;
  } else {
    const double end = value_of(sums.axes, axis);
    bar.width = std::isfinite(previous_x) && end > previous_x ? end - previous_x : 1;
    bar.x = end - bar.width / 2;
  }
  const auto set = [&bar](StepPart part, double seconds) { bar.parts_s[static_cast<std::size_t>(part)] = seconds; };
  set(StepPart::compute, sums.compute_only_s());
  set(StepPart::hidden, sums.hidden_s);
  set(StepPart::exposed, sums.exposed_transfer_s);
  set(StepPart::waiting, sums.waiting_s);
  set(StepPart::input, sums.input_s);
  set(StepPart::boundary, sums.boundary_s);
  set(StepPart::idle, sums.idle_s);
  bar.step_s = sums.step_s;
  bar.least_exposed_s = bucket.min_exposed_s;
  bar.most_exposed_s = bucket.max_exposed_s;
  bar.traced = sums.is(step_traced);
  return bar;
}

SplitFeed::SplitFeed(RunContext context, SplitChart* chart, QWidget* visible_with)
    : QObject(chart), context_(context), chart_(chart), visible_with_(visible_with), from_x_(everything), to_x_(everything) {
  connect(chart_, &SplitChart::rangeChanged, this, &SplitFeed::refresh);
  connect(&context_.charts, &ChartGroup::rangeChanged, this, &SplitFeed::setRange);
  connect(&context_.charts, &ChartGroup::xAxisChanged, this, [this] {
    from_x_ = to_x_ = everything;
    step_of_x_.clear();
    setRange(everything, everything);
  });
  connect(&context_.data, &RunData::seriesGrew, this, &SplitFeed::refresh);
  connect(&context_.data, &RunData::summaryChanged, this, &SplitFeed::refresh);
  visible_with_->installEventFilter(this);
}

bool SplitFeed::eventFilter(QObject* object, QEvent* event) {
  if (object == visible_with_ && event->type() == QEvent::Show && stale_) refresh();
  return false;
}

void SplitFeed::setChoice(const RankChoice& choice) {
  if (choice == choice_) return;
  choice_ = choice;
  refresh();
}

void SplitFeed::setRange(double from, double to) {
  from_x_ = from;
  to_x_ = to;
  std::int64_t first = 0, last = INT64_MAX;
  if (std::isfinite(from) && std::isfinite(to)) {
    const auto step_at = [this](double x, bool upwards) -> std::int64_t {
      // The bar of a step reaches half a step to both sides; one that only touches the edge is not seen.
      constexpr double half = 0.5 - 1e-9;
      if (context_.charts.xAxis() == XAxis::step) return static_cast<std::int64_t>(upwards ? std::floor(x + half) : std::ceil(x - half));
      if (step_of_x_.empty()) return upwards ? INT64_MAX : 0;
      const auto at = std::lower_bound(step_of_x_.begin(), step_of_x_.end(), std::pair(x, std::int64_t{0}));
      if (upwards) return at == step_of_x_.end() ? INT64_MAX : at->second;
      return at == step_of_x_.begin() ? 0 : (at - 1)->second;
    };
    first = std::max<std::int64_t>(0, step_at(std::max(from, -1.0), false));
    last = std::max(first, to > 9e15 ? INT64_MAX : step_at(to, true));
  }
  if (first == from_step_ && last == to_step_) return;
  from_step_ = first;
  to_step_ = last;
  Q_EMIT stepsChanged();
  refresh();
}

std::int64_t SplitFeed::stepAt(double x) const {
  const XAxis axis = context_.charts.xAxis();
  for (const StepBucket& bucket : split_.buckets) {
    const bool before_end =
        axis == XAxis::step ? x < static_cast<double>(bucket.first_step + bucket.count) : x <= value_of(bucket.mean.axes, axis);
    if (before_end) return bucket.first_step;
  }
  return split_.buckets.empty() ? 0 : split_.buckets.back().first_step;
}

void SplitFeed::refresh() {
  stale_ = true;
  if (!visible_with_->isVisible() || !context_.data.known()) return;
  stale_ = false;
  const int bars = std::clamp(chart_->barsWanted(), 16, 2000);
  context_.data.store().read<StepSplit>(
      this, QStringLiteral("split"),
      [id = context_.data.id().toStdString(), choice = choice_, slowest = context_.data.slowestRank(), from = from_step_, to = to_step_,
       bars](Reader& reader) { return read_split(reader, id, choice, slowest, from, to, bars); },
      [this](const StepSplit& split) {
        split_ = split;
        show();
        loaded_ = true;
        Q_EMIT loadedChanged();
      },
      [this](const QString& message) {
        chart_->setWhenEmpty(tr("The steps cannot be read: %1").arg(message));
        loaded_ = true;
        Q_EMIT loadedChanged();
      });
}

void SplitFeed::show() {
  const XAxis axis = context_.charts.xAxis();
  std::vector<SplitBar> bars;
  bars.reserve(split_.buckets.size());
  const bool whole = from_step_ == 0 && to_step_ == INT64_MAX;
  if (whole) step_of_x_.clear();
  double previous = everything;
  const std::int64_t warm_up = context_.data.summary().warm_up_steps;
  for (const StepBucket& bucket : split_.buckets) {
    SplitBar bar = split_bar(bucket, axis, previous);
    bar.warm_up = bucket.first_step < warm_up;
    previous = value_of(bucket.mean.axes, axis);
    if (whole) step_of_x_.emplace_back(previous, bucket.mean.axes.step);
    bars.push_back(bar);
  }
  QStringList footer;
  if (split_.rank >= 0) {
    footer << (choice_.kind == RankChoice::slowest  ? tr("slowest worker: rank %1")
               : choice_.kind == RankChoice::median ? tr("median worker: rank %1")
                                                    : tr("rank %1"))
                  .arg(split_.rank);
  }
  if (split_.bucketed) footer << tr("bars are means of several steps");
  if (!split_.waiting_separated) footer << tr("exposed: waiting not separated");
  if (split_.waiting_estimated) footer << tr("waiting estimated");
  chart_->setBars(std::move(bars), footer.join(QStringLiteral(" · ")));
}

}  // namespace syncline::ui
