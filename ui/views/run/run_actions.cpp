// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/run_actions.h"

#include <QDesktopServices>
#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QUrl>

#include "engine/metrics/clock.h"
#include "ui/dialogs/annotation_dialogs.h"
#include "ui/dialogs/choose_runs_dialog.h"
#include "ui/models/engine_program.h"
#include "ui/models/run_page_state.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

RunActions::RunActions(RunContext context, QWidget* page)
    : QObject(page),
      context_(context),
      page_(page),
      edits_(context.data.store(), this, [this](const QString& message) { Q_EMIT problem(QStringLiteral("annotation"), message); }) {
  ActionRegistry& actions = context_.workbench.actions();
  const auto add = [&](const char* id, const QString& text, const QString& help, const QList<QKeySequence>& keys, const char* icon,
                       const std::function<void()>& act) {
    return actions.add(page_, {QString::fromLatin1(id), text, help, keys, QString::fromLatin1(icon)}, act);
  };
  stop_menu_ = new QMenu(page_);
  stop_menu_->setObjectName(QStringLiteral("run.stop.menu"));
  stop = add("run.stop", tr("&Stop…"), tr("Choose how this run is to stop"), {QKeySequence(Qt::CTRL | Qt::Key_Period)},
             "media-playback-stop", [this] { popUpStopMenu(); });
  stop_after_checkpoint =
      add("run.stop.after-checkpoint", tr("After a &Checkpoint"), tr("Save a checkpoint, then stop; the run can be resumed from there"), {},
          "", [this] { ask("stop-after-checkpoint", tr("Stop after a checkpoint")); });
  stop_after_step = add("run.stop.after-step", tr("After This S&tep"), tr("Stop when all ranks have done the step; nothing is saved"), {},
                        "", [this] { ask("stop-after-step", tr("Stop after this step")); });
  stop_now = add("run.stop.now", tr("&Now"), tr("Stop as soon as the ranks agree; nothing is saved"), {}, "",
                 [this] { ask("stop-now", tr("Stop now")); });
  stop_force = add("run.stop.force", tr("By &Force"), tr("End the processes of a run that does not answer"), {}, "", [this] {
    launch({QStringLiteral("stop"), context_.data.id(), QStringLiteral("--now")}, tr("Stop by force"));
  });
  stop_menu_->addAction(stop_after_checkpoint);
  stop_menu_->addAction(stop_after_step);
  stop_menu_->addAction(stop_now);
  stop_menu_->addSeparator();
  stop_menu_->addAction(stop_force);
  stop_menu_->setDefaultAction(stop_after_checkpoint);
  checkpoint = add("run.checkpoint", tr("&Checkpoint Now"), tr("Save a checkpoint at the next step and go on"), {}, "document-save",
                   [this] { ask("checkpoint", tr("Checkpoint")); });
  resume = add("run.resume", tr("&Resume"), tr("Go on from the newest checkpoint of this run"), {}, "media-playback-start",
               [this] { resumeFrom(std::nullopt); });
  duplicate = add("run.duplicate", tr("&Duplicate as Draft"), tr("Open this run's experiment as a draft that can be changed and launched"),
                  {QKeySequence(Qt::CTRL | Qt::Key_D)}, "edit-copy", [this] {
                    if (!context_.data.known()) return;
                    const RunInfo& run = context_.data.snapshot().run;
                    context_.workbench.newDraft(QString::fromStdString(run.name), QString::fromStdString(run.experiment_as_typed),
                                                QString::fromStdString(run.id));
                  });
  check_state = add("run.check-state", tr("Check State &Now"), tr("Ask again what is known of this run's processes"),
                    {QKeySequence(Qt::Key_F5)}, "view-refresh", [this] { checkState(); });
  star = add("runs.star", tr("S&tar"), tr("Mark this run with a star, or take it away"), {}, "starred", [this] {
    if (!context_.data.known()) return;
    edits_.setStarred({row()}, !row()->info.starred, [this] { context_.data.readNow(); });
  });
  star->setCheckable(true);
  compare = add("compare.add", tr("&Add to Comparison"), tr("Open a comparison with this run, to which others can be added"),
                {QKeySequence(Qt::CTRL | Qt::Key_K)}, "view-split-left-right",
                [this] { context_.workbench.openComparison({context_.data.id()}); });
  compare_with = add("compare.with", tr("Compare &With…"), tr("Choose runs to put beside this one"), {}, "view-split-left-right",
                     [this] { compareWith(); });
  mark_stopped = add("run.mark-stopped", tr("Mark as Stopp&ed…"), tr("Give a run whose end nobody has seen the end that you know of"), {},
                     "process-stop", [this] { markStopped(); });
  trace = add("run.trace", tr("&Trace the Next 20 Steps"), tr("Record every event of the next 20 steps of all ranks"), {}, "",
              [this] { ask("trace", tr("Trace")); });
  compute_only = add("run.compute-only", tr("Measure Compute &Only"),
                     tr("Launch the same experiment without any exchange: what overlap costs is the difference to it"), {}, "",
                     [this] { launchComputeOnly(); });
  tags = add("runs.tag", tr("Ta&gs…"), tr("Change the tags of this run"), {}, "tag", [this] { editTags(); });
  note = add("runs.note", tr("&Note…"), tr("Write a note on this run"), {}, "document-edit", [this] { editNote(); });
  open_folder = add("run.open-folder", tr("Open &Folder"), tr("Open this run's folder in the file manager"), {}, "folder-open",
                    [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(context_.data.folder())); });
  update();
}

