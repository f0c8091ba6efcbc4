// SPDX-License-Identifier: GPL-3.0-or-later
// Where each step went: stacked bars of compute, hidden, exposed, waiting, input, checkpoint/evaluation and idle time, in this order from
// the base; along steps (x from the chart group) or side by side for runs.
#pragma once

#include <QString>
#include <QWidget>
#include <array>
#include <memory>
#include <vector>

#include "ui/widgets/series_chart.h"

namespace syncline::ui {

enum class StepPart { compute, hidden, exposed, waiting, input, boundary, idle };
inline constexpr int step_part_count = 7;

struct SplitBar {
  QString label;                                   // of a bar that stands for a run
  double x = 0, width = 1;                         // of a bar along an axis
  std::array<double, step_part_count> parts_s{};   // seconds; compute: without the hidden part
  double step_s = 0;                               // as measured: drawn as a hairline, so that a mistake of the sum shows
  double least_exposed_s = 0, most_exposed_s = 0;  // of the steps in this bar
  bool warm_up = false, traced = false;
};

class SplitChart : public QWidget {
  Q_OBJECT

 public:
  SplitChart(ChartGroup&, const QString& name, const QString& title, QWidget* parent = nullptr);
  ~SplitChart() override;
  void setBars(std::vector<SplitBar>, const QString& footer = {});  // along the x axis of the group
  void setNamedBars(std::vector<SplitBar>);                         // one beside the other, with their labels
  void setShare(bool);                                              // share of the step instead of time
  void setWhenEmpty(const QString& sentence);
  int barsWanted() const;                                   // how many bars there is room for: what to ask the store for
  QString savePicture(const QString& path, int scale = 2);  // .pdf, .svg or .png; the error's sentence
  QString saveData(const QString& path) const;              // .csv, .tsv or .json
  int redraws() const;                                      // for tests

 Q_SIGNALS:
  void barClicked(double x);
  void rangeChanged();  // the visible range, or the room for bars, changed: ask again

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace syncline::ui
