// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_state.h"

#include <QCoreApplication>
#include <QTimeZone>
#include <algorithm>

#include "ui/models/chart/metric_axis.h"
#include "ui/models/chart/rank_rates.h"

namespace syncline::ui {

namespace {

struct Text {
  Q_DECLARE_TR_FUNCTIONS(syncline::ui::SeriesChart)
};

QString smoothing_text(const chart::Smoothing& smoothing, const QString& width) {
  switch (smoothing.kind) {
    case chart::Smoothing::Kind::half_life:
      return Text::tr("smoothed with half-life %1, raw behind").arg(width);
    case chart::Smoothing::Kind::running_mean:
      return Text::tr("running mean of %1, raw behind").arg(width);
    case chart::Smoothing::Kind::running_median:
      return Text::tr("running median of %1, raw behind").arg(width);
    case chart::Smoothing::Kind::off:
      break;
  }
  return {};
}

QString band_text(chart::Band band) {
  switch (band) {
    case chart::Band::deviation:
      return Text::tr("mean ± 1 s.d.");
    case chart::Band::confidence:
      return Text::tr("mean, 95 % confidence interval (Student t)");
    case chart::Band::range:
      return Text::tr("mean, min–max");
    case chart::Band::lines:
      return Text::tr("mean and single seeds");
    case chart::Band::none:
      break;
  }
  return Text::tr("mean without band");
}

// In words of the unit that suits the value, as everywhere; a difference may be negative.
QString value_in_words(const QString& name, const format::Unit& unit, double value) {
  if (!std::isfinite(value)) return format::metric(value);
  if (name.endsWith(QStringLiteral("accuracy"))) return format::percent(value);
  const QString sign = value < 0 ? QStringLiteral("\u2212") : QString();
  if (name.endsWith(QStringLiteral("_s")) && !name.endsWith(QStringLiteral("_per_s")))
    return QString(sign % format::duration(std::abs(value)));
  if (unit.text.endsWith(QStringLiteral("iB"))) return QString(sign % format::bytes(std::abs(value)));
  const QString number = format::metric(value / unit.factor);
  return unit.text.isEmpty() ? number : QString(number % u' ' % unit.text);
}

}  // namespace

const chart::CurveData* ChartState::dataOf(const QString& id) const {
  if (!data) return nullptr;
  const auto found = std::find_if(data->curves.begin(), data->curves.end(), [&](const chart::CurveData& curve) { return curve.id == id; });
  return found == data->curves.end() ? nullptr : &*found;
}

palette::CurveStyle ChartState::styleOf(const CurveSpec& spec, bool in_dark) const {
  palette::CurveStyle style = spec.prediction ? palette::predictionCurve(spec.palette, in_dark) : palette::curve(spec.palette, in_dark);
  if (spec.colour.isValid()) style.colour = spec.colour;
  return style;
}

std::vector<const CurveSpec*> ChartState::drawn() const {
  std::vector<const CurveSpec*> shown;
  const auto room = [&] { return static_cast<int>(shown.size()) < shown_most; };
  for (const CurveSpec& curve : curves) {
    if (pinned.contains(curve.id) && !hidden.contains(curve.id)) shown.push_back(&curve);
  }
  for (const CurveSpec& curve : curves) {
    if (!pinned.contains(curve.id) && !hidden.contains(curve.id) && room()) shown.push_back(&curve);
  }
  return shown;
}

QString ChartState::legendOf(const CurveSpec& spec) const {
  const QString name = format::isolated(spec.name);
  QStringList parts = {spec.prediction ? QString(name % QStringLiteral(" (SIM)")) : name};
  if (const chart::CurveData* curve = dataOf(spec.id)) {
    if (curve->seeds_count > 1) parts.append((overMetric() ? Text::tr("%1 seeds") : Text::tr("mean of %1")).arg(curve->seeds_count));
    if (curve->seeds_count > 1 && curve->seeds_stopped_early > 0 && spec.note.isEmpty()) {
      parts.append(Text::tr("%1 stopped early").arg(curve->seeds_stopped_early));
    }
    if (!curve->why_missing.isEmpty()) parts.append(curve->why_missing);
  }
  if (!spec.note.isEmpty()) parts.append(spec.note);
  return parts.join(QStringLiteral(", "));
}

QString ChartState::storedName() const { return curves.empty() ? QString() : curves.front().series; }

QString ChartState::yTitle() const {
  const QString name = format::titleOf(storedName());
  return format::axisTitle(name.isEmpty() ? title : name, y_unit);
}

QString ChartState::xTitle() const {
  const XAxis x = axis();
  const QString label = chart::axis_label(x);
  if (overMetric()) return format::axisTitle(format::titleOf(data->query.x_series), x_unit);
  if (data && data->query.align_starts) return format::axisTitle(Text::tr("%1 since the start").arg(label), x_unit);
  if (x == XAxis::wall_s) {
    const QDateTime now = QDateTime::currentDateTime();
    return QString(label % QStringLiteral(" (") % now.timeZone().displayName(now, QTimeZone::OffsetName) % u')');
  }
  return format::axisTitle(label, x_unit);
}

QString ChartState::valueText(double y) const { return value_in_words(storedName(), y_unit, y); }

QString ChartState::xLabel() const { return overMetric() ? chart::metric_label(data->query.x_series) : chart::axis_label(axis()); }

QString ChartState::xStoredName() const { return overMetric() ? data->query.x_series : chart::axis_stored_name(axis()); }

QString ChartState::xDistance(double distance) const {
  return overMetric() ? value_in_words(data->query.x_series, x_unit, distance) : chart::counted(distance, axis());
}

QString ChartState::xText(double x) const {
  if (!std::isfinite(x)) return format::missing;
  if (overMetric()) return value_in_words(data->query.x_series, x_unit, x);
  switch (axis()) {
    case XAxis::active_s:
    case XAxis::elapsed_s:
      return x < 0 ? QString(QStringLiteral("\u2212") % format::duration(-x)) : format::duration(x);
    case XAxis::wall_s:
      if (data && data->query.align_starts) return format::duration(std::max(0.0, x));
      return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(x * 1000)).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    case XAxis::epoch:
      return format::metric(x);
    case XAxis::bytes:
      return format::traffic(x);
    default:
      return format::count(std::llround(x));
  }
}

