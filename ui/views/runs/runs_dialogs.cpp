// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs/runs_dialogs.h"

#include <QDialogButtonBox>

#include "ui/dialogs/annotation_dialogs.h"
#include "ui/models/format.h"
#include "ui/widgets/tall_rows.h"

namespace syncline::ui {

ColumnsDialog::ColumnsDialog(const QStringList& shown, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Columns"));
  setObjectName(QStringLiteral("runs.columns"));
  search_ = new QLineEdit(this);
  search_->setObjectName(QStringLiteral("runs.columns.search"));
  search_->setClearButtonEnabled(true);
  auto* search_label = new QLabel(tr("&Search metrics and settings:"), this);
  search_label->setBuddy(search_);
  const auto list = [this](const QString& name, const QString& accessible) {
    auto* made = new QListWidget(this);
    made->setObjectName(name);
    made->setAccessibleName(accessible);
    made->setUniformItemSizes(true);
    make_rows_tall(*made);
    return made;
  };
  offered_ = list(QStringLiteral("runs.columns.offered"), tr("Columns that can be shown"));
  chosen_ = list(QStringLiteral("runs.columns.chosen"), tr("Columns shown, in their order"));
  for (const QString& id : shown) {
    if (frozen_run_columns().contains(id)) continue;
    auto* item = new QListWidgetItem(runs_column(id).title, chosen_);
    item->setData(Qt::UserRole, id);
  }
  const auto button = [this](const QString& text, const QString& name) {
    auto* made = new QPushButton(text, this);
    made->setObjectName(name);
    made->setAutoDefault(false);
    return made;
  };
  auto* add = button(tr("&Add \u2192"), QStringLiteral("runs.columns.add"));
  auto* remove = button(tr("\u2190 &Remove"), QStringLiteral("runs.columns.remove"));
  auto* up = button(tr("Move &Up"), QStringLiteral("runs.columns.up"));
  auto* down = button(tr("Move &Down"), QStringLiteral("runs.columns.down"));
  auto* defaults = button(tr("D&efaults"), QStringLiteral("runs.columns.defaults"));
  const auto take = [this] {
    QListWidgetItem* item = offered_->currentItem();
    if (item == nullptr) return;
    chosen_->addItem(offered_->takeItem(offered_->row(item)));
    chosen_->setCurrentRow(chosen_->count() - 1);
  };
  const auto drop = [this] {
    delete chosen_->takeItem(chosen_->currentRow());
    fill();
  };
  connect(add, &QPushButton::clicked, this, take);
  connect(offered_, &QListWidget::itemActivated, this, take);
  connect(remove, &QPushButton::clicked, this, drop);
  connect(chosen_, &QListWidget::itemActivated, this, drop);
  connect(up, &QPushButton::clicked, this, [this] { move(-1); });
  connect(down, &QPushButton::clicked, this, [this] { move(1); });
  connect(defaults, &QPushButton::clicked, this, [this] {
    chosen_->clear();
    for (const QString& id : default_run_columns()) {
      if (frozen_run_columns().contains(id)) continue;
      auto* item = new QListWidgetItem(runs_column(id).title, chosen_);
      item->setData(Qt::UserRole, id);
    }
    fill();
  });
  connect(search_, &QLineEdit::textChanged, this, &ColumnsDialog::fill);
  auto* grid = new QGridLayout(this);
  grid->addWidget(search_label, 0, 0);
  grid->addWidget(search_, 1, 0);
  grid->addWidget(offered_, 2, 0, 6, 1);
  grid->addWidget(add, 2, 1);
  grid->addWidget(remove, 3, 1);
  grid->addWidget(up, 4, 1);
  grid->addWidget(down, 5, 1);
  grid->addWidget(defaults, 6, 1);
  auto* chosen_label = new QLabel(tr("S&hown, after star, name and state:"), this);
  chosen_label->setBuddy(chosen_);
  grid->addWidget(chosen_label, 1, 2);
  grid->addWidget(chosen_, 2, 2, 6, 1);
  grid->addWidget(dialog_buttons(this, tr("&Show These")), 8, 0, 1, 3);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(2, 1);
  grid->setRowStretch(7, 1);
  resize(640, 420);
  fill();
}

void ColumnsDialog::setSettingKeys(const QStringList& keys) {
  keys_ = keys;
  fill();
}

void ColumnsDialog::fill() {
  constexpr int offered_most = 500;  // a search narrows it down; more rows help nobody
  const QString wanted = search_->text().trimmed();
  const QStringList shown = columns() + frozen_run_columns();
  offered_->clear();
  const auto offer = [&](const QString& id) {
    const RunsColumn column = runs_column(id);
    if (shown.contains(id) || offered_->count() >= offered_most) return;
    if (!wanted.isEmpty() && !column.title.contains(wanted, Qt::CaseInsensitive) && !id.contains(wanted, Qt::CaseInsensitive)) return;
    auto* item = new QListWidgetItem(column.title, offered_);
    item->setData(Qt::UserRole, id);
    item->setToolTip(column.help);
  };
  for (const QString& id : known_run_columns()) offer(id);
  for (const QString& key : keys_) offer(QStringLiteral("setting:") + key);
  offered_->setCurrentRow(0);
}

void ColumnsDialog::move(int by) {
  const int row = chosen_->currentRow(), to = row + by;
  if (row < 0 || to < 0 || to >= chosen_->count()) return;
  chosen_->insertItem(to, chosen_->takeItem(row));
  chosen_->setCurrentRow(to);
}

QStringList ColumnsDialog::columns() const {
  QStringList ids;
  for (int i = 0; i < chosen_->count(); ++i) ids << chosen_->item(i)->data(Qt::UserRole).toString();
  return ids;
}

TrashDialog::TrashDialog(QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Trash"));
  setObjectName(QStringLiteral("runs.trash"));
  list_ = new QTreeWidget(this);
  list_->setObjectName(QStringLiteral("runs.trash.list"));
  list_->setAccessibleName(tr("Runs in the trash"));
  list_->setHeaderLabels({tr("Name"), tr("State"), tr("Strategy"), tr("Created"), tr("In trash since")});
  list_->setRootIsDecorated(false);
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list_->setUniformRowHeights(true);
  make_rows_tall(*list_);
  list_->setColumnWidth(0, 220);
  list_->setColumnWidth(3, 130);
  restore_ = new QPushButton(tr("&Restore"), this);
  restore_->setObjectName(QStringLiteral("runs.trash.restore"));
  remove_ = new QPushButton(tr("&Delete\u2026"), this);
  remove_->setObjectName(QStringLiteral("runs.trash.delete"));
  empty_ = new QPushButton(tr("&Empty Trash\u2026"), this);
  empty_->setObjectName(QStringLiteral("runs.trash.empty"));
  auto* close = new QPushButton(tr("&Close"), this);
  const auto remove = [this](const std::vector<RunRowPtr>& rows) {
    QMessageBox box(QMessageBox::Warning, tr("Delete Runs"),
                    tr("Delete %n run(s) with everything recorded of them, checkpoints included?", nullptr, static_cast<int>(rows.size())),
                    QMessageBox::NoButton, this);
    box.setInformativeText(tr("This cannot be undone."));
    auto* yes = box.addButton(tr("&Delete for Good"), QMessageBox::DestructiveRole);
    yes->setObjectName(QStringLiteral("runs.trash.confirm"));
    box.setDefaultButton(box.addButton(tr("&Keep"), QMessageBox::RejectRole));
    box.exec();
    if (box.clickedButton() == yes) Q_EMIT removeForGood(rows);
  };
  connect(restore_, &QPushButton::clicked, this, [this] { Q_EMIT restore(chosen()); });
  connect(remove_, &QPushButton::clicked, this, [this, remove] { remove(chosen()); });
  connect(empty_, &QPushButton::clicked, this, [this, remove] { remove(rows_); });
  connect(close, &QPushButton::clicked, this, &QDialog::accept);
  const auto enable = [this] {
    restore_->setEnabled(!list_->selectedItems().isEmpty());
    remove_->setEnabled(!list_->selectedItems().isEmpty());
  };
  connect(list_, &QTreeWidget::itemSelectionChanged, this, enable);
  enable();
  stay_ = new QLabel(this);
  stay_->setObjectName(QStringLiteral("runs.trash.stay"));
  stay_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(list_, 1);
  layout->addWidget(stay_);
  auto* row = new QHBoxLayout;
  for (QPushButton* button : {restore_, remove_, empty_}) row->addWidget(button);
  row->addStretch(1);
  row->addWidget(close);
  layout->addLayout(row);
  resize(720, 380);
}

void TrashDialog::setTimes(const std::map<QString, double>& times, int days) {
  times_ = times;
  stay_->setText(days > 0 ? tr("After %n day(s) here runs are named in a message and then deleted for good.", nullptr, days)
                          : tr("Runs stay here until the trash is emptied."));
  showTimes();
}

void TrashDialog::showTimes() {
  constexpr int since_column = 4;
  for (int i = 0; i < list_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* item = list_->topLevelItem(i);
    const auto since = times_.find(item->data(0, Qt::UserRole).toString());
    item->setText(since_column, since == times_.end() ? format::missing : format::moment(since->second, QTimeZone::systemTimeZone()));
  }
}

void TrashDialog::setRuns(const std::vector<RunRowPtr>& rows) {
  rows_ = rows;
  list_->clear();
  for (const RunRowPtr& row : rows_) {
    const RunInfo& run = row->info;
    auto* item =
        new QTreeWidgetItem(list_, {QString::fromStdString(run.name), state_look(run.state).word, QString::fromStdString(run.strategy),
                                    format::moment(row->created, QTimeZone::systemTimeZone())});
    item->setData(0, Qt::UserRole, row->id());
  }
  showTimes();
  if (list_->topLevelItemCount() > 0) list_->setCurrentItem(list_->topLevelItem(0));
  empty_->setEnabled(!rows_.empty());
}

std::vector<RunRowPtr> TrashDialog::chosen() const {
  std::vector<RunRowPtr> rows;
  for (const RunRowPtr& row : rows_) {
    for (const QTreeWidgetItem* item : list_->selectedItems()) {
      if (item->data(0, Qt::UserRole).toString() == row->id()) rows.push_back(row);
    }
  }
  return rows;
}

QString ask_how_to_stop(const QStringList& names, QWidget* parent) {
  QDialog dialog(parent);
  dialog.setObjectName(QStringLiteral("runs.stop"));
  dialog.setWindowTitle(QCoreApplication::translate("Runs", "Stop"));
  auto* layout = new QVBoxLayout(&dialog);
  auto* label = new QLabel(QCoreApplication::translate("Runs", "Stop %1:").arg(names.mid(0, 5).join(QStringLiteral(", "))), &dialog);
  label->setWordWrap(true);
  layout->addWidget(label);
  QStringList kinds = {QStringLiteral("stop-after-checkpoint"), QStringLiteral("stop-after-step"), QStringLiteral("stop-now")};
  std::vector<QRadioButton*> choices = {
      new QRadioButton(QCoreApplication::translate("Runs", "after a &checkpoint; it can be resumed from there"), &dialog),
      new QRadioButton(QCoreApplication::translate("Runs", "after this s&tep; what came after the newest checkpoint is lost to a resume"),
                       &dialog),
      new QRadioButton(QCoreApplication::translate("Runs", "&now; processes are ended"), &dialog)};
  choices.front()->setChecked(true);
  for (QRadioButton* choice : choices) layout->addWidget(choice);
  auto* box = dialog_buttons(&dialog, QCoreApplication::translate("Runs", "&Stop Run"));
  box->button(QDialogButtonBox::Cancel)->setText(QCoreApplication::translate("Runs", "&Keep Running"));
  layout->addWidget(box);
  if (dialog.exec() != QDialog::Accepted) return {};
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (choices[i]->isChecked()) return kinds[static_cast<qsizetype>(i)];
  }
  return {};
}

}  // namespace syncline::ui
