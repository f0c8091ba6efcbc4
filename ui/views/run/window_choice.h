// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of the run the Communication tab is about. Charts of a page share their x axis, so that a choice moves all of them; a person
// who zooms by hand is taken to have chosen what is visible.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QTimer>

#include "ui/models/run_page_window.h"
#include "ui/views/run/run_tab.h"

namespace syncline::ui {

class WindowChoice : public QWidget {
  Q_OBJECT

 public:
  enum Kind { visible, whole, last_10_s, last_minute, last_10_minutes, steps };
  WindowChoice(RunContext, QWidget* parent);
  QComboBox* box() const { return kind_; }

 private:
  Kind kind() const { return static_cast<Kind>(kind_->currentIndex()); }
  void choose();
  void follow();
  void read();
  void show(double from, double to);
  RunContext context_;
  QComboBox* kind_;
  QSpinBox *from_, *to_;
  QLabel* between_;
  QTimer again_;
  bool applying_ = false;
};

}  // namespace syncline::ui
