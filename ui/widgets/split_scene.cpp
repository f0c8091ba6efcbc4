// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/split_scene.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ui/models/palette.h"

namespace syncline::ui {

double SplitState::total(const SplitBar& bar) const { return std::accumulate(bar.parts_s.begin(), bar.parts_s.end(), 0.0); }

double SplitState::shown(const SplitBar& bar, StepPart part) const {
  const double value = bar.parts_s[static_cast<std::size_t>(part)], whole = total(bar);
  return share ? (whole > 0 ? value / whole : 0) : value;
}

double SplitState::bar_x(std::size_t index) const { return named ? static_cast<double>(index) : bars[index].x; }

double SplitState::bar_width(std::size_t index) const { return named ? 0.7 : bars[index].width; }

double SplitState::highest(double from, double to) const {
  if (share) return 1;
  double most = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const double x = bar_x(i);
    if (x + bar_width(i) < from || x > to) continue;
    most = std::max({most, total(bars[i]), bars[i].step_s});
  }
  return most > 0 ? most : 1;
}

QString part_name(StepPart part) {
  const auto text = [](const char* words) { return QCoreApplication::translate("syncline::ui::SplitChart", words); };
  switch (part) {
    case StepPart::compute:
      return text(QT_TRANSLATE_NOOP("syncline::ui::SplitChart", "compute"));
    case StepPart::hidden:
      return text(QT_TRANSLATE_NOOP("syncline::ui::SplitChart", "hidden communication"));
    case StepPart::exposed:
      return text(QT_TRANSLATE_NOOP("syncline::ui::SplitChart", "exposed communication"));
    case StepPart::waiting:
      return text(QT_TRANSLATE_NOOP("syncline::ui::SplitChart", "waiting"));
    case StepPart::input:
      return text(QT_TRANSLATE_NOOP("syncline::ui::SplitChart", "input"));
    case StepPart::boundary:
      return text(QT_TRANSLATE_NOOP("syncline::ui::SplitChart", "checkpoint, evaluation"));
    case StepPart::idle:
      break;
  }
  return text(QT_TRANSLATE_NOOP("syncline::ui::SplitChart", "idle"));
}

