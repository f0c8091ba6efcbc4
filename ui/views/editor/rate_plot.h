// SPDX-License-Identifier: GPL-3.0-or-later
// The learning rate over the run as a curve, with its first, highest and last value in words.
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/models/editor/examination.h"

class QCustomPlot;

namespace syncline::ui {

class RatePlot : public QWidget {
  Q_OBJECT

 public:
  explicit RatePlot(QWidget* parent = nullptr);
  void setRate(const LearningRate&, std::optional<std::int64_t> global_batch);

 protected:
  void changeEvent(QEvent*) override;

 private:
  void recolour();
  QCustomPlot* plot_;
  QLabel* words_;
};

}  // namespace syncline::ui
