// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/run_header.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QVBoxLayout>
#include <cmath>

#include "engine/metrics/clock.h"
#include "engine/store/process.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/models/run_page_state.h"

namespace syncline::ui {

namespace {

QLabel* label(QWidget* parent, const char* name, const QString& accessible) {
  auto* made = new QLabel(parent);
  made->setObjectName(QString::fromLatin1(name));
  made->setAccessibleName(accessible);
  made->setTextFormat(Qt::PlainText);  // names are the user's
  made->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return made;
}

// A long name or tag list gives way to the buttons.
void may_shrink(QLabel* label) {
  QSizePolicy policy = label->sizePolicy();
  policy.setHorizontalPolicy(QSizePolicy::Ignored);
  label->setSizePolicy(policy);
}

void set_text(QLabel* label, const QString& text) {
  if (label->text() != text) label->setText(text);
}

}  // namespace

RunHeader::RunHeader(RunContext context, RunActions& actions, QWidget* parent) : QWidget(parent), context_(context), actions_(actions) {
  setObjectName(QStringLiteral("run.header"));
  name_ = label(this, "run.name", tr("Name and seed"));
  state_ = label(this, "run.state", tr("State"));
  progress_text_ = label(this, "run.progress-text", tr("Progress"));
  left_ = label(this, "run.left", tr("Time left"));
  age_ = label(this, "run.age", tr("Age of the data"));
  placement_ = label(this, "run.placement", tr("Ranks"));
  attempts_ = label(this, "run.attempts", tr("Attempts"));
  attempts_->setTextFormat(Qt::RichText);
  attempts_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  request_ = label(this, "run.request", tr("What was asked of the run"));
  tags_ = label(this, "run.tags-text", tr("Tags"));
  note_ = label(this, "run.note-text", tr("Note"));
  progress_ = new QProgressBar(this);
  progress_->setObjectName(QStringLiteral("run.progress"));
  progress_->setAccessibleName(tr("Progress"));
  progress_->setTextVisible(false);
  progress_->setRange(0, 1000);
  progress_->setMaximumHeight(6);
  QFont large = name_->font();
  large.setBold(true);
  large.setPointSizeF(large.pointSizeF() * 1.15);
  name_->setFont(large);
  QFont bold = state_->font();
  bold.setBold(true);
  state_->setFont(bold);
  may_shrink(name_);
  may_shrink(tags_);
  may_shrink(note_);
  may_shrink(placement_);

  stop_ = button(actions.stop);
  actions.setStopAnchor(stop_);
  star_ = button(actions.star);
  star_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  star_->setMinimumWidth(28);
  auto* more = new QToolButton(this);
  more->setObjectName(QStringLiteral("run.more"));
  more->setText(QStringLiteral("⋯"));
  more->setAccessibleName(tr("More actions on this run"));
  more->setToolTip(tr("More actions on this run"));
  more->setPopupMode(QToolButton::InstantPopup);
  more->setMinimumSize(28, 24);
  auto* menu = new QMenu(more);
  menu->setToolTipsVisible(true);
  for (QAction* action : {actions.duplicate, actions.compare_with, actions.compare, actions.check_state, actions.mark_stopped})
    menu->addAction(action);
  menu->addSeparator();
  for (QAction* action : {actions.trace, actions.compute_only}) menu->addAction(action);
  menu->addSeparator();
  for (QAction* action : {actions.tags, actions.note, actions.open_folder}) menu->addAction(action);
  more->setMenu(menu);

  auto* first = new QHBoxLayout;
  first->setSpacing(6);
  first->addWidget(name_, 1);
  first->addWidget(stop_);
  first->addWidget(button(actions.checkpoint));
  first->addWidget(button(actions.resume));
  first->addWidget(star_);
  first->addWidget(more);
  auto* second = new QHBoxLayout;
  second->setSpacing(16);
  second->addWidget(state_);
  second->addWidget(progress_text_);
  second->addWidget(left_);
  second->addStretch(1);
  second->addWidget(request_);
  second->addWidget(age_);
  auto* third = new QHBoxLayout;
  third->setSpacing(16);
  third->addWidget(placement_, 3);
  third->addWidget(attempts_);
  third->addWidget(tags_, 1);
  third->addWidget(note_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 6, 8, 2);
  layout->setSpacing(3);
  layout->addLayout(first);
  layout->addLayout(second);
  layout->addWidget(progress_);
  layout->addLayout(third);
  connect(attempts_, &QLabel::linkActivated, this, [this](const QString& id) { context_.workbench.openRun(id); });
}

QToolButton* RunHeader::button(QAction* action) {
  auto* made = new QToolButton(this);
  made->setDefaultAction(action);
  made->setObjectName(action->objectName() + QStringLiteral(".button"));
  made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  made->setMinimumHeight(24);
  made->setFocusPolicy(Qt::StrongFocus);
  made->setAccessibleName(action->text().remove(u'&'));
  return made;
}

void RunHeader::update() {
  if (!context_.data.known()) {
    set_text(state_, tr("Reading the run…"));
    return;
  }
  const RunSnapshot& snapshot = context_.data.snapshot();
  const RunInfo& run = snapshot.run;
  set_text(name_, tr("%1 · seed %2").arg(format::isolated(QString::fromStdString(run.name))).arg(run.seed));
  name_->setToolTip(tr("%1 · id %2").arg(format::isolated(QString::fromStdString(run.name)), QString::fromStdString(run.id)));
  set_text(progress_text_, progress_text(snapshot));
  if (snapshot.total_steps && snapshot.position && *snapshot.total_steps > 0) {
    progress_->setValue(static_cast<int>(
        std::llround(1000.0 * static_cast<double>(snapshot.position->step + 1) / static_cast<double>(*snapshot.total_steps))));
    progress_->setVisible(true);
  } else {
    progress_->setVisible(false);
  }
  set_text(placement_, placement_text(snapshot, QString::fromStdString(host_name())));
  placement_->setToolTip(placement_->text());
  QString attempts;
  if (snapshot.attempts.size() > 1) {
    QStringList links;
    for (const RunInfo& attempt : snapshot.attempts) {
      const QString number = QString::number(attempt.attempt);
      links << (attempt.id == run.id ? QString(QStringLiteral("<b>") + number + QStringLiteral("</b>"))
                                     : QStringLiteral("<a href=\"%1\">%2</a>").arg(QString::fromStdString(attempt.id), number));
    }
    attempts = tr("attempts: %1").arg(links.join(QStringLiteral(" ")));
  }
  set_text(attempts_, attempts);
  attempts_->setVisible(!attempts.isEmpty());
  QStringList tags;
  for (const std::string& tag : run.tags) tags << QString::fromStdString(tag);
  set_text(tags_, tags.isEmpty() ? QString() : tr("tags: %1").arg(tags.join(QStringLiteral(", "))));
  const QString note = QString::fromStdString(run.notes);
  set_text(note_, note.isEmpty() ? QString() : QString(QStringLiteral("✎ ") + note.section(u'\n', 0, 0)));
  note_->setToolTip(note);
  star_->setText(run.starred ? QStringLiteral("★") : QStringLiteral("☆"));
  updateAge();
}

void RunHeader::updateAge() {
  if (!context_.data.known()) return;
  const RunSnapshot& snapshot = context_.data.snapshot();
  const double now = utc_s();
  const ShownState state = shown_state(snapshot, now);
  const QString text = state.icon + u' ' + state.text();
  // A long reason stands in the banner; here it would push everything else away.
  set_text(state_, text.size() > 60 ? QString(state.icon + u' ' + state.word) : text);
  state_->setToolTip(state.text());
  recolour();
  set_text(request_, request_text(snapshot, now));
  const std::optional<double> left =
      snapshot.active() && snapshot.total_steps ? remaining_time(snapshot.progress, *snapshot.total_steps) : std::nullopt;
  set_text(left_, left && *left > 0 ? tr("left ≈ %1").arg(format::duration(*left)) : QString());
  if (snapshot.active()) {
    const double newest = snapshot.position ? snapshot.position->wall_s : snapshot.run.created;
    const double age = std::max(0.0, now - newest);
    set_text(age_, snapshot.position ? tr("last data %1 ago").arg(format::duration(age < 10 ? std::round(age * 10) / 10 : std::floor(age)))
                                     : tr("no data yet"));
  } else if (snapshot.run.ended) {
    set_text(age_, tr("ended %1").arg(format::moment(*snapshot.run.ended, QTimeZone::systemTimeZone())));
    age_->setToolTip(format::isoUtc(*snapshot.run.ended));
  } else {
    set_text(age_, QString());
  }
}

void RunHeader::recolour() {
  if (!context_.data.known()) return;
  const bool dark = palette::isDark(palette());
  const Tone tone = shown_state(context_.data.snapshot(), utc_s()).tone;
  QPalette mine = palette();
  if (tone != Tone::plain) {
    const auto status = tone == Tone::good        ? palette::Status::good
                        : tone == Tone::attention ? palette::Status::attention
                        : tone == Tone::bad       ? palette::Status::bad
                                                  : palette::Status::muted;
    mine.setColor(QPalette::WindowText, palette::status(status, dark));
  }
  if (state_->palette().color(QPalette::WindowText) != mine.color(QPalette::WindowText)) state_->setPalette(mine);
}

void RunHeader::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) recolour();
  QWidget::changeEvent(event);
}

}  // namespace syncline::ui
