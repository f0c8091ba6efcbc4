// SPDX-License-Identifier: GPL-3.0-or-later
// The document as text: line numbers, problems in the margin, colours, completion of keys from the schema.
#pragma once

#include <QCompleter>
#include <QPlainTextEdit>
#include <QStringListModel>
#include <QSyntaxHighlighter>
#include <QTimer>
#include <map>
#include <vector>

#include "engine/experiment/experiment.h"
#include "ui/models/editor/experiment_document.h"

namespace syncline::ui {

class TomlHighlighter : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  explicit TomlHighlighter(QTextDocument*);
  void setDark(bool);

 protected:
  void highlightBlock(const QString&) override;

 private:
  bool dark_ = false;
};

class TextView : public QPlainTextEdit {
  Q_OBJECT

 public:
  TextView(ExperimentDocument&, QWidget* parent = nullptr);

  void setProblems(const std::vector<Problem>&);
  void goTo(int line, int column = 1);
  int lineAtCursor() const { return textCursor().blockNumber() + 1; }
  // Offers keys of the table at the cursor; nothing when there are none.
  void complete(bool asked);

 protected:
  void resizeEvent(QResizeEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusOutEvent(QFocusEvent*) override;
  void changeEvent(QEvent*) override;
  bool event(QEvent*) override;

 private:
  friend class TextMargin;
  void followDocument();
  void pushToDocument();
  void paintMargin(QPaintEvent*);
  int marginWidth() const;
  void placeMargin();
  void markLines();
  QString plainText() const;  // as it is; toPlainText() would change some blanks
  void insertCompletion(const QString&);

  ExperimentDocument& document_;
  QWidget* margin_ = nullptr;
  TomlHighlighter* highlighter_ = nullptr;
  QCompleter* completer_ = nullptr;
  QStringListModel* completions_ = nullptr;
  std::map<int, QString> problems_;  // by line
  QTimer pause_;
  bool syncing_ = false;
};

}  // namespace syncline::ui
