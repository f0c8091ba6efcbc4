// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtMath>
#include <algorithm>
#include <vector>

#include "ui/widgets/chart_scene.h"

namespace syncline::ui {

ChartMarks::ChartMarks(QCustomPlot* plot, const ChartState& state) : QCPLayerable(plot, QStringLiteral("marks")), state_(state) {}

void ChartMarks::applyDefaultAntialiasingHint(QCPPainter* painter) const { painter->setAntialiasing(true); }

QString ChartMarks::symbolOf(const QString& kind) {
  if (kind == QStringLiteral("checkpoint")) return QStringLiteral("◆");
  if (kind == QStringLiteral("evaluation")) return QStringLiteral("○");
  if (kind == QStringLiteral("learning-rate")) return QStringLiteral("∿");
  if (kind == QStringLiteral("attempt")) return QStringLiteral("▷");
  if (kind == QStringLiteral("warm-up")) return QStringLiteral("⊣");
  if (kind == QStringLiteral("rank-lost") || kind == QStringLiteral("failed") || kind == QStringLiteral("divergence"))
    return QStringLiteral("✕");
  return QStringLiteral("✎");
}

void ChartMarks::draw(QCPPainter* painter) {
  const QRectF area = parentPlot()->axisRect()->rect();
  if (!state_.data || area.isEmpty()) return;
  drawTarget(painter, area);
  drawEvents(painter, area);
  drawMarks(painter, area);
  drawLeaving(painter, area);
  drawSeedsLeft(painter, area);
  drawNewest(painter, area);
}

QString ChartMarks::textAt(const QPointF& at) const {
  const QRectF area = parentPlot()->axisRect()->rect();
  constexpr double near = 6;
  constexpr int most_lines = 8;
  if (!state_.data || at.x() < area.left() - near || at.x() > area.right() + near) return {};
  const auto tr = [](const char* text) { return QCoreApplication::translate("syncline::ui::SeriesChart", text); };
  const QCPAxis& x_axis = *parentPlot()->xAxis;
  QStringList lines;
  if (at.y() < area.top() + 16) {
    for (const chart::EventMark& event : state_.data->events) {
      if (std::abs(x_axis.coordToPixel(event.x) - at.x()) > near) continue;
      lines.append(QString(symbolOf(event.kind) % u' ' % tr("step %1: %2").arg(format::count(event.step), event.text)));
    }
  }
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr) continue;
    for (const chart::Mark& mark : curve->line.marks) {
      const bool top = mark.kind == chart::MarkKind::positive_infinity;
      if (std::abs(x_axis.coordToPixel(mark.x) - at.x()) > near || (top ? at.y() > area.top() + 16 : at.y() < area.bottom() - 16)) continue;
      const QString place = QString(state_.xLabel() % u' ' % state_.xText(mark.x)), count = format::count(mark.count);
      switch (mark.kind) {
        case chart::MarkKind::nan:
          lines.append(tr("%1: %2 NaN from %3").arg(format::isolated(spec->name), count, place));
          break;
        case chart::MarkKind::positive_infinity:
          lines.append(tr("%1: %2 +∞ from %3").arg(format::isolated(spec->name), count, place));
          break;
        case chart::MarkKind::negative_infinity:
          lines.append(tr("%1: %2 −∞ from %3").arg(format::isolated(spec->name), count, place));
          break;
        case chart::MarkKind::not_finite:
          lines.append(tr("%1: %2 not finite from %3").arg(format::isolated(spec->name), count, place));
          break;
        case chart::MarkKind::not_positive:
          lines.append(tr("%1: %2 not above zero (%3 to %4) from %5")
                           .arg(format::isolated(spec->name), count, state_.valueText(mark.least), state_.valueText(mark.most), place));
          break;
      }
    }
  }
  if (lines.size() > most_lines) {
    const auto more = lines.size() - most_lines;
    lines = lines.mid(0, most_lines);
    lines.append(tr("and %1 more").arg(more));
  }
  return lines.join(u'\n');
}

void ChartMarks::drawSeedsLeft(QCPPainter* painter, const QRectF& area) {
  painter->setFont(parentPlot()->xAxis->tickLabelFont());
  std::vector<QRectF> taken;  // where words stand already
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr) continue;
    painter->setPen(state_.styleOf(*spec, state_.dark).colour);
    for (const auto& [at, left] : curve->seeds_left) {
      const chart::Reading* reading = chart::reading_at(*curve, at);
      if (reading == nullptr || !std::isfinite(reading->y)) continue;
      const QPointF place(parentPlot()->xAxis->coordToPixel(at), parentPlot()->yAxis->coordToPixel(reading->y));
      if (!area.contains(place)) continue;
      const QString words = QStringLiteral("n = %1").arg(left);
      const double width = QFontMetricsF(painter->font()).horizontalAdvance(words) + 8;
      // Left of the line where the frame ends; a row lower where other words stand.
      QRectF text(place.x() + width > area.right() ? place.x() - width : place.x(), area.top() + 15, width, 16);
      while (text.bottom() < area.bottom() &&
             std::any_of(taken.begin(), taken.end(), [&text](const QRectF& other) { return other.intersects(text); }))
        text.translate(0, text.height());
      taken.push_back(text);
      painter->drawLine(QPointF(place.x(), text.top() + 1), QPointF(place.x(), text.bottom() - 1));
      painter->drawText(text, Qt::AlignCenter, words);
    }
  }
}

