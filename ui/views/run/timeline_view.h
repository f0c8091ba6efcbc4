// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a timeline: a strip of all traced steps above, a ruler, and a row or two for each rank. It knows only values; the tab reads them.
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <optional>
#include <set>

#include "ui/models/timeline.h"

namespace syncline::ui {

class TimelineView : public QAbstractScrollArea {
  Q_OBJECT

 public:
  enum class Height { compact, normal, tall };
  struct Place {
    int lane = -1, event = -1;
    bool valid() const { return lane >= 0 && event >= 0; }
    bool operator==(const Place&) const = default;
  };
  explicit TimelineView(QWidget* parent = nullptr);

  void setIndex(std::shared_ptr<const TimelineIndex>);
  void setTimeline(std::shared_ptr<const Timeline>);
  const std::shared_ptr<const Timeline>& timeline() const { return timeline_; }
  void setRange(double from_s, double to_s);  // what is seen; limited to what was traced
  double from() const { return from_s_; }
  double to() const { return to_s_; }
  void setLaneHeight(Height);
  void setRankOrder(std::vector<int> ranks);  // empty: by number
  Place selected() const { return selected_; }
  void select(Place, bool bring_into_view);
  const TimelineEvent* event(Place) const;
  int selectedRank() const;  // -1: none

  // A range to be measured; of no length: only its beginning is known.
  void setMark(std::optional<std::pair<double, double>> from_to_s);
  const std::optional<std::pair<double, double>>& mark() const { return mark_; }
  // Pinned ranks stay above the others, whatever is scrolled to. Of a collapsed rank one row is left: what it computes and what is exposed.
  void setPinned(int rank, bool);
  void setCollapsed(int rank, bool);
  void setAllCollapsed(bool);
  bool pinned(int rank) const { return pinned_.contains(rank); }
  bool collapsed(int rank) const { return collapsed_.contains(rank); }

  QString savePicture(const QString& path);  // of what is visible: .pdf, .svg or .png; the error's sentence

  void zoom(double factor, double around_s);  // factor > 1: closer
  void pan(double share);                     // of the width
  void moveSelection(int events, int lanes);
  void zoomToSelection();

 Q_SIGNALS:
  void rangeChanged(double from_s, double to_s);
  void selectionChanged();
  void markChanged();

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool viewportEvent(QEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  struct Row {
    int lane, top, height;
    bool pinned = false;
  };
  void layoutRows();
  const Row* rowAt(QPoint) const;
  int rowsTop() const;  // below the pinned ranks
  void paintMark(QPainter&);
  void paint(QPainter&);
  void paintOverview(QPainter&);
  void paintRuler(QPainter&);
  void paintLane(QPainter&, const Row&);
  void paintSteps(QPainter&, int rank, int top, int bottom);
  void paintBlock(QPainter&, const TimelineLane&, const TimelineBlock&, const QRect& row);
  double time_at(double x) const;
  double x_of(double time_s) const;
  Place place_at(QPoint) const;
  int labels_width() const;
  int plot_width() const;
  int overview_height() const;
  int ruler_height() const;
  void describe();

  std::shared_ptr<const TimelineIndex> index_;
  std::shared_ptr<const Timeline> timeline_;
  std::vector<Row> rows_;
  std::vector<int> rank_order_;
  std::set<int> pinned_, collapsed_;
  int pinned_height_ = 0;
  std::optional<std::pair<double, double>> mark_;
  double from_s_ = 0, to_s_ = 1;
  Height height_ = Height::normal;
  Place selected_;
  QPoint pressed_;
  double pressed_from_s_ = 0;
  bool dragging_ = false, on_overview_ = false, marking_ = false;
};

}  // namespace syncline::ui
