// SPDX-License-Identifier: GPL-3.0-or-later
// The head of a run page, the same on all tabs: name, seed, state with icon and word, progress, time left, age of the data, ranks, and what
// can be done.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include "ui/views/run/run_actions.h"

namespace syncline::ui {

class RunHeader : public QWidget {
  Q_OBJECT

 public:
  RunHeader(RunContext, RunActions&, QWidget* parent);
  void update();     // from the data
  void updateAge();  // what changes with time alone

 protected:
  void changeEvent(QEvent*) override;

 private:
  QToolButton* button(QAction*);
  void recolour();
  RunContext context_;
  RunActions& actions_;
  QLabel *name_, *state_, *progress_text_, *left_, *age_, *placement_, *attempts_, *tags_, *note_, *request_;
  QProgressBar* progress_;
  QToolButton *stop_, *star_;
};

}  // namespace syncline::ui
