// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/launch_controller.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <filesystem>

#include "engine/launch/process.h"
#include "ui/models/editor/background.h"

namespace syncline::ui {

LaunchController::LaunchController(ExperimentDocument& document, Validator& validator, Draft& draft, EngineProgram& engine,
                                   StoreService& store, QObject* parent)
    : QObject(parent), document_(document), validator_(validator), draft_(draft), engine_(engine), store_(store) {
  around_.cores = core_count();
  connect(&validator_, &Validator::examined, this, &LaunchController::judge);
  connect(&engine_, &EngineProgram::changed, this, [this] {
    command_of_.clear();
    judge();
  });
  connect(&store_, &StoreService::opened, this, &LaunchController::lookAround);
  judge();
}

int LaunchController::queued() const { return queue_ ? queue_->waiting() : 0; }

void LaunchController::setBusy(bool busy) {
  busy_ = busy;
  Q_EMIT busyChanged();
}

void LaunchController::judge() {
  around_.engine_problem = engine_.problem();
  around_.engine_version = engine_.version();
  items_ = validator_.latest() ? preflight(*validator_.latest(), around_) : std::vector<PreflightItem>{};
  Q_EMIT itemsChanged();
}

void LaunchController::lookAround() {
  struct Seen {
    bool mpirun = false;
    std::optional<double> free;
  };
  in_background(
      this,
      [folder = QFileInfo(engine_.workspace()).absolutePath().toStdString()] {
        Seen seen;
        seen.mpirun = !QStandardPaths::findExecutable(QStringLiteral("mpirun")).isEmpty();
        std::error_code error;
        const std::filesystem::space_info space = std::filesystem::space(folder, error);
        if (!error) seen.free = static_cast<double>(space.available);
        return seen;
      },
      [this](const Seen& seen) {
        around_.mpirun = seen.mpirun;
        around_.free_bytes = seen.free;
        judge();
      });
  store_.read<int>(
      this, QStringLiteral("ranks running"),
      [](Reader& reader) {
        int ranks = 0;
        for (const RunInfo& run : reader.runs()) {
          if (run.state == "running" || run.state == "stopping") ranks += run.workers + run.servers;
        }
        return ranks;
      },
      [this](const int& ranks) {
        around_.ranks_running = ranks;
        judge();
      });
}

void LaunchController::withFile(std::function<void(const QString& file)> go) {
  const QString path = launch_file(engine_.workspace(), draft_.id());
  in_background(
      this, [path, text = document_.text()] { return write_private_file(path, text); },
      [this, path, go = std::move(go)](const QString& error) {
        if (error.isEmpty()) {
          go(path);
        } else {
          setBusy(false);
          Q_EMIT failed(error);
        }
      });
}

void LaunchController::refreshCommand() {
  const auto examination = validator_.latest();
  const bool valid = validator_.upToDate() && examination->problems.empty() && examination->experiment;
  if (!engine_.problem().isEmpty() || !valid) {
    command_.clear();
    command_of_.clear();
    command_note_ = engine_.problem().isEmpty() ? tr("The command is shown once the experiment is valid") : engine_.problem();
    Q_EMIT commandChanged();
    return;
  }
  if (command_of_ == document_.text()) return;
  command_of_ = document_.text();
  withFile([this, asked = command_of_](const QString& file) {
    engine_.run(this, {QStringLiteral("launch"), file, QStringLiteral("--on"), QStringLiteral("local"), QStringLiteral("--print")},
                [this, asked](const EngineProgram::Answer& answer) {
                  if (asked != command_of_) return;
                  command_ = answer.exit_code == 0 ? QString::fromUtf8(answer.output).trimmed() : QString();
                  command_note_ = answer.sentence();
                  Q_EMIT commandChanged();
                });
  });
}

void LaunchController::dryRun() {
  if (busy_) return;
  const auto examination = validator_.latest();
  if (!examination || !examination->experiment) return;
  setBusy(true);
  withFile([this, workers = examination->experiment->cluster.workers](const QString& file) {
    dry_run_ = engine_.run(this, {QStringLiteral("train"), file, QStringLiteral("--dry-run"), QStringLiteral("--json")},
                           [this, workers](const EngineProgram::Answer& answer) {
                             setBusy(false);
                             const DryRunAnswer read = read_dry_run(answer, workers);
                             Q_EMIT dryRunAnswered(read.ok, read.sentences);
                           });
  });
}

void LaunchController::endDryRun() {
  if (dry_run_) dry_run_->terminate();
}

void LaunchController::launch(const std::vector<std::uint64_t>& seeds) {
  if (busy_) return;
  setBusy(true);
  draft_.save();
  LaunchQueue* queue = LaunchQueue::create(engine_, store_);
  queue_ = queue;
  connect(queue, &LaunchQueue::started, this, [this](const QString& id, int number, int of) {
    if (number == 1) setBusy(false);
    Q_EMIT launched(id, number, of);
  });
  connect(queue, &LaunchQueue::failed, this, [this](const QString& sentence) {
    if (busy_) setBusy(false);
    Q_EMIT failed(sentence);
  });
  queue->start(draft_.name(), document_.text(), seeds, draft_.id());
}

}  // namespace syncline::ui