void RunActions::update() {
  const QString loading = tr("The run is still being read");
  if (!context_.data.known()) {
    for (QAction* action : {stop, stop_after_step, stop_after_checkpoint, stop_now, stop_force, checkpoint, resume, duplicate, star, trace,
                            compute_only, tags, note, mark_stopped})
      ActionRegistry::setReason(action, loading);
    return;
  }
  const RunSnapshot& snapshot = context_.data.snapshot();
  const QString locked = context_.data.store().readOnly() ? tr("The workspace can only be read") : QString();
  const QString not_stop = locked.isEmpty() ? reason_not_to_stop(snapshot) : locked;
  for (QAction* action : {stop, stop_after_step, stop_after_checkpoint, stop_now, checkpoint}) ActionRegistry::setReason(action, not_stop);
  if (not_stop.isEmpty() && open_stop(snapshot) != nullptr) ActionRegistry::setReason(checkpoint, tr("The run is stopping"));
  const double now = utc_s();
  ActionRegistry::setReason(stop_force,
                            !not_stop.isEmpty() ? not_stop
                            : !force_offered(snapshot, now)
                                ? tr("Offered when the run has not answered a request to stop within %1 s").arg(snapshot.grace_s)
                                : QString());
  ActionRegistry::setReason(trace, !not_stop.isEmpty() ? tr("Only a running run can be traced") : QString());
  ActionRegistry::setReason(resume, reasonNotToResume(std::nullopt));
  ActionRegistry::setReason(duplicate, {});
  ActionRegistry::setReason(mark_stopped, !locked.isEmpty()                           ? locked
                                          : may_be_marked_stopped(snapshot.run.state) ? QString()
                                                                                      : tr("Only for a run that is lost or unreachable"));
  for (QAction* action : {star, tags, note}) ActionRegistry::setReason(action, locked);
  QString not_measure = locked;
  if (snapshot.run.strategy == "none")
    not_measure = tr("This run has no communication");
  else if (snapshot.run.workers < 2)
    not_measure = tr("One rank does not communicate");
  else if (!context_.data.computeOnlyRun().isEmpty())
    not_measure = tr("It has been measured already");
  else if (launching_)
    not_measure = tr("Something is being launched");
  ActionRegistry::setReason(compute_only, not_measure);
  star->setChecked(snapshot.run.starred);
  star->setIconText(snapshot.run.starred ? QStringLiteral("★") : QStringLiteral("☆"));
}

void RunActions::ask(const std::string& kind, const QString& what) {
  context_.data.store().write(
      this,
      [id = context_.data.id().toStdString(), kind](StoreService::Writer& writer) {
        Requests(writer.workspace).ask(id, kind, "workbench");
      },
      [this] { context_.data.readNow(); },
      [this, what](const QString& message) { Q_EMIT problem(QStringLiteral("request"), tr("%1: %2").arg(what, message)); });
}

// Every reading concludes the state anew; a person who asks is told what was asked and what the answer was.
void RunActions::checkState() {
  connect(
      &context_.data, &RunData::changed, this,
      [this] {
        const RunSnapshot& now = context_.data.snapshot();
        const ShownState state = shown_state(now, utc_s());
        const QString answer = state.detail.isEmpty() ? state.word : state.text();
        context_.workbench.notice(now.active() || may_be_marked_stopped(now.run.state)
                                      ? tr("Asked for the exit record, the processes and the heartbeat: %1").arg(answer)
                                      : tr("Asked for the exit record, which is there: %1").arg(answer),
                                  {}, {}, 15);
      },
      Qt::SingleShotConnection);
  context_.data.readNow();
}

void RunActions::popUpStopMenu() {
  const QWidget* anchor = stop_anchor_ ? stop_anchor_.data() : page_;
  stop_menu_->popup(anchor->mapToGlobal(QPoint(0, stop_anchor_ ? anchor->height() : 0)));
  stop_menu_->setActiveAction(stop_after_checkpoint);
}