namespace {

void fill_part(QPainter& painter, const QRectF& area, int part, bool dark, bool vectors, bool outline) {
  const palette::PartStyle style = palette::stepPart(part, dark);
  if (vectors) {
    painter.fillRect(area, style.fill);
    if (style.pattern != Qt::SolidPattern && area.width() > 2) painter.fillRect(area, QBrush(style.ink, style.pattern));
  } else if (area.width() < 4 || style.pattern == Qt::SolidPattern) {
    painter.fillRect(area, style.fill);  // a hatch needs room to be one
  } else {
    painter.fillRect(area, palette::stepPartBrush(part, dark, painter.device()->devicePixelRatioF()));
  }
  if (outline && style.outlined && area.width() >= 4 && area.height() >= 2) {
    painter.setPen(QPen(dark ? palette::dark().color(QPalette::WindowText) : palette::light().color(QPalette::WindowText), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

}  // namespace

void draw_part_swatch(QPainter& painter, const QRectF& area, StepPart part, bool dark) {
  painter.save();
  fill_part(painter, area, static_cast<int>(part), dark, false, true);
  painter.restore();
}

SplitBars::SplitBars(QCustomPlot* plot, const SplitState& state) : QCPLayerable(plot, QStringLiteral("main")), state_(state) {}

void SplitBars::applyDefaultAntialiasingHint(QCPPainter* painter) const { painter->setAntialiasing(false); }

void SplitBars::drawBar(QCPPainter* painter, std::size_t index, const QRectF& area) {
  const SplitBar& bar = state_.bars[index];
  const QCPAxis &x_axis = *parentPlot()->xAxis, &y_axis = *parentPlot()->yAxis;
  const double x = state_.bar_x(index), width = state_.bar_width(index);
  double left = x_axis.coordToPixel(state_.named ? x - width / 2 : x), right = x_axis.coordToPixel(x + (state_.named ? width / 2 : width));
  if (right < area.left() || left > area.right()) return;
  if (right - left > 3) right -= 1;  // a gap tells bars apart
  left = std::max(left, area.left());
  right = std::max(std::min(right, area.right()), left + 1);
  const bool vectors = painter->modes().testFlag(QCPPainter::pmVectorized);
  double base = 0, exposed_base = 0;
  for (int part = 0; part < step_part_count; ++part) {
    const double value = state_.shown(bar, static_cast<StepPart>(part));
    if (part == static_cast<int>(StepPart::exposed)) exposed_base = base;
    if (value > 0) {
      const double top = y_axis.coordToPixel(base + value), bottom = y_axis.coordToPixel(base);
      fill_part(*painter, QRectF(left, top, right - left, bottom - top), part, state_.dark, vectors, true);
    }
    base += value;
  }
  const QColor ink = parentPlot()->xAxis->labelColor();
  painter->setPen(QPen(ink, 1));
  const double whole = state_.total(bar), unit = state_.share ? (whole > 0 ? 1 / whole : 0) : 1;
  if (bar.step_s > 0) {
    const double y = y_axis.coordToPixel(bar.step_s * unit);
    painter->drawLine(QPointF(left, y), QPointF(right, y));
  }
  if (bar.most_exposed_s > bar.least_exposed_s && right - left >= 2) {
    const double middle = std::round((left + right) / 2);
    painter->drawLine(QPointF(middle, y_axis.coordToPixel(exposed_base + bar.least_exposed_s * unit)),
                      QPointF(middle, y_axis.coordToPixel(exposed_base + bar.most_exposed_s * unit)));
  }
  if (bar.traced && right - left >= 3) {
    painter->setBrush(ink);
    const double middle = (left + right) / 2;
    painter->drawPolygon(
        QPolygonF({QPointF(middle - 2.5, area.bottom()), QPointF(middle + 2.5, area.bottom()), QPointF(middle, area.bottom() - 4)}));
  }
}

void SplitBars::drawWarmUp(QCPPainter* painter, const QRectF& area) {
  double from = HUGE_VAL, to = -HUGE_VAL;
  for (std::size_t i = 0; i < state_.bars.size(); ++i) {
    if (!state_.bars[i].warm_up || state_.named) continue;
    from = std::min(from, state_.bar_x(i));
    to = std::max(to, state_.bar_x(i) + state_.bar_width(i));
  }
  if (from > to) return;
  const QRectF shade =
      QRectF(QPointF(parentPlot()->xAxis->coordToPixel(from), area.top()), QPointF(parentPlot()->xAxis->coordToPixel(to), area.bottom()))
          .intersected(area);
  if (shade.width() < 1) return;
  QColor wash = palette::background(state_.dark);
  wash.setAlphaF(0.55F);
  painter->fillRect(shade, wash);
  const QString words = QCoreApplication::translate("syncline::ui::SplitChart", "warm-up");
  painter->setFont(parentPlot()->xAxis->tickLabelFont());
  if (QFontMetricsF(painter->font()).horizontalAdvance(words) + 8 > shade.width()) return;
  // On a plate of its own: bars reach up to here.
  const QRectF plate(shade.left() + 2, shade.top() + 2, QFontMetricsF(painter->font()).horizontalAdvance(words) + 6,
                     QFontMetricsF(painter->font()).height() + 1);
  painter->fillRect(plate, palette::background(state_.dark));
  painter->setPen(parentPlot()->xAxis->labelColor());
  painter->drawText(plate, Qt::AlignCenter, words);
}

void SplitBars::draw(QCPPainter* painter) {
  const QRectF area = parentPlot()->axisRect()->rect();
  if (area.isEmpty()) return;
  painter->save();
  painter->setClipRect(area);
  for (std::size_t i = 0; i < state_.bars.size(); ++i) drawBar(painter, i, area);
  drawWarmUp(painter, area);
  painter->restore();
}

}  // namespace syncline::ui
