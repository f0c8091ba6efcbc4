// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs/runs_actions.h"

#include <algorithm>

#include "ui/models/engine_program.h"
#include "ui/models/format.h"
#include "ui/models/problems.h"
#include "ui/models/settings.h"
#include "ui/models/trash_keeper.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

namespace {

QList<QKeySequence> keys(const char* text) { return {QKeySequence(QString::fromUtf8(text))}; }

}  // namespace

RunsActions::RunsActions(Workbench& workbench, RunsModel& model, RunsTable& table, QWidget* page)
    : QObject(page), workbench_(workbench), model_(model), table_(table), page_(page), edits_(workbench.store(), page) {
  addTableActions(table);
  addRunActions(page);
  connect(&table, &RunsTable::selectionChanged, this, &RunsActions::update);
  connect(&model.details(), &RunsDetails::arrived, this, &RunsActions::update);
  connect(&model, &RunsModel::snapshotChanged, this, [this] {
    update();
    if (trash_) trash_->setRuns(model_.snapshot()->trashed);
  });
  // While a cell is edited Enter belongs to the editor.
  connect(&table, &RunsTable::editing, this, [this](bool on) {
    actions_[QStringLiteral("runs.open")]->setShortcutContext(on ? Qt::WidgetShortcut : Qt::WidgetWithChildrenShortcut);
  });
  update();
}

QAction* RunsActions::add(QWidget* owner, const char* id, const QString& text, const QString& help, const QList<QKeySequence>& shortcuts,
                          const QString& icon, void (RunsActions::*act)(const Rows&)) {
  const QString name = QString::fromUtf8(id);
  QAction* action =
      workbench_.actions().add(owner, {name, text, help, shortcuts, icon}, [this, act] { (this->*act)(table_.selectedRuns()); });
  actions_[name] = action;
  menu_ << action;
  return action;
}

void RunsActions::addTableActions(RunsTable& table) {
  add(&table, "runs.open", tr("&Open"), tr("Open the page of the selected run."),
      {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)}, QStringLiteral("document-open"), &RunsActions::open);
  add(page_, "compare.add", tr("Add to &Comparison"), tr("Put the selected runs side by side."), keys("Ctrl+K"),
      QStringLiteral("view-split-left-right"), &RunsActions::addToComparison);
  add(page_, "compare.new", tr("&New Comparison"), tr("Compare the selected runs on a page of their own."), {},
      QStringLiteral("view-split-left-right"), &RunsActions::newComparison);
  add(page_, "run.duplicate", tr("&Duplicate as Draft"), tr("Edit a copy of this run's experiment."), keys("Ctrl+D"),
      QStringLiteral("edit-duplicate"), &RunsActions::duplicate);
  menu_ << nullptr;
  add(&table, "runs.star", tr("&Star"), tr("Mark the selected runs, or take the mark away."), keys("S"), QStringLiteral("emblem-favorite"),
      &RunsActions::toggleStar);
  add(&table, "runs.tag", tr("&Tag\u2026"), tr("Give the selected runs tags, or take some away."), keys("T"), QStringLiteral("tag"),
      &RunsActions::tag);
  add(&table, "runs.note", tr("N&ote\u2026"), tr("Write a note on the selected runs."), keys("N"), QStringLiteral("document-edit"),
      &RunsActions::note);
  add(&table, "runs.rename", tr("&Rename\u2026"), tr("Give the run another name; an empty one brings the experiment's back."), keys("F2"),
      QStringLiteral("edit-rename"), &RunsActions::rename);
  add(&table, "runs.trash", tr("&Move to Trash"), tr("Move the selected runs to the trash; they can be restored."), keys("Delete"),
      QStringLiteral("user-trash"), &RunsActions::trash);
  add(&table, "runs.copy", tr("Cop&y Rows"), tr("Copy the selected rows with every digit, for a spreadsheet."),
      {QKeySequence(QStringLiteral("Ctrl+Shift+C")), QKeySequence(QKeySequence::Copy)}, QStringLiteral("edit-copy"),
      &RunsActions::copyTable);
}

void RunsActions::copyTable(const Rows& rows) {
  QGuiApplication::clipboard()->setText(runs_as_table(model_.columns(), rows, model_.details()));
}

void RunsActions::showFiles(const Rows& rows) {
  if (rows.size() != 1) return;
  const QFileInfo database(workbench_.store().path());
  const QString runs = database.absolutePath() + u'/' + database.completeBaseName() + QStringLiteral(".runs/") + rows.front()->newest();
  if (!QFileInfo(runs).isDir() || !QDesktopServices::openUrl(QUrl::fromLocalFile(runs))) {
    workbench_.notice(tr("The folder %1 cannot be shown.").arg(runs));
  }
}

