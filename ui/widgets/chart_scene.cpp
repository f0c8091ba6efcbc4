// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_scene.h"

#include <algorithm>

#include "ui/widgets/curve_graph.h"
#include "ui/widgets/metric_curve.h"

namespace syncline::ui {

namespace {

QCPScatterStyle::ScatterShape shape_of(palette::Marker marker) {
  switch (marker) {
    case palette::Marker::circle:
      return QCPScatterStyle::ssCircle;
    case palette::Marker::square:
      return QCPScatterStyle::ssSquare;
    case palette::Marker::triangle:
      return QCPScatterStyle::ssTriangle;
    case palette::Marker::diamond:
      return QCPScatterStyle::ssDiamond;
    case palette::Marker::cross:
      return QCPScatterStyle::ssCross;
    case palette::Marker::star:
      return QCPScatterStyle::ssStar;
    case palette::Marker::plus:
      break;
  }
  return QCPScatterStyle::ssPlus;
}

QCPScatterStyle scatter_of(const palette::CurveStyle& style) {
  return {shape_of(style.marker), QPen(style.colour, 1.2), style.hollow ? QBrush(Qt::NoBrush) : QBrush(style.colour),
          palette::marker_size + 1};
}

constexpr double marker_distance = 8, faded = 0.25, raw_behind = 0.3;
constexpr std::int64_t dense = 4;  // samples to a pixel column, from which a curve is a filled stroke

QColor with_alpha(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

}  // namespace

ChartScene::ChartScene(QCustomPlot& plot, const ChartState& state)
    : plot_(plot),
      state_(state),
      x_ticker_(new UnitTicker),
      y_ticker_(new UnitTicker),
      clock_ticker_(new ClockTicker),
      log_ticker_(new UnitLogTicker) {
  plot_.setAutoAddPlottableToLegend(false);
  plot_.setNoAntialiasingOnDrag(true);
  plot_.setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
  QObject::connect(&plot_, &QCustomPlot::beforeReplot, &plot_, [this] {
    fitTicks();
    fitYTitle();
  });
  plot_.axisRect()->setupFullAxesBox();
  for (QCPAxis* axis : {plot_.xAxis2, plot_.yAxis2}) {
    axis->setTicks(false);
    axis->setTickLabels(false);
  }
  plot_.axisRect()->setMinimumMargins(QMargins(8, 6, 10, 6));
  y_ticker_->setTickCount(5);
  x_ticker_->setTickCount(6);
  plot_.addLayer(QStringLiteral("marks"), plot_.layer(QStringLiteral("axes")), QCustomPlot::limAbove);
  marks_ = new ChartMarks(&plot_, state_);
}

void ChartScene::setColours(const QPalette& colours, const QFont& font) {
  const QColor text = colours.color(QPalette::WindowText), line = with_alpha(text, 0.55);
  plot_.setBackground(QBrush(palette::background(state_.dark)));
  QFont smaller = font;
  if (font.pointSizeF() > 2) smaller.setPointSizeF(font.pointSizeF() - 1);
  for (QCPAxis* axis : {plot_.xAxis, plot_.yAxis, plot_.xAxis2, plot_.yAxis2}) {
    axis->setBasePen(QPen(line, 1));
    axis->setTickPen(QPen(line, 1));
    axis->setSubTickPen(QPen(with_alpha(text, 0.3), 1));
    axis->setTickLabelColor(text);
    axis->setLabelColor(text);
    axis->setTickLabelFont(smaller);
    axis->setLabelFont(smaller);
    axis->setLabelPadding(2);
    axis->grid()->setPen(QPen(palette::grid(state_.dark), 1));
    axis->grid()->setZeroLinePen(QPen(palette::grid(state_.dark), 1));
  }
}

QCPGraph* ChartScene::add(const std::vector<double>& x, const std::vector<double>& y, const QPen& pen, bool reduced) {
  auto* graph = new CurveGraph(plot_.xAxis, plot_.yAxis);  // the plot owns it
  graph->setReduced(reduced);
  graph->setHurried(&state_.hurried);
  const auto data = QSharedPointer<QCPGraphDataContainer>::create();
  QVector<QCPGraphData> values;
  values.reserve(static_cast<qsizetype>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) values.append({x[i], y[i]});
  data->set(values, true);
  graph->setData(data);
  graph->setAdaptiveSampling(false);  // reduced already, and by rules that know gaps
  graph->setPen(pen);
  graph->setBrush(Qt::NoBrush);
  vertices_ += static_cast<std::int64_t>(x.size());
  return graph;
}

void ChartScene::drawBand(const chart::CurveData& curve, const QColor& colour) {
  if (curve.band.x.empty()) return;
  QCPGraph* lower = add(curve.band.x, curve.band.lower, QPen(Qt::NoPen));
  QCPGraph* upper = add(curve.band.x, curve.band.upper, QPen(Qt::NoPen));
  upper->setBrush(colour);
  upper->setChannelFillGraph(lower);
}

void ChartScene::drawDots(const chart::Reduced& line, const QColor& colour) {
  QCPGraph* dots = add(line.dot_x, line.dot_y, QPen(Qt::NoPen));
  dots->setLineStyle(QCPGraph::lsNone);
  dots->setScatterStyle({QCPScatterStyle::ssDisc, QPen(colour), QBrush(colour), palette::marker_size});
}

void ChartScene::drawOne(const CurveSpec& spec, const chart::CurveData& curve) {
  const palette::CurveStyle style = state_.styleOf(spec, state_.dark);
  const bool lifted = state_.lifted == spec.id, back = !state_.lifted.isEmpty() && !lifted;
  const QColor colour = back ? with_alpha(style.colour, faded) : style.colour;
  const bool smooth = !curve.smoothed.x.empty();
  drawBand(curve,
           with_alpha(palette::band(style.colour, state_.dark), palette::band(style.colour, state_.dark).alphaF() * (back ? faded : 1)));
  for (const chart::Reduced& seed : curve.seeds) add(seed.x, seed.y, QPen(with_alpha(colour, 0.45 * colour.alphaF()), 0.8));
  QPen pen(smooth ? with_alpha(colour, raw_behind * colour.alphaF()) : colour, smooth ? palette::raw_line_width : palette::line_width,
           style.dash, Qt::FlatCap, Qt::BevelJoin);
  if (lifted && !smooth) pen.setWidthF(palette::line_width + 1);
  if (state_.overMetric()) {
    palette::CurveStyle shown = style;
    shown.colour = colour;
    drawOverMetric(curve, shown, pen);
    return;
  }
  QCPGraph* line = add(curve.line.x, curve.line.y, pen, curve.line.per_column >= dense);
  // Markers where there is room for them: they tell curves apart without colour.
  const double width = state_.zoomed() ? state_.upper - state_.lower : curve.last_x - curve.first_x;
  const double apart = curve.line.x.size() < 2
                           ? HUGE_VAL
                           : (curve.line.x.back() - curve.line.x.front()) / static_cast<double>(curve.line.x.size() - 1) /
                                 (width > 0 ? width : 1) * plot_.axisRect()->width();
  if (!smooth && curve.line.per_column == 0 && apart >= marker_distance && plot_.axisRect()->width() > 0) {
    palette::CurveStyle shown = style;
    shown.colour = colour;
    line->setScatterStyle(scatter_of(shown));
  } else if (!curve.line.dot_x.empty()) {
    drawDots(curve.line, colour);
  }
  if (!curve.partial.x.empty()) add(curve.partial.x, curve.partial.y, QPen(pen.color(), pen.widthF(), Qt::DashLine, Qt::FlatCap));
  if (!curve.superseded.x.empty()) {
    add(curve.superseded.x, curve.superseded.y,
        QPen(with_alpha(colour, 0.6 * colour.alphaF()), palette::raw_line_width, Qt::DotLine, Qt::FlatCap));
  }
  if (smooth) {
    add(curve.smoothed.x, curve.smoothed.y, QPen(colour, palette::line_width + (lifted ? 1 : 0.3), style.dash, Qt::FlatCap, Qt::BevelJoin),
        curve.smoothed.per_column >= dense);
  }
}

void ChartScene::drawOverMetric(const chart::CurveData& curve, const palette::CurveStyle& style, const QPen& pen) {
  auto* line = new MetricCurve(plot_.xAxis, plot_.yAxis);  // the plot owns it
  QVector<QCPCurveData> values;
  values.reserve(static_cast<qsizetype>(curve.line.x.size()));
  for (std::size_t i = 0; i < curve.line.x.size(); ++i) values.append({static_cast<double>(i), curve.line.x[i], curve.line.y[i]});
  const auto data = QSharedPointer<QCPCurveDataContainer>::create();
  data->set(values, true);
  line->setData(data);
  line->setPen(pen);
  constexpr std::size_t told_apart = 200;  // samples that each have a marker
  if (curve.line.x.size() <= told_apart) {
    line->setScatterStyle(scatter_of(style));
  } else if (!curve.line.dot_x.empty()) {
    drawDots(curve.line, style.colour);
  }
  vertices_ += static_cast<std::int64_t>(curve.line.x.size());
}

void ChartScene::drawCurves() {
  plot_.clearPlottables();
  vertices_ = 0;
  if (!state_.data) return;
  const auto shown = state_.drawn();
  // The first ones on top, as the legend lists them.
  for (auto spec = shown.rbegin(); spec != shown.rend(); ++spec) {
    if (const chart::CurveData* curve = state_.dataOf((*spec)->id); curve != nullptr && curve->samples > 0) drawOne(**spec, *curve);
  }
}

void ChartScene::forgetYRange() { last_y_.reset(); }

QString ChartScene::markText(const QPointF& at) const { return marks_->textAt(at); }

void ChartScene::setStale(bool on) { marks_->stale = on; }

QCPRange ChartScene::automaticY() const {
  const double from = state_.zoomed() ? state_.lower : -HUGE_VAL, to = state_.zoomed() ? state_.upper : HUGE_VAL;
  double low = HUGE_VAL, high = -HUGE_VAL;
  std::vector<double> all;
  const auto take = [&](double x, double y) {
    if (x < from || x > to || !std::isfinite(y) || (state_.logarithmic() && y <= 0)) return;
    low = std::min(low, y);
    high = std::max(high, y);
  };
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr) continue;
    for (const chart::Reduced* line : {&curve->line, &curve->partial, &curve->superseded, &curve->smoothed}) {
      for (std::size_t i = 0; i < line->x.size(); ++i) {
        take(line->x[i], line->y[i]);
        if (state_.ignore_outliers && line == &curve->line && line->x[i] >= from && line->x[i] <= to && std::isfinite(line->y[i])) {
          all.push_back(line->y[i]);
        }
      }
    }
    for (std::size_t i = 0; i < curve->band.x.size(); ++i) {
      take(curve->band.x[i], curve->band.lower[i] > 1e-299 || !state_.logarithmic() ? curve->band.lower[i] : nothing);
      take(curve->band.x[i], curve->band.upper[i]);
    }
  }
  if (state_.ignore_outliers && all.size() > 20) {
    std::sort(all.begin(), all.end());
    const auto at = [&](double share) { return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))]; };
    low = std::max(low, at(0.005));
    high = std::min(high, at(0.995));
  }
  if (state_.target && !(state_.logarithmic() && *state_.target <= 0)) {
    low = std::min(low, *state_.target);
    high = std::max(high, *state_.target);
  }
  if (low > high) return state_.logarithmic() ? QCPRange(0.1, 10) : QCPRange(0, 1);
  if (state_.logarithmic()) {
    const double margin = high > low ? std::pow(high / low, 0.05) : 2;
    return {low / margin, high * margin};
  }
  if (low == 0 && high == 0) return {-0.05, 1};  // of what is never negative nothing below zero is shown
  const double margin = high > low ? 0.05 * (high - low) : 0.05 * std::abs(high);
  return {low - margin, high + margin};
}

