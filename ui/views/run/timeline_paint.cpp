// SPDX-License-Identifier: GPL-3.0-or-later
// How a timeline looks.
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/views/run/timeline_view.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/split_chart.h"

namespace syncline::ui {

namespace {

int part_of(TimelineKind kind) {
  switch (kind) {
    case TimelineKind::forward:
    case TimelineKind::backward:
    case TimelineKind::update:
    case TimelineKind::codec:
      return int(StepPart::compute);
    case TimelineKind::exchange:
      return int(StepPart::hidden);
    case TimelineKind::wait:
      return int(StepPart::waiting);
    case TimelineKind::input:
      return int(StepPart::input);
    case TimelineKind::boundary:
      return int(StepPart::boundary);
    case TimelineKind::other:
      break;
  }
  return int(StepPart::idle);
}

// The three kinds of computing are told apart by lightness and, where they fit, by name.
QColor compute_colour(TimelineKind kind, bool dark) {
  const QColor base = palette::stepPart(int(StepPart::compute), dark).fill;
  if (kind == TimelineKind::backward) return dark ? base.darker(130) : base.lighter(130);
  if (kind == TimelineKind::update) return dark ? base.darker(180) : base.lighter(165);
  if (kind == TimelineKind::codec) return dark ? base.lighter(130) : base.darker(150);
  return base;
}

QString short_name(const TimelineEvent& event) {
  switch (event.kind) {
    case TimelineKind::forward:
      return QStringLiteral("fwd %1").arg(event.id);
    case TimelineKind::backward:
      return QStringLiteral("bwd %1").arg(event.id);
    case TimelineKind::update:
      return QStringLiteral("upd");
    case TimelineKind::exchange:
      return event.title();
    default:
      return name_of(event.kind);
  }
}

QColor ink_on(const QColor& fill) {
  return palette::contrast(fill, Qt::white) >= palette::contrast(fill, Qt::black) ? QColor(Qt::white) : QColor(Qt::black);
}

// 1, 2 or 5 times a power of ten.
double nice_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

constexpr double no_step_s = 1e-12;

}  // namespace

void TimelineView::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  paint(painter);
  if (!hasFocus()) return;
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(viewport()->rect().adjusted(1, 1, -1, -1));
}

QString TimelineView::savePicture(const QString& path) {
  const QSize size = viewport()->size();
  return write_picture(path, {size.width(), size.height()}, 2, accessibleName(), [this](QPainter& painter) { paint(painter); });
}

void TimelineView::paint(QPainter& painter) {
  const bool dark = palette::isDark(palette());
  painter.fillRect(viewport()->rect(), palette::background(dark));
  if (!index_ || index_->steps.empty()) return;
  const int top = overview_height() + ruler_height();
  for (const bool of_pinned : {true, false}) {
    if (!timeline_) break;
    const int first = of_pinned ? top : rowsTop(), end = of_pinned ? rowsTop() : viewport()->height();
    painter.save();
    painter.setClipRect(0, first, viewport()->width(), std::max(0, end - first));
    int bottom = first;
    for (const Row& row : rows_) {
      if (row.pinned == of_pinned) bottom = std::min(end, row.top + row.height);
    }
    // Time that no trace covers is not idle: it is not known.
    painter.fillRect(QRect(labels_width(), first, plot_width(), bottom - first), QBrush(palette::grid(dark), Qt::BDiagPattern));
    for (const Row& row : rows_) {
      if (row.pinned != of_pinned || row.top + row.height < first || row.top > end) continue;
      const int rank = timeline_->lanes[static_cast<std::size_t>(row.lane)].rank;
      paintSteps(painter, rank, row.top, row.top + row.height);
      paintLane(painter, row);
    }
    painter.restore();
  }
  if (pinned_height_ > 0) {
    painter.setPen(QPen(palette().color(QPalette::WindowText), 2));
    painter.drawLine(0, rowsTop() - 2, viewport()->width(), rowsTop() - 2);
  }
  paintMark(painter);
  paintRuler(painter);
  paintOverview(painter);
}

