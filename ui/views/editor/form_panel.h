// SPDX-License-Identifier: GPL-3.0-or-later
// A form over parts of the experiment: a field for each key, the rarer ones behind "More options".
#pragma once

#include <QTimer>
#include <QWidget>
#include <map>
#include <vector>

#include "ui/models/editor/form_fields.h"

class QFormLayout;
class QLabel;
class QToolButton;

namespace syncline::ui {

class FieldEditor;

class FormPanel : public QWidget {
  Q_OBJECT

 public:
  FormPanel(ExperimentDocument&, std::vector<FormPart>, QWidget* parent = nullptr);

  void setParts(std::vector<FormPart>);
  void setExtraChoices(const QString& key, const QStringList&);
  // Those whose key is a field's, or below it; the others stay unmarked.
  void setProblems(const std::vector<Problem>&);
  FieldEditor* editor(const QString& key) const;  // null when the form has no such field now
  bool focusKey(const QString& key);              // unfolds where needed
  const std::vector<FieldEditor*>& editors() const { return order_; }
  void refresh();

 Q_SIGNALS:
  void wasReset(const syncline::KeyPath&, const std::string& before);  // of one of its fields

 private:
  void fold();

  ExperimentDocument& document_;
  std::vector<FormPart> parts_;
  std::map<QString, QStringList> extra_choices_;
  std::map<QString, FieldEditor*> editors_;
  std::vector<FieldEditor*> order_;
  std::vector<QLabel*> headings_;
  std::vector<Problem> problems_;
  QFormLayout *main_ = nullptr, *more_ = nullptr;
  QWidget* more_box_ = nullptr;
  QToolButton* more_button_ = nullptr;
  QTimer soon_;
};

}  // namespace syncline::ui
