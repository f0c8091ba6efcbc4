// SPDX-License-Identifier: GPL-3.0-or-later
// What the tabs of a run page have in common.
#pragma once

#include <QWidget>

#include "ui/views/run/run_data.h"
#include "ui/widgets/series_chart.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

class RunActions;

struct RunContext {
  Workbench& workbench;
  RunData& data;
  ChartGroup& charts;  // one x axis for all tabs
  RunActions* actions = nullptr;
};

class RunTab : public QWidget {
  Q_OBJECT

 public:
  RunTab(RunContext context, const QString& name, QWidget* parent);
  virtual bool loaded() const = 0;  // what is visible has been shown once

 Q_SIGNALS:
  void loadedChanged();
  void showInTimeline(qint64 step, int rank);  // -1: any

 protected:
  RunContext& context() { return context_; }
  RunData& data() const { return context_.data; }
  const RunSnapshot& snapshot() const { return context_.data.snapshot(); }

 private:
  RunContext context_;
};

RunTab* make_overview_tab(RunContext, QWidget* parent);
RunTab* make_communication_tab(RunContext, QWidget* parent);
RunTab* make_system_tab(RunContext, QWidget* parent);
RunTab* make_log_tab(RunContext, QWidget* parent);
RunTab* make_settings_tab(RunContext, QWidget* parent);
RunTab* make_files_tab(RunContext, QWidget* parent);

}  // namespace syncline::ui
