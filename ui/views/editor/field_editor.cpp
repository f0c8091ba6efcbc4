// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/field_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/experiment/sections.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/editor/form_catalogue.h"
#include "ui/models/palette.h"
#include "ui/widgets/file_dialog.h"

namespace syncline::ui {

namespace {

constexpr std::size_t most_check_boxes = 4;
constexpr int widest_number = 160, widest_text = 420;

class UndoFilter : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() != QEvent::ShortcutOverride) return false;
    auto* key = static_cast<QKeyEvent*>(event);
    if (!key->matches(QKeySequence::Undo) && !key->matches(QKeySequence::Redo)) return false;
    key->ignore();
    return true;
  }
};

// The catalogue's kind for the choices of a key, to give each its title.
const Entry* entry_of_choice(const Field& field, std::string_view name) {
  for (const std::string_view kind : catalogue_kinds()) {
    const Entry* entry = find_entry(form_catalogue(), kind, name);
    if (entry == nullptr) continue;
    const std::vector<const Entry*> all = entries_of(form_catalogue(), kind);
    if (all.size() == field.choices.size() && all.front()->name == field.choices.front()) return entry;
  }
  return nullptr;
}

bool is_quantity(Parameter::Kind kind) {
  return kind != Parameter::text && kind != Parameter::path && kind != Parameter::choice && kind != Parameter::list;
}

}  // namespace

QString label_of(const Parameter& parameter) {
  QString text = text_of(parameter.key);
  if (text.endsWith(QStringLiteral("_s"))) text.chop(2);
  text.replace(u'_', u' ');
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  if (!parameter.symbol.empty()) text += QStringLiteral(" (%1)").arg(text_of(parameter.symbol));
  return text;
}

void leave_undo_to_document(QWidget* widget) { widget->installEventFilter(new UndoFilter(widget)); }

FieldEditor::FieldEditor(ExperimentDocument& document, const Field& field, QWidget* parent)
    : QWidget(parent), document_(document), field_(field) {
  const QString key = field.key(), help = text_of(field.parameter.help);
  setObjectName(QStringLiteral("field.") + key);
  label_ = new QLabel(label_of(field.parameter), parent);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  makeInput();
  input_->setObjectName(QStringLiteral("input.") + key);
  input_->setAccessibleName(label_->text());
  const QString more = typing_help(field.parameter);
  QString tip = help;
  if (!more.isEmpty()) tip += u'\n' + more;
  tip += QStringLiteral("\n%1").arg(key);
  if (!field.parameter.section.empty()) tip += QStringLiteral(" · %1").arg(text_of(field.parameter.section));
  input_->setToolTip(tip);
  input_->setWhatsThis(tip);
  label_->setToolTip(tip);
  label_->setBuddy(line_ != nullptr ? line_ : combo_ != nullptr ? static_cast<QWidget*>(combo_) : input_);
  row->addWidget(input_, 1000);  // up to its largest width; what is left goes to the end of the row
  suffix_ = new QLabel(this);
  suffix_->setForegroundRole(QPalette::PlaceholderText);
  row->addWidget(suffix_);
  if (field.parameter.kind == Parameter::path) {
    auto* open = new QToolButton(this);
    open->setText(tr("…"));
    open->setToolTip(tr("Choose a folder or file"));
    open->setAccessibleName(tr("Choose %1").arg(label_->text()));
    connect(open, &QToolButton::clicked, this, &FieldEditor::browse);
    row->addWidget(open);
  }
  mark_ = new QToolButton(this);
  mark_->setObjectName(QStringLiteral("reset.") + key);
  mark_->setText(QStringLiteral("●"));
  mark_->setAutoRaise(true);
  mark_->setFixedSize(24, 24);
  QSizePolicy keeps_place = mark_->sizePolicy();
  keeps_place.setRetainSizeWhenHidden(true);  // fields do not jump while one is typed into
  mark_->setSizePolicy(keeps_place);
  connect(mark_, &QToolButton::clicked, this, &FieldEditor::reset);
  row->addWidget(mark_);
  row->addStretch(1);

  problem_ = new QLabel(this);
  problem_->setObjectName(QStringLiteral("problem.") + key);
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::PlainText);
  problem_->hide();
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(3, 2, 3, 2);
  column->setSpacing(2);
  column->addLayout(row);
  column->addWidget(problem_);
  setFocusProxy(input_);
  showField();
}