void RunsActions::tryAgain(const Rows& rows) {
  model_.details().tryAgain(rows);
  model_.refresh();
}

void RunsActions::addRunActions(QWidget* page) {
  add(page, "runs.archive", tr("&Archive"), tr("Keep the selected runs out of the list; the Archived filter shows them."), {},
      QStringLiteral("folder"), &RunsActions::archive);
  add(page, "runs.lock", tr("Loc&k Run"), tr("Protect the run from the trash, or take the protection away."), {},
      QStringLiteral("object-locked"), &RunsActions::lock);
  menu_ << nullptr;
  add(page, "run.stop", tr("Sto&p\u2026"), tr("End the run after a checkpoint or a step, or now."), keys("Ctrl+."),
      QStringLiteral("media-playback-stop"), &RunsActions::stop);
  add(page, "run.checkpoint", tr("Check&point Now"), tr("Save a checkpoint of this run at its next step."), {},
      QStringLiteral("document-save"), &RunsActions::checkpoint);
  add(page, "run.resume", tr("Res&ume\u2026"), tr("Go on from the newest checkpoint of this run."), {}, QStringLiteral("view-refresh"),
      &RunsActions::resume);
  add(page, "run.check-state", tr("Check State No&w"), tr("Ask again whether the processes of unfinished runs are there."), keys("F5"),
      QStringLiteral("view-refresh"), &RunsActions::check);
  add(page, "run.mark-stopped", tr("Mark as Stopp&ed\u2026"), tr("Give a run whose end nobody has seen the end that you know of."), {},
      QStringLiteral("process-stop"), &RunsActions::markStopped);
  add(page, "run.open-folder", tr("Open &Folder"), tr("Show the run's files in the file manager."), {}, QStringLiteral("folder-open"),
      &RunsActions::showFiles);
  add(page, "runs.try-again", tr("Tr&y Again"), tr("Read the data of a damaged run once more."), {}, QStringLiteral("view-refresh"),
      &RunsActions::tryAgain);
  menu_ << nullptr;
  add(page, "runs.show-trash", tr("Tras&h\u2026"), tr("Restore runs from the trash, or empty it."), {}, QStringLiteral("user-trash"),
      &RunsActions::showTrash);
}

void RunsActions::fillMenu(QMenu& menu) const {
  for (QAction* action : menu_) {
    if (action != nullptr) {
      menu.addAction(action);
    } else {
      menu.addSeparator();
    }
  }
}

void RunsActions::update() {
  const Rows rows = table_.selectedRuns();
  const bool read_only = workbench_.store().readOnly();
  const auto active = std::count_if(rows.begin(), rows.end(), [](const RunRowPtr& row) { return is_active(row->info.state); });
  const auto set = [this](const char* id, const QString& reason) {
    if (QAction* action = actions_.value(QString::fromUtf8(id))) ActionRegistry::setReason(action, reason);
  };
  const QString pick = rows.empty() ? tr("select a run") : QString();
  const QString pick_to_write = read_only ? tr("this workspace can only be read") : pick;
  set("runs.open", pick.isEmpty() ? QString() : tr("Open: %1").arg(pick));
  set("compare.add", pick.isEmpty() ? QString() : tr("Add to Comparison: %1").arg(pick));
  set("compare.new", rows.size() < 2 ? tr("New Comparison: select two or more runs") : QString());
  set("runs.copy", pick.isEmpty() ? QString() : tr("Copy Rows: %1").arg(pick));
  set("run.duplicate", rows.size() == 1 ? QString() : tr("Duplicate as Draft: select one run"));
  for (const char* id : {"runs.star", "runs.tag", "runs.note", "runs.archive", "runs.lock", "runs.trash"}) {
    set(id, pick_to_write.isEmpty() ? QString() : tr("Not possible: %1").arg(pick_to_write));
  }
  const bool damaged = std::any_of(rows.begin(), rows.end(), [this](const RunRowPtr& row) {
    const RunDetails* details = model_.details().find(row->info.id);
    return details != nullptr && !details->damage.isEmpty();
  });
  set("runs.try-again", damaged ? QString() : tr("Try Again: select a damaged run"));
  set("run.open-folder", rows.size() == 1 ? QString() : tr("Open Folder: select one run"));
  set("runs.rename", read_only          ? tr("Rename: this workspace can only be read")
                     : rows.size() == 1 ? QString()
                                        : tr("Rename: select one run"));
  set("run.stop", active > 0 && !read_only ? QString() : tr("Stop: select a running run"));
  set("run.checkpoint", active > 0 && !read_only ? QString() : tr("Checkpoint Now: select a running run"));
  set("run.resume", rows.size() == 1 && active == 0 && !read_only ? QString() : tr("Resume: select one run that has ended"));
  const bool markable =
      !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return may_be_marked_stopped(row->info.state); });
  set("run.mark-stopped", markable && !read_only ? QString() : tr("Mark as Stopped: select runs that are lost or unreachable"));
  const bool all_locked = !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return row->info.locked; });
  const bool all_archived = !rows.empty() && std::all_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return row->archived(); });
  actions_[QStringLiteral("runs.lock")]->setText(all_locked ? tr("Unloc&k Run") : tr("Loc&k Run"));
  actions_[QStringLiteral("runs.archive")]->setText(all_archived ? tr("Take out of &Archive") : tr("&Archive"));
}