void TimelineView::paintSteps(QPainter& painter, int rank, int top, int bottom) {
  const bool dark = palette::isDark(palette());
  for (const TimelineStep& step : timeline_->steps) {
    if (step.rank != rank || step.end_s < from_s_ || step.start_s > to_s_) continue;
    const double left = std::max(x_of(step.start_s), double(labels_width())),
                 right = std::min(x_of(step.end_s), double(viewport()->width()));
    painter.fillRect(QRectF(left, top, right - left, bottom - top), palette::background(dark));
    if (x_of(step.start_s) >= labels_width()) {
      painter.setPen(QPen(palette().color(QPalette::WindowText), 1, Qt::DotLine));
      painter.drawLine(QPointF(left, top), QPointF(left, bottom));
    }
  }
}

void TimelineView::paintLane(QPainter& painter, const Row& row) {
  const TimelineLane& lane = timeline_->lanes[static_cast<std::size_t>(row.lane)];
  const QColor text = palette().color(QPalette::WindowText);
  painter.fillRect(QRect(0, row.top, labels_width(), row.height), palette().color(QPalette::Window));
  painter.setPen(text);
  const bool folded = collapsed(lane.rank);
  QString name = lane.row > 1 ? tr("comm %1").arg(lane.row) : tr("comm");
  if (lane.row == 0) {
    name = (folded ? QStringLiteral("▸ ") : QStringLiteral("▾ ")) + (row.pinned ? QStringLiteral("⇧ ") : QString());
    name += folded ? tr("rank %1").arg(lane.rank) : tr("rank %1  compute").arg(lane.rank);
  }
  painter.drawText(QRect(4, row.top, labels_width() - 8, row.height), (lane.row == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(name, Qt::ElideRight, labels_width() - 8));
  if (lane.row == 0) {
    painter.setPen(palette::grid(palette::isDark(palette())));
    painter.drawLine(0, row.top, viewport()->width(), row.top);
  }
  painter.save();
  painter.setClipRect(QRect(labels_width(), row.top, plot_width(), row.height), Qt::IntersectClip);
  const QRect area(labels_width(), row.top + 2, plot_width(), row.height - 4);
  for (const TimelineBlock& block : visible_blocks(lane, from_s_, to_s_, plot_width())) paintBlock(painter, lane, block, area);
  if (folded && lane.row == 0) {  // exposed exchanges lie where nothing is computed, so that both fit into one row
    const QBrush exposed = palette::stepPartBrush(int(StepPart::exposed), palette::isDark(palette()), devicePixelRatioF());
    for (const TimelineLane& other : timeline_->lanes) {
      if (other.rank != lane.rank || other.row == 0) continue;
      for (const TimelineEvent& event : other.events) {
        if (event.end_s < from_s_ || event.start_s > to_s_) continue;
        for (const Interval& part : event.exposed) {
          const double left = x_of(part.start_s);
          painter.fillRect(QRectF(left, area.top(), std::max(1.0, x_of(part.end_s) - left), area.height()), exposed);
        }
      }
    }
  }
  if (selected_.lane == row.lane && selected_.valid()) {
    const TimelineEvent& chosen = lane.events[static_cast<std::size_t>(selected_.event)];
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::WindowText), 2));
    const double left = x_of(chosen.start_s), width = std::max(3.0, x_of(chosen.end_s) - left);
    painter.drawRect(QRectF(left, area.top(), width, area.height() - 1));
  }
  painter.restore();
}

