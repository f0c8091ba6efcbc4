// SPDX-License-Identifier: GPL-3.0-or-later
// The hidden share of all communication along the steps; a gap where there was none. Linked to the charts of its page.
#pragma once

#include <QAbstractTableModel>
#include <QPointer>
#include <QWidget>
#include <vector>

#include "engine/store/reader.h"
#include "ui/widgets/chart_group.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/plot_frame.h"

namespace syncline::ui {

// What is behind the curve: one row for each stretch of steps.
class HiddenTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  using QAbstractTableModel::QAbstractTableModel;
  void setRows(std::vector<QStringList>);
  QByteArray asText(chart::TableFormat) const;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  std::vector<QStringList> rows_;
};

class HiddenChart : public QWidget, private LinkedChart {
  Q_OBJECT

 public:
  HiddenChart(ChartGroup&, const QString& name, const QString& title, QWidget* parent = nullptr);
  ~HiddenChart() override;
  void setBuckets(const std::vector<StepBucket>&);
  void setWhenEmpty(const QString& sentence);
  QString savePicture(const QString& path, int scale);  // .pdf, .svg or .png; empty, or what went wrong in one sentence
  QString saveData(const QString& path) const { return frame_.saveData(path); }  // .csv, .tsv or .json

 protected:
  void changeEvent(QEvent*) override;

 private:
  void shareXAxis() override;
  void shareRange(double from, double to) override;
  void shareCrosshair(double x) override;
  void shareMargins() override;
  void refreshData() override {}
  bool onScreen() const override { return isVisible() && !visibleRegion().isEmpty(); }
  void fill();
  void place();
  void recolour();

  ChartGroup& group_;
  QPointer<ChartGroup> group_alive_;
  QString when_empty_;
  std::vector<StepBucket> buckets_;
  ChartState state_;
  PlotFrame frame_;
  ChartPlot* plot_;
  HiddenTable* numbers_;
};

}  // namespace syncline::ui
