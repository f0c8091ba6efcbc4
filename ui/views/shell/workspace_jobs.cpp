// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/workspace_jobs.h"

#include <QFileInfo>
#include <QRegularExpression>
#include <condition_variable>
#include <mutex>

#include "engine/store/workspace.h"
#include "ui/models/background_jobs.h"
#include "ui/models/engine_program.h"
#include "ui/models/settings.h"
#include "ui/views/shell/help_dialogs.h"
#include "ui/views/shell/strips.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

namespace {

const QString recent_key = QStringLiteral("workspaces/recent");
constexpr int most_recent = 10;
constexpr auto look_for_cancel_every = std::chrono::milliseconds(50);

// A child process as a background job: the job's thread waits here for what the GUI thread hears.
struct ChildEnd {
  std::mutex mutex;
  std::condition_variable signal;
  bool ended = false;
  QString error;
};

}  // namespace

QStringList recent_workspaces(const Settings& settings) { return settings.value(recent_key).toStringList(); }

void remember_workspace(Settings& settings, const QString& path) {
  QStringList paths = recent_workspaces(settings);
  paths.removeAll(path);
  paths.prepend(path);
  settings.set(recent_key, QStringList(paths.mid(0, most_recent)));
}

WorkspaceJobs::WorkspaceJobs(Workbench& workbench, Strips& strips, QWidget& window)
    : QObject(&window), workbench_(workbench), strips_(strips), window_(window) {}

void WorkspaceJobs::chooseAndImport() {
  const QString database = FileDialog::openFile(&window_, tr("Import Runs"), QString(), tr("Workspaces (*.db);;All files (*)"));
  if (!database.isEmpty()) importFrom(database);
}

void WorkspaceJobs::importFrom(const QString& database) {
  auto end = std::make_shared<ChildEnd>();
  auto said = std::make_shared<QString>();
  const QPointer<QProcess> child =
      workbench_.engine().run(this, {QStringLiteral("import"), database, QStringLiteral("--into"), workbench_.store().path()},
                              [end, said](const EngineProgram::Answer& answer) {
                                *said = QString::fromUtf8(answer.output).trimmed();
                                const std::scoped_lock lock(end->mutex);
                                end->error = answer.exit_code == 0 ? QString() : answer.sentence();
                                end->ended = true;
                                end->signal.notify_all();
                              });
  workbench_.jobs().start(
      this, tr("Importing %1").arg(QFileInfo(database).fileName()),
      [end](JobControl& control) {
        control.progress(-1, tr("merging runs"));
        std::unique_lock lock(end->mutex);
        while (!end->ended && !control.cancelled()) end->signal.wait_for(lock, look_for_cancel_every);
        if (!end->error.isEmpty()) throw std::runtime_error(end->error.toStdString());
      },
      [this, child, said, database](const QString& error) {
        if (error == QStringLiteral("cancelled")) {
          if (child) child->terminate();  // the import is one transaction: nothing of it stays
        } else if (!error.isEmpty()) {
          strips_.show(QStringLiteral("import"), StripKind::error, tr("%1 was not imported: %2").arg(database, error));
        } else {
          workbench_.notice(tr("Imported %1: %2").arg(QFileInfo(database).fileName(), *said));
        }
      });
}

void WorkspaceJobs::verify() {
  const QString path = workbench_.store().path();
  auto found = std::make_shared<std::string>();
  workbench_.jobs().start(
      this, tr("Verifying %1").arg(QFileInfo(path).fileName()),
      [path, found](JobControl& control) {
        control.progress(-1, tr("reading every page"));
        *found = damage_of(path.toStdString());
      },
      [this, path, found](const QString& error) {
        if (error == QStringLiteral("cancelled")) return;
        const QString damage = error.isEmpty() ? QString::fromStdString(*found) : error;
        if (damage.isEmpty()) {
          strips_.show(QStringLiteral("verify"), StripKind::information, tr("%1 is in order: every page was read and checked").arg(path),
                       {}, 20);
          return;
        }
        const QString report = tr("Workspace: %1\nSize: %2 bytes\nFound: %3\n").arg(path, QString::number(QFileInfo(path).size()), damage);
        make_text_dialog(
            QStringLiteral("verify"), tr("Damage in the Workspace"),
            tr("The file itself was not changed. Runs that can still be read can be merged into a new workspace with Import Runs…"), report,
            &window_)
            ->open();
      });
}

void WorkspaceJobs::start(const QString& experiment_file) {
  const QString file = QFileInfo(experiment_file).absoluteFilePath();
  workbench_.engine().run(
      this, {QStringLiteral("launch"), file, QStringLiteral("--on"), QStringLiteral("local"), QStringLiteral("--detach")},
      [this, file](const EngineProgram::Answer& answer) {
        static const QRegularExpression id(QStringLiteral("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"));
        const QRegularExpressionMatch match = id.match(QString::fromUtf8(answer.output));
        if (answer.exit_code == 0 && match.hasMatch()) {
          workbench_.openRun(match.captured());
        } else {
          strips_.show(QStringLiteral("start"), StripKind::error, tr("%1 was not started: %2").arg(file, answer.sentence()),
                       {{tr("&Try Again"), [this, file] { start(file); }}});
        }
      });
}

}  // namespace syncline::ui