void FieldEditor::makeInput() {
  const Parameter& parameter = field_.parameter;
  const auto finished = [this] { document_.endTyping(); };
  if (parameter.kind == Parameter::flag) {
    check_ = new QCheckBox(this);
    check_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(check_, &QCheckBox::clicked, this, [this, finished](bool on) {
      take(on ? QStringLiteral("true") : QStringLiteral("false"));
      finished();
    });
    input_ = check_;
  } else if (parameter.kind == Parameter::choice) {
    combo_ = new QComboBox(this);
    combo_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    combo_->setMinimumContentsLength(16);
    combo_->setMaximumWidth(widest_text);
    combo_->setFocusPolicy(Qt::StrongFocus);  // the wheel over a form scrolls the form
    combo_->installEventFilter(this);
    connect(combo_, &QComboBox::activated, this, [this, finished](int index) {
      take(combo_->itemData(index).toString());
      finished();
    });
    input_ = combo_;
  } else if (parameter.kind == Parameter::list && !field_.choices.empty() && field_.choices.size() <= most_check_boxes) {
    input_ = new QWidget(this);
    auto* row = new QHBoxLayout(input_);
    row->setContentsMargins(0, 0, 0, 0);
    for (const std::string_view choice : field_.choices) {
      auto* box = new QCheckBox(text_of(choice), input_);
      if (const Entry* entry = entry_of_choice(field_, choice)) box->setToolTip(text_of(entry->summary));
      connect(box, &QCheckBox::clicked, this, [this, box, finished](bool on) {
        QStringList chosen = field_.shown.split(QStringLiteral(", "), Qt::SkipEmptyParts);
        if (on)
          chosen << box->text();
        else
          chosen.removeAll(box->text());
        take(chosen.isEmpty() ? QStringLiteral("[]") : chosen.join(QStringLiteral(", ")));
        finished();
      });
      checks_.push_back(box);
      row->addWidget(box);
    }
    row->addStretch(1);
    input_->setFocusProxy(checks_.front());
  } else {
    line_ = new QLineEdit(this);
    line_->setMaximumWidth(is_quantity(parameter.kind) ? widest_number : widest_text);
    line_->setMinimumWidth(90);
    leave_undo_to_document(line_);
    line_->installEventFilter(this);
    connect(line_, &QLineEdit::textEdited, this, &FieldEditor::take);
    connect(line_, &QLineEdit::editingFinished, this, finished);
    input_ = line_;
  }
}

void FieldEditor::fillChoices() {
  const QString current = shownOrDefault();
  QStringList names;
  for (const std::string_view choice : field_.choices) names << text_of(choice);
  names << extra_choices_;
  if (!current.isEmpty() && !names.contains(current)) names << current;  // a wrong one is shown, with its problem
  if (current.isEmpty()) names.prepend(QString());
  QStringList had;
  for (int i = 0; i < combo_->count(); ++i) had << combo_->itemData(i).toString();
  if (had != names) {
    combo_->clear();
    for (const QString& name : names) {
      const Entry* entry = entry_of_choice(field_, name.toStdString());
      QString text = name.isEmpty() ? tr("– choose –") : name;
      if (entry != nullptr && !entry->title.empty() && text_of(entry->title).compare(name, Qt::CaseInsensitive) != 0)
        text = QStringLiteral("%1: %2").arg(name, text_of(entry->title));
      combo_->addItem(text, name);
      if (entry != nullptr) combo_->setItemData(combo_->count() - 1, text_of(entry->summary), Qt::ToolTipRole);
    }
  }
  combo_->setCurrentIndex(static_cast<int>(names.indexOf(current)));
}

QString FieldEditor::shownOrDefault() const { return field_.given ? field_.shown : field_.initial; }

void FieldEditor::setExtraChoices(const QStringList& choices) {
  if (choices == extra_choices_) return;
  extra_choices_ = choices;
  showField();
}

void FieldEditor::setField(const Field& field) {
  field_ = field;
  showField();
}

