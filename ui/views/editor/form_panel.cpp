// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/form_panel.h"

#include <QApplication>
#include <QFormLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/editor/field_values.h"
#include "ui/models/editor/form_catalogue.h"
#include "ui/views/editor/field_editor.h"

namespace syncline::ui {

namespace {

QFormLayout* make_form(QWidget* parent) {
  auto* form = new QFormLayout(parent);
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setLabelAlignment(Qt::AlignRight | Qt::AlignVCenter);
  form->setContentsMargins(0, 0, 0, 0);
  form->setHorizontalSpacing(10);
  form->setVerticalSpacing(2);
  return form;
}

// Access keys: the first letter of the label that no label before it took.
QString with_mnemonic(const QString& text, QString& taken) {
  for (qsizetype i = 0; i < text.size(); ++i) {
    const QChar letter = text[i].toUpper();
    if (letter < u'A' || letter > u'Z' || taken.contains(letter)) continue;
    taken += letter;
    return text.left(i) + QStringLiteral("&") + text.mid(i);
  }
  return text;
}

void empty(QFormLayout* form) {
  while (form->rowCount() > 0) {
    const QFormLayout::TakeRowResult row = form->takeRow(0);
    delete row.labelItem;
    delete row.fieldItem;
  }
}

}  // namespace

FormPanel::FormPanel(ExperimentDocument& document, std::vector<FormPart> parts, QWidget* parent)
    : QWidget(parent), document_(document), parts_(std::move(parts)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  auto* main_box = new QWidget(this);
  main_ = make_form(main_box);
  column->addWidget(main_box);
  more_button_ = new QToolButton(this);
  more_button_->setObjectName(QStringLiteral("form.more"));
  more_button_->setCheckable(true);
  more_button_->setAutoRaise(true);
  more_button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more_button_->setMinimumHeight(24);
  connect(more_button_, &QToolButton::toggled, this, &FormPanel::fold);
  column->addWidget(more_button_);
  more_box_ = new QWidget(this);
  more_ = make_form(more_box_);
  column->addWidget(more_box_);
  soon_.setSingleShot(true);
  soon_.setInterval(0);
  connect(&soon_, &QTimer::timeout, this, &FormPanel::refresh);
  connect(&document_, &ExperimentDocument::changed, this, [this] { soon_.start(); });
  fold();
  refresh();
}

void FormPanel::setParts(std::vector<FormPart> parts) {
  parts_ = std::move(parts);
  refresh();
}

void FormPanel::setExtraChoices(const QString& key, const QStringList& choices) {
  extra_choices_[key] = choices;
  if (FieldEditor* found = editor(key)) found->setExtraChoices(choices);
}

void FormPanel::fold() {
  const bool open = more_button_->isChecked();
  more_button_->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
  more_box_->setVisible(open && more_->rowCount() > 0);
}

void FormPanel::refresh() {
  soon_.stop();
  std::vector<Field> fields = fields_of(document_, form_catalogue(), parts_);
  std::vector<FieldEditor*> order;
  std::map<QString, FieldEditor*> kept;
  bool same = fields.size() == order_.size();
  for (const Field& field : fields) {
    const QString key = field.key();
    FieldEditor* found = editor(key);
    // Another choice may give the same key another table: a list becomes a number, choices change.
    if (found != nullptr && (found->field().parameter.kind != field.parameter.kind || found->field().choices != field.choices ||
                             found->field().parameter.help != field.parameter.help))
      found = nullptr;
    if (found == nullptr) {
      found = new FieldEditor(document_, field, field.parameter.advanced ? more_box_ : main_->parentWidget());
      connect(found, &FieldEditor::wasReset, this, &FormPanel::wasReset);
      if (const auto extra = extra_choices_.find(key); extra != extra_choices_.end()) found->setExtraChoices(extra->second);
    }
    kept[key] = found;
    same = same && order.size() < order_.size() && order_[order.size()] == found;
    order.push_back(found);
  }
  if (!same) {
    QWidget* focus = QApplication::focusWidget();
    empty(main_);
    empty(more_);
    for (const auto& [key, old] : editors_) {
      if (const auto again = kept.find(key); again != kept.end() && again->second == old) continue;
      old->label()->hide();
      old->hide();
      old->label()->deleteLater();
      old->deleteLater();
    }
    editors_ = std::move(kept);
    order_ = std::move(order);
    QString taken;
    QWidget* before = nullptr;
    // Several sections in one form: each but the first begins with its title, so that two keys of one name are told apart.
    for (QLabel* heading : headings_) heading->deleteLater();
    headings_.clear();
    const std::string first = order_.empty() ? std::string() : order_.front()->field().section;
    std::map<QFormLayout*, std::string> section_of = {{main_, first}, {more_, first}};
    for (FieldEditor* each : order_) {
      QFormLayout* form = each->field().parameter.advanced ? more_ : main_;
      if (each->field().section != section_of[form]) {
        section_of[form] = each->field().section;
        auto* heading = new QLabel(text_of(section(each->field().section).title), form->parentWidget());
        QFont bold = heading->font();
        bold.setBold(true);
        heading->setFont(bold);
        heading->setContentsMargins(0, 6, 0, 0);
        form->addRow(heading);
        headings_.push_back(heading);
      }
      each->label()->setText(with_mnemonic(label_of(each->field().parameter), taken));
      form->addRow(each->label(), each);
      each->show();
      each->label()->show();
      if (before != nullptr) QWidget::setTabOrder(before, each->input());
      before = each->input();
    }
    if (focus != nullptr && isAncestorOf(focus) && focus != QApplication::focusWidget()) focus->setFocus();
    const auto rare = std::count_if(order_.begin(), order_.end(), [](const FieldEditor* each) { return each->field().parameter.advanced; });
    more_button_->setText(tr("More options (%1)").arg(rare));
    more_button_->setVisible(rare > 0);
    fold();
  }
  for (std::size_t i = 0; i < fields.size(); ++i) order_[i]->setField(fields[i]);
  if (!same) setProblems(problems_);
}

void FormPanel::setProblems(const std::vector<Problem>& problems) {
  problems_ = problems;
  for (FieldEditor* each : order_) {
    const std::string key = each->field().key().toStdString();
    QStringList texts;
    for (const Problem& problem : problems) {
      if (problem.origin.key == key || problem.origin.key.starts_with(key + ".")) texts << QString::fromStdString(problem.message);
    }
    each->setProblem(texts.join(u'\n'));
  }
}

FieldEditor* FormPanel::editor(const QString& key) const {
  const auto found = editors_.find(key);
  return found == editors_.end() ? nullptr : found->second;
}

bool FormPanel::focusKey(const QString& key) {
  FieldEditor* found = editor(key);
  if (found == nullptr) return false;
  if (found->field().parameter.advanced) more_button_->setChecked(true);
  found->focusInput();
  return true;
}

}  // namespace syncline::ui