void TimelineView::paintBlock(QPainter& painter, const TimelineLane& lane, const TimelineBlock& block, const QRect& row) {
  const bool dark = palette::isDark(palette());
  const double left = x_of(block.start_s), width = std::max(1.0, x_of(block.end_s) - left);
  const QRectF whole(left, row.top(), width, row.height());
  if (block.event < 0) {  // several events: as high as the share of the time that they take
    const double height = std::max(2.0, row.height() * block.occupied);
    QColor fill = block.kind == TimelineKind::exchange
                      ? palette::stepPart(int(block.exposed > 0.5 ? StepPart::exposed : StepPart::hidden), dark).fill
                  : part_of(block.kind) == int(StepPart::compute) ? compute_colour(block.kind, dark)
                                                                  : palette::stepPart(part_of(block.kind), dark).fill;
    painter.fillRect(QRectF(left, row.bottom() - height + 1, width, height), fill);
    return;
  }
  const TimelineEvent& event = lane.events[static_cast<std::size_t>(block.event)];
  QColor fill;
  if (event.kind == TimelineKind::exchange) {
    const qreal ratio = devicePixelRatioF();
    painter.fillRect(whole, palette::stepPartBrush(int(StepPart::hidden), dark, ratio));
    const QBrush exposed = palette::stepPartBrush(int(StepPart::exposed), dark, ratio);
    for (const Interval& part : event.exposed) {
      const double from = x_of(part.start_s);
      painter.fillRect(QRectF(from, row.top(), std::max(1.0, x_of(part.end_s) - from), row.height()), exposed);
    }
    if (event.peer_wait_s && *event.peer_wait_s > 0) {  // before the last peer came: a bar along the lower edge
      const double wait = x_of(event.start_s + *event.peer_wait_s) - left;
      painter.fillRect(QRectF(left, row.bottom() - 3, std::max(1.0, wait), 4), palette::stepPartBrush(int(StepPart::waiting), dark, ratio));
    }
    fill = palette::stepPart(int(StepPart::hidden), dark).fill;
  } else if (part_of(event.kind) == int(StepPart::compute)) {
    fill = compute_colour(event.kind, dark);
    painter.fillRect(whole, fill);
  } else {
    fill = palette::stepPart(part_of(event.kind), dark).fill;
    painter.fillRect(whole, palette::stepPartBrush(part_of(event.kind), dark, devicePixelRatioF()));
  }
  if (width > 3) {
    painter.setPen(palette::background(dark));
    painter.drawLine(QPointF(left, row.top()), QPointF(left, row.bottom()));
  }
  const double seen_left = std::max(left, double(row.left())), seen = std::min(left + width, double(row.right())) - seen_left;
  const QString name = short_name(event);
  const int needed = painter.fontMetrics().horizontalAdvance(name) + 8;
  if (seen < needed || row.height() < painter.fontMetrics().height()) return;
  const QRectF place(seen_left + 3, row.top(), seen - 4, row.height());
  if (event.kind == TimelineKind::exchange || part_of(event.kind) != int(StepPart::compute)) {
    // On a hatch a name needs ground of its own.
    painter.fillRect(QRectF(place.left() - 1, row.top() + (row.height() - painter.fontMetrics().height()) / 2.0, needed - 4,
                            painter.fontMetrics().height()),
                     palette::background(dark));
    painter.setPen(palette().color(QPalette::Text));
  } else {
    painter.setPen(ink_on(fill));
  }
  painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, name);
}

// The range to be measured, over rows and ruler, with its length.
void TimelineView::paintMark(QPainter& painter) {
  if (!mark_) return;
  painter.save();
  const int top = overview_height() + ruler_height();
  painter.setClipRect(labels_width(), top, plot_width(), viewport()->height() - top);
  const double left = x_of(mark_->first), right = x_of(mark_->second);
  const QColor colour = palette().color(QPalette::Highlight);
  QColor shade = colour;
  shade.setAlpha(45);
  painter.fillRect(QRectF(left, top, right - left, viewport()->height() - top), shade);
  painter.setPen(QPen(colour, 1.5, mark_->first == mark_->second ? Qt::DashLine : Qt::SolidLine));
  for (const double x : {left, right}) painter.drawLine(QPointF(x, top), QPointF(x, viewport()->height()));
  if (mark_->second > mark_->first) {
    const QString length = format::duration(mark_->second - mark_->first);
    const int width = painter.fontMetrics().horizontalAdvance(length) + 8, height = painter.fontMetrics().height();
    const double middle = std::clamp((left + right) / 2, double(labels_width()), double(viewport()->width()));
    const QRectF place(
        std::clamp(middle - width / 2.0, double(labels_width()), double(std::max(labels_width(), viewport()->width() - width))),
        viewport()->height() - height - 2, width, height);
    painter.fillRect(place, colour);
    painter.setPen(palette().color(QPalette::HighlightedText));
    painter.drawText(place, Qt::AlignCenter, length);
  }
  painter.restore();
}