QCPRange ChartScene::placedY() const {
  if (std::isfinite(state_.y_lower) && std::isfinite(state_.y_upper)) return {state_.y_lower, state_.y_upper};
  QCPRange range = automaticY();
  // Live data widens the range and never narrows it, so that the picture does not breathe.
  if (only_grow_ && last_y_) {
    range.lower = std::min(range.lower, last_y_->lower);
    range.upper = std::max(range.upper, last_y_->upper);
  }
  return range;
}

void ChartScene::layOut() {
  const chart::ChartData* data = state_.data.get();
  QCPAxis &x = *plot_.xAxis, &y = *plot_.yAxis;
  double lower = state_.lower, upper = state_.upper;
  if (!state_.zoomed()) {
    lower = data != nullptr ? data->first_x : 0;
    upper = data != nullptr ? data->last_x : 1;
    if (!(upper > lower)) {
      lower -= 0.5;
      upper += 0.5;
    } else {
      const double margin = 0.01 * (upper - lower);
      lower -= margin;
      upper += margin;
    }
  }
  x.setRange(lower, upper);
  const QCPRange range = placedY();
  const bool automatic = !std::isfinite(state_.y_lower);
  if (automatic) last_y_ = range;
  y.setScaleType(state_.logarithmic() ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  y.setRange(range);
  if (state_.onClock()) {
    x.setTicker(clock_ticker_);
  } else {
    x_ticker_->setUnit(state_.x_unit);
    x_ticker_->setWholeNumbers(!state_.overMetric() && (state_.axis() == XAxis::step || state_.axis() == XAxis::samples));
    x.setTicker(x_ticker_);
  }
  if (state_.logarithmic()) {
    log_ticker_->setUnit(state_.y_unit);
    log_ticker_->setLogBase(state_.scale == YScale::log2 ? 2 : 10);
    // Less than a decade has no power of ten to stand at.
    if (range.upper / range.lower < (state_.scale == YScale::log2 ? 4 : 20)) {
      y_ticker_->setUnit(state_.y_unit);
      y.setTicker(y_ticker_);
    } else {
      y.setTicker(log_ticker_);
    }
  } else {
    y_ticker_->setUnit(state_.y_unit);
    y.setTicker(y_ticker_);
  }
  x.setLabel(state_.xTitle());
  const QString title =
      state_.logarithmic() ? QString(state_.yTitle() % (state_.scale == YScale::log2 ? QStringLiteral(", log 2") : QStringLiteral(", log")))
                           : state_.yTitle();
  setYTitle(title, state_.y_unit.text);
}

void ChartScene::setYTitle(const QString& title, const QString& unit) {
  y_title_ = title;
  y_unit_ = unit;
  fitYTitle();
}

// As many ticks as there is room for their labels.
void ChartScene::fitTicks() {
  const QMargins around = plot_.axisRect()->margins();  // of the last layout
  const int width = plot_.width() - around.left() - around.right(), height = plot_.height() - around.top() - around.bottom();
  const int line = QFontMetrics(plot_.yAxis->tickLabelFont()).height();
  constexpr int letters = 6;  // of a label and the gap beside it
  const int label = letters * QFontMetrics(plot_.xAxis->tickLabelFont()).averageCharWidth() + line;
  constexpr int least = 2, most_x = 6, most_y = 5;
  x_ticker_->setTickCount(std::clamp(width / std::max(1, label), least, most_x));
  y_ticker_->setTickCount(std::clamp(height / std::max(1, 2 * line), least, most_y));
}

void ChartScene::fitYTitle() {
  QCPAxis& y = *plot_.yAxis;
  const QMargins around = plot_.axisRect()->margins();  // of the last layout
  const int room = plot_.height() - around.top() - around.bottom();
  const bool fits = QFontMetrics(y.labelFont()).horizontalAdvance(y_title_) <= room;
  const QString& label = fits ? y_title_ : y_unit_;
  if (y.label() != label) y.setLabel(label);
}

}  // namespace syncline::ui
