// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a chart's state into a QCustomPlot: the one on the screen, or one made for an export.
#pragma once

#include "ui/widgets/chart_state.h"
#include "ui/widgets/chart_ticker.h"

namespace syncline::ui {

class ChartMarks;

class ChartScene {
 public:
  ChartScene(QCustomPlot&, const ChartState&);

  void setColours(const QPalette&, const QFont&);  // background, axes, grid; curves follow with the next drawCurves()
  void drawCurves();                               // graphs from the data
  void layOut();                                   // ranges, titles and ticks of the axes; does not replot
  // What the y axis says; a chart too small for it says the unit alone, what is drawn stands in its header.
  void setYTitle(const QString& title, const QString& unit);
  void keepYRange(bool only_grow) { only_grow_ = only_grow; }
  void forgetYRange();  // fit anew
  std::int64_t vertices() const { return vertices_; }
  // Where the newest points are hollow: no sample has come for long.
  void setStale(bool);
  QCPRange automaticY() const;
  QString markText(const QPointF&) const;

 private:
  QCPGraph* add(const std::vector<double>& x, const std::vector<double>& y, const QPen&, bool reduced = false);
  void drawOne(const CurveSpec&, const chart::CurveData&);
  void drawOverMetric(const chart::CurveData&, const palette::CurveStyle&, const QPen&);
  void drawDots(const chart::Reduced&, const QColor&);
  void drawBand(const chart::CurveData&, const QColor&);
  QCPRange placedY() const;

  void fitTicks();
  void fitYTitle();

  QCustomPlot& plot_;
  QString y_title_, y_unit_;
  const ChartState& state_;
  ChartMarks* marks_;
  QSharedPointer<UnitTicker> x_ticker_, y_ticker_;
  QSharedPointer<ClockTicker> clock_ticker_;
  QSharedPointer<UnitLogTicker> log_ticker_;
  std::int64_t vertices_ = 0;
  bool only_grow_ = false;
  std::optional<QCPRange> last_y_;
};

// At the frame: what is not finite, what a logarithm cannot show, events, the target, the newest points.
class ChartMarks : public QCPLayerable {
 public:
  ChartMarks(QCustomPlot*, const ChartState&);
  bool stale = false;
  QString textAt(const QPointF&) const;  // what the marks near a point mean; empty: none is there
  static QString symbolOf(const QString& event_kind);
  static constexpr double gutter = 10;  // px

 protected:
  void applyDefaultAntialiasingHint(QCPPainter*) const override;
  void draw(QCPPainter*) override;

 private:
  void drawMarks(QCPPainter*, const QRectF&);
  void drawEvents(QCPPainter*, const QRectF&);
  void drawTarget(QCPPainter*, const QRectF&);
  void drawNewest(QCPPainter*, const QRectF&);
  void drawSeedsLeft(QCPPainter*, const QRectF&);  // "n = 4" where a seed ended
  void drawLeaving(QCPPainter*, const QRectF&);    // arrows where a curve leaves a range without outliers
  const ChartState& state_;
};

}  // namespace syncline::ui
