// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/annotation_dialogs.h"

#include <QDialogButtonBox>
#include <set>

#include "ui/models/runs_edits.h"
#include "ui/widgets/tall_rows.h"

namespace syncline::ui {

namespace {

QString whose(const std::vector<RunRowPtr>& rows) {
  if (rows.size() == 1) return QString::fromStdString(rows.front()->info.name);
  return QCoreApplication::translate("Runs", "%n runs", nullptr, static_cast<int>(rows.size()));
}

}  // namespace

QDialogButtonBox* dialog_buttons(QDialog* dialog, const QString& accept) {
  auto* box = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
  box->button(QDialogButtonBox::Ok)->setText(accept);
  box->button(QDialogButtonBox::Cancel)->setText(QCoreApplication::translate("Runs", "&Cancel"));
  QObject::connect(box, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(box, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  return box;
}

TagsDialog::TagsDialog(const std::vector<RunRowPtr>& rows, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Tags of %1").arg(whose(rows)));
  setObjectName(QStringLiteral("runs.tags"));
  std::map<std::string, std::size_t> counts;
  for (const RunRowPtr& row : rows) {
    for (const std::string& tag : row->info.tags) ++counts[tag];
  }
  list_ = new QListWidget(this);
  list_->setObjectName(QStringLiteral("runs.tags.list"));
  list_->setAccessibleName(tr("Tags these runs have"));
  make_rows_tall(*list_);
  for (const auto& [tag, count] : counts) {
    auto* item = new QListWidgetItem(QString::fromStdString(tag), list_);
    item->setCheckState(count == rows.size() ? Qt::Checked : Qt::PartiallyChecked);
  }
  more_ = new QLineEdit(this);
  more_->setObjectName(QStringLiteral("runs.tags.more"));
  more_->setPlaceholderText(tr("fig 3, baseline"));
  auto* more_label = new QLabel(tr("&Add (separated by commas):"), this);
  more_label->setBuddy(more_);
  auto* list_label = new QLabel(tr("&Tags; clear a box to remove one:"), this);
  list_label->setBuddy(list_);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(more_label);
  layout->addWidget(more_);
  if (counts.empty()) {
    list_->hide();
    list_label->hide();
  }
  layout->addWidget(list_label);
  layout->addWidget(list_, 1);
  layout->addWidget(dialog_buttons(this, tr("&Set Tags")));
  more_->setFocus();
}

QStringList TagsDialog::added() const {
  QStringList tags = tags_of(more_->text());
  for (int i = 0; i < list_->count(); ++i) {
    if (list_->item(i)->checkState() == Qt::Checked && !tags.contains(list_->item(i)->text())) tags << list_->item(i)->text();
  }
  return tags;
}

QStringList TagsDialog::removed() const {
  QStringList tags;
  for (int i = 0; i < list_->count(); ++i) {
    if (list_->item(i)->checkState() == Qt::Unchecked) tags << list_->item(i)->text();
  }
  return tags;
}

NoteDialog::NoteDialog(const std::vector<RunRowPtr>& rows, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Note on %1").arg(whose(rows)));
  setObjectName(QStringLiteral("runs.note"));
  text_ = new QPlainTextEdit(this);
  text_->setObjectName(QStringLiteral("runs.note.text"));
  text_->setAccessibleName(tr("Note"));
  text_->setTabChangesFocus(true);
  std::set<std::string> notes;
  for (const RunRowPtr& row : rows) notes.insert(row->info.notes);
  if (notes.size() == 1) text_->setPlainText(QString::fromStdString(*notes.begin()));
  auto* layout = new QVBoxLayout(this);
  auto* label =
      new QLabel(notes.size() > 1 ? tr("These runs have different notes; what is written here replaces all of them.") : tr("&Note:"), this);
  label->setBuddy(text_);
  label->setWordWrap(true);
  layout->addWidget(label);
  layout->addWidget(text_, 1);
  layout->addWidget(dialog_buttons(this, tr("&Save Note")));
  resize(440, 260);
}

bool ask_to_mark_stopped(const std::vector<RunRowPtr>& rows, QWidget* parent) {
  QMessageBox box(QMessageBox::Warning, QCoreApplication::translate("Runs", "Mark as Stopped"),
                  QCoreApplication::translate("Runs", "Mark %1 as stopped?").arg(whose(rows)), QMessageBox::NoButton, parent);
  box.setObjectName(QStringLiteral("runs.mark-stopped.ask"));
  QString more = QCoreApplication::translate("Runs", "Who marked it and when is kept with the run. This cannot be undone.");
  const bool any_unknown = std::any_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return row->info.state == "unknown"; });
  if (any_unknown)
    more += u' ' + QCoreApplication::translate("Runs", "Its processes cannot be asked from here: if they are still there, they go on.");
  box.setInformativeText(more);
  auto* yes = box.addButton(QCoreApplication::translate("Runs", "&Mark as Stopped"), QMessageBox::DestructiveRole);
  yes->setObjectName(QStringLiteral("runs.mark-stopped.confirm"));
  box.setDefaultButton(box.addButton(QCoreApplication::translate("Runs", "&Leave as It Is"), QMessageBox::RejectRole));
  box.exec();
  return box.clickedButton() == yes;
}

}  // namespace syncline::ui
