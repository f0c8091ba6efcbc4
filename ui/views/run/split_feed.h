// SPDX-License-Identifier: GPL-3.0-or-later
// Fills a chart of step parts with the steps of one rank in the visible range, and knows which steps are visible.
#pragma once

#include <QObject>
#include <memory>

#include "ui/models/run_page_communication.h"
#include "ui/views/run/run_tab.h"
#include "ui/widgets/split_chart.h"

namespace syncline::ui {

class SplitFeed : public QObject {
  Q_OBJECT

 public:
  SplitFeed(RunContext, SplitChart*, QWidget* visible_with);
  void setChoice(const RankChoice&);
  const RankChoice& choice() const { return choice_; }
  void refresh();  // reads if the widget is visible, else when it becomes so
  const StepSplit& split() const { return split_; }
  bool loaded() const { return loaded_; }
  std::int64_t fromStep() const { return from_step_; }
  std::int64_t toStep() const { return to_step_; }
  std::int64_t stepAt(double x) const;  // of the bar at a place of the axis

 Q_SIGNALS:
  void loadedChanged();  // new bars
  void stepsChanged();   // other steps are visible

 protected:
  bool eventFilter(QObject*, QEvent*) override;

 private:
  void setRange(double from, double to);
  void show();
  RunContext context_;
  SplitChart* chart_;
  QWidget* visible_with_;
  RankChoice choice_;
  StepSplit split_;
  std::vector<std::pair<double, std::int64_t>> step_of_x_;  // over the whole run, for axes other than the step
  double from_x_, to_x_;
  std::int64_t from_step_ = 0, to_step_ = INT64_MAX;
  bool loaded_ = false, stale_ = true;
};

// How a bar is made of a bucket; x and width along the axis.
SplitBar split_bar(const StepBucket&, XAxis, double previous_x);

}  // namespace syncline::ui
