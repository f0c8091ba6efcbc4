// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/metric_curve.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/models/chart/metric_axis.h"

namespace syncline::ui {

void MetricCurve::draw(QCPPainter* painter) {
  if (mDataContainer->size() <= static_cast<int>(chart::most_exact_samples)) {
    QCPCurve::draw(painter);
    return;
  }
  const QRect area = mKeyAxis->axisRect()->rect();
  if (area.isEmpty()) return;
  std::vector<int> cells(static_cast<std::size_t>(area.width()) * static_cast<std::size_t>(area.height()), 0);
  int most = 0;
  for (const QCPCurveData& sample : *mDataContainer) {
    if (std::isnan(sample.value)) continue;
    const double x = std::floor(mKeyAxis->coordToPixel(sample.key)) - area.left(),
                 y = std::floor(mValueAxis->coordToPixel(sample.value)) - area.top();
    if (!(x >= 0 && x < area.width() && y >= 0 && y < area.height())) continue;
    int& cell = cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(area.width()) + static_cast<std::size_t>(x)];
    most = std::max(most, ++cell);
  }
  if (most == 0) return;
  // One sample alone can be seen, and ten times as many look darker by the same amount everywhere.
  constexpr double least_alpha = 0.3;
  QImage image(area.size(), QImage::Format_ARGB32_Premultiplied);
  image.fill(Qt::transparent);
  const double scale = most > 1 ? (1 - least_alpha) / std::log(most) : 0;
  for (int y = 0; y < area.height(); ++y) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
    for (int x = 0; x < area.width(); ++x) {
      const int count = cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(area.width()) + static_cast<std::size_t>(x)];
      if (count == 0) continue;
      QColor colour = mPen.color();
      colour.setAlphaF(static_cast<float>((least_alpha + scale * std::log(count)) * colour.alphaF()));
      line[x] = qPremultiply(colour.rgba());
    }
  }
  painter->drawImage(area.topLeft(), image);
}

}  // namespace syncline::ui
