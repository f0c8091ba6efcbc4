// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/curve_graph.h"

#include <cmath>

#include "ui/models/chart/pixel_line.h"

namespace syncline::ui {

void CurveGraph::draw(QCPPainter* painter) {
  constexpr int few = 64;  // vertices: nothing to gain
  const bool plain = mBrush.style() == Qt::NoBrush && mScatterStyle.isNone() && mLineStyle == lsLine && mPen.style() != Qt::NoPen;
  if (!plain || painter->modes().testFlag(QCPPainter::pmVectorized) || dataCount() < few) {
    QCPGraph::draw(painter);
    return;
  }
  const QCPRange range = mKeyAxis->range();
  // A few curves with a sample per pixel are worth their antialiasing and their dashes.
  constexpr int few_graphs = 10;
  constexpr double dense = 1.5;  // vertices per pixel
  const auto seen = mDataContainer->findEnd(range.upper) - mDataContainer->findBegin(range.lower);
  if (!reduced_ && mParentPlot->graphCount() <= few_graphs && static_cast<double>(seen) < dense * mKeyAxis->axisRect()->width()) {
    QCPGraph::draw(painter);
    return;
  }
  std::vector<chart::PixelPoint> points;
  const auto begin = mDataContainer->findBegin(range.lower), end = mDataContainer->findEnd(range.upper);
  points.reserve(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, end - begin)));
  // The axes' own conversion is a virtual call and a division a vertex.
  const double left = mKeyAxis->coordToPixel(range.lower), x_scale = (mKeyAxis->coordToPixel(range.upper) - left) / range.size();
  const QCPRange values = mValueAxis->range();
  const bool logarithmic = mValueAxis->scaleType() == QCPAxis::stLogarithmic;
  const auto place = [logarithmic](double value) { return logarithmic ? std::log(value) : value; };
  const double base = place(values.lower), bottom = mValueAxis->coordToPixel(values.lower);
  const double y_scale = (mValueAxis->coordToPixel(values.upper) - bottom) / (place(values.upper) - base);
  // What lies far outside is drawn no further than Qt can count.
  const double far_up = -1e4, far_down = 1e5;
  for (auto at = begin; at != end; ++at) {
    const double y = bottom + (place(at->value) - base) * y_scale;
    points.push_back({left + (at->key - range.lower) * x_scale, std::isnan(at->value) ? at->value : std::clamp(y, far_up, far_down)});
  }
  chart::PixelLine line = chart::pixel_line(points);
  if (reduced_) chart::close_slits(line.bars);
  painter->save();
  painter->setAntialiasing(false);
  painter->setPen(Qt::NoPen);
  painter->setBrush(mPen.color());
  const int width = std::max(1, static_cast<int>(mPen.widthF()));
  QVector<QRect> bars;
  bars.reserve(static_cast<qsizetype>(line.bars.size()));
  for (const chart::PixelBar& bar : line.bars) {
    bars.append(
        QRect(bar.column, static_cast<int>(std::floor(bar.top)), width, std::max(1, static_cast<int>(std::ceil(bar.bottom - bar.top)))));
  }
  painter->drawRects(bars);
  painter->restore();
  // At this width nobody sees a round join, and each costs two arcs.
  QPen pen = mPen;
  pen.setJoinStyle(Qt::BevelJoin);
  if (hurried_ != nullptr && *hurried_ && mParentPlot->graphCount() > few_graphs) {
    painter->setAntialiasing(false);
    pen = QPen(mPen.color(), 1);
  } else {
    applyDefaultAntialiasingHint(painter);
    if (pen.style() == Qt::SolidLine) {
      // Filled outlines: the stroker asks for the angle of each join.
      painter->setPen(Qt::NoPen);
      painter->setBrush(pen.color());
      for (const auto& run : line.runs) {
        const std::vector<chart::PixelPoint> outline = chart::outline_of(run, pen.widthF());
        QPolygonF polygon;
        polygon.reserve(static_cast<qsizetype>(outline.size()));
        for (const chart::PixelPoint& point : outline) polygon.append({point.x, point.y});
        painter->drawPolygon(polygon, Qt::WindingFill);
      }
      painter->setBrush(Qt::NoBrush);
      return;
    }
  }
  painter->setPen(pen);
  painter->setBrush(Qt::NoBrush);
  QPolygonF polygon;
  for (const auto& run : line.runs) {
    polygon.clear();
    for (const chart::PixelPoint& point : run) polygon.append({point.x, point.y});
    painter->drawPolyline(polygon);
  }
}

}  // namespace syncline::ui
