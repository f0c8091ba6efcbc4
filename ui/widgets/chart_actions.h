// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a chart, by id: the charts offer these actions in the registry, and the window's menus name them.
#pragma once

#include "engine/store/records.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

class ChartPlot;

// "chart.fit", "chart.undo-zoom", "chart.follow", "chart.cursor-a", "chart.cursor-b", "chart.clear-cursors", "chart.timeline",
// "chart.non-finite", "chart.link", "chart.legend", "chart.pin", "chart.table", "chart.share", "chart.align", "chart.y-log",
// "chart.outliers", "chart.copy-value", "chart.copy-visible", "chart.copy-data", "chart.copy-picture", "chart.export-picture",
// "chart.export-data", "chart.smoothing-off", "chart.smoothing-light", "chart.smoothing-medium", "chart.smoothing-strong",
// "chart.smoothing-other", "chart.x-..." (below).
ActionText chart_action_text(const QString& id);
QString chart_axis_action(XAxis);              // "chart.x-samples"
QString chart_axis_menu_text(const QString&);  // "S&amples", for a menu that says X Axis itself

// Fit, undo zoom and the cursors, which every plot has.
void add_plot_actions(ActionRegistry&, QWidget* owner, ChartPlot&);

}  // namespace syncline::ui
