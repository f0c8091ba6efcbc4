// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/status_fields.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QTimeZone>
#include <QToolButton>

#include "ui/models/format.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(StatusFields)
};

void show_text(QToolButton* button, const QString& text) {
  if (button->text() == text) return;
  button->setText(text);
  button->setAccessibleName(text);
}

}  // namespace

QString age_text(const WorkspacePulse& pulse, double now_utc_s) {
  if (!pulse.newest_s) return Texts::tr("no data yet");
  const bool live = pulse.states.value(QStringLiteral("running")) + pulse.states.value(QStringLiteral("stopping")) > 0;
  if (!live) return Texts::tr("last data %1").arg(format::ago(*pulse.newest_s, now_utc_s));
  // Clocks that disagree make no negative ages.
  const double age = std::max(0.0, now_utc_s - *pulse.newest_s);
  return Texts::tr("data %1 old").arg(format::duration(age < 10 ? std::round(age * 10) / 10 : std::round(age)));
}

QString zone_text(const QString& choice) {
  if (choice == QStringLiteral("utc")) return Texts::tr("times: UTC");
  const int minutes = QDateTime::currentDateTime().offsetFromUtc() / 60;
  if (minutes == 0) return Texts::tr("times: local (UTC)");
  const QString hours = QString::number(std::abs(minutes) / 60);
  const QString rest = minutes % 60 == 0 ? QString() : QString(u':' + QString::number(std::abs(minutes) % 60).rightJustified(2, u'0'));
  return Texts::tr("times: local (UTC%1%2%3)").arg(minutes < 0 ? QStringLiteral("\u2212") : QStringLiteral("+"), hours, rest);
}

StatusFields::StatusFields(QStatusBar& bar, QObject* parent)
    : QObject(parent),
      workspace_(field(bar, QStringLiteral("status.workspace"), tr("The workspace that this window shows; opens its settings"), false,
                       &StatusFields::workspaceClicked)),
      activity_(field(bar, QStringLiteral("status.activity"), tr("Runs by state; shows the runs"), false, &StatusFields::activityClicked)),
      age_(field(bar, QStringLiteral("status.age"), tr("Age of the newest sign of life of any run"), false, &StatusFields::ageClicked)),
      jobs_(field(bar, QStringLiteral("status.jobs"), tr("Background jobs; opens their list"), true, &StatusFields::jobsClicked)),
      zone_(field(bar, QStringLiteral("status.zone"), tr("The time zone of every time shown; opens its setting"), true,
                  &StatusFields::zoneClicked)),
      problems_(field(bar, QStringLiteral("status.problems"), tr("Problems of this session; opens their list"), true,
                      &StatusFields::problemsClicked)) {
  bar.setObjectName(QStringLiteral("window.status"));
  bar.setSizeGripEnabled(false);
  show_text(activity_, tr("opening"));
  age_->hide();
  setProblems(0);
  setJobs(0);
}

QToolButton* StatusFields::field(QStatusBar& bar, const QString& name, const QString& help, bool right, void (StatusFields::*clicked)()) {
  auto* button = new QToolButton(&bar);
  button->setObjectName(name);
  button->setAutoRaise(true);
  button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button->setFocusPolicy(Qt::TabFocus);
  button->setToolTip(help);
  button->setMinimumHeight(24);
  connect(button, &QToolButton::clicked, this, clicked);
  right ? bar.addPermanentWidget(button) : bar.addWidget(button);
  return button;
}

void StatusFields::setWorkspace(const QString& path, const QString& note) {
  QString shown = path;
  if (shown.startsWith(QDir::homePath() + u'/')) shown = u'~' + shown.mid(QDir::homePath().size());
  const QFontMetrics metrics = workspace_->fontMetrics();
  QString text = tr("workspace: %1").arg(metrics.elidedText(shown, Qt::ElideMiddle, metrics.averageCharWidth() * 40));
  if (!note.isEmpty()) text = tr("%1 (%2)").arg(text, note);
  show_text(workspace_, text);
  workspace_->setToolTip(tr("%1; opens its settings").arg(path));
}

void StatusFields::setPulse(const WorkspacePulse& pulse) {
  pulse_ = pulse;
  show_text(activity_, activity_text(pulse));
  age_->show();
  updateAge();
}

void StatusFields::setClosed() { show_text(activity_, tr("not open")); }

void StatusFields::updateAge() { show_text(age_, age_text(pulse_, static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1e3)); }

void StatusFields::setZone(const QString& choice) { show_text(zone_, zone_text(choice)); }

void StatusFields::setProblems(int unresolved) {
  problems_->setIcon(unresolved > 0 ? themed_icon(QStringLiteral("dialog-warning")) : QIcon());
  show_text(problems_, unresolved > 0 ? tr("%n problem(s)", nullptr, unresolved) : tr("no problems"));
}

void StatusFields::setJobs(int running) {
  jobs_->setVisible(running > 0);
  if (running > 0) show_text(jobs_, tr("%n background job(s)", nullptr, running));
}

}  // namespace syncline::ui
