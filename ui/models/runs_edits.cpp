// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_edits.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <QCoreApplication>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"
#include "engine/store/process.h"
#include "ui/models/format.h"

namespace syncline::ui {

void RunsEdits::annotate(const std::vector<RunRowPtr>& rows, std::function<void(Annotations&, const std::string&)> edit, Done done,
                         Failed failed) {
  if (rows.empty()) return;
  const auto both = [always = failed_, also = std::move(failed)](const QString& sentence) {
    if (always) always(sentence);
    if (also) also(sentence);
  };
  store_.write(
      context_,
      [rows, edit = std::move(edit)](StoreService::Writer& writer) {
        Annotations annotations(writer.workspace);
        for (const RunRowPtr& row : rows) {
          for (const std::string& id : row->attempts) edit(annotations, id);
        }
      },
      std::move(done), both);
}

void RunsEdits::rename(const RunRowPtr& row, const QString& name, Done done, Failed failed) {
  const std::string text = name.trimmed().toStdString();
  annotate(
      {row}, [text](Annotations& annotations, const std::string& id) { annotations.rename(id, text); }, std::move(done), std::move(failed));
}

void RunsEdits::setNote(const std::vector<RunRowPtr>& rows, const QString& text, Done done, Failed failed) {
  const std::string note = text.toStdString();
  annotate(
      rows, [note](Annotations& annotations, const std::string& id) { annotations.set_notes(id, note); }, std::move(done),
      std::move(failed));
}

void RunsEdits::changeTags(const std::vector<RunRowPtr>& rows, const QStringList& add, const QStringList& remove, Done done,
                           Failed failed) {
  std::vector<std::string> added, removed;
  for (const QString& tag : add) added.push_back(tag.toStdString());
  for (const QString& tag : remove) removed.push_back(tag.toStdString());
  annotate(
      rows,
      [added, removed](Annotations& annotations, const std::string& id) {
        for (const std::string& tag : removed) annotations.remove_tag(id, tag);
        for (const std::string& tag : added) annotations.add_tag(id, tag);
      },
      std::move(done), std::move(failed));
}

void RunsEdits::setTags(const RunRowPtr& row, const QStringList& tags, Done done, Failed failed) {
  QStringList add, remove;
  for (const std::string& tag : row->info.tags) {
    if (!tags.contains(QString::fromStdString(tag))) remove << QString::fromStdString(tag);
  }
  for (const QString& tag : tags) {
    if (std::find(row->info.tags.begin(), row->info.tags.end(), tag.toStdString()) == row->info.tags.end()) add << tag;
  }
  if (add.isEmpty() && remove.isEmpty()) {  // "a, a" for "a"
    if (done) done();
    return;
  }
  changeTags({row}, add, remove, std::move(done), std::move(failed));
}

void RunsEdits::setStarred(const std::vector<RunRowPtr>& rows, bool starred, Done done) {
  annotate(
      rows, [starred](Annotations& annotations, const std::string& id) { annotations.set_starred(id, starred); }, std::move(done));
}

void RunsEdits::setLocked(const std::vector<RunRowPtr>& rows, bool locked, Done done) {
  annotate(
      rows, [locked](Annotations& annotations, const std::string& id) { annotations.set_locked(id, locked); }, std::move(done));
}

void RunsEdits::setTrashed(const std::vector<RunRowPtr>& rows, bool trashed, Done done) {
  annotate(
      rows, [trashed](Annotations& annotations, const std::string& id) { annotations.set_trashed(id, trashed); }, std::move(done));
}

void RunsEdits::removeForGood(const std::vector<RunRowPtr>& rows, Done done, Failed failed) {
  store_.write(
      context_,
      [rows](StoreService::Writer& writer) {
        RunRegistry registry(writer.workspace);
        for (const RunRowPtr& row : rows) {
          for (const std::string& id : row->attempts) registry.remove(id, false);
        }
      },
      std::move(done), std::move(failed));
}

void RunsEdits::markStopped(const std::vector<RunRowPtr>& rows, const QString& who, Done done, Failed failed) {
  store_.write(
      context_,
      [rows, who = who.toStdString()](StoreService::Writer& writer) {
        Reader reader(writer.workspace);
        RunRegistry registry(writer.workspace);
        for (const RunRowPtr& row : rows) {
          const RunInfo now = reader.run(row->info.id);  // it may have spoken since it was looked at
          if (!may_be_marked_stopped(now.state))
            throw WorkspaceError(
                fmt::format("{} is {}: only a run that is lost or unreachable can be marked as stopped", now.name, now.state));
          registry.finish(now.id, stopped_by_hand(now, who, utc_s()));
        }
      },
      std::move(done), std::move(failed));
}

QString person_here() {
  const passwd* known = ::getpwuid(::geteuid());
  const QString name = known != nullptr ? QString::fromLocal8Bit(known->pw_name) : QString::number(::geteuid());
  return QCoreApplication::translate("Runs", "%1 on %2").arg(name, QString::fromStdString(host_name()));
}

ExitRecord stopped_by_hand(const RunInfo& run, const std::string& who, double now_utc_s) {
  const std::string before = run.reason.empty() ? run.state : run.state == "unknown" ? run.reason : run.state + ", " + run.reason;
  return {"stopped", fmt::format("marked as stopped by {}, {}; before that: {}", who, format::isoUtc(now_utc_s).toStdString(), before),
          static_cast<int>(ExitCode::stopped), now_utc_s};
}

void RunsEdits::ask(const std::vector<RunRowPtr>& rows, const std::string& kind, Done done) {
  store_.write(
      context_,
      [rows, kind](StoreService::Writer& writer) {
        Requests requests(writer.workspace);
        for (const RunRowPtr& row : rows) requests.ask(row->info.id, kind, "the window");
      },
      std::move(done));
}

QStringList tags_of(const QString& text) {
  QStringList tags;
  for (const QString& part : text.split(u',', Qt::SkipEmptyParts)) {
    const QString tag = part.simplified();
    if (!tag.isEmpty() && !tags.contains(tag)) tags << tag;
  }
  return tags;
}

}  // namespace syncline::ui
