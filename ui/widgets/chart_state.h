// SPDX-License-Identifier: GPL-3.0-or-later
// What one chart shows and how. Owned by the SeriesChart; scene, overlay, legend and export draw from it.
#pragma once

#include <QHash>
#include <QSet>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "ui/models/chart/chart_data.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/widgets/series_chart.h"

namespace syncline::ui {

inline constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

enum class YScale { linear, log10, log2 };

struct ChartState {
  QString title;
  std::vector<CurveSpec> curves;
  QSet<QString> hidden, pinned;
  QString lifted, reading;  // curve ids: under the pointer in the legend; whose samples the keys walk along
  int shown_most = 20;
  std::shared_ptr<const chart::ChartData> data;
  YScale scale = YScale::linear;
  bool ignore_outliers = false;
  std::optional<double> target;
  double lower = nothing, upper = nothing;      // visible x; NaN: everything
  double y_lower = nothing, y_upper = nothing;  // NaN: automatic
  double crosshair = nothing, cursor_a = nothing, cursor_b = nothing;
  format::Unit x_unit, y_unit;
  bool dark = false;
  bool hurried = false;  // the view is being moved: how curves look matters less than that they follow

  bool logarithmic() const { return scale != YScale::linear; }
  bool zoomed() const { return std::isfinite(lower) && std::isfinite(upper); }
  XAxis axis() const { return data ? data->query.axis : XAxis::step; }
  const chart::CurveData* dataOf(const QString& id) const;
  palette::CurveStyle styleOf(const CurveSpec&, bool in_dark) const;
  // Ids drawn: not hidden, pinned ones first, then the first ones in the order given, at most shown_most.
  std::vector<const CurveSpec*> drawn() const;
  // "easgd", "easgd, mean of 5, 1 stopped early", "easgd (SIM)".
  QString legendOf(const CurveSpec&) const;
  QString storedName() const;  // of the first curve: decides the unit of y
  QString yTitle() const;
  QString xTitle() const;
  QString xLabel() const;       // "step", "train loss"
  QString xStoredName() const;  // "step", "train_loss": decides the unit of x
  bool overMetric() const { return data && !data->query.x_series.isEmpty(); }
  bool onClock() const { return axis() == XAxis::wall_s && !overMetric() && !(data && data->query.align_starts); }
  QString xDistance(double) const;                                        // "200 steps"
  QString valueText(double y) const;                                      // in the unit of the axis, with it
  QString xText(double x) const;                                          // "12 000", "3.4 s"
  QStringList derivations(double visible_from, double visible_to) const;  // what has been done to the data, for the footer
  QString description() const;                                            // for screen readers
};

}  // namespace syncline::ui