QStringList ChartState::derivations(double from, double to) const {
  QStringList parts;
  if (!data) return parts;
  if (const std::int64_t most = data->per_column(); most > 0) {
    parts.append(Text::tr("min–max of %1 points per pixel").arg(format::count(most)));
  }
  const chart::Smoothing& smoothing = data->query.smoothing;
  if (smoothing.on()) {
    parts.append(smoothing_text(smoothing, chart::counted(smoothing.width, axis())));
  }
  bool mean = false, dense = false, over_ranks = false, superseded = false, left_early = false;
  std::int64_t nonfinite = 0, gutter = 0;
  for (const CurveSpec* spec : drawn()) {
    const chart::CurveData* curve = dataOf(spec->id);
    if (curve == nullptr) continue;
    mean = mean || (curve->seeds_count > 1 && !overMetric());
    dense = dense || (overMetric() && curve->line.x.size() > chart::most_exact_samples);
    over_ranks = over_ranks || (spec->rank == chart::every_rank && !curve->band.x.empty());
    superseded = superseded || !curve->superseded.x.empty();
    left_early = left_early || !curve->partial.x.empty();
    for (const chart::Mark& mark : curve->line.marks) {
      if (mark.x < from || mark.x > to) continue;
      (mark.kind == chart::MarkKind::not_positive ? gutter : nonfinite) += mark.count;
    }
  }
  if (overMetric()) parts.append(Text::tr("each sample over the last %1 by its step").arg(xLabel()));
  if (dense) parts.append(Text::tr("too many samples for a line: the darker, the more lie there"));
  if (mean) parts.append(band_text(data->query.band));
  if (over_ranks) parts.append(Text::tr("band: if all ranks kept the pace of the slowest, of the fastest"));
  if (left_early) parts.append(Text::tr("dashed: a seed has ended"));
  if (superseded) parts.append(Text::tr("dotted: replaced after a resume"));
  if (nonfinite > 0) parts.append(Text::tr("%1 not finite ✕").arg(format::count(nonfinite)));
  if (gutter > 0) parts.append(Text::tr("%1 not above zero, in the gutter").arg(format::count(gutter)));
  if (ignore_outliers) parts.append(Text::tr("y range without outliers (0.5–99.5 %)"));
  if (const auto drawn_now = drawn().size(); drawn_now < curves.size()) {
    parts.append(Text::tr("%1 of %2 curves shown").arg(drawn_now).arg(curves.size()));
  }
  return parts;
}

QString ChartState::description() const {
  const auto shown = drawn();
  if (!data || !data->any()) return Text::tr("%1, no data").arg(title);
  const double from = zoomed() ? lower : data->first_x, to = zoomed() ? upper : data->last_x;
  QStringList parts = {
      Text::tr("%1, %n curve(s), x %2 %3 to %4", nullptr, static_cast<int>(shown.size())).arg(title, xLabel(), xText(from), xText(to))};
  constexpr std::size_t most_spoken = 5;
  for (std::size_t i = 0; i < std::min(most_spoken, shown.size()); ++i) {
    const chart::CurveData* curve = dataOf(shown[i]->id);
    if (curve == nullptr || curve->readings.empty()) continue;
    const double first = curve->readings.front().y, last = curve->readings.back().y;
    const QString direction = last < first ? Text::tr("falls") : last > first ? Text::tr("rises") : Text::tr("stays");
    parts.append(Text::tr("%1 %2 from %3 to %4").arg(legendOf(*shown[i]), direction, valueText(first), valueText(last)));
  }
  if (shown.size() > most_spoken) parts.append(Text::tr("and %1 more").arg(shown.size() - most_spoken));
  return parts.join(QStringLiteral("; "));
}

}  // namespace syncline::ui
