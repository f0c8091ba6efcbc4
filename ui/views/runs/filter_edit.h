// SPDX-License-Identifier: GPL-3.0-or-later
// The filter line: completes keys and values while typing, and underlines the word that is wrong.
#pragma once

#include <QCompleter>
#include <QLineEdit>
#include <QStringListModel>
#include <functional>

#include "ui/models/runs_model.h"

namespace syncline::ui {

// What can stand at the cursor: keys, or after "key:" the values that occur. Pure, for tests.
struct FilterCompletion {
  int from = 0;         // where the word begins that a choice replaces
  QString prefix;       // what of it is there
  QStringList choices;  // whole words
};
FilterCompletion complete_filter(const QString& text, int cursor, const std::vector<RunRowPtr>& rows);

class FilterEdit : public QLineEdit {
  Q_OBJECT

 public:
  explicit FilterEdit(QWidget* parent = nullptr);
  void setRows(std::function<std::vector<RunRowPtr>()> rows) { rows_ = std::move(rows); }
  void setMistake(const std::optional<RunsFilterError>&);
  std::optional<RunsFilterError> mistake() const { return mistake_; }

 protected:
  void keyPressEvent(QKeyEvent*) override;

 private:
  void offer();
  void take(const QString& choice);
  std::function<std::vector<RunRowPtr>()> rows_;
  QStringListModel words_;
  QCompleter completer_;
  std::optional<RunsFilterError> mistake_;
  int from_ = 0;
};

}  // namespace syncline::ui
