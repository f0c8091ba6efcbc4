// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/trash_keeper.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <algorithm>

#include "engine/store/registry.h"
#include "ui/models/settings.h"

namespace syncline::ui {

namespace {

constexpr double day_s = 24 * 3600;

}  // namespace

std::map<QString, double> read_trash_times(Reader& reader) {
  Statement select = reader.database().prepare(
      "SELECT coalesce(run.attempt_of, run.id), max(annotation.trashed_at) FROM annotation JOIN run ON run.id = annotation.run_id WHERE "
      "annotation.trashed_at IS NOT NULL GROUP BY 1");
  std::map<QString, double> times;
  while (select.step()) times[QString::fromStdString(select.text(0))] = select.real(1);
  return times;
}

std::vector<TrashedRun> read_old_trash(Reader& reader, int days, double now_utc_s) {
  std::map<QString, double> times = read_trash_times(reader);
  std::erase_if(times, [&](const auto& one) { return one.second > now_utc_s - days * day_s; });
  std::vector<TrashedRun> old;
  if (times.empty()) return old;
  const RunsSnapshotPtr runs = read_runs(reader, nullptr);
  for (const RunRowPtr& row : runs->trashed) {
    const auto time = times.find(row->id());
    if (time == times.end() || !reason_to_keep(*row).isEmpty()) continue;
    old.push_back({row->id(), QString::fromStdString(row->info.name), row->attempts, time->second});
  }
  return old;
}

TrashKeeper::TrashKeeper(StoreService& store, Settings& settings, QObject* parent) : QObject(parent), store_(store), settings_(settings) {}

QString TrashKeeper::key() const {
  const QByteArray path = QFileInfo(store_.path()).absoluteFilePath().toUtf8();
  return QStringLiteral("trash/announced-") +
         QString::fromLatin1(QCryptographicHash::hash(path, QCryptographicHash::Sha1).toHex().left(16));
}

void TrashKeeper::look(double now_utc_s) {
  const int days = settings_.value(days_setting, default_days).toInt();
  if (days <= 0 || store_.readOnly() || store_.keepsNothing()) return;
  store_.read<std::vector<TrashedRun>>(
      this, QStringLiteral("old trash"), [days, now_utc_s](Reader& reader) { return read_old_trash(reader, days, now_utc_s); },
      [this, days, now_utc_s](const std::vector<TrashedRun>& old) { judge(old, days, now_utc_s); });
}

// Announced: "id time" for each run that has been named, with when that was.
void TrashKeeper::judge(const std::vector<TrashedRun>& old, int days, double now_utc_s) {
  std::map<QString, double> announced_at;
  for (const QString& one : settings_.value(key()).toStringList()) announced_at[one.section(u' ', 0, 0)] = one.section(u' ', 1).toDouble();
  QStringList known, names;
  std::vector<std::string> going;
  int runs_going = 0;
  for (const TrashedRun& run : old) {
    const auto told = announced_at.find(run.id);
    // Restored and put there again since: that begins anew.
    const bool still = told != announced_at.end() && told->second > run.since_utc_s;
    if (still && now_utc_s >= told->second + grace_days * day_s) {
      going.insert(going.end(), run.attempts.begin(), run.attempts.end());
      ++runs_going;
      continue;
    }
    if (!still) names << run.name;
    known << QStringLiteral("%1 %2").arg(run.id, QString::number(still ? told->second : now_utc_s, 'f', 0));
  }
  settings_.set(key(), known);
  if (!names.isEmpty()) Q_EMIT announced(static_cast<int>(names.size()), days, names);
  if (going.empty()) return;
  store_.write(
      this,
      [going, days, now_utc_s](StoreService::Writer& writer) {
        // What was restored a moment ago, here or in another window, stays.
        Reader reader(writer.workspace);
        std::vector<std::string> old_now;
        for (const TrashedRun& run : read_old_trash(reader, days, now_utc_s))
          old_now.insert(old_now.end(), run.attempts.begin(), run.attempts.end());
        RunRegistry registry(writer.workspace);
        for (const std::string& id : going) {
          if (std::find(old_now.begin(), old_now.end(), id) != old_now.end()) registry.remove(id, false);
        }
      },
      [this, runs_going, days] { Q_EMIT removed(runs_going, days); }, [this](const QString& sentence) { Q_EMIT failed(sentence); });
}

}  // namespace syncline::ui
