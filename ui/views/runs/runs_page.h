// SPDX-License-Identifier: GPL-3.0-or-later
// The first screen: what exists, what is running, which rows belong together.
#pragma once

#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>

#include "engine/store/saved.h"
#include "ui/models/runs_model.h"
#include "ui/views/runs/details_strip.h"
#include "ui/views/runs/filter_edit.h"
#include "ui/views/runs/runs_actions.h"
#include "ui/views/runs/runs_table.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

class RunsPage : public Page {
  Q_OBJECT

 public:
  explicit RunsPage(Workbench&, QWidget* parent = nullptr);
  QString title() const override { return tr("Runs"); }
  QString iconName() const override { return QStringLiteral("view-list-details"); }
  bool loaded() const override;
  QString restoreKey() const override { return QStringLiteral("runs"); }

  RunsModel& model() { return model_; }
  RunsTable& table() { return *table_; }

 protected:
  void showEvent(QShowEvent*) override;
  void hideEvent(QHideEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

 private:
  QWidget* makeHead();
  QWidget* makeEmpty();
  QWidget* makeNoMatch();
  QWidget* makeWaiting();
  void setGrouping();
  void applyFilter(const QString& expression);
  void updateChips();
  void updateWaiting();
  void updateContent();
  void updateDetails();
  void reloadSavedFilters();
  void saveFilter();
  void chooseColumns();
  void runDemo();
  void keepTrash();
  void toggleStar(const QModelIndex&);

  RunsModel model_;
  RunsTable* table_ = nullptr;
  RunsActions* actions_ = nullptr;
  FilterEdit* filter_ = nullptr;
  QLabel* mistake_ = nullptr;
  QButtonGroup* chips_ = nullptr;
  QComboBox* grouping_ = nullptr;
  QToolButton* saved_button_ = nullptr;
  QMenu* saved_menu_ = nullptr;
  std::vector<SavedText> saved_;
  QStackedWidget* content_ = nullptr;
  QWidget *empty_ = nullptr, *no_match_ = nullptr, *list_ = nullptr, *loading_ = nullptr;
  QLabel *no_match_text_ = nullptr, *loading_text_ = nullptr;
  QWidget* waiting_ = nullptr;
  QLabel* waiting_text_ = nullptr;
  QPushButton *show_new_ = nullptr, *refresh_order_ = nullptr, *demo_ = nullptr;
  DetailsStrip* details_ = nullptr;
  QTimer filter_soon_;
  QStringList selected_;  // ids of rows, kept over a rearrangement that takes rows out of their group
};

}  // namespace syncline::ui
