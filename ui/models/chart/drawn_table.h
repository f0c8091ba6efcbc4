// SPDX-License-Identifier: GPL-3.0-or-later
// What a chart draws, as numbers: the vertices of its lines after reduction, smoothing and averaging.
#pragma once

#include "ui/models/chart/chart_table.h"

namespace syncline::ui::chart {

// The vertices between from and to (NaN: all) of the curves named, by id and name. Columns: curve, part ("line", "smoothed", "band",
// "seed", "partial" where a seed has ended, "superseded" by a resume), the axis, value, lower, upper. A gap in a line has no value.
QByteArray drawn_table(const ChartData&, const std::vector<std::pair<QString, QString>>& curves, double from, double to, TableFormat);

}  // namespace syncline::ui::chart
