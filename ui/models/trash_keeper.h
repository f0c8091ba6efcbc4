// SPDX-License-Identifier: GPL-3.0-or-later
// Runs leave the trash by themselves some time after they were put there, and never without a word: they are named first, and go at a later
// start of the window, at the earliest a day after.
#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ui/models/runs_rows.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

class Settings;

// Run of the trash: which it is, its attempts, and since when it has been there.
struct TrashedRun {
  QString id, name;
  std::vector<std::string> attempts;
  double since_utc_s = 0;
  bool operator==(const TrashedRun&) const = default;
};
// Those that may go: put there `days` ago or earlier, neither locked nor going on.
std::vector<TrashedRun> read_old_trash(Reader&, int days, double now_utc_s);
// Since when each run (by the id of its first attempt) has been in the trash.
std::map<QString, double> read_trash_times(Reader&);

class TrashKeeper : public QObject {
  Q_OBJECT

 public:
  inline static const QString days_setting = QStringLiteral("trash/days");  // 0: runs stay until the trash is emptied
  static constexpr int default_days = 30, grace_days = 1;

  TrashKeeper(StoreService&, Settings&, QObject* parent = nullptr);
  // Once, when the runs are there. `now` is UTC.
  void look(double now_utc_s);

 Q_SIGNALS:
  void announced(int runs, int days, const QStringList& names);  // they go at a later start unless they are restored
  void removed(int runs, int days);
  void failed(const QString& sentence);

 private:
  void judge(const std::vector<TrashedRun>&, int days, double now_utc_s);
  QString key() const;  // of what was announced: each workspace its own

  StoreService& store_;
  Settings& settings_;
};

}  // namespace syncline::ui
