// SPDX-License-Identifier: GPL-3.0-or-later
// Traced steps in full: every pass, update and exchange of every rank, with what of an exchange was hidden, exposed and waited for.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStackedLayout>
#include <QTableView>
#include <QTimer>

#include "ui/models/timeline_table.h"
#include "ui/views/run/run_actions.h"
#include "ui/views/run/timeline_view.h"

namespace syncline::ui {

class TimelineTab : public RunTab {
  Q_OBJECT

 public:
  TimelineTab(RunContext, RunActions&, QWidget* parent);
  bool loaded() const override { return loaded_; }
  // The nearest traced step at or before `step`; rank -1: none is pointed out.
  void goTo(std::int64_t step, int rank);

 protected:
  void showEvent(QShowEvent*) override;

 private:
  void addActions();
  void readIndex();
  void takeIndex(const TimelineIndex&);
  void readRange();
  void showRange();
  void showDetails();
  void jump(bool exposed, int direction);
  void find(int direction);
  void showPeers();
  void markRange();
  void forRank(const std::function<void(int rank)>&);
  void sortRanks();
  void exportJson();
  void exportPicture();
  double middle() const { return (view_->from() + view_->to()) / 2; }

  RunActions& actions_;
  QComboBox *height_, *order_;
  QLineEdit* find_;
  QLabel *clock_, *details_, *note_, *empty_text_;
  TimelineView* view_;
  QTableView* table_;
  TimelineTable* model_;
  QWidget* content_;
  QStackedLayout* stack_;
  QAction *as_table_, *peers_, *find_next_, *find_previous_, *export_json_, *export_picture_, *mark_, *pin_, *collapse_, *collapse_all_;
  std::vector<QAction*> jumps_;
  QTimer soon_, index_later_, table_later_;
  std::shared_ptr<const TimelineIndex> index_;
  double read_from_s_ = 0, read_to_s_ = -1;  // of the timeline that is loaded
  std::optional<std::pair<std::int64_t, int>> wanted_;
  bool loaded_ = false, reading_index_ = false, placed_ = false;
};

}  // namespace syncline::ui