void ChartMarks::drawLeaving(QCPPainter* painter, const QRectF& area) {
  if (!state_.ignore_outliers) return;
  const QCPRange range = parentPlot()->yAxis->range();
  constexpr double apart = 10;  // px
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr) continue;
    const QColor colour = state_.styleOf(*spec, state_.dark).colour;
    painter->setPen(QPen(colour, 1));
    painter->setBrush(colour);
    double before = -HUGE_VAL;
    for (std::size_t i = 0; i < curve->line.x.size(); ++i) {
      const double y = curve->line.y[i], x = parentPlot()->xAxis->coordToPixel(curve->line.x[i]);
      if (std::isnan(y) || range.contains(y) || x < area.left() || x > area.right() || x - before < apart) continue;
      before = x;
      const double edge = y > range.upper ? area.top() + 1 : area.bottom() - 1, inward = y > range.upper ? 6 : -6;
      painter->drawPolygon(QPolygonF({QPointF(x - 3, edge + inward), QPointF(x + 3, edge + inward), QPointF(x, edge)}));
    }
  }
}

void ChartMarks::drawMarks(QCPPainter* painter, const QRectF& area) {
  const QCPAxis& x_axis = *parentPlot()->xAxis;
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr) continue;
    const QColor colour = state_.styleOf(*spec, state_.dark).colour;
    for (const chart::Mark& mark : curve->line.marks) {
      const double x = x_axis.coordToPixel(mark.x);
      if (x < area.left() || x > area.right()) continue;
      painter->setPen(QPen(colour, 1.6));
      painter->setBrush(colour);
      const double bottom = area.bottom() - 6, top = area.top() + 6;
      switch (mark.kind) {
        case chart::MarkKind::nan:
        case chart::MarkKind::not_finite:
          painter->drawLine(QPointF(x - 3.5, bottom - 3.5), QPointF(x + 3.5, bottom + 3.5));
          painter->drawLine(QPointF(x - 3.5, bottom + 3.5), QPointF(x + 3.5, bottom - 3.5));
          break;
        case chart::MarkKind::positive_infinity:
          painter->drawPolygon(QPolygonF({QPointF(x - 4, top + 3), QPointF(x + 4, top + 3), QPointF(x, top - 4)}));
          break;
        case chart::MarkKind::negative_infinity:
          painter->drawPolygon(QPolygonF({QPointF(x - 4, bottom - 3), QPointF(x + 4, bottom - 3), QPointF(x, bottom + 4)}));
          break;
        case chart::MarkKind::not_positive:
          painter->setPen(QPen(colour, 1.2));
          painter->drawLine(QPointF(x, area.bottom() - gutter + 2), QPointF(x, area.bottom() - 1));
          break;
      }
    }
  }
}

void ChartMarks::drawEvents(QCPPainter* painter, const QRectF& area) {
  const QCPAxis& x_axis = *parentPlot()->xAxis;
  QColor colour = parentPlot()->xAxis->labelColor();
  painter->setFont(parentPlot()->xAxis->tickLabelFont());
  painter->setPen(QPen(colour, 1));
  double before = -HUGE_VAL;
  QString kind;
  for (const chart::EventMark& event : state_.data->events) {
    const double x = x_axis.coordToPixel(event.x);
    if (x < area.left() || x > area.right()) continue;
    if (event.kind == kind && x - before < 7) continue;  // they would run together
    before = x;
    kind = event.kind;
    painter->drawText(QRectF(x - 8, area.top(), 16, 14), Qt::AlignCenter, symbolOf(event.kind));
  }
}

void ChartMarks::drawTarget(QCPPainter* painter, const QRectF& area) {
  if (!state_.target) return;
  const double y = parentPlot()->yAxis->coordToPixel(*state_.target);
  if (!(y >= area.top() && y <= area.bottom())) return;
  const QColor colour = palette::status(palette::Status::good, state_.dark);
  painter->setPen(QPen(colour, 1, Qt::DashLine));
  painter->drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
  painter->setFont(parentPlot()->xAxis->tickLabelFont());
  painter->setPen(colour);
  const QString words = QCoreApplication::translate("syncline::ui::SeriesChart", "target %1").arg(state_.valueText(*state_.target));
  const bool above = y - area.top() > 18;
  painter->drawText(QRectF(area.left() + 6, above ? y - 17 : y + 1, area.width() - 12, 16), Qt::AlignLeft | Qt::AlignVCenter, words);
}

void ChartMarks::drawNewest(QCPPainter* painter, const QRectF& area) {
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr || !curve->running || !curve->last || !std::isfinite(curve->last->y)) continue;
    const chart::Reading* shown = curve->readings.empty() ? nullptr : &curve->readings.back();
    const double value = shown != nullptr && std::isfinite(shown->smoothed) ? shown->smoothed : curve->last->y;
    const QPointF at(parentPlot()->xAxis->coordToPixel(curve->last->x), parentPlot()->yAxis->coordToPixel(value));
    if (!area.adjusted(-1, -1, 1, 1).contains(at)) continue;
    const QColor colour = state_.styleOf(*spec, state_.dark).colour;
    painter->setPen(QPen(colour, 1.5));
    painter->setBrush(stale ? palette::background(state_.dark) : colour);
    painter->drawEllipse(at, 3.5, 3.5);
  }
}

}  // namespace syncline::ui
