// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_group.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/settings.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/plot.h"

namespace syncline::ui {

namespace {

constexpr int ten_times_a_second = 100, once_a_second = 1000;  // ms
constexpr double live_share = 0.12;                            // of a core, at most, for drawing new data
const double everything = std::numeric_limits<double>::quiet_NaN();

QString text_of(std::string_view name) { return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size())); }

}  // namespace

ChartGroup::Shared::Shared(StoreService& of, Settings& remembered, QString kind, ChartGroup& group)
    : store(of), settings(remembered), page_kind(std::move(kind)), owner(group), lower(everything), upper(everything) {
  margins = std::make_unique<QCPMarginGroup>(nullptr);
  const QString name = settings.value(QString(QStringLiteral("charts/") % page_kind % QStringLiteral("/x"))).toString();
  if (const auto known = x_axis_named(name.toStdString())) axis = *known;
  for (QTimer* timer : {&range_timer_, &refresh_timer_}) {
    timer->setSingleShot(true);
    timer->setInterval(ten_times_a_second);
  }
  QObject::connect(&range_timer_, &QTimer::timeout, &owner, [this] {
    if (std::exchange(range_waits_, false)) tellRange();
  });
  QObject::connect(&refresh_timer_, &QTimer::timeout, &owner, [this] {
    if (std::exchange(refresh_waits_, false)) tellRefresh();
  });
}

ChartGroup::Shared::~Shared() = default;

ActionRegistry& ChartGroup::Shared::actions() {
  if (given_actions) return *given_actions;
  if (own_actions_ == nullptr) own_actions_ = new ActionRegistry(&owner);
  return *own_actions_;
}

void ChartGroup::Shared::add(LinkedChart* chart) { charts.push_back(chart); }

void ChartGroup::Shared::remove(LinkedChart* chart) {
  std::erase(charts, chart);
  if (range_from_ == chart) range_from_ = nullptr;
}

void ChartGroup::Shared::moveRange(LinkedChart* from, double to_lower, double to_upper, bool dragging) {
  if (!linked) return;
  lower = to_lower;
  upper = to_upper;
  range_from_ = from;
  if (!dragging) {
    range_waits_ = false;
    range_timer_.stop();
    tellRange();
  } else if (range_timer_.isActive()) {
    range_waits_ = true;
  } else {
    tellRange();
    range_timer_.start();
  }
}

void ChartGroup::Shared::tellRange() {
  const std::vector<LinkedChart*> told = charts;
  for (LinkedChart* chart : told) {
    if (chart != range_from_) chart->shareRange(lower, upper);
  }
  Q_EMIT owner.rangeChanged(lower, upper);
}

void ChartGroup::Shared::moveCrosshair(LinkedChart* from, double x) {
  if (!linked) return;
  for (LinkedChart* chart : charts) {
    if (chart != from) chart->shareCrosshair(x);
  }
  if (std::isfinite(x)) Q_EMIT owner.crosshairMoved(x);
}

void ChartGroup::Shared::marginsChanged(LinkedChart* from) {
  for (LinkedChart* chart : charts) {
    if (chart != from) chart->shareMargins();
  }
}

void ChartGroup::Shared::setSmoothing(chart::Smoothing wanted) {
  if (wanted == smoothing) return;
  smoothing = wanted;
  for (LinkedChart* chart : charts) chart->shareXAxis();
}

// Ten times a second, unless drawing all charts that often took more of the processor than watching a run may.
int ChartGroup::Shared::refreshInterval() const {
  double all = 0;
  for (const LinkedChart* chart : charts) all += chart->onScreen() ? chart->redrawMs() : 0;
  return std::clamp(static_cast<int>(all / live_share), ten_times_a_second, once_a_second);
}

// The first change is shown at once; what follows within a tenth of a second, together.
void ChartGroup::Shared::refreshSoon() {
  if (refresh_timer_.isActive())
    refresh_waits_ = true;
  else
    tellRefresh();
}

void ChartGroup::Shared::tellRefresh() {
  refresh_timer_.start(refreshInterval());
  for (LinkedChart* chart : charts) chart->refreshData();
}

ChartGroup::ChartGroup(StoreService& store, Settings& settings, const QString& page_kind, QObject* parent)
    : QObject(parent), shared_(std::make_unique<Shared>(store, settings, page_kind, *this)) {}

ChartGroup::~ChartGroup() = default;

XAxis ChartGroup::xAxis() const { return shared_->axis; }

void ChartGroup::setXAxis(XAxis axis) {
  if (axis == shared_->axis) return;
  shared_->axis = axis;
  shared_->lower = shared_->upper = everything;
  shared_->settings.set(QString(QStringLiteral("charts/") % shared_->page_kind % QStringLiteral("/x")), text_of(name_of(axis)));
  for (LinkedChart* chart : shared_->charts) chart->shareXAxis();
  Q_EMIT xAxisChanged();
}

bool ChartGroup::alignStarts() const { return shared_->align_starts; }

void ChartGroup::setAlignStarts(bool on) {
  if (on == shared_->align_starts) return;
  shared_->align_starts = on;
  shared_->lower = shared_->upper = everything;
  for (LinkedChart* chart : shared_->charts) chart->shareXAxis();
}

double ChartGroup::halfLife() const { return shared_->smoothing.kind == chart::Smoothing::Kind::half_life ? shared_->smoothing.width : 0; }

void ChartGroup::setHalfLife(double width) {
  using Kind = chart::Smoothing::Kind;
  shared_->setSmoothing(width > 0 ? chart::Smoothing{Kind::half_life, width} : chart::Smoothing{});
}

void ChartGroup::zoomToFit() {
  shared_->lower = shared_->upper = everything;
  for (LinkedChart* chart : shared_->charts) chart->shareRange(everything, everything);
}

void ChartGroup::setActions(ActionRegistry& registry) { shared_->given_actions = &registry; }

void ChartGroup::refresh() { shared_->refreshSoon(); }

}  // namespace syncline::ui
