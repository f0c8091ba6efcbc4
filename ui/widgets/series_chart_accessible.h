// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader gets of a chart's plot: name, value under the crosshair, description. QCustomPlot exposes nothing by itself.
#pragma once

namespace syncline::ui {

void install_chart_accessibility();  // once is enough; more does nothing

}  // namespace syncline::ui
