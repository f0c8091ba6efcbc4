// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/sparkline.h"

#include <QPainter>
#include <cmath>
#include <limits>

#include "ui/models/palette.h"

namespace syncline::ui {

namespace {

void draw(QPainter& painter, const std::vector<QPointF>& points, const QSizeF& size, const QColor& colour) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const QPointF& point : points) {
    if (!std::isfinite(point.y())) continue;
    lowest = std::min(lowest, point.y());
    highest = std::max(highest, point.y());
  }
  if (lowest > highest) return;
  const double margin = 2, left = points.front().x(), width = points.back().x() - left, height = highest - lowest;
  const auto placed = [&](const QPointF& point) {
    const double across = width > 0 ? (point.x() - left) / width : 0.5, up = height > 0 ? (point.y() - lowest) / height : 0.5;
    return QPointF(margin + across * (size.width() - 2 * margin), size.height() - margin - up * (size.height() - 2 * margin));
  };
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colour, palette::line_width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  QPolygonF line;
  const auto finish = [&] {
    if (line.size() == 1) painter.drawPoint(line.front());
    if (line.size() > 1) painter.drawPolyline(line);
    line.clear();
  };
  for (const QPointF& point : points) {
    if (std::isfinite(point.y()))
      line.append(placed(point));
    else
      finish();
  }
  finish();
}

}  // namespace

QPixmap Sparklines::pixmap(const QString& key, quint64 revision, const std::vector<QPointF>& points, const QSize& size, int index,
                           const QPalette& colours, double device_pixel_ratio) {
  const bool dark = palette::isDark(colours);
  const QString look =
      QStringLiteral("%1x%2@%3 %4 %5").arg(size.width()).arg(size.height()).arg(device_pixel_ratio).arg(index).arg(dark ? 1 : 0);
  Kept& kept = kept_[key];
  if (kept.pixmap.isNull() || kept.revision != revision || kept.look != look) {
    kept.revision = revision;
    kept.look = look;
    kept.pixmap = QPixmap((QSizeF(size) * device_pixel_ratio).toSize());
    kept.pixmap.setDevicePixelRatio(device_pixel_ratio);
    kept.pixmap.fill(Qt::transparent);
    QPainter painter(&kept.pixmap);
    if (!points.empty()) draw(painter, points, size, palette::curve(index, dark).colour);
    ++drawn_;
  }
  return kept.pixmap;
}

Sparkline::Sparkline(const QString& title, QWidget* parent) : QWidget(parent), title_(title) {
  setAccessibleName(title);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void Sparkline::setPoints(const QString& key, quint64 revision, std::vector<QPointF> points, int palette, const QString& value_text) {
  key_ = key;
  revision_ = revision;
  points_ = std::move(points);
  palette_ = palette;
  value_ = value_text;
  setAccessibleDescription(value_);
  setToolTip(QString(title_ % QStringLiteral(": ") % value_));
  update();
}

QSize Sparkline::sizeHint() const { return {120, fontMetrics().height() + 8}; }

void Sparkline::paintEvent(QPaintEvent*) {
  if (size().isEmpty()) return;
  QPainter painter(this);
  painter.drawPixmap(0, 0, pixmaps_.pixmap(key_, revision_, points_, size(), palette_, this->palette(), devicePixelRatioF()));
}

}  // namespace syncline::ui
