// SPDX-License-Identifier: GPL-3.0-or-later
// A SeriesChart over another series instead of the page's axis. It stands for itself then: the other charts keep their axis and range.
#include <QActionGroup>
#include <QInputDialog>

#include "ui/widgets/series_chart_p.h"

namespace syncline::ui {

void SeriesChart::Implementation::chooseAxis(XAxis axis) {
  setMetricAxis({});
  group_.setXAxis(axis);
}

void SeriesChart::Implementation::setMetricAxis(const QString& series) {
  if (series == x_series_) return;
  x_series_ = series;
  const ChartGroup::Shared& shared = group_.shared();
  state_.lower = series.isEmpty() && shared.linked ? shared.lower : nothing;
  state_.upper = series.isEmpty() && shared.linked ? shared.upper : nothing;
  state_.y_lower = state_.y_upper = state_.crosshair = state_.cursor_a = state_.cursor_b = nothing;
  plot_->forgetHistory();
  following_ = !state_.zoomed();
  follow_width_ = nothing;
  labelButtons();
  updateActions();
  invalidate(true);
}

QStringList SeriesChart::Implementation::metrics() const {
  if (!state_.data) return {};
  QStringList names = state_.data->metrics;
  const bool alike = std::all_of(state_.curves.begin(), state_.curves.end(),
                                 [this](const CurveSpec& curve) { return curve.series == state_.storedName(); });
  if (alike) names.removeAll(state_.storedName());
  return names;
}

void SeriesChart::Implementation::fillMetricMenu(QMenu& menu) {
  auto* group = new QActionGroup(&menu);
  for (const QString& name : metrics()) {
    QAction* one = menu.addAction(format::titleOf(name));
    one->setCheckable(true);
    one->setChecked(name == x_series_);
    group->addAction(one);
    connect(one, &QAction::triggered, this, [this, name] { setMetricAxis(name); });
  }
  menu.setEnabled(!menu.isEmpty());
}

void SeriesChart::Implementation::chooseMetric() {
  const QStringList names = metrics();
  QStringList titles;
  for (const QString& name : names) titles.append(format::titleOf(name));
  if (titles.isEmpty()) return;
  bool chosen = false;
  const QString title = QInputDialog::getItem(&chart_, tr("X Axis"), tr("Draw “%1” over:").arg(state_.title), titles,
                                              std::max(0, static_cast<int>(names.indexOf(x_series_))), false, &chosen);
  const auto at = titles.indexOf(title);
  if (chosen && at >= 0) setMetricAxis(names[at]);
}

}  // namespace syncline::ui
