// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "ui/models/chart/rank_rates.h"
#include "ui/widgets/chart_plot.h"

namespace syncline::ui {

ChartOverlay::ChartOverlay(QCustomPlot* plot, const ChartState& state)
    : QCPLayerable(plot, QStringLiteral("crosshair")), pointer(nothing, nothing), state_(state) {}

void ChartOverlay::applyDefaultAntialiasingHint(QCPPainter* painter) const { painter->setAntialiasing(true); }

std::vector<ChartOverlay::Row> ChartOverlay::rows() const {
  std::vector<Row> found;
  if (!std::isfinite(state_.crosshair)) return found;
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    const chart::Reading* reading = curve == nullptr ? nullptr : chart::reading_at(*curve, state_.crosshair);
    if (reading == nullptr) continue;
    const double y = std::isfinite(reading->y) ? parentPlot()->yAxis->coordToPixel(reading->y) : HUGE_VAL;
    const double distance = std::isfinite(pointer.y()) ? std::abs(y - pointer.y()) : 0;
    found.push_back({spec, reading, spec->id == state_.reading ? -1 : distance});
  }
  if (parts) return found;
  std::stable_sort(found.begin(), found.end(), [](const Row& a, const Row& b) { return a.distance < b.distance; });
  return found;
}

QString ChartOverlay::rowText(const Row& row) const {
  QStringList texts = {state_.valueText(row.reading->y)};
  if (std::isfinite(row.reading->smoothed)) {
    texts.append(QCoreApplication::translate("syncline::ui::SeriesChart", "smoothed %1").arg(state_.valueText(row.reading->smoothed)));
  }
  if (parts) return texts.join(QString());
  if (!row.reading->axes || row.reading->n > 1) {
    const double half = (row.reading->upper - row.reading->lower) / 2;
    const bool over_ranks = row.spec->rank == chart::every_rank;
    if (state_.data->query.band == chart::Band::deviation && std::isfinite(half) && !over_ranks) {
      texts.front() = QString(texts.front() % QStringLiteral(" ± ") % state_.valueText(half));
    } else if (std::isfinite(half)) {
      texts.append(QString(state_.valueText(row.reading->lower) % QStringLiteral(" – ") % state_.valueText(row.reading->upper)));
    }
    texts.append(over_ranks ? QCoreApplication::translate("syncline::ui::SeriesChart", "%1 ranks").arg(row.reading->n)
                            : QStringLiteral("n = %1").arg(row.reading->n));
  } else if (const auto* spec = row.spec; spec->rank >= 0) {
    texts.append(QCoreApplication::translate("syncline::ui::SeriesChart", "rank %1").arg(spec->rank));
  }
  return texts.join(QStringLiteral(" · "));
}

QStringList ChartOverlay::details(const chart::Reading& reading) const {
  const auto tr = [](const char* text) { return QCoreApplication::translate("syncline::ui::SeriesChart", text); };
  QStringList lines;
  if (!reading.axes) return {QString(state_.xLabel() % u' ' % state_.xText(reading.x))};
  const Axes& axes = *reading.axes;
  if (state_.overMetric()) lines.append(QString(state_.xLabel() % u' ' % state_.xText(reading.x)));
  lines.append(tr("step %1 · samples %2").arg(format::count(axes.step), format::count(axes.samples)));
  lines.append(tr("active %1 · elapsed %2").arg(format::duration(axes.active_s), format::duration(axes.elapsed_s)));
  QString wall = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(axes.wall_s * 1000)).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
  lines.append(tr("%1 · attempt %2").arg(wall).arg(reading.attempt));
  return lines;
}

void ChartOverlay::drawLine(QCPPainter* painter, double x, const QString& letter, Qt::PenStyle dash) {
  const QRectF area = parentPlot()->axisRect()->rect();
  const double at = parentPlot()->xAxis->coordToPixel(x);
  if (!std::isfinite(x) || at < area.left() - 0.5 || at > area.right() + 0.5) return;
  QColor colour = parentPlot()->xAxis->labelColor();
  colour.setAlphaF(letter.isEmpty() ? 0.55F : 0.9F);
  painter->setPen(QPen(colour, 1, dash));
  painter->drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
  if (letter.isEmpty()) return;
  painter->setFont(parentPlot()->xAxis->labelFont());
  painter->drawText(QRectF(at + 3, area.top() + 14, 16, 14), Qt::AlignLeft | Qt::AlignTop, letter);
}