void RunActions::launch(const QStringList& arguments, const QString& what) {
  launching_ = true;
  update();
  context_.workbench.engine().run(this, arguments, [this, what](const EngineProgram::Answer& answer) {
    launching_ = false;
    update();
    context_.data.readNow();
    if (answer.exit_code != 0) {
      Q_EMIT problem(QStringLiteral("launch"), tr("%1: %2").arg(what, answer.sentence()));
      return;
    }
    const QString id = QJsonDocument::fromJson(answer.output).object().value(QStringLiteral("id")).toString();
    if (!id.isEmpty()) context_.workbench.openRun(id);
  });
}

// The run folder keeps a copy of the experiment, so the file is wanted only until the engine has answered.
void RunActions::launchComputeOnly() {
  if (!context_.data.known()) return;
  const RunInfo& run = context_.data.snapshot().run;
  const std::string text = compute_only_experiment(run.experiment, run.name + ", compute only");
  const QString path = QDir::temp().filePath(QStringLiteral("syncline-compute-only-%1.toml").arg(context_.data.id()));
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(text)) < 0 || !file.commit()) {
    Q_EMIT problem(QStringLiteral("launch"), tr("Measure compute only: %1 cannot be written: %2").arg(path, file.errorString()));
    return;
  }
  launching_ = true;
  update();
  context_.workbench.engine().run(this,
                                  {QStringLiteral("launch"), path, QStringLiteral("--on"), QStringLiteral("local"),
                                   QStringLiteral("--detach"), QStringLiteral("--json")},
                                  [this, path](const EngineProgram::Answer& answer) {
                                    launching_ = false;
                                    update();
                                    QFile::remove(path);
                                    if (answer.exit_code == 0) context_.data.expectComputeOnly();
                                    if (answer.exit_code != 0) {
                                      Q_EMIT problem(QStringLiteral("launch"), tr("Measure compute only: %1").arg(answer.sentence()));
                                      return;
                                    }
                                    const QString id =
                                        QJsonDocument::fromJson(answer.output).object().value(QStringLiteral("id")).toString();
                                    context_.workbench.notice(tr("Measuring compute only; the figures appear here when it has finished"),
                                                              tr("&Show"), [this, id] { context_.workbench.openRun(id); });
                                  });
}

RunRowPtr RunActions::row() const {
  const RunsSnapshotPtr folded = fold_attempts(context_.data.snapshot().attempts, nullptr);
  return folded->rows.empty() ? folded->trashed.front() : folded->rows.front();
}

void RunActions::compareWith() {
  const QString id = context_.data.id();
  auto* dialog =
      new ChooseRunsDialog(context_.data.store(), QStringLiteral("run.compare"), tr("Compare With"), tr("&Compare"), {id}, page_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this, [this, dialog, id] { context_.workbench.openComparison(QStringList{id} + dialog->chosen()); });
  dialog->open();
}

void RunActions::editTags() {
  auto* dialog = new TagsDialog({row()}, page_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this,
          [this, dialog] { edits_.changeTags({row()}, dialog->added(), dialog->removed(), [this] { context_.data.readNow(); }); });
  dialog->open();
}

void RunActions::editNote() {
  auto* dialog = new NoteDialog({row()}, page_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QDialog::accepted, this,
          [this, dialog] { edits_.setNote({row()}, dialog->note(), [this] { context_.data.readNow(); }); });
  dialog->open();
}

void RunActions::markStopped() {
  if (!context_.data.known() || !ask_to_mark_stopped({row()}, page_)) return;
  edits_.markStopped(
      {row()}, person_here(), [this] { context_.data.readNow(); },
      [this](const QString& message) { Q_EMIT problem(QStringLiteral("mark-stopped"), tr("Mark as stopped: %1").arg(message)); });
}

QString RunActions::reasonNotToResume(std::optional<std::int64_t> step) const {
  if (!context_.data.known()) return tr("The run is still being read");
  if (launching_) return tr("Something is being launched");
  if (context_.data.store().readOnly()) return tr("The workspace can only be read");
  return reason_not_to_resume(context_.data.snapshot(), step);
}

void RunActions::resumeFrom(std::optional<std::int64_t> step) {
  QStringList arguments{QStringLiteral("launch"), QStringLiteral("--resume"), context_.data.id()};
  if (step) arguments << QStringLiteral("--from-step") << QString::number(*step);
  launch(arguments << QStringLiteral("--on") << QStringLiteral("local") << QStringLiteral("--detach") << QStringLiteral("--json"),
         tr("Resume"));
}

}  // namespace syncline::ui
