// SPDX-License-Identifier: GPL-3.0-or-later
// What a person keeps of the Runs page: filters in the workspace, columns in the settings.
#include <set>

#include "engine/experiment/experiment.h"
#include "ui/models/format.h"
#include "ui/models/settings.h"
#include "ui/views/runs/runs_page.h"

namespace syncline::ui {

void RunsPage::reloadSavedFilters() {
  workbench().store().read<std::vector<SavedText>>(
      this, QStringLiteral("filters"), [](Reader& reader) { return saved_texts(reader.database(), "filter"); },
      [this](const std::vector<SavedText>& saved) {
        saved_ = saved;
        saved_menu_->clear();
        for (const SavedText& one : saved_) {
          QAction* action = saved_menu_->addAction(QString::fromStdString(one.name).replace(u'&', QStringLiteral("&&")));
          action->setToolTip(QString::fromStdString(one.content));
          connect(action, &QAction::triggered, this, [this, text = QString::fromStdString(one.content)] {
            filter_->setText(text);
            filter_soon_.stop();
            applyFilter(text);
          });
        }
        if (saved_.empty()) saved_menu_->addAction(tr("none saved yet"))->setEnabled(false);
        saved_menu_->addSeparator();
        QAction* save = saved_menu_->addAction(tr("&Save This Filter\u2026"));
        save->setObjectName(QStringLiteral("runs.filters.save"));
        save->setEnabled(!model_.filter().isEmpty());
        connect(save, &QAction::triggered, this, &RunsPage::saveFilter);
        if (!saved_.empty()) {
          QMenu* forget = saved_menu_->addMenu(tr("&Forget"));
          for (const SavedText& one : saved_) {
            connect(forget->addAction(QString::fromStdString(one.name)), &QAction::triggered, this, [this, one] {
              const auto put = [this](const SavedText& text) {
                workbench().store().write(this, [text](StoreService::Writer& writer) { SavedTexts(writer.workspace).put(text); });
              };
              workbench().store().write(this, [id = one.id](StoreService::Writer& writer) { SavedTexts(writer.workspace).remove(id); });
              workbench().notice(tr("Forgot the filter %1.").arg(format::isolated(QString::fromStdString(one.name))), tr("&Undo"),
                                 [put, one] { put(one); });
            });
          }
        }
      });
}

void RunsPage::saveFilter() {
  bool given = false;
  const QString name =
      QInputDialog::getText(this, tr("Save Filter"), tr("&Name of the filter:"), QLineEdit::Normal, model_.filter(), &given);
  if (!given || name.trimmed().isEmpty()) return;
  SavedText saved;
  saved.kind = "filter";
  saved.name = name.trimmed().toStdString();
  saved.content = model_.filter().toStdString();
  workbench().store().write(
      this, [saved](StoreService::Writer& writer) { SavedTexts(writer.workspace).put(saved); }, [this] { reloadSavedFilters(); });
}

void RunsPage::chooseColumns() {
  QStringList shown;
  for (const RunsColumn& column : model_.columns()) shown << column.id;
  auto* dialog = new ColumnsDialog(shown, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  // One experiment of each group is enough: the others have the same keys.
  std::vector<std::string> runs;
  std::set<std::string> groups;
  constexpr std::size_t read_most = 200;
  if (model_.snapshot()) {
    for (const RunRowPtr& row : model_.snapshot()->rows) {
      if (runs.size() < read_most && groups.insert(row->info.group_key).second) runs.push_back(row->info.id);
    }
  }
  workbench().store().read<QStringList>(
      dialog, QStringLiteral("keys"),
      [runs](Reader& reader) {
        std::set<std::string> keys;
        for (const std::string& run : runs) {
          for (const auto& [key, value] : settings_of(reader.run(run).experiment)) keys.insert(key);
        }
        QStringList list;
        for (const std::string& key : keys) list << QString::fromStdString(key);
        return list;
      },
      [dialog](const QStringList& keys) { dialog->setSettingKeys(keys); });
  connect(dialog, &QDialog::accepted, this, [this, dialog] {
    const QString sorted = table_->sortColumn();
    const bool descending = table_->sortDescending();
    workbench().settings().set(QStringLiteral("runs/columns"), dialog->columns());
    model_.setColumns(dialog->columns());
    table_->setSort(model_.columnOf(sorted) >= 0 ? sorted : QStringLiteral("created"), descending);
    table_->select(selected_);
  });
  dialog->open();
}

}  // namespace syncline::ui
