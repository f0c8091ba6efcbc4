// SPDX-License-Identifier: GPL-3.0-or-later
// A colour map of one value over ranks and steps, for up to 2,000 x 1,024 cells; what does not fit is put together by its maximum, because
// the worst is what one looks for. A table lies behind it.
#pragma once

#include <QString>
#include <QWidget>
#include <memory>
#include <vector>

#include "ui/widgets/series_chart.h"

namespace syncline::ui {

struct HeatMapData {
  std::vector<int> ranks;           // one row each, from the top
  std::vector<std::int64_t> steps;  // one column each, the first step of its bucket
  std::vector<double> values;       // [rank][step], NaN: not recorded
  QString name;                     // stored name, decides the unit: "exposed_s"
  QString note;                     // for the footer: "mean of 16 steps per cell"
};

class HeatMap : public QWidget {
  Q_OBJECT

 public:
  HeatMap(ChartGroup&, const QString& name, const QString& title, QWidget* parent = nullptr);
  ~HeatMap() override;
  void setData(HeatMapData);
  void setWhenEmpty(const QString& sentence);
  QString savePicture(const QString& path, int scale = 2);  // .pdf, .svg or .png; the error's sentence
  QString saveData(const QString& path) const;              // .csv, .tsv or .json: one row a cell
  void setOutlinedRank(int rank);                           // the worst; -1: none

 Q_SIGNALS:
  void cellClicked(int rank, qint64 step);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace syncline::ui
