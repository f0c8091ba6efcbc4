// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/drawn_table.h"

#include <algorithm>
#include <cmath>

#include "ui/models/chart/plain_table.h"
#include "ui/models/format.h"

namespace syncline::ui::chart {

QByteArray drawn_table(const ChartData& data, const std::vector<std::pair<QString, QString>>& curves, double from, double to,
                       TableFormat format) {
  std::vector<QStringList> rows;
  const auto outside = [&](double x) { return x < from || x > to; };
  const auto put = [&](const QString& name, const QString& part, const Reduced& line) {
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      if (outside(line.x[i])) continue;
      const QString value = std::isnan(line.y[i]) ? QString() : format::exact(line.y[i]);
      rows.push_back({name, part, format::exact(line.x[i]), value, QString(), QString()});
    }
  };
  for (const auto& [id, name] : curves) {
    const auto curve =
        std::find_if(data.curves.begin(), data.curves.end(), [&, wanted = id](const CurveData& one) { return one.id == wanted; });
    if (curve == data.curves.end()) continue;
    put(name, QStringLiteral("line"), curve->line);
    put(name, QStringLiteral("smoothed"), curve->smoothed);
    put(name, QStringLiteral("partial"), curve->partial);
    put(name, QStringLiteral("superseded"), curve->superseded);
    for (const Reduced& seed : curve->seeds) put(name, QStringLiteral("seed"), seed);
    const ReducedBand& band = curve->band;
    for (std::size_t i = 0; i < band.x.size(); ++i) {
      if (outside(band.x[i]) || std::isnan(band.lower[i])) continue;
      rows.push_back(
          {name, QStringLiteral("band"), format::exact(band.x[i]), QString(), format::exact(band.lower[i]), format::exact(band.upper[i])});
    }
  }
  const QString axis = data.query.x_series.isEmpty() ? axis_stored_name(data.query.axis) : data.query.x_series;
  return plain_table(
      {QStringLiteral("curve"), QStringLiteral("part"), data.query.align_starts ? QString(axis % QStringLiteral("_since_start")) : axis,
       QStringLiteral("value"), QStringLiteral("lower"), QStringLiteral("upper")},
      rows, format, 2);
}

}  // namespace syncline::ui::chart