QStringList RunsActions::namesOf(const Rows& rows) const {
  QStringList names;
  for (const RunRowPtr& row : rows) names << QString::fromStdString(row->info.name);
  return names;
}

RunsEdits::Done RunsActions::reread() {
  return [this] { model_.refresh(); };
}

void RunsActions::openCurrent() { open(table_.selectedRuns()); }

void RunsActions::open(const Rows& rows) {
  const QModelIndex current = table_.current();
  if (model_.hasChildren(current)) {
    table_.frozenView()->setExpanded(current.siblingAtColumn(0), !table_.frozenView()->isExpanded(current.siblingAtColumn(0)));
    return;
  }
  constexpr std::size_t most = 10;  // more pages at once are hardly meant
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) workbench_.openRun(rows[i]->newest());
}

void RunsActions::addToComparison(const Rows& rows) {
  for (const RunRowPtr& row : rows) {
    if (!tray_.contains(row->newest())) tray_ << row->newest();
  }
  if (tray_.size() >= 2) {
    workbench_.openComparison(std::exchange(tray_, {}));
    return;
  }
  workbench_.notice(tr("One run is chosen for a comparison. Add another to compare them."), tr("&Open Now"),
                    [this] { workbench_.openComparison(std::exchange(tray_, {})); });
}

void RunsActions::newComparison(const Rows& rows) {
  QStringList ids;
  for (const RunRowPtr& row : rows) ids << row->newest();
  workbench_.openComparison(ids);
}

void RunsActions::duplicate(const Rows& rows) {
  if (rows.size() != 1) return;
  const std::string id = rows.front()->info.id;
  const QString name = format::copyOf(QString::fromStdString(rows.front()->info.name));
  workbench_.store().read<QString>(
      page_, QStringLiteral("duplicate"), [id](Reader& reader) { return QString::fromStdString(reader.run(id).experiment_as_typed); },
      [this, name, id](const QString& text) { workbench_.newDraft(name, text, QString::fromStdString(id)); });
}

void RunsActions::star(const std::vector<RunRowPtr>& rows, bool starred) { edits_.setStarred(rows, starred, reread()); }

void RunsActions::toggleStar(const Rows& rows) {
  const bool all = std::all_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return row->info.starred; });
  star(rows, !all);
}

void RunsActions::tag(const Rows& rows) {
  if (rows.empty()) return;
  TagsDialog dialog(rows, page_);
  if (dialog.exec() == QDialog::Accepted) edits_.changeTags(rows, dialog.added(), dialog.removed(), reread());
}

void RunsActions::note(const Rows& rows) {
  if (rows.empty()) return;
  NoteDialog dialog(rows, page_);
  if (dialog.exec() == QDialog::Accepted) edits_.setNote(rows, dialog.note(), reread());
}

void RunsActions::rename(const Rows&) { table_.edit(QStringLiteral("name")); }

void RunsActions::trash(const Rows& rows) {
  Rows going;
  QStringList staying;
  for (const RunRowPtr& row : rows) {
    const QString reason = reason_to_keep(*row);
    if (reason.isEmpty()) {
      going.push_back(row);
    } else {
      staying << tr("%1 stays: %2").arg(format::isolated(QString::fromStdString(row->info.name)), reason);
    }
  }
  if (!going.empty()) {
    setTrashed(going, true);
    QString text = tr("Moved %n run(s) to trash.", nullptr, static_cast<int>(going.size()));
    if (!staying.isEmpty()) text += u' ' + staying.mid(0, 3).join(QStringLiteral("; "));
    workbench_.notice(text, tr("&Undo"), [this, going] { setTrashed(going, false); });
  } else if (!staying.isEmpty()) {
    workbench_.notice(staying.mid(0, 3).join(QStringLiteral("; ")));
  }
}

void RunsActions::setTrashed(const Rows& rows, bool trashed) { edits_.setTrashed(rows, trashed, reread()); }

