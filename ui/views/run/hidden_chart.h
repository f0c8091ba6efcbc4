// SPDX-License-Identifier: GPL-3.0-or-later
// The hidden share of all communication along the steps; a gap where there was none. Linked to the charts of its page.
#pragma once

#include <QWidget>
#include <vector>

#include "engine/store/reader.h"
#include "ui/widgets/chart_group.h"

class QCustomPlot;
class QCPGraph;
class QLabel;

namespace syncline::ui {

class HiddenChart : public QWidget, private LinkedChart {
  Q_OBJECT

 public:
  HiddenChart(ChartGroup&, const QString& name, const QString& title, QWidget* parent = nullptr);
  ~HiddenChart() override;
  void setBuckets(const std::vector<StepBucket>&);
  void setWhenEmpty(const QString& sentence);

 protected:
  void changeEvent(QEvent*) override;

 private:
  void shareXAxis() override;
  void shareRange(double from, double to) override;
  void shareCrosshair(double) override {}
  void shareMargins() override;
  void refreshData() override {}
  bool onScreen() const override { return isVisible(); }
  void draw();
  void recolour();

  ChartGroup& group_;
  QString title_;
  std::vector<StepBucket> buckets_;
  QCustomPlot* plot_;
  QCPGraph* graph_;
  QLabel* empty_;
  double from_, to_;
};

}  // namespace syncline::ui
