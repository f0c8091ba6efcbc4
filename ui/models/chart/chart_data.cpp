// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/chart_data.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"

namespace syncline::ui::chart {

bool ChartData::any() const {
  return std::any_of(curves.begin(), curves.end(), [](const CurveData& curve) { return curve.samples > 0; });
}

std::int64_t ChartData::per_column() const {
  std::int64_t most = 0;
  for (const CurveData& curve : curves) most = std::max(most, curve.line.per_column);
  return most;
}

std::optional<std::size_t> last_at_or_before(const std::vector<double>& values, double x) {
  const auto after = std::upper_bound(values.begin(), values.end(), x);
  if (after == values.begin()) return std::nullopt;
  return static_cast<std::size_t>(after - values.begin()) - 1;
}

const Reading* reading_at(const CurveData& curve, double x) {
  const auto after =
      std::upper_bound(curve.readings.begin(), curve.readings.end(), x, [](double at, const Reading& reading) { return at < reading.x; });
  return after == curve.readings.begin() ? nullptr : &*std::prev(after);
}

QString axis_label(XAxis axis) {
  const auto text = [](const char* words) { return QCoreApplication::translate("chart", words); };
  switch (axis) {
    case XAxis::step:
      return text(QT_TRANSLATE_NOOP("chart", "step"));
    case XAxis::samples:
      return text(QT_TRANSLATE_NOOP("chart", "samples"));
    case XAxis::epoch:
      return text(QT_TRANSLATE_NOOP("chart", "epoch"));
    case XAxis::gradients:
      return text(QT_TRANSLATE_NOOP("chart", "gradient evaluations"));
    case XAxis::rounds:
      return text(QT_TRANSLATE_NOOP("chart", "communication rounds"));
    case XAxis::bytes:
      return text(QT_TRANSLATE_NOOP("chart", "bytes sent per rank"));
    case XAxis::active_s:
      return text(QT_TRANSLATE_NOOP("chart", "active time"));
    case XAxis::elapsed_s:
      return text(QT_TRANSLATE_NOOP("chart", "elapsed time"));
    case XAxis::wall_s:
      break;
  }
  return text(QT_TRANSLATE_NOOP("chart", "wall clock"));
}

QString metric_label(const QString& series) {
  QString title = format::titleOf(series);
  // A name begins with a capital as a title does; an abbreviation keeps its own.
  if (title.size() > 1 && title[1].isLower()) title[0] = title[0].toLower();
  return title;
}

QString counted(double distance, XAxis axis) {
  const auto text = [](const char* words, double value) {
    return QCoreApplication::translate("chart", words)
        .arg(value == std::round(value) ? format::count(static_cast<std::int64_t>(value)) : format::metric(value));
  };
  const bool one = std::abs(distance) == 1;
  switch (axis) {
    case XAxis::step:
      return one ? text(QT_TRANSLATE_NOOP("chart", "%1 step"), distance) : text(QT_TRANSLATE_NOOP("chart", "%1 steps"), distance);
    case XAxis::samples:
      return one ? text(QT_TRANSLATE_NOOP("chart", "%1 sample"), distance) : text(QT_TRANSLATE_NOOP("chart", "%1 samples"), distance);
    case XAxis::epoch:
      return one ? text(QT_TRANSLATE_NOOP("chart", "%1 epoch"), distance) : text(QT_TRANSLATE_NOOP("chart", "%1 epochs"), distance);
    case XAxis::gradients:
      return one ? text(QT_TRANSLATE_NOOP("chart", "%1 gradient evaluation"), distance)
                 : text(QT_TRANSLATE_NOOP("chart", "%1 gradient evaluations"), distance);
    case XAxis::rounds:
      return one ? text(QT_TRANSLATE_NOOP("chart", "%1 round"), distance) : text(QT_TRANSLATE_NOOP("chart", "%1 rounds"), distance);
    case XAxis::bytes:
      return format::traffic(distance);
    default:
      return distance < 0 ? QString(QStringLiteral("\u2212") % format::duration(-distance)) : format::duration(distance);
  }
}

QString axis_stored_name(XAxis axis) {
  const std::string_view name = name_of(axis);
  return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace syncline::ui::chart
