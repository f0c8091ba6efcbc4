// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/launching.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QTimer>
#include <algorithm>

#include "engine/launch/command.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr std::size_t most_seeds = 100;

QString say(const char* text) { return QCoreApplication::translate("Launching", text); }

std::optional<std::uint64_t> seed_of(const QString& text) {
  bool ok = false;
  const qulonglong seed = text.trimmed().toULongLong(&ok);
  return ok && seed <= static_cast<qulonglong>(INT64_MAX) ? std::optional<std::uint64_t>(seed) : std::nullopt;
}

QString first_problem(const Examination& examination) {
  return examination.problems.empty() ? QString() : QString::fromStdString(examination.problems.front().message);
}

void data_item(const Examination& examination, std::vector<PreflightItem>& items) {
  if (examination.data)
    items.push_back({PreflightItem::good, QStringLiteral("data"),
                     say("data found: %1 training samples").arg(format::count(examination.data->train_size))});
  else if (!examination.data_problem.isEmpty())
    items.push_back({PreflightItem::bad, QStringLiteral("data"), say("data not found: %1").arg(examination.data_problem)});
}

void slots_item(const Experiment& experiment, const Surroundings& around, std::vector<PreflightItem>& items) {
  const int ranks = static_cast<int>(experiment.cluster.workers);
  const int threads = resolve_threads(static_cast<int>(experiment.cluster.threads_per_worker), ranks, around.cores);
  const std::int64_t wanted = std::int64_t{ranks} * threads;
  const QString need = format::counted(ranks, say("%1 rank"), say("%1 ranks")) + QStringLiteral(" × ") +
                       format::counted(threads, say("%1 thread"), say("%1 threads"));
  if (wanted > around.cores)
    items.push_back({PreflightItem::warning, QStringLiteral("slots"),
                     say("%1 on %2 cores: ranks share cores, so times say little").arg(need, format::count(around.cores))});
  else if (around.ranks_running > 0)
    items.push_back({PreflightItem::warning, QStringLiteral("slots"),
                     say("%1 of %2 cores, and %3 compute here now")
                         .arg(need, format::count(around.cores),
                              format::counted(around.ranks_running, say("%1 rank of other runs"), say("%1 ranks of other runs")))});
  else
    items.push_back({PreflightItem::good, QStringLiteral("slots"), say("%1 of %2 cores").arg(need, format::count(around.cores))});
}

void disk_item(const Examination& examination, const Surroundings& around, std::vector<PreflightItem>& items) {
  if (!around.free_bytes) return;
  const QString free = format::bytes(*around.free_bytes);
  if (!examination.checkpoint_bytes) {
    items.push_back({PreflightItem::unknown, QStringLiteral("disk"), say("%1 free; the size of a checkpoint is not known").arg(free)});
    return;
  }
  // One more than are kept: the oldest goes when the new one is complete.
  const double need = *examination.checkpoint_bytes * static_cast<double>(examination.experiment->checkpoint.keep + 1);
  const bool enough = need < *around.free_bytes;
  items.push_back(
      {enough ? PreflightItem::good : PreflightItem::bad, QStringLiteral("disk"),
       (enough ? say("%1 free, checkpoints need %2") : say("%1 free, but checkpoints need %2")).arg(free, format::bytes(need))});
}

}  // namespace

std::optional<std::vector<std::uint64_t>> parse_seeds(const QString& typed, QString* reason) {
  std::vector<std::uint64_t> seeds;
  const auto refuse = [reason](const QString& text) {
    if (reason != nullptr) *reason = text;
    return std::nullopt;
  };
  for (const QString& part : typed.split(u',', Qt::SkipEmptyParts)) {
    QString text = part.trimmed();
    if (text.isEmpty()) continue;
    text.replace(QChar(0x2013), u'-');  // an en dash does as well
    const QStringList ends = text.split(u'-');
    const auto first = seed_of(ends.front()), last = seed_of(ends.back());
    if (!first || !last || ends.size() > 2)
      return refuse(say("%1 is no seed: give numbers such as 1, 2, 7 or a range such as 1-5").arg(text));
    if (*last < *first) return refuse(say("the range %1 goes down; give it as %2-%3").arg(text, ends.back(), ends.front()));
    if (*last - *first >= most_seeds) return refuse(say("at most %1 seeds").arg(most_seeds));
    for (std::uint64_t seed = *first; seed <= *last; ++seed) {
      if (std::find(seeds.begin(), seeds.end(), seed) != seeds.end()) return refuse(say("the seed %1 is there twice").arg(seed));
      seeds.push_back(seed);
    }
    if (seeds.size() > most_seeds) return refuse(say("at most %1 seeds").arg(most_seeds));
  }
  return seeds;
}

