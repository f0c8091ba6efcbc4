// SPDX-License-Identifier: GPL-3.0-or-later
// The experiment editor: one document with two views, form and text, and what follows from it while it is edited.
#pragma once

#include <QElapsedTimer>
#include <memory>
#include <vector>

#include "ui/views/editor/step_pages.h"
#include "ui/widgets/workbench.h"

class QGridLayout;
class QLabel;
class QListWidget;
class QScrollArea;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace syncline::ui {

class LaunchStep;
class TextView;

// What is known without running, each with where it comes from.
class EstimatePanel : public QWidget {
  Q_OBJECT

 public:
  explicit EstimatePanel(QWidget* parent = nullptr);
  void setEstimates(const std::vector<Estimate>&);

 private:
  QGridLayout* grid_;
  std::vector<QLabel*> labels_;  // name, value, origin, in turn
};

class EditorPage : public Page {
  Q_OBJECT

 public:
  EditorPage(Workbench&, const QString& saved_id, const QString& name, const QString& text, const QString& from_run = {},
             QWidget* parent = nullptr);
  ~EditorPage() override;

  QString title() const override;
  QString iconName() const override { return QStringLiteral("document-edit"); }
  bool unsaved() const override;
  bool loaded() const override;
  bool mayClose() override;
  void showTab(const QString&) override;  // model data topology strategy optimizer launch text
  QString restoreKey() const override;

  ExperimentDocument* document() { return document_.get(); }

 private:
  void open(const std::string& text, const QString& name);
  QWidget* makeHeader();
  QWidget* makeForm();
  void addActions();
  void examined();
  void followDocument();
  void showStep(Step);
  void showText(bool);
  void goTo(std::size_t problem);
  void nextProblem(int direction);
  bool validNow(const QString& purpose);  // else goes to the first problem
  void launch();
  void dryRun();
  void saveAs();
  bool mayLose();  // asks what becomes of edits that the workspace does not take
  void notify(const QString& text, bool bad);
  void sayReset(const KeyPath&, const std::string& before);
  StepPage* page(Step) const;

  QString saved_id_, name_;
  bool failed_ = false;
  std::unique_ptr<ExperimentDocument> document_;
  std::unique_ptr<Draft> draft_;
  std::unique_ptr<Validator> validator_;
  std::unique_ptr<LaunchController> launch_;
  std::unique_ptr<EditorParts> parts_;

  QLabel *heading_ = nullptr, *strip_ = nullptr, *loading_ = nullptr;
  QToolButton* problem_count_ = nullptr;
  QTabBar* views_ = nullptr;
  QStackedWidget *stack_ = nullptr, *step_stack_ = nullptr;
  QListWidget* step_list_ = nullptr;
  EstimatePanel* estimates_ = nullptr;
  TextView* text_ = nullptr;
  LaunchStep* launch_step_ = nullptr;
  std::vector<StepPage*> pages_;
  std::vector<QToolButton*> header_buttons_;
  QAction *undo_ = nullptr, *redo_ = nullptr, *dry_run_ = nullptr, *launch_action_ = nullptr;
  int at_problem_ = -1;
  QString wanted_tab_, last_title_;
  bool last_unsaved_ = false;
  QString pending_purpose_;  // "launch" or "dry-run" waits for the examination of the newest text
};

}  // namespace syncline::ui
