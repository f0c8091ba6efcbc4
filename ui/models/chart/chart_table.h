// SPDX-License-Identifier: GPL-3.0-or-later
// The numbers behind a chart, for its table and its exports: every sample with all its axes, in full precision.
#pragma once

#include <QByteArray>
#include <functional>

#include "ui/models/chart/chart_data.h"

namespace syncline::ui::chart {

struct TableQuery {
  ChartQuery chart;            // from..to NaN: everything
  std::vector<QString> names;  // of the curves, for the first column
};

struct TableRow {
  QString curve, series, run_id;
  int rank = -1, attempt = 0;
  bool superseded = false;     // replaced by a later attempt
  std::optional<Axes> axes;    // none: a mean; then x is on the chart's axis
  std::optional<double> over;  // of the series that takes the place of the axis
  double x = 0, value = 0;
  std::optional<double> smoothed, lower, upper;
  int n = 1;
};

// Visits rows until `visit` says false: the samples of all runs, then the means where curves are aggregated.
void each_row(Reader&, const TableQuery&, const std::function<bool(const TableRow&)>& visit);

enum class TableFormat { csv, tsv, json };
QStringList table_columns(const TableQuery&);
QStringList table_cells(const TableRow&, const TableQuery&);  // C locale, exact
// `write` gets the file piece by piece; false ends it early.
void write_table(Reader&, const TableQuery&, TableFormat, const std::function<bool(const QByteArray&)>& write);

QByteArray quoted_cell(const QString&, TableFormat);  // RFC 4180; tabs become blanks in TSV; a JSON string

}  // namespace syncline::ui::chart
