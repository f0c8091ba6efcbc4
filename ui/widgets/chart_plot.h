// SPDX-License-Identifier: GPL-3.0-or-later
// The plot of a SeriesChart: what the pointer and the keys do to it, and what lies over the curves (crosshair, cursors, zoom box). The
// crosshair lives on a layer of its own: moving it draws no curve.
#pragma once

#include <QElapsedTimer>
#include <QTimer>

#include "ui/widgets/chart_scene.h"

namespace syncline::ui {

class ChartOverlay;

class ChartPlot : public QCustomPlot {
  Q_OBJECT

 public:
  ChartPlot(ChartState&, QWidget* parent);

  ChartScene& scene() { return scene_; }
  void readsParts();     // bars: the crosshair reads all of them in their order and puts no dots on curves
  void redrawOverlay();  // crosshair and cursors only
  int overlayReplots() const { return overlay_replots_; }
  int curveReplots() const { return curve_replots_; }

  // The view. Each of these ends with viewChanged().
  void setView(double lower, double upper, double y_lower, double y_upper, bool dragging = false);
  void fit();
  void undoZoom();
  void zoomX(double factor, double about);
  void zoomY(double factor, double about);
  void panBy(double share_x, double share_y);
  void hurry();  // the view is being moved, here or by a linked chart: many curves are drawn coarsely until it rests
  bool canUndoZoom() const { return !history_.empty(); }
  void forgetHistory() { history_.clear(); }

  void setCrosshair(double x);  // NaN: away; does not tell anybody
  void moveAlong(int samples);  // the curve being read
  void chooseCurve(int down);
  void setCursor(char which, double x);
  void clearCursors();
  double crosshairX() const { return state_.crosshair; }
  // Where the crosshair stands, or stood before the pointer left for a menu; NaN: nowhere in view.
  double pointedX() const;
  QString readingText() const;  // what the tooltip says, for the accessible description and for copying

 Q_SIGNALS:
  void viewChanged(bool dragging);
  void crosshairMoved(double x);
  void cursorsChanged();
  void menuWanted(const QPoint& global);
  void becameVisible();
  void clicked(double x);  // without dragging

 protected:
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void enterEvent(QEnterEvent*) override;
  void leaveEvent(QEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void paintEvent(QPaintEvent*) override;
  bool event(QEvent*) override;

 private:
  struct View {
    double lower, upper, y_lower, y_upper;
  };
  View now() const { return {state_.lower, state_.upper, state_.y_lower, state_.y_upper}; }
  void remember();
  void point(const QPointF& at);
  bool overYAxis(const QPointF& at) const;
  bool keyMoves(QKeyEvent*);
  bool keyZooms(QKeyEvent*);

  ChartState& state_;
  ChartScene scene_;
  ChartOverlay* overlay_;
  std::vector<View> history_;
  enum class Drag { none, pan, box } drag_ = Drag::none;
  QPointF drag_from_;
  View drag_view_{};
  QCPRange drag_x_, drag_y_;
  bool moved_ = false;
  QElapsedTimer rested_;
  double wheel_ = 0, pointed_ = nothing;
  int overlay_replots_ = 0, curve_replots_ = 0;
  QTimer rest_;  // of the view: then curves are drawn as fine as can be
};

class ChartOverlay : public QCPLayerable {
 public:
  ChartOverlay(QCustomPlot*, const ChartState&);
  QPointF pointer;       // NaN: none; rows of the tooltip are sorted by distance to it
  QRectF box;            // being zoomed to
  bool parts = false;    // see ChartPlot::readsParts()
  bool tooltip = false;  // only in the chart that the person is reading
  struct Row {
    const CurveSpec* spec;
    const chart::Reading* reading;
    double distance;
  };
  std::vector<Row> rows() const;  // what the crosshair reads, nearest first
  QStringList details(const chart::Reading&) const;
  QString rowText(const Row&) const;
  static constexpr std::size_t most_rows = 12;

 protected:
  void applyDefaultAntialiasingHint(QCPPainter*) const override;
  void draw(QCPPainter*) override;

 private:
  void drawLine(QCPPainter*, double x, const QString& letter, Qt::PenStyle);
  void drawTooltip(QCPPainter*, const std::vector<Row>&);
  const ChartState& state_;
};

}  // namespace syncline::ui