std::vector<PreflightItem> preflight(const Examination& examination, const Surroundings& around) {
  std::vector<PreflightItem> items;
  if (examination.problems.empty() && examination.experiment)
    items.push_back({PreflightItem::good, QStringLiteral("experiment"), say("experiment valid")});
  else
    items.push_back({PreflightItem::bad, QStringLiteral("experiment"),
                     examination.problems.size() > 1
                         ? say("%1 problems, the first: %2")
                               .arg(format::count(static_cast<std::int64_t>(examination.problems.size())), first_problem(examination))
                         : first_problem(examination)});
  if (!around.engine_problem.isEmpty())
    items.push_back({PreflightItem::bad, QStringLiteral("engine"), around.engine_problem});
  else if (around.engine_version)
    items.push_back({PreflightItem::good, QStringLiteral("engine"), say("engine %1 found, same version").arg(*around.engine_version)});
  else
    items.push_back({PreflightItem::unknown, QStringLiteral("engine"), say("the engine is being asked for its version")});
  if (examination.experiment) {
    if (examination.experiment->cluster.workers > 1)
      items.push_back(around.mpirun ? PreflightItem{PreflightItem::good, QStringLiteral("mpirun"), say("mpirun found")}
                                    : PreflightItem{PreflightItem::bad, QStringLiteral("mpirun"),
                                                    say("mpirun is not in PATH, and more than one rank needs it; install Open MPI")});
    slots_item(*examination.experiment, around, items);
  }
  data_item(examination, items);
  if (examination.experiment) disk_item(examination, around, items);
  return items;
}

DryRunAnswer read_dry_run(const EngineProgram::Answer& answer, std::int64_t workers_asked) {
  DryRunAnswer result;
  if (answer.exit_code != 0) {
    result.sentences << answer.sentence();
    return result;
  }
  const QJsonDocument document = QJsonDocument::fromJson(answer.output);
  const QJsonObject said = document.object();
  if (!said.contains(QStringLiteral("ranks"))) {
    result.sentences << say("the engine's answer is not understood; look at it with the command shown");
    return result;
  }
  const auto whole = [&said](const char16_t* key) { return static_cast<std::int64_t>(said.value(QStringView(key)).toDouble()); };
  const std::int64_t ranks = whole(u"ranks");
  const QString communicator = said.value(QStringLiteral("communicator")).toString();
  if (ranks != workers_asked) {
    result.sentences << say("failed start: asked for %1, got %2")
                            .arg(format::counted(workers_asked, say("%1 rank"), say("%1 ranks")), format::count(ranks));
    return result;
  }
  result.ok = true;
  const QString threads = format::counted(whole(u"threads_per_worker"), say("%1 thread"), say("%1 threads"));
  result.sentences << (ranks == 1 ? say("1 rank of %1, no communication").arg(threads)
                                  : say("%1 ranks of %2 over %3, allreduce %4%5")
                                        .arg(format::count(ranks), threads, communicator.toUpper(),
                                             said.value(QStringLiteral("allreduce")).toString(),
                                             said.value(QStringLiteral("emulated_link")).toBool() ? say(", emulated link") : QString()))
                   << say("%1 parameters in %2")
                          .arg(format::count(whole(u"parameters")),
                               format::counted(whole(u"buckets"), say("%1 message"), say("%1 messages")))
                   << say("one step of %1 took %2, the first being the slowest; nothing was recorded")
                          .arg(format::counted(whole(u"samples"), say("%1 sample"), say("%1 samples")),
                               format::duration(said.value(QStringLiteral("step_s")).toDouble()));
  return result;
}

QString launched_id(const EngineProgram::Answer& answer) {
  if (answer.exit_code != 0) return {};
  return QJsonDocument::fromJson(answer.output).object().value(QStringLiteral("id")).toString();
}

QString launch_file(const QString& workspace, const QString& draft_id) {
  const QFileInfo database(workspace);
  return database.dir().filePath(database.completeBaseName() + QStringLiteral(".drafts/") + draft_id + QStringLiteral(".toml"));
}

QString write_private_file(const QString& path, const std::string& content) {
  const QDir folder = QFileInfo(path).dir();
  if (!folder.exists()) {
    if (!QDir().mkpath(folder.path())) return say("cannot make the folder %1").arg(folder.path());
    QFile::setPermissions(folder.path(), QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
  }
  QSaveFile file(path);
  const bool written = file.open(QIODevice::WriteOnly) &&
                       file.write(content.data(), static_cast<qint64>(content.size())) == static_cast<qint64>(content.size());
  if (!written || !file.commit()) return say("cannot write %1: %2").arg(path, file.errorString());
  return {};
}

}  // namespace syncline::ui
