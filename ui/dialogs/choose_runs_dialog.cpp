// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/choose_runs_dialog.h"

#include <QDialogButtonBox>

#include "ui/dialogs/annotation_dialogs.h"
#include "ui/models/format.h"
#include "ui/widgets/tall_rows.h"

namespace syncline::ui {

namespace {

constexpr int id_role = Qt::UserRole;

}  // namespace

ChooseRunsDialog::ChooseRunsDialog(StoreService& store, const QString& name, const QString& title, const QString& accept,
                                   const QStringList& without, QWidget* parent)
    : QDialog(parent) {
  setObjectName(name);
  setWindowTitle(title);
  search_ = new QLineEdit(this);
  search_->setObjectName(name + QStringLiteral(".search"));
  search_->setClearButtonEnabled(true);
  auto* label = new QLabel(tr("&Search by name:"), this);
  label->setBuddy(search_);
  found_ = new QListWidget(this);
  found_->setObjectName(name + QStringLiteral(".list"));
  found_->setAccessibleName(tr("Runs, newest first"));
  found_->setUniformItemSizes(true);
  make_rows_tall(*found_);
  found_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  auto* box = dialog_buttons(this, accept);
  accept_ = box->button(QDialogButtonBox::Ok);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(label);
  layout->addWidget(search_);
  layout->addWidget(found_, 1);
  layout->addWidget(box);
  resize(460, 420);
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
    QListWidgetItem* first = nullptr;
    for (int i = 0; i < found_->count(); ++i) {
      QListWidgetItem* item = found_->item(i);
      item->setHidden(!item->text().contains(text, Qt::CaseInsensitive));
      if (first == nullptr && !item->isHidden()) first = item;
    }
    found_->setCurrentItem(first);
  });
  connect(found_, &QListWidget::itemSelectionChanged, this, &ChooseRunsDialog::enable);
  connect(found_, &QListWidget::itemActivated, this, [this] {
    if (accept_->isEnabled()) this->accept();
  });
  enable();
  store.read<RunsSnapshotPtr>(
      this, QStringLiteral("choose"), [](Reader& reader) { return read_runs(reader, nullptr); },
      [this, without](const RunsSnapshotPtr& snapshot) {
        for (const RunRowPtr& row : snapshot->rows) {
          const QStringList attempts = row->attemptIds();
          if (std::any_of(attempts.begin(), attempts.end(), [&](const QString& id) { return without.contains(id); })) continue;
          auto* item = new QListWidgetItem(QString::fromStdString(row->info.name), found_);
          item->setData(id_role, row->newest());
          item->setToolTip(
              tr("%1, %2").arg(format::moment(row->created, QTimeZone::systemTimeZone()), state_look(row->info.state).word.toLower()));
        }
        found_->setCurrentRow(0);
        if (found_->count() == 0) search_->setPlaceholderText(tr("There is no other run in this workspace"));
      });
}

void ChooseRunsDialog::enable() { accept_->setEnabled(!chosen().isEmpty()); }

QStringList ChooseRunsDialog::chosen() const {
  QStringList ids;
  for (const QListWidgetItem* item : found_->selectedItems()) {
    if (!item->isHidden()) ids << item->data(id_role).toString();
  }
  return ids;
}

}  // namespace syncline::ui
