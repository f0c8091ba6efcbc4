// SPDX-License-Identifier: GPL-3.0-or-later
// What a person writes about runs. The dialogs give back what was chosen; writing it is the page's affair (RunsEdits).
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>

#include "ui/models/runs_rows.h"

class QDialogButtonBox;

namespace syncline::ui {

// Accept under the given name, and Cancel; both end the dialog.
QDialogButtonBox* dialog_buttons(QDialog*, const QString& accept);

// Tags of several runs at once: a tag that only some have is half checked and stays so unless it is changed.
class TagsDialog : public QDialog {
  Q_OBJECT

 public:
  TagsDialog(const std::vector<RunRowPtr>&, QWidget* parent);
  QStringList added() const;
  QStringList removed() const;

 private:
  QListWidget* list_ = nullptr;
  QLineEdit* more_ = nullptr;
};

class NoteDialog : public QDialog {
  Q_OBJECT

 public:
  NoteDialog(const std::vector<RunRowPtr>&, QWidget* parent);
  QString note() const { return text_->toPlainText(); }

 private:
  QPlainTextEdit* text_ = nullptr;
};

// Whether runs whose end nobody has seen are to count as stopped; there is no way back.
bool ask_to_mark_stopped(const std::vector<RunRowPtr>&, QWidget* parent);

}  // namespace syncline::ui
