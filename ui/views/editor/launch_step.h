// SPDX-License-Identifier: GPL-3.0-or-later
// Where, how often and with what: the last step before a run.
#pragma once

#include "ui/models/palette.h"
#include "ui/views/editor/step_pages.h"

class QListWidget;
class QPlainTextEdit;
class QPushButton;
class QLineEdit;
class QAction;

namespace syncline::ui {

class LaunchStep : public StepPage {
  Q_OBJECT

 public:
  LaunchStep(EditorParts&, QWidget* parent);
  void bind(const QString& action_id, QAction*);  // the page's actions, whose buttons stand here
  std::optional<std::vector<std::uint64_t>> seeds() const;
  void focusSeeds();
  void say(const QString&, palette::Status);
  void show(const Examination&) override;
  void becameVisible() override;

 private:
  void judgeSeeds();
  void showItems();
  void showCommand();
  void showBusy();

  QLineEdit* seeds_;
  QLabel *seeds_note_, *answer_;
  QListWidget* list_;
  QPlainTextEdit* command_;
  QPushButton *end_, *choose_engine_;
  std::vector<std::pair<QString, QPushButton*>> buttons_;
};

}  // namespace syncline::ui