void RunsActions::archive(const Rows& rows) {
  const QStringList tag = {QString::fromStdString(archived_tag)};
  const bool out = std::all_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return row->archived(); });
  const auto write = [this, rows, tag](bool in) {
    edits_.changeTags(rows, in ? tag : QStringList(), in ? QStringList() : tag, [this] { model_.refreshAndRearrange(); });
  };
  write(!out);
  const int n = static_cast<int>(rows.size());
  workbench_.notice(out ? tr("Took %n run(s) out of the archive.", nullptr, n) : tr("Archived %n run(s).", nullptr, n), tr("&Undo"),
                    [write, out] { write(out); });
}

void RunsActions::lock(const Rows& rows) {
  const bool all = std::all_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return row->info.locked; });
  edits_.setLocked(rows, !all, reread());
}

void RunsActions::stop(const Rows& rows) {
  Rows active;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(active), [](const RunRowPtr& row) { return is_active(row->info.state); });
  if (active.empty()) return;
  const QString kind = ask_how_to_stop(namesOf(active), page_);
  if (!kind.isEmpty()) edits_.ask(active, kind.toStdString(), reread());
}

void RunsActions::checkpoint(const Rows& rows) {
  Rows active;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(active), [](const RunRowPtr& row) { return is_active(row->info.state); });
  edits_.ask(active, "checkpoint", [this, n = static_cast<int>(active.size())] {
    workbench_.notice(tr("Asked %n run(s) for a checkpoint at the next step.", nullptr, n));
  });
}

void RunsActions::resume(const Rows& rows) {
  if (rows.size() != 1) return;
  launch({QStringLiteral("launch"), QStringLiteral("--resume"), rows.front()->newest(), QStringLiteral("--on"), QStringLiteral("local"),
          QStringLiteral("--detach")},
         tr("Resume"));
}

void RunsActions::markStopped(const Rows& rows) {
  if (rows.empty() || !ask_to_mark_stopped(rows, page_)) return;
  edits_.markStopped(rows, person_here(), reread(), [this](const QString& sentence) {
    workbench_.notice(sentence, {}, {}, 60);
    model_.refresh();
  });
}

void RunsActions::launch(const QStringList& arguments, const QString& what) {
  if (workbench_.engine().path().isEmpty()) {
    workbench_.notice(tr("%1: %2").arg(what, workbench_.engine().why()));
    return;
  }
  workbench_.engine().run(page_, arguments, [this, what](const EngineProgram::Answer& answer) {
    const QString id = QString::fromUtf8(answer.output).trimmed().section(u'\n', -1);
    if (answer.exit_code == 0 && !id.isEmpty()) {
      model_.refresh();
      workbench_.openRun(id);
    } else {
      workbench_.notice(tr("%1: %2").arg(what, answer.sentence()), {}, {}, 60);
    }
  });
}

void RunsActions::check(const Rows&) { checkState(); }

void RunsActions::checkState() {
  // Every reading concludes states anew; what was asked is said, and what the answer was.
  QObject::connect(
      &model_, &RunsModel::snapshotChanged, page_,
      [this] {
        QStringList answers;
        int asked = 0;
        for (const RunRowPtr& row : model_.snapshot()->rows) {
          const std::string& state = row->info.state;
          if (!is_active(state) && state != "lost" && state != "unknown") continue;
          if (++asked <= 3)
            answers << tr("%1: %2").arg(format::isolated(QString::fromStdString(row->info.name)), state_look(state).word.toLower());
        }
        if (asked == 0) {
          workbench_.notice(tr("Every run has an exit record; there was nothing to ask."), {}, {}, 8);
          return;
        }
        if (asked > 3) answers << tr("and %1 more").arg(asked - 3);
        workbench_.notice(tr("Asked for exit records, processes on this computer and heartbeats of %n run(s). %1", nullptr, asked)
                              .arg(answers.join(QStringLiteral("; "))),
                          {}, {}, 15);
      },
      Qt::SingleShotConnection);
  model_.refresh();
}

void RunsActions::showTrash(const Rows&) {
  if (!model_.snapshot()) return;
  TrashDialog dialog(page_);
  trash_ = &dialog;
  dialog.setRuns(model_.snapshot()->trashed);
  const int days = workbench_.settings().value(TrashKeeper::days_setting, TrashKeeper::default_days).toInt();
  dialog.setTimes({}, days);
  workbench_.store().read<std::map<QString, double>>(
      &dialog, QStringLiteral("trash times"), [](Reader& reader) { return read_trash_times(reader); },
      [&dialog, days](const std::map<QString, double>& times) { dialog.setTimes(times, days); });
  connect(&dialog, &TrashDialog::restore, this, [this](const Rows& rows) { setTrashed(rows, false); });
  connect(&dialog, &TrashDialog::removeForGood, this, [this](const Rows& rows) {
    edits_.removeForGood(rows, reread(), [this](const QString& sentence) {
      workbench_.notice(sentence, {}, {}, 60);
      model_.refresh();
    });
  });
  dialog.exec();
}

}  // namespace syncline::ui
