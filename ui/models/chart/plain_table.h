// SPDX-License-Identifier: GPL-3.0-or-later
// A small table in memory as a text for files and the clipboard.
#pragma once

#include <QStringList>
#include <vector>

#include "ui/models/chart/chart_table.h"

namespace syncline::ui::chart {

// Cells are in the C locale. JSON has the shape of a chart's: {"columns":[...],"rows":[[...],...]}, with numbers as numbers, empty cells as
// null, and the first `text_columns` as texts whatever they look like.
QByteArray plain_table(const QStringList& columns, const std::vector<QStringList>& rows, TableFormat, int text_columns = 0);

// csv, unless the path ends in .tsv or .json.
TableFormat table_format_of(const QString& path);

}  // namespace syncline::ui::chart
