// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of a ChartGroup, for the charts themselves.
#pragma once

#include <QTimer>
#include <vector>

#include "ui/models/chart/smoothing.h"
#include "ui/widgets/series_chart.h"

class QCPMarginGroup;

namespace syncline::ui {

class ActionRegistry;

// What the group asks of a chart.
class LinkedChart {
 public:
  virtual ~LinkedChart() = default;
  virtual void shareXAxis() = 0;                        // axis, alignment or smoothing changed
  virtual void shareRange(double from, double to) = 0;  // NaN, NaN: fit
  virtual void shareCrosshair(double x) = 0;            // NaN: away
  virtual void shareMargins() = 0;                      // the common margin grew: lay out again
  virtual void refreshData() = 0;                       // the workspace changed
  virtual bool onScreen() const = 0;
  virtual double redrawMs() const { return 0; }  // what one redraw for new data costs
};

struct ChartGroup::Shared {
  Shared(StoreService& of, Settings& remembered, QString kind, ChartGroup& group);
  ~Shared();

  void add(LinkedChart*);
  void remove(LinkedChart*);
  // From the chart under the pointer. Others follow at most ten times a second while it is dragged, and once at the end.
  void moveRange(LinkedChart* from, double lower, double upper, bool dragging);
  void moveCrosshair(LinkedChart* from, double x);
  void marginsChanged(LinkedChart* from);
  void setSmoothing(chart::Smoothing);
  void refreshSoon();

  StoreService& store;
  Settings& settings;
  ActionRegistry& actions();
  QPointer<ActionRegistry> given_actions;
  QString page_kind;
  ChartGroup& owner;
  std::vector<LinkedChart*> charts;
  XAxis axis = XAxis::step;
  bool align_starts = false, linked = true;
  chart::Smoothing smoothing;
  double lower, upper;  // NaN: everything
  std::unique_ptr<QCPMarginGroup> margins;

 private:
  void tellRange();
  void tellRefresh();
  int refreshInterval() const;
  ActionRegistry* own_actions_ = nullptr;  // a child of the group
  LinkedChart* range_from_ = nullptr;
  QTimer range_timer_, refresh_timer_;
  bool refresh_waits_ = false, range_waits_ = false;
};

}  // namespace syncline::ui
