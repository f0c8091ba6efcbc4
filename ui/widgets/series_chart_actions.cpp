// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a SeriesChart, as actions of the window: menus, Find Action, the shortcut editor and the keys take them from there.
#include <QInputDialog>

#include "ui/widgets/chart_actions.h"
#include "ui/widgets/series_chart_p.h"

namespace syncline::ui {

void SeriesChart::Implementation::addActions() {
  ActionRegistry& registry = group_.shared().actions();
  add_plot_actions(registry, &chart_, *plot_);
  const auto add = [this, &registry](const QString& id, const std::function<void()>& act) {
    actions_[id] = registry.add(&chart_, chart_action_text(id), [this, act] {
      act();
      updateActions();
    });
  };
  for (const QAction* one : chart_.actions()) actions_[ActionRegistry::idOf(one)] = const_cast<QAction*>(one);
  add(QStringLiteral("chart.follow"), [this] { setFollowing(!following_); });
  add(QStringLiteral("chart.timeline"), [this] { showMoment(); });
  add(QStringLiteral("chart.non-finite"), [this] { showNonFinite(); });
  add(QStringLiteral("chart.link"), [this] { group_.shared().linked = !group_.shared().linked; });
  add(QStringLiteral("chart.legend"), [this] {
    legend_wanted_ = !legend_wanted_;
    showTexts();
  });
  add(QStringLiteral("chart.pin"), [this] { pin(); });
  add(QStringLiteral("chart.clear-cursors"), [this] { plot_->clearCursors(); });
  add(QStringLiteral("chart.table"), [this] { showTable(!table_button_->isChecked()); });
  add(QStringLiteral("chart.align"), [this] { group_.setAlignStarts(!group_.alignStarts()); });
  add(QStringLiteral("chart.y-log"), [this] { setScale(state_.logarithmic() ? YScale::linear : YScale::log10); });
  add(QStringLiteral("chart.outliers"), [this] { setIgnoringOutliers(!state_.ignore_outliers); });
  add(QStringLiteral("chart.copy-value"), [this] { copyValue(); });
  add(QStringLiteral("chart.copy-visible"), [this] { copyData(true); });
  add(QStringLiteral("chart.copy-data"), [this] { copyData(false); });
  add(QStringLiteral("chart.copy-picture"), [this] { copyPicture(); });
  add(QStringLiteral("chart.export-picture"), [this] { exportPicture(); });
  add(QStringLiteral("chart.export-data"), [this] { exportData(); });
  add(QStringLiteral("chart.smoothing-off"), [this] { setSmoothing(chart::Smoothing::Kind::off, 0); });
  const char* const strengths[] = {"chart.smoothing-light", "chart.smoothing-medium", "chart.smoothing-strong"};
  for (std::size_t i = 0; i < std::size(strengths); ++i) {
    add(QLatin1String(strengths[i]), [this, i] {
      const double range = state_.data ? state_.data->last_x - state_.data->first_x : 0;
      if (range > 0) setSmoothing(chart::Smoothing::Kind::half_life, smoothing_presets(range)[i]);
    });
  }
  add(QStringLiteral("chart.smoothing-other"), [this] { smoothOther(chart::Smoothing::Kind::half_life); });
  for (int i = 0; i < x_axis_count; ++i) {
    const auto axis = static_cast<XAxis>(i);
    add(chart_axis_action(axis), [this, axis] { chooseAxis(axis); });
  }
  add(QStringLiteral("chart.x-metric"), [this] { chooseMetric(); });
  for (auto one = actions_.begin(); one != actions_.end(); ++one) {
    const bool chosen = one.key().startsWith(QStringLiteral("chart.x-")) || one.key() == QStringLiteral("chart.smoothing-off");
    if (chosen) one.value()->setCheckable(true);
  }
  for (const char* id : {"chart.follow", "chart.link", "chart.legend", "chart.table", "chart.align", "chart.y-log", "chart.outliers"})
    action(id)->setCheckable(true);
  updateActions();
}

void SeriesChart::Implementation::updateActions() {
  if (!group_alive_) return;
  const ChartGroup::Shared& shared = group_.shared();
  const bool any = state_.data && state_.data->any();
  const QString empty = any ? QString() : tr("The chart has no data yet");
  for (const char* id :
       {"chart.fit", "chart.copy-visible", "chart.copy-data", "chart.copy-picture", "chart.export-picture", "chart.export-data"})
    ActionRegistry::setReason(action(id), empty);
  ActionRegistry::setReason(action("chart.undo-zoom"), plot_->canUndoZoom() ? QString() : tr("Nothing has been zoomed"));
  ActionRegistry::setReason(action("chart.follow"), state_.zoomed() ? QString() : tr("Everything is in view: zoom first"));
  ActionRegistry::setReason(action("chart.legend"),
                            !compact_ && state_.curves.size() > 1 ? QString() : tr("The chart has no list of curves beside it"));
  const bool nonfinite = any && std::any_of(state_.data->curves.begin(), state_.data->curves.end(),
                                            [](const chart::CurveData& curve) { return curve.first_nonfinite.has_value(); });
  ActionRegistry::setReason(action("chart.non-finite"), nonfinite ? QString() : tr("Every value in view is finite"));
  action("chart.follow")->setChecked(following_);
  action("chart.link")->setChecked(shared.linked);
  action("chart.legend")->setChecked(legend_wanted_);
  action("chart.table")->setChecked(table_button_->isChecked());
  action("chart.align")->setChecked(shared.align_starts);
  action("chart.y-log")->setChecked(state_.logarithmic());
  action("chart.outliers")->setChecked(state_.ignore_outliers);
  action("chart.smoothing-off")->setChecked(!shared.smoothing.on());
  action("chart.x-metric")->setChecked(!x_series_.isEmpty());
  ActionRegistry::setReason(action("chart.x-metric"), metrics().isEmpty() ? tr("These curves' runs have no other series") : QString());
  for (const char* id : {"chart.cursor-a", "chart.cursor-b", "chart.pin"}) ActionRegistry::setReason(action(id), empty);
  const bool cursors = std::isfinite(state_.cursor_a) || std::isfinite(state_.cursor_b);
  ActionRegistry::setReason(action("chart.clear-cursors"), cursors ? QString() : tr("No cursor has been set"));
  const QString smoothed_not = !any ? empty : x_series_.isEmpty() ? QString() : tr("Smoothing needs an axis that only rises");
  for (const char* id : {"chart.smoothing-light", "chart.smoothing-medium", "chart.smoothing-strong", "chart.smoothing-other"})
    ActionRegistry::setReason(action(id), smoothed_not);
  for (int i = 0; i < x_axis_count; ++i) {
    const auto axis = static_cast<XAxis>(i);
    QAction* one = actions_.value(chart_axis_action(axis));
    one->setChecked(axis == shared.axis && x_series_.isEmpty());
    ActionRegistry::setReason(one, state_.data ? state_.data->axis_reasons[static_cast<std::size_t>(i)] : QString());
  }
}

void SeriesChart::Implementation::showMoment() {
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    const chart::Reading* reading =
        curve == nullptr || !std::isfinite(plot_->pointedX()) ? nullptr : chart::reading_at(*curve, plot_->pointedX());
    if (reading == nullptr || !reading->axes || spec->run_ids.isEmpty()) continue;
    Q_EMIT group_.momentChosen(spec->run_ids.back(), reading->axes->step);
    return;
  }
}

