// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of the editor: each a form over its part of the experiment and what follows from it.
#pragma once

#include <QLabel>
#include <QWidget>

#include "ui/models/editor/draft.h"
#include "ui/models/editor/launch_controller.h"
#include "ui/models/editor/validator.h"
#include "ui/views/editor/form_panel.h"
#include "ui/widgets/workbench.h"

class QTableView;
class QVBoxLayout;

namespace syncline::ui {

struct EditorParts {
  Workbench& workbench;
  ExperimentDocument& document;
  Validator& validator;
  Draft& draft;
  LaunchController& launch;
};

class StepPage : public QWidget {
  Q_OBJECT

 public:
  StepPage(Step, EditorParts&, std::vector<FormPart>, QWidget* parent);
  Step step() const { return step_; }
  // Of the newest text; called for every step, also hidden ones.
  virtual void show(const Examination&);
  virtual bool focusKey(const QString& key);
  virtual void becameVisible() {}
  FormPanel& form() { return *form_; }

 protected:
  EditorParts& parts() const { return parts_; }
  QVBoxLayout* column() { return column_; }
  QLabel* addHeading(const QString&);
  QLabel* addNote(const QString& object_name);  // wraps, selectable

 private:
  Step step_;
  EditorParts& parts_;
  QVBoxLayout* column_;
  FormPanel* form_;
};

StepPage* make_step_page(Step, EditorParts&, QWidget* parent);
StepPage* make_model_step(EditorParts&, QWidget* parent);
StepPage* make_strategy_step(EditorParts&, QWidget* parent);
StepPage* make_launch_step(EditorParts&, QWidget* parent);

// A table view as the editor's tables look: whole rows, no grid, keyboard moves between rows and Tab leaves.
void set_up_table(QTableView&, const QString& object_name, const QString& accessible_name);
// As high as its rows, at most `most` of them.
void fit_height(QTableView&, int most);

}  // namespace syncline::ui
