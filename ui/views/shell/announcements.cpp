// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/announcements.h"

#include <QAccessible>
#include <QAccessibleEvent>
#include <QApplication>
#include <QSystemTrayIcon>

#include "ui/models/format.h"
#include "ui/models/problems.h"
#include "ui/models/settings.h"
#include "ui/views/shell/theme.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

Announcements::Announcements(Workbench& workbench, QWidget& window) : QObject(&window), workbench_(workbench), window_(window) {}
Announcements::~Announcements() = default;

void Announcements::take(const WorkspacePulse& pulse) {
  QStringList finished, bad;
  const auto failed = [&](const RunBeat& run, const QString& text) {
    bad << text;
    const QString id = run.id;
    workbench_.problems().report(QStringLiteral("run ") + id, run.name, text, [&bench = workbench_, id] { bench.openRun(id); });
  };
  for (const RunBeat& run : pulse.ended) {
    if (run.state == QStringLiteral("failed")) {
      failed(run, run.reason.isEmpty() ? tr("%1 failed").arg(format::isolated(run.name))
                                       : tr("%1 failed: %2").arg(format::isolated(run.name), run.reason));
    } else {
      finished << (run.state == QStringLiteral("stopped") ? tr("%1 was stopped").arg(format::isolated(run.name))
                                                          : tr("%1 has finished").arg(format::isolated(run.name)));
      workbench_.problems().resolve(QStringLiteral("run ") + run.id);
    }
  }
  QMap<QString, QString> now;
  for (const RunBeat& run : pulse.active) {
    now[run.id] = run.state;
    if (run.state == QStringLiteral("lost") && states_.value(run.id) != run.state && !first_) {
      failed(run, tr("%1 is lost: %2").arg(format::isolated(run.name), run.reason));
    }
  }
  states_ = now;
  first_ = false;
  const Settings& settings = workbench_.settings();
  if (!finished.isEmpty()) {
    tell(finished.size() == 1 ? finished.front() : tr("%n run(s) have ended", nullptr, static_cast<int>(finished.size())),
         settings.value(keys::notify_finished, false).toBool());
  }
  if (!bad.isEmpty()) {
    tell(bad.size() == 1 ? bad.front() : tr("%n run(s) failed or were lost", nullptr, static_cast<int>(bad.size())),
         settings.value(keys::notify_failed, false).toBool());
  }
}

void Announcements::tell(const QString& text, bool to_desktop) {
  window_.setAccessibleDescription(text);
  QAccessibleEvent alert(&window_, QAccessible::Alert);
  QAccessible::updateAccessibility(&alert);
  if (to_desktop && QSystemTrayIcon::isSystemTrayAvailable() && QSystemTrayIcon::supportsMessages()) {
    if (tray_ == nullptr) tray_ = new QSystemTrayIcon(QApplication::windowIcon(), this);
    tray_->show();
    tray_->showMessage(QStringLiteral("Syncline"), text, QApplication::windowIcon());
  }
  Q_EMIT announced(text);
}

}  // namespace syncline::ui