// What was done to the data; where values are not finite, the way to the first of them.
void SeriesChart::Implementation::showFooter() {
  const QStringList parts = state_.derivations(plot_->xAxis->range().lower, plot_->xAxis->range().upper);
  const auto odd = [](const QString& part) { return part.endsWith(u'✕'); };
  const bool link = std::any_of(parts.begin(), parts.end(), odd);
  QStringList shown;
  for (const QString& part : parts)
    shown.append(odd(part) ? QStringLiteral("<a href=\"first\">%1</a>").arg(part) : link ? part.toHtmlEscaped() : part);
  footer_->setTextFormat(link ? Qt::RichText : Qt::PlainText);
  footer_->setTextInteractionFlags(link ? Qt::TextBrowserInteraction : Qt::TextInteractionFlags(Qt::TextSelectableByMouse));
  footer_->setText(shown.join(QStringLiteral(" · ")));
}

void SeriesChart::Implementation::showNonFinite() {
  if (!state_.data) return;
  for (const chart::CurveData& curve : state_.data->curves) {
    if (!curve.first_nonfinite) continue;
    const double width = plot_->xAxis->range().size() / 4;
    plot_->setView(*curve.first_nonfinite - width / 2, *curve.first_nonfinite + width / 2, nothing, nothing);
    return;
  }
}

// Half-lives and windows that suit a range: 1, 2, 5 times a power of ten.
std::vector<double> SeriesChart::Implementation::smoothing_presets(double range) {
  std::vector<double> all;
  for (const double share : {0.002, 0.01, 0.05}) {
    const double wanted = std::max(range, 1e-12) * share, decade = std::pow(10, std::floor(std::log10(wanted)));
    const double rest = wanted / decade;
    all.push_back(decade * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10));
  }
  return all;
}

void SeriesChart::Implementation::smoothOther(chart::Smoothing::Kind kind) {
  const double range = state_.data ? state_.data->last_x - state_.data->first_x : 1000;
  bool chosen = false;
  const double width = QInputDialog::getDouble(&chart_, tr("Smoothing"), tr("Width in units of the x axis (%1):").arg(state_.xTitle()),
                                               smoothing_presets(range)[1], 1e-6, 1e15, 3, &chosen);
  if (chosen) setSmoothing(kind, width);
}

// The curve chosen in the legend while that has the focus, else the one that is read, else the first.
void SeriesChart::Implementation::pin() {
  QString id = legend_->list().hasFocus() ? legend_->list().currentIndex().data(Qt::UserRole).toString() : state_.reading;
  if (id.isEmpty() && !state_.drawn().empty()) id = state_.drawn().front()->id;
  if (id.isEmpty()) return;
  if (!state_.pinned.remove(id)) state_.pinned.insert(id);
  legend_->refresh();
  Q_EMIT legend_->changed();
}

void SeriesChart::Implementation::setScale(YScale scale) {
  state_.scale = scale;
  state_.y_lower = state_.y_upper = nothing;
  labelButtons();
  updateActions();
  invalidate(true);
}

void SeriesChart::Implementation::setIgnoringOutliers(bool on) {
  state_.ignore_outliers = on;
  state_.y_lower = state_.y_upper = nothing;
  plot_->scene().forgetYRange();
  plot_->scene().layOut();
  plot_->replot(QCustomPlot::rpQueuedReplot);
  showTexts();
}

}  // namespace syncline::ui
