// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/preferences.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "ui/models/settings.h"
#include "ui/widgets/icons.h"
#include "ui/widgets/tall_rows.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

namespace {

QString widget_name(const QString& key) { return QStringLiteral("preferences.") + QString(key).replace(u'/', u'.'); }

}  // namespace

PreferencePage::PreferencePage(Workbench& workbench, const QString& name, const QString& title, const QString& icon, QWidget* parent)
    : QWidget(parent), workbench_(workbench), name_(name), title_(title), icon_(icon), form_(new QFormLayout) {
  setObjectName(QStringLiteral("preferences.") + name);
  auto* column = new QVBoxLayout(this);
  auto* heading = new QLabel(title, this);
  QFont font = heading->font();
  font.setPointSizeF(font.pointSizeF() * 1.25);
  font.setBold(true);
  heading->setFont(font);
  column->addWidget(heading);
  column->addSpacing(6);
  column->addLayout(form_);
  form_->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
  form_->setRowWrapPolicy(QFormLayout::WrapLongRows);
  column->addStretch(0);
}

void PreferencePage::bind(const QString& key, std::function<void()> show) {
  keys_ << key;
  show();
  connect(&workbench_.settings(), &Settings::changed, this, [key, show = std::move(show)](const QString& changed) {
    if (changed == key) show();
  });
}

void PreferencePage::addChoice(const QString& key, const QString& label, const QString& otherwise, const std::vector<Choice>& choices,
                               const QString& help) {
  auto* combo = new QComboBox(this);
  combo->setObjectName(widget_name(key));
  combo->setAccessibleName(QString(label).remove(u'&').remove(u':'));
  combo->setToolTip(help);
  for (const Choice& choice : choices) combo->addItem(choice.text, choice.value);
  form_->addRow(label, combo);
  Settings& settings = workbench_.settings();
  bind(key, [&settings, combo, key, otherwise] {
    const int at = combo->findData(settings.value(key, otherwise).toString());
    combo->setCurrentIndex(at < 0 ? combo->findData(otherwise) : at);
  });
  connect(combo, &QComboBox::activated, this, [&settings, combo, key] { settings.set(key, combo->currentData().toString()); });
}

void PreferencePage::addCheck(const QString& key, const QString& text, bool otherwise, const QString& help) {
  auto* check = new QCheckBox(text, this);
  check->setObjectName(widget_name(key));
  check->setToolTip(help);
  form_->addRow(check);
  Settings& settings = workbench_.settings();
  bind(key, [&settings, check, key, otherwise] { check->setChecked(settings.value(key, otherwise).toBool()); });
  connect(check, &QCheckBox::clicked, this, [&settings, key](bool checked) { settings.set(key, checked); });
}

void PreferencePage::addNumber(const QString& key, const QString& label, int otherwise, int from, int to, int step, const QString& suffix,
                               const QString& help) {
  auto* number = new QSpinBox(this);
  number->setObjectName(widget_name(key));
  number->setAccessibleName(QString(label).remove(u'&').remove(u':'));
  number->setToolTip(help);
  number->setRange(from, to);
  number->setSingleStep(step);
  number->setSuffix(suffix);
  number->setKeyboardTracking(false);
  form_->addRow(label, number);
  Settings& settings = workbench_.settings();
  bind(key, [&settings, number, key, otherwise] {
    const QSignalBlocker quiet(number);
    number->setValue(settings.value(key, otherwise).toInt());
  });
  connect(number, &QSpinBox::valueChanged, this, [&settings, key](int value) { settings.set(key, value); });
}

void PreferencePage::addNote(const QString& text) {
  auto* note = new QLabel(text, this);
  note->setWordWrap(true);
  note->setForegroundRole(QPalette::WindowText);
  form_->addRow(note);
}

void PreferencePage::addRow(const QString& label, QWidget* widget) { form_->addRow(label, widget); }

void PreferencePage::addWide(QWidget* widget) { static_cast<QVBoxLayout*>(layout())->insertWidget(layout()->count() - 1, widget, 1); }

void PreferencePage::restoreDefaults() {
  for (const QString& key : keys_) workbench_.settings().remove(key);
  for (const auto& restore : restore_) restore();
}

Preferences::Preferences(Workbench& workbench, QWidget* parent)
    : QDialog(parent), list_(new QListWidget(this)), pages_(new QStackedWidget(this)) {
  setObjectName(QStringLiteral("preferences"));
  setWindowTitle(tr("Configure Syncline"));
  list_->setObjectName(QStringLiteral("preferences.list"));
  list_->setAccessibleName(tr("Pages of the preferences"));
  list_->setIconSize({16, 16});
  make_rows_tall(*list_);
  add(QStringLiteral("general"), make_general_preferences(workbench));
  add(QStringLiteral("plots"), make_plot_preferences(workbench));
  add(QStringLiteral("numbers"), make_number_preferences(workbench));
  add(QStringLiteral("appearance"), make_appearance_preferences(workbench));
  add(QStringLiteral("storage"), make_storage_preferences(workbench));
  add(QStringLiteral("notifications"), make_notification_preferences(workbench));
  add(QStringLiteral("shortcuts"), make_shortcut_preferences(workbench));
  add(QStringLiteral("advanced"), make_advanced_preferences(workbench));
  list_->setFixedWidth(list_->sizeHintForColumn(0) + 40);

  auto* buttons = new QDialogButtonBox(this);
  QPushButton* restore = buttons->addButton(tr("&Restore Defaults"), QDialogButtonBox::ResetRole);
  restore->setObjectName(QStringLiteral("preferences.restore"));
  restore->setToolTip(tr("Set every choice of this page back."));
  QPushButton* close = buttons->addButton(tr("&Close"), QDialogButtonBox::RejectRole);
  close->setObjectName(QStringLiteral("preferences.close"));
  connect(restore, &QPushButton::clicked, this, [this] { current()->restoreDefaults(); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(list_, &QListWidget::currentRowChanged, pages_, &QStackedWidget::setCurrentIndex);

  auto* row = new QHBoxLayout;
  row->addWidget(list_);
  row->addWidget(pages_, 1);
  auto* column = new QVBoxLayout(this);
  column->addLayout(row, 1);
  column->addWidget(buttons);
  list_->setCurrentRow(0);
  resize(760, 520);
}

void Preferences::add(const QString& name, PreferencePage* page) {
  auto* scroll = new QScrollArea(pages_);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(page);
  pages_->addWidget(scroll);
  list_->addItem(new QListWidgetItem(themed_icon(page->icon()), page->title()));
  names_ << name;
}

PreferencePage* Preferences::current() const {
  return qobject_cast<PreferencePage*>(static_cast<QScrollArea*>(pages_->currentWidget())->widget());
}

void Preferences::showPage(const QString& name) {
  if (const auto at = names_.indexOf(name); at >= 0) list_->setCurrentRow(static_cast<int>(at));
}

}  // namespace syncline::ui