void FieldEditor::showField() {
  showing_ = true;
  if (line_ != nullptr) {
    // What is being typed stays as typed while it means what the text says ("1 " and 1).
    const bool same = field_.given ? toml_of(line_->text(), field_.parameter, field_.written) == field_.written : line_->text().isEmpty();
    if (!same || !line_->hasFocus()) {
      if (line_->text() != field_.shown) line_->setText(field_.shown);
    }
    line_->setPlaceholderText(field_.required ? tr("required") : field_.initial);
    suffix_->setText(unit_suffix(field_.parameter, field_.given ? field_.shown : field_.initial));
    suffix_->setVisible(!suffix_->text().isEmpty());
  } else {
    suffix_->hide();
  }
  if (combo_ != nullptr) fillChoices();
  if (check_ != nullptr) check_->setChecked(shownOrDefault() == QStringLiteral("true"));
  const QStringList chosen = field_.shown.split(QStringLiteral(", "), Qt::SkipEmptyParts);
  for (QCheckBox* box : checks_) box->setChecked(chosen.contains(box->text()));
  mark_->setVisible(field_.differs && !field_.required);
  QPalette marked = palette();
  marked.setColor(QPalette::ButtonText, palette::curve(0, palette::isDark(marked)).colour);
  mark_->setPalette(marked);
  const QString tip =
      field_.initial.isEmpty() ? tr("Remove this key") : tr("Differs from the default, %1; press to reset").arg(field_.initial);
  mark_->setToolTip(tip);
  mark_->setAccessibleName(tr("Reset %1").arg(label_->text().remove(u'&')));
  // A wrong key can still be taken out where it stands; only what may not be given at all is greyed.
  const bool usable = field_.why_not.isEmpty() || field_.given;
  input_->setEnabled(usable && !document_.readOnly() && !document_.syntaxError());
  mark_->setEnabled(!document_.readOnly() && !document_.syntaxError());
  label_->setEnabled(usable);
  if (!field_.why_not.isEmpty()) input_->setToolTip(field_.why_not);
  showing_ = false;
}

void FieldEditor::take(const QString& typed) {
  if (showing_) return;
  const std::string toml = toml_of(typed, field_.parameter, field_.given ? std::optional(field_.written) : std::nullopt);
  const bool done = toml.empty() ? !field_.given || document_.removeValue(field_.path) : document_.setValue(field_.path, toml);
  if (!done) setProblem(tr("This cannot be changed here: the text writes it in another way; change it in the Text tab"));
}

void FieldEditor::reset() {
  const KeyPath path = field_.path;
  const std::string before = field_.written;
  if (field_.given && document_.removeValue(path)) Q_EMIT wasReset(path, before);
  focusInput();
}

void FieldEditor::browse() {
  const QString chosen = FileDialog::existingFolder(this, tr("Choose %1").arg(label_->text()), line_->text());
  if (!chosen.isEmpty()) {
    take(chosen);
    document_.endTyping();
  }
}

void FieldEditor::setProblem(const QString& text) {
  if (problem_->text() == text) return;
  problem_->setText(text);
  problem_->setVisible(!text.isEmpty());
  QPalette colours = palette();
  colours.setColor(QPalette::WindowText, palette::status(palette::Status::bad, palette::isDark(colours)));
  problem_->setPalette(colours);
  input_->setAccessibleDescription(text);
  update();
}

QString FieldEditor::problem() const { return problem_->text(); }

void FieldEditor::focusInput() {
  input_->setFocus(Qt::OtherFocusReason);
  if (line_ != nullptr) line_->selectAll();
}

void FieldEditor::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || problem_ == nullptr) return;
  showField();
  if (problem_->text().isEmpty()) return;
  const QString text = problem_->text();
  problem_->setText({});
  setProblem(text);
}

bool FieldEditor::eventFilter(QObject* watched, QEvent* event) {
  if (watched == combo_ && event->type() == QEvent::Wheel && !combo_->hasFocus()) {
    event->ignore();
    return true;
  }
  if (event->type() == QEvent::ContextMenu && (watched == line_ || watched == combo_)) {
    QMenu* menu = watched == line_ ? line_->createStandardContextMenu() : new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* action =
        menu->addAction(field_.initial.isEmpty() ? tr("&Reset") : tr("&Reset to %1").arg(field_.initial), this, &FieldEditor::reset);
    action->setEnabled(field_.given && !document_.readOnly());
    menu->popup(static_cast<QContextMenuEvent*>(event)->globalPos());
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void FieldEditor::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  if (problem_->text().isEmpty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(palette::status(palette::Status::bad, palette::isDark(palette())), 2));
  painter.drawRoundedRect(QRectF(input_->geometry()).adjusted(-2, -1, 2, 1), 3, 3);
}

}  // namespace syncline::ui
