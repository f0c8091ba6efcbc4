// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/session.h"

#include <QCryptographicHash>

#include "engine/store/process.h"
#include "ui/models/settings.h"

namespace syncline::ui {

namespace {

constexpr int layout_version = 1;  // what is saved is understood by this version alone; others start fresh, without a message

}  // namespace

Session::Session(Settings& settings, const QString& workspace)
    : settings_(settings),
      group_(QStringLiteral("session/") +
             QString::fromLatin1(QCryptographicHash::hash(workspace.toUtf8(), QCryptographicHash::Sha1).toHex().left(12))) {}

QString Session::key(const char* name) const { return QString(group_ + u'/' + QLatin1String(name)); }

Session::Start Session::begin() {
  ProcessIdentity last = this_process();
  last.pid = settings_.value(key("pid"), 0).toLongLong();
  last.start_ticks = settings_.value(key("start-ticks"), 0).toLongLong();
  const bool same_boot = settings_.value(key("boot")).toString() == QString::fromStdString(last.boot_id);
  const ProcessIdentity mine = this_process();
  const bool by_this_process = same_boot && last.pid == mine.pid && last.start_ticks == mine.start_ticks;  // another workspace in between
  const bool open_elsewhere = last.pid > 0 && same_boot && !by_this_process && process_exists(last) == true;
  if (open_elsewhere) return Start::second_window;

  owner_ = true;
  const bool crashed = last.pid > 0 && !by_this_process;
  const int crashes = crashed ? settings_.value(key("crashes"), 0).toInt() + 1 : 0;
  settings_.set(key("pid"), static_cast<qlonglong>(mine.pid));
  settings_.set(key("start-ticks"), static_cast<qlonglong>(mine.start_ticks));
  settings_.set(key("boot"), QString::fromStdString(mine.boot_id));
  settings_.set(key("crashes"), crashes);
  const bool understood = settings_.value(key("version"), 0).toInt() == layout_version;
  settings_.set(key("version"), layout_version);
  if (understood) {
    pages_ = settings_.value(key("pages")).toStringList();
    current_ = settings_.value(key("current")).toString();
  }
  if (pages_.isEmpty() && current_.isEmpty()) return Start::fresh;
  if (crashes >= 2 && !pages_.isEmpty()) {
    // Saved as empty now: should this start break off as well, the next one is not the third of the same layout.
    settings_.set(key("pages"), QStringList());
    settings_.set(key("crashes"), 0);
    return Start::crashed_twice;
  }
  return crashed && !pages_.isEmpty() ? Start::after_crash : Start::resumed;
}

void Session::save(const QStringList& pages, const QString& current) {
  if (!owner_) return;
  settings_.set(key("pages"), pages);
  settings_.set(key("current"), current);
}

void Session::end() {
  if (!owner_) return;
  for (const char* name : {"pid", "start-ticks", "boot", "crashes"}) settings_.remove(key(name));
  owner_ = false;
}

}  // namespace syncline::ui
