// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/run_page.h"

#include <QAccessible>
#include <QTabBar>

#include "ui/models/format.h"
#include "ui/models/log_index.h"
#include "ui/models/navigation_model.h"
#include "ui/models/run_page_state.h"
#include "ui/models/settings.h"
#include "ui/views/run/timeline_tab.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

namespace {

constexpr int banner_log_lines = 20;

}  // namespace

Page* make_run_page(Workbench& workbench, const QString& run_id, const QString& tab) { return new RunPage(workbench, run_id, tab); }

RunPage::RunPage(Workbench& workbench, const QString& run_id, const QString& tab)
    : Page(workbench),
      data_(workbench.store(), run_id),
      charts_(workbench.store(), workbench.settings(), QStringLiteral("run")),
      actions_({workbench, data_, charts_}, this) {
  setObjectName(QStringLiteral("run.page"));
  charts_.setActions(workbench.actions());
  const RunContext context{workbench, data_, charts_, &actions_};
  header_ = new RunHeader(context, actions_, this);
  strips_layout_ = new QVBoxLayout;
  strips_layout_->setContentsMargins(8, 0, 8, 0);
  tabs_ = new QTabWidget(this);
  tabs_->setObjectName(QStringLiteral("run.tabs"));
  tabs_->setAccessibleName(tr("Parts of the run page"));
  tabs_->tabBar()->setAccessibleName(tabs_->accessibleName());
  tabs_->setDocumentMode(true);
  timeline_ = new TimelineTab(context, actions_, tabs_);
  const auto add = [this](RunTab* page, const QString& text) {
    tabs_->addTab(page, text);
    connect(page, &RunTab::loadedChanged, this, &Page::loadedChanged);
    connect(page, &RunTab::showInTimeline, this, [this](qint64 step, int rank) {
      tabs_->setCurrentWidget(timeline_);
      timeline_->goTo(step, rank);
    });
  };
  add(make_overview_tab(context, tabs_), tr("&Overview"));
  add(make_communication_tab(context, tabs_), tr("Co&mmunication"));
  add(timeline_, tr("Time&line"));
  add(make_system_tab(context, tabs_), tr("S&ystem"));
  add(make_log_tab(context, tabs_), tr("Lo&g"));
  add(make_settings_tab(context, tabs_), tr("S&ettings"));
  add(make_files_tab(context, tabs_), tr("&Files"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  layout->addWidget(header_);
  layout->addLayout(strips_layout_);
  layout->addWidget(tabs_, 1);

  workbench.actions().add(this,
                          {QStringLiteral("run.show-timeline"),
                           tr("Show in &Timeline"),
                           tr("The nearest traced step at or before what was pointed at"),
                           {},
                           {}},
                          [this] { tabs_->setCurrentWidget(timeline_); });

  connect(&data_, &RunData::changed, this, &RunPage::update);
  connect(&data_, &RunData::summaryChanged, &actions_, &RunActions::update);
  connect(&data_, &RunData::stateChanged, this, &RunPage::announce);
  connect(&data_, &RunData::failed, this, [this](const QString& message) {
    failure_ = message;
    showStrip(QStringLiteral("reading"), MessageStrip::error, tr("The run cannot be read: %1").arg(message), false, false);
    Q_EMIT loadedChanged();
  });
  connect(&data_, &RunData::seriesGrew, &charts_, &ChartGroup::refresh);
  connect(&actions_, &RunActions::problem, this, [this](const QString& cause, const QString& text) {
    closed_strips_.erase(cause);
    showStrip(cause, MessageStrip::error, text, false, false);
  });
  connect(&charts_, &ChartGroup::momentChosen, this, [this](const QString&, std::int64_t step) {
    tabs_->setCurrentWidget(timeline_);
    timeline_->goTo(step, -1);
  });
  connect(tabs_, &QTabWidget::currentChanged, this, [this, &workbench] {
    workbench.settings().set(QStringLiteral("run/tab"), current()->objectName());
    Q_EMIT loadedChanged();
  });
  clock_.setInterval(500);
  connect(&clock_, &QTimer::timeout, this, [this] {
    header_->updateAge();
    if (data_.active()) actions_.update();
  });
  header_->update();
  if (!tab.isEmpty()) showTab(tab);
}

// The tabs draw from the charts' group and the data, which are members: they go first.
RunPage::~RunPage() {
  tabs_->disconnect(this);
  delete tabs_;
  delete header_;
}

RunTab* RunPage::current() const { return qobject_cast<RunTab*>(tabs_->currentWidget()); }

QString RunPage::title() const { return data_.known() ? QString::fromStdString(data_.snapshot().run.name) : tr("Run"); }

QString RunPage::iconName() const { return run_icon(data_.known() ? QString::fromStdString(data_.snapshot().run.state) : QString()); }

bool RunPage::loaded() const { return !failure_.isEmpty() || (data_.known() && data_.summaryKnown() && current()->loaded()); }

void RunPage::showTab(const QString& name) {
  for (int k = 0; k < tabs_->count(); ++k) {
    if (tabs_->widget(k)->objectName() == QStringLiteral("run.") + name) tabs_->setCurrentIndex(k);
  }
}

QString RunPage::restoreKey() const { return QStringLiteral("run:%1:%2").arg(data_.id(), current()->objectName().mid(4)); }

void RunPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  data_.setWatching(true);
  clock_.start();
}

void RunPage::hideEvent(QHideEvent* event) {
  data_.setWatching(false);
  clock_.stop();
  Page::hideEvent(event);
}

void RunPage::update() {
  failure_.clear();
  header_->update();
  actions_.update();
  updateBanners();
  const QString now = title() + iconName();
  if (now != said_title_) {
    said_title_ = now;
    Q_EMIT titleChanged();
  }
}

void RunPage::updateBanners() {
  std::set<QString> wanted;
  for (const Banner& banner : banners_of(data_.snapshot())) {
    wanted.insert(banner.cause);
    const auto kind = banner.kind == Banner::error     ? MessageStrip::error
                      : banner.kind == Banner::warning ? MessageStrip::warning
                                                       : MessageStrip::information;
    showStrip(banner.cause, kind, banner.text, banner.with_log, banner.with_resume);
  }
  const QStringList of_actions{QStringLiteral("launch"), QStringLiteral("request"), QStringLiteral("annotation"),
                               QStringLiteral("mark-stopped")};
  for (auto& [cause, strip] : strips_) {
    if (strip && !wanted.contains(cause) && !of_actions.contains(cause)) strip->deleteLater();
  }
}

void RunPage::showStrip(const QString& cause, MessageStrip::Kind kind, const QString& text, bool with_log, bool with_resume) {
  if (closed_strips_.contains(cause)) return;
  QPointer<MessageStrip>& strip = strips_[cause];
  if (!strip) {
    strip = new MessageStrip(kind, QStringLiteral("run.banner.") + cause, this);
    strips_layout_->addWidget(strip);
    connect(strip, &MessageStrip::closed, this, [this, cause] {
      closed_strips_.insert(cause);
      if (strips_[cause]) strips_[cause]->deleteLater();
    });
    if (with_resume) {
      const auto newest = newest_checkpoint(data_.snapshot());
      strip->offer(newest ? tr("&Resume from Step %1").arg(newest->step) : tr("&Resume"), [this] { actions_.resume->trigger(); });
    }
    if (cause == QStringLiteral("lost") || cause == QStringLiteral("unreachable")) {
      strip->offer(tr("Mark as Stopp&ed…"), [this] { actions_.mark_stopped->trigger(); });
    }
    if (with_log) {
      QStringList lines;
      for (const QByteArray& line : read_log_tail(data_.logPath(), banner_log_lines))
        lines << QString::fromUtf8(without_terminal_sequences(line));
      strip->setDetails(lines.join(u'\n'));
    }
  }
  strip->setText(text);
}

// Told once to assistive technology; live values are not.
void RunPage::announce(const QString& before, const QString& now) {
  if (before.isEmpty() || data_.active()) return;
  header_->setAccessibleDescription(tr("%1: %2").arg(format::isolated(title()), now));
  QAccessibleEvent alert(header_, QAccessible::Alert);
  QAccessible::updateAccessibility(&alert);
}

}  // namespace syncline::ui
