// SPDX-License-Identifier: GPL-3.0-or-later
// One key of the experiment as a field: its input, its unit, a mark when it differs from the default, and what is wrong with it.
#pragma once

#include <QLabel>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "ui/models/editor/form_fields.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QToolButton;

namespace syncline::ui {

class FieldEditor : public QWidget {
  Q_OBJECT

 public:
  FieldEditor(ExperimentDocument&, const Field&, QWidget* parent);

  void setField(const Field&);  // the same key with what the text says now
  void setProblem(const QString&);
  void setExtraChoices(const QStringList&);  // beyond the catalogue's, such as plugins
  QString problem() const;
  const Field& field() const { return field_; }
  QWidget* input() const { return input_; }
  QLabel* label() const { return label_; }  // for the form; its buddy is the input
  void focusInput();

 Q_SIGNALS:
  void wasReset(const syncline::KeyPath&, const std::string& before);  // by a person, in one click

 protected:
  void paintEvent(QPaintEvent*) override;
  void changeEvent(QEvent*) override;
  bool eventFilter(QObject*, QEvent*) override;

 private:
  void makeInput();
  void showField();
  void fillChoices();
  void take(const QString& typed);
  void reset();
  void browse();
  QString shownOrDefault() const;

  ExperimentDocument& document_;
  Field field_;
  QStringList extra_choices_;
  QLabel* label_ = nullptr;
  QWidget* input_ = nullptr;
  QLineEdit* line_ = nullptr;
  QComboBox* combo_ = nullptr;
  QCheckBox* check_ = nullptr;
  std::vector<QCheckBox*> checks_;  // a list over few choices
  QLabel* suffix_ = nullptr;
  QToolButton* mark_ = nullptr;
  QLabel* problem_ = nullptr;
  bool showing_ = false;
};

// "Batch per worker" for batch_per_worker, with the paper's symbol where there is one.
QString label_of(const Parameter&);

// Undo and redo keys go past the widget to the document's own: two histories of one text would contradict each other.
void leave_undo_to_document(QWidget*);

}  // namespace syncline::ui