void ChartOverlay::drawTooltip(QCPPainter* painter, const std::vector<Row>& all) {
  if (all.empty()) return;
  const QRectF area = parentPlot()->axisRect()->rect();
  const QFont font = parentPlot()->xAxis->tickLabelFont();
  painter->setFont(font);
  const QFontMetricsF metrics(font, parentPlot());
  const std::size_t count = std::min(most_rows, all.size());
  const double line = metrics.height() + 2, swatch = 24, gap = 10;
  double names = 0, values = 0;
  QStringList texts, labels;
  for (std::size_t i = 0; i < count; ++i) {
    labels.append(metrics.elidedText(state_.legendOf(*all[i].spec), Qt::ElideMiddle, 170));
    texts.append(rowText(all[i]));
    names = std::max(names, metrics.horizontalAdvance(labels.back()));
    values = std::max(values, metrics.horizontalAdvance(texts.back()));
  }
  QStringList below = details(*all.front().reading);
  if (all.size() > count) below.prepend(QCoreApplication::translate("syncline::ui::SeriesChart", "and %1 more").arg(all.size() - count));
  double width = swatch + names + gap + values;
  for (const QString& text : below) width = std::max(width, metrics.horizontalAdvance(text));
  width += 16;
  const double height = 12 + line * (static_cast<double>(count) + static_cast<double>(below.size()));
  // Beside the crosshair, on the side with more room, and away from the point that is read.
  const double at = parentPlot()->xAxis->coordToPixel(state_.crosshair);
  double left = at - area.left() < area.width() / 2 ? at + 14 : at - 14 - width;
  left = std::clamp(left, 2.0, std::max(2.0, parentPlot()->width() - width - 2));
  const double y = std::isfinite(all.front().reading->y) ? parentPlot()->yAxis->coordToPixel(all.front().reading->y) : area.center().y();
  double top = y < area.center().y() ? y + 14 : y - 14 - height;
  top = std::clamp(top, 2.0, std::max(2.0, parentPlot()->height() - height - 2));
  const QPalette colours = parentPlot()->palette();
  painter->setPen(QPen(colours.color(QPalette::Mid), 1));
  painter->setBrush(colours.color(QPalette::ToolTipBase));
  painter->drawRoundedRect(QRectF(left, top, width, height), 3, 3);
  const QColor ink = colours.color(QPalette::ToolTipText);
  double row_top = top + 6;
  for (std::size_t i = 0; i < count; ++i, row_top += line) {
    const palette::CurveStyle style = state_.styleOf(*all[i].spec, state_.dark);
    painter->setPen(QPen(style.colour, 2, style.dash, Qt::FlatCap));
    painter->drawLine(QPointF(left + 8, row_top + line / 2), QPointF(left + swatch, row_top + line / 2));
    painter->setPen(ink);
    const auto index = static_cast<qsizetype>(i);
    painter->drawText(QRectF(left + swatch + 8, row_top, names + 4, line), Qt::AlignLeft | Qt::AlignVCenter, labels[index]);
    painter->drawText(QRectF(left + swatch + 8 + names + gap - 8, row_top, width - swatch - names - gap - 8, line),
                      Qt::AlignRight | Qt::AlignVCenter, texts[index]);
  }
  QColor quiet = palette::status(palette::Status::muted, state_.dark);
  painter->setPen(quiet);
  for (const QString& text : below) {
    painter->drawText(QRectF(left + 8, row_top, width - 16, line), Qt::AlignLeft | Qt::AlignVCenter, text);
    row_top += line;
  }
}

void ChartOverlay::draw(QCPPainter* painter) {
  if (!state_.data) return;
  painter->setBrush(Qt::NoBrush);
  drawLine(painter, state_.cursor_a, QStringLiteral("A"), Qt::DashLine);
  drawLine(painter, state_.cursor_b, QStringLiteral("B"), Qt::DashLine);
  drawLine(painter, state_.crosshair, {}, Qt::SolidLine);
  const QRectF area = parentPlot()->axisRect()->rect();
  const std::vector<Row> all = rows();
  for (const Row& row : all) {
    if (parts || !std::isfinite(row.reading->y)) continue;
    const QPointF at(parentPlot()->xAxis->coordToPixel(row.reading->x), parentPlot()->yAxis->coordToPixel(row.reading->y));
    if (!area.contains(at)) continue;
    painter->setPen(QPen(palette::background(state_.dark), 1.5));
    painter->setBrush(state_.styleOf(*row.spec, state_.dark).colour);
    painter->drawEllipse(at, 4, 4);
  }
  if (tooltip) drawTooltip(painter, all);
  if (box.isValid()) {
    QColor fill = parentPlot()->palette().color(QPalette::Highlight);
    painter->setPen(QPen(fill, 1));
    fill.setAlphaF(0.15F);
    painter->setBrush(fill);
    painter->drawRect(box.intersected(area));
  }
}

}  // namespace syncline::ui
