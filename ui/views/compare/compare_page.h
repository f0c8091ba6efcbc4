// SPDX-License-Identifier: GPL-3.0-or-later
// Which is better, by how much, at what cost, and is it noise?
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTimer>

#include "engine/store/saved.h"
#include "ui/views/compare/compare_tab.h"

namespace syncline::ui {

// What a saved comparison remembers.
struct ComparisonChoice {
  QStringList runs, hidden;  // hidden: ids of items that are not ticked
  QString baseline;          // id of an item; empty: the first
  QString axis;              // name_of(XAxis); empty: chosen by what is compared
  QString notes;
  bool aggregate = true, align = false, by_difference = false;
  double half_life = 0;
  bool operator==(const ComparisonChoice&) const = default;
};
std::string to_text(const ComparisonChoice&);
ComparisonChoice comparison_choice(std::string_view text);  // of a text that is none: an empty one

class ComparePage : public Page {
  Q_OBJECT

 public:
  ComparePage(Workbench&, const QStringList& run_ids, const QString& saved_id, QWidget* parent = nullptr);
  QString title() const override;
  QString iconName() const override { return QStringLiteral("view-split-left-right"); }
  bool unsaved() const override { return !saved_.id.empty() && !(choice_ == kept_); }
  bool loaded() const override;
  void showTab(const QString&) override;
  QString restoreKey() const override;
  // Runs added from elsewhere.
  void add(const QStringList& run_ids);

 protected:
  void changeEvent(QEvent*) override;

 private:
  QWidget* makeHead();
  QWidget* makeList();
  void makeTabs();
  void addActions();
  void readSaved();
  void read();
  void fillList();
  void compare();  // from what is ticked
  void updateWarnings(const std::vector<ComparedItem>& shown);
  void setBaseline();
  void save(bool as_new);
  void exportTable();
  void pickRuns();
  void addPrevious();
  void removeSelected();
  void changed();
  ComparedItem* item(const QString& id);

  SavedText saved_;  // id empty: not saved yet
  ComparisonChoice choice_, kept_;
  std::shared_ptr<const ComparisonData> data_;
  std::vector<ComparedItem> items_;  // all, ticked or not
  ChartGroup* group_ = nullptr;
  QLabel *warning_ = nullptr, *baseline_ = nullptr;
  QListWidget* list_ = nullptr;
  QStackedWidget* content_ = nullptr;
  QTabWidget* tabs_ = nullptr;
  std::vector<CompareTab*> parts_;
  QStringList tab_names_;
  QComboBox* axis_ = nullptr;
  QCheckBox *aggregate_ = nullptr, *align_ = nullptr;
  QAction* by_difference_ = nullptr;
  QPlainTextEdit* notes_ = nullptr;
  QWidget* too_few_ = nullptr;
  QPushButton* previous_ = nullptr;
  QLabel* too_few_text_ = nullptr;
  QTimer read_soon_;
  bool filling_ = false, reading_ = false;
};

}  // namespace syncline::ui
