// SPDX-License-Identifier: GPL-3.0-or-later
// Under the table: what is known of the selected run in a sentence, and three curves the size of a word.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QWidget>

#include "ui/models/runs_details.h"
#include "ui/models/runs_related.h"
#include "ui/models/runs_rows.h"

namespace syncline::ui {

class Sparkline;

class DetailsStrip : public QFrame {
  Q_OBJECT

 public:
  DetailsStrip(StoreService&, QWidget* parent = nullptr);
  // The run under the cursor, or null; `others`: how many more are selected.
  void show(const RunRowPtr&, const RunDetails*, int others);
  bool loaded() const { return waiting_ == 0; }

 Q_SIGNALS:
  void open();
  void checkState();
  void openRelated(const QString& run_id);
  void loadedChanged();

 private:
  void writeSentence();
  void readCurves();
  void readRelated();
  StoreService& store_;
  RunRowPtr row_;
  QString damage_, steps_;  // of the row's details
  int others_ = 0;
  std::int64_t drawn_ = -1;  // sequence number of the run whose curves are drawn
  int waiting_ = 0;
  QLabel *sentence_ = nullptr, *note_ = nullptr, *related_ = nullptr;
  QLabel *loss_text_ = nullptr, *throughput_text_ = nullptr, *exposed_text_ = nullptr;
  Sparkline *loss_ = nullptr, *throughput_ = nullptr, *exposed_ = nullptr;
  QPushButton *check_ = nullptr, *open_ = nullptr;
};

}  // namespace syncline::ui