void TimelineView::paintRuler(QPainter& painter) {
  const int top = overview_height(), height = ruler_height();
  painter.fillRect(0, top, viewport()->width(), height, palette().color(QPalette::Window));
  painter.setPen(palette().color(QPalette::WindowText));
  const double per_label = (to_s_ - from_s_) * 110 / std::max(1, plot_width());
  const double step = nice_step(std::max(per_label, no_step_s));
  // Relative to what is seen where the position in the run would take more digits than a label has.
  const bool alike = format::duration(from_s_ + step) == format::duration(from_s_ + 2 * step) ||
                     format::duration(from_s_) == format::duration(from_s_ + step);
  const double zero = alike ? from_s_ : 0;
  for (double at = std::ceil((from_s_ - zero) / step) * step; at + zero <= to_s_; at += step) {
    const double x = x_of(at + zero);
    painter.drawLine(QPointF(x, top + height - 4), QPointF(x, top + height));
    const QString text = zero > 0 ? QString(QStringLiteral("+") + format::duration(std::abs(at) < step / 2 ? 0 : at))
                                  : format::duration(std::abs(at) < step / 2 ? 0 : at);
    if (x + 3 + painter.fontMetrics().horizontalAdvance(text) > viewport()->width()) break;  // it would be cut
    painter.drawText(QRectF(x + 3, top + height / 2.0, 106, height / 2.0 - 1), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
  if (!timeline_) return;
  double free_from = labels_width();
  const int rank = timeline_->steps.empty() ? 0 : timeline_->steps.front().rank;
  for (const TimelineStep& traced : timeline_->steps) {  // sorted by rank, so rank 0's come first
    if (traced.rank != rank) break;
    if (traced.end_s < from_s_ || traced.start_s > to_s_) continue;
    const double left = std::max(x_of(traced.start_s), double(labels_width()));
    const QString text = tr("step %1").arg(format::count(traced.step));
    const int length = painter.fontMetrics().horizontalAdvance(text);
    if (left < free_from || x_of(traced.end_s) - left < 20 || left + 3 + length > viewport()->width()) continue;
    painter.drawText(QRectF(left + 3, top, 160, height / 2.0), Qt::AlignLeft | Qt::AlignVCenter, text);
    free_from = left + length + 12;
  }
}

void TimelineView::paintOverview(QPainter& painter) {
  const bool dark = palette::isDark(palette());
  const QRect area(labels_width(), 0, plot_width(), overview_height());
  painter.fillRect(0, 0, viewport()->width(), overview_height(), palette().color(QPalette::Window));
  painter.fillRect(area.adjusted(0, 2, 0, -2), palette::background(dark));
  painter.setPen(palette().color(QPalette::WindowText));
  painter.drawText(QRect(4, 0, labels_width() - 8, overview_height()), Qt::AlignLeft | Qt::AlignVCenter, tr("traced"));
  const double end = index_->steps.back().end_s, scale = area.width() / std::max(end, no_step_s);
  double most = 0;
  for (const TracedStep& step : index_->steps) most = std::max(most, step.step_s);
  const QColor bar = palette::stepPart(int(StepPart::compute), dark).fill, bad = palette::stepPart(int(StepPart::exposed), dark).fill;
  for (const TracedStep& step : index_->steps) {
    const double height = (area.height() - 6) * (most > 0 ? step.step_s / most : 1);
    const double exposed = step.step_s > 0 ? height * step.exposed_s / step.step_s : 0;
    const double x = area.left() + step.start_s * scale, width = std::max(1.5, (step.end_s - step.start_s) * scale);
    painter.fillRect(QRectF(x, area.bottom() - 2 - height, width, height), bar);
    painter.fillRect(QRectF(x, area.bottom() - 2 - height, width, exposed), bad);
  }
  const QRectF seen(area.left() + from_s_ * scale, 1, std::max(4.0, (to_s_ - from_s_) * scale), area.height() - 2);
  QColor shade = palette().color(QPalette::Highlight);
  shade.setAlpha(50);
  painter.setBrush(shade);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
  painter.drawRect(seen);
}

}  // namespace syncline::ui
