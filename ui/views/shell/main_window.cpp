// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QFileInfo>
#include <QMenuBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTableView>
#include <QToolBar>
#include <QToolButton>
#include <QUrl>
#include <QVBoxLayout>

#include "ui/models/editor/launch_queue.h"
#include "ui/models/format.h"
#include "ui/models/settings.h"
#include "ui/views/shell/announcements.h"
#include "ui/views/shell/docks.h"
#include "ui/views/shell/find_action.h"
#include "ui/views/shell/navigation_view.h"
#include "ui/views/shell/open_failed.h"
#include "ui/views/shell/page_actions.h"
#include "ui/views/shell/page_area.h"
#include "ui/views/shell/preferences.h"
#include "ui/views/shell/shell_workbench.h"
#include "ui/views/shell/shortcut_editor.h"
#include "ui/views/shell/status_fields.h"
#include "ui/views/shell/strips.h"
#include "ui/views/shell/theme.h"
#include "ui/views/shell/workspace_jobs.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/label_accessible.h"

namespace syncline::ui {

namespace {

constexpr int layout_version = 1;  // of what saveState writes: docks and toolbar
constexpr int narrow_below = 900;  // the navigation shows icons only
constexpr int tick_ms = 1000, session_after_ms = 2000, busy_after_ms = 10'000;
constexpr int ticks_between_looks = 5;  // at runs that are going: a process may be gone without a word

}  // namespace

MainWindow::MainWindow(Settings& settings, Theme& theme, PageFactories factories, const WindowOptions& options)
    : settings_(settings),
      theme_(theme),
      factories_(std::move(factories)),
      options_(options),
      bench_(std::make_unique<ShellWorkbench>(settings, options.workspace)),
      session_(settings, options.workspace) {
  install_label_accessibility();
  if (!options_.remember) bench_->store().keepNothing();
  setObjectName(QStringLiteral("window"));
  setWindowTitle(tr("Syncline"));
  setMinimumSize(480, 320);
  page_actions_ = new PageActions(bench_->actions(), this);
  load_shortcuts(settings_, bench_->actions());
  bench_->actions().setSingleLettersEnabled(settings_.value(keys::single_letters, true).toBool());
  build_content();
  bench_->attach(*area_, *strips_);
  workspace_jobs_ = new WorkspaceJobs(*bench_, *strips_, *this);
  announcements_ = new Announcements(*bench_, *this);
  build_docks();
  build_status();
  add_actions();
  build_menus();
  build_toolbar();
  connect_navigation();
  connect(bench_.get(), &ShellWorkbench::undoChanged, this, &MainWindow::follow_undo);
  connect_store();
  connect(&settings_, &Settings::changed, this, [this](const QString& key) {
    if (key == keys::single_letters) bench_->actions().setSingleLettersEnabled(settings_.value(keys::single_letters, true).toBool());
    if (key == keys::zone) status_->setZone(settings_.value(keys::zone).toString());
  });
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (now != nullptr && content_->isAncestorOf(now)) last_focus_ = now;
  });
  resize(1280, 800);
  restore_layout();
  open_failed_->showOpening(options_.workspace);
  follow_state_in_actions();
}

MainWindow::~MainWindow() {
  tick_.stop();
  disconnect(qApp, nullptr, this, nullptr);
  disconnect(qApp, nullptr, page_actions_, nullptr);
  bench_->actions().disconnect(page_actions_);
  // Pages and dialogs use the workbench until they are gone: they go first.
  for (QDialog* dialog : findChildren<QDialog*>(QString(), Qt::FindDirectChildrenOnly)) delete dialog;
  area_->disconnect(this);
  delete takeCentralWidget();
  delete problems_dock_;
  delete jobs_dock_;
}

Workbench& MainWindow::workbench() { return *bench_; }

void MainWindow::build_content() {
  navigation_model_.addPlace(QStringLiteral("runs"), tr("Runs"), QStringLiteral("view-list-details"));
  navigation_model_.addPlace(QStringLiteral("drafts"), tr("Drafts"), QStringLiteral("document-edit"));
  navigation_model_.addPlace(QStringLiteral("recipes"), tr("Recipes"), QStringLiteral("applications-science"));
  navigation_model_.addPlace(QStringLiteral("plugins"), tr("Plugins"), QStringLiteral("preferences-plugin"));
  splitter_ = new QSplitter(this);
  splitter_->setObjectName(QStringLiteral("window.splitter"));
  splitter_->setChildrenCollapsible(false);
  splitter_->setHandleWidth(1);
  navigation_ = new NavigationView(navigation_model_, splitter_);
  auto* right = new QWidget(splitter_);
  strips_ = new Strips(right);
  content_ = new QStackedWidget(right);
  open_failed_ = new OpenFailed(content_);
  area_ = new PageArea(*bench_, factories_, navigation_model_, content_);
  content_->addWidget(open_failed_);
  content_->addWidget(area_);
  auto* column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(strips_);
  column->addWidget(content_, 1);
  splitter_->addWidget(navigation_);
  splitter_->addWidget(right);
  splitter_->setStretchFactor(1, 1);
  setCentralWidget(splitter_);
  connect(open_failed_, &OpenFailed::tryAgain, this, [this] { Q_EMIT workspaceChosen(options_.workspace); });
  connect(open_failed_, &OpenFailed::openAnother, this, &MainWindow::choose_workspace);
  connect(open_failed_, &OpenFailed::verify, this, [this] { workspace_jobs_->verify(); });
  connect(open_failed_, &OpenFailed::showFolder, this,
          [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(QFileInfo(options_.workspace).absolutePath())); });
}

void MainWindow::build_docks() {
  problems_dock_ = new ProblemsDock(bench_->problems(), this);
  jobs_dock_ = new JobsDock(bench_->jobs(), this);
  addDockWidget(Qt::BottomDockWidgetArea, problems_dock_);
  addDockWidget(Qt::BottomDockWidgetArea, jobs_dock_);
  tabifyDockWidget(problems_dock_, jobs_dock_);
  problems_dock_->hide();
  jobs_dock_->hide();
}

void MainWindow::build_status() {
  status_ = new StatusFields(*statusBar(), this);
  status_->setWorkspace(options_.workspace, {});
  status_->setZone(settings_.value(keys::zone).toString());
  connect(status_, &StatusFields::workspaceClicked, this, [this] { showPreferences(QStringLiteral("storage")); });
  connect(status_, &StatusFields::zoneClicked, this, [this] { showPreferences(QStringLiteral("numbers")); });
  connect(status_, &StatusFields::activityClicked, this, [this] { area_->showPlace(QStringLiteral("runs")); });
  connect(status_, &StatusFields::ageClicked, this, [this] {
    // The run that the newest data is of, if one is going.
    if (!pulse_.active.empty()) {
      bench_->openRun(pulse_.active.back().id, {});
    } else {
      area_->showPlace(QStringLiteral("runs"));
    }
  });
  const auto raise = [](QDockWidget* dock) {
    return [dock] {
      dock->show();
      dock->raise();
    };
  };
  connect(status_, &StatusFields::problemsClicked, this, raise(problems_dock_));
  connect(status_, &StatusFields::jobsClicked, this, raise(jobs_dock_));
  connect(&bench_->problems(), &Problems::countChanged, status_, &StatusFields::setProblems);
  connect(&bench_->jobs(), &BackgroundJobs::countChanged, status_, [this] { status_->setJobs(bench_->jobs().rowCount()); });
}

void MainWindow::connect_navigation() {
  connect(navigation_, &NavigationView::placeChosen, area_, &PageArea::showPlace);
  connect(navigation_, &NavigationView::pageChosen, area_, &PageArea::showOpen);
  connect(navigation_, &NavigationView::closeAsked, this, &MainWindow::close_page);
  connect(area_, &PageArea::shown, this, &MainWindow::on_shown);
  connect(area_, &PageArea::titlesChanged, this, [this] {
    const QString title = area_->currentTitle();
    setWindowTitle(title.isEmpty() ? tr("Syncline") : tr("%1 – Syncline").arg(title));
    session_timer_.start();
  });
  session_timer_.setSingleShot(true);
  session_timer_.setInterval(session_after_ms);
  connect(&session_timer_, &QTimer::timeout, this, &MainWindow::save_session);
}

void MainWindow::connect_store() {
  StoreService& store = bench_->store();
  connect(&store, &StoreService::opened, this, &MainWindow::on_opened);
  connect(&store, &StoreService::openFailed, this, &MainWindow::on_failed);
  connect(&store, &StoreService::changed, this, [this] {
    pulse_due_ = true;
    if (!pulse_asked_) ask_pulse();
  });
  connect(&store, &StoreService::problem, this, [this](const StoreProblem& problem) {
    if (state_ != State::failed) bench_->problems().report(problem.cause, tr("workspace"), problem.message);
    if (problem.cause == QStringLiteral("writing to the workspace")) {
      strips_->show(QStringLiteral("writing"), StripKind::error, tr("A change was not kept: %1").arg(problem.message),
                    {{tr("Show &Problems"), [this] {
                        problems_dock_->show();
                        problems_dock_->raise();
                      }}});
    }
  });
  // Edits wait for a busy workspace; after ten seconds that is said.
  busy_timer_.setSingleShot(true);
  busy_timer_.setInterval(busy_after_ms);
  connect(&busy_timer_, &QTimer::timeout, this, [this] {
    strips_->show(QStringLiteral("busy"), StripKind::warning,
                  tr("The workspace is busy: %n change(s) wait. Training goes on.", nullptr, bench_->store().pending()));
  });
  connect(&store, &StoreService::pendingChanged, this, [this](int count) {
    if (count == 0) {
      busy_timer_.stop();
      strips_->remove(QStringLiteral("busy"));
    } else if (!busy_timer_.isActive()) {
      busy_timer_.start();
    }
  });
  connect(&tick_, &QTimer::timeout, this, [this] {
    status_->updateAge();
    if (++ticks_ % ticks_between_looks == 0 && !pulse_.active.empty()) pulse_due_ = true;
    if (pulse_due_) ask_pulse();
  });
  tick_.setInterval(tick_ms);
}

void MainWindow::on_opened() {
  state_ = State::open;
  content_->setCurrentWidget(area_);
  show_read_only();
  if (options_.remember) remember_workspace(settings_, options_.workspace);
  restore();
  tick_.start();
  ask_pulse();
  follow_state_in_actions();
  for (const auto& act : std::exchange(when_open_, {})) act();
  if (options_.remember && !bench_->store().readOnly()) adopt_queues();
  Q_EMIT opened();
}

// Further seeds that a window was closed with.
void MainWindow::adopt_queues() {
  LaunchQueue::adopt(bench_->engine(), bench_->store(), [this](LaunchQueue* queue) {
    Workbench& bench = *bench_;
    connect(queue, &LaunchQueue::started, this, [&bench, queue](const QString& run, int number, int of) {
      bench.notice(tr("%1: run %2 of %3 has started").arg(format::isolated(queue->name())).arg(number).arg(of), tr("&Open"),
                   [&bench, run] { bench.openRun(run); });
    });
    connect(queue, &LaunchQueue::failed, this, [this, queue](const QString& sentence) {
      bench_->problems().report(QStringLiteral("launching the next seed"), queue->name(), sentence);
    });
  });
}

void MainWindow::show_read_only() {
  const StoreService& store = bench_->store();
  if (!store.readOnly()) return;
  status_->setWorkspace(options_.workspace, store.newer() ? tr("newer, read-only") : tr("read-only"));
  strips_->show(QStringLiteral("read-only"), StripKind::warning,
                store.newer() ? tr("This workspace was made by a newer version of Syncline: everything this version knows of it can be "
                                   "read, nothing is written")
                              : tr("This workspace can only be read: notes, names, drafts and requests cannot be kept in it"),
                {{tr("&Open Another Workspace…"), [this] { choose_workspace(); }}});
}

void MainWindow::on_failed(const QString& message) {
  state_ = State::failed;
  failure_ = message;
  content_->setCurrentWidget(open_failed_);
  open_failed_->showFailure(options_.workspace, message);
  status_->setClosed();
  navigation_->setEnabled(false);
  bench_->problems().report(QStringLiteral("opening the workspace"), tr("workspace"), message);
  follow_state_in_actions();
  Q_EMIT openFailed(message);
}

void MainWindow::whenOpen(std::function<void()> act) {
  if (state_ == State::open) {
    act();
  } else if (state_ == State::opening) {
    when_open_.push_back(std::move(act));
  }
}

void MainWindow::restore() {
  // "last": the place that was shown last, which the session knows.
  const QString preferred = settings_.value(keys::start_place, QStringLiteral("last")).toString();
  const QString place = options_.start_place.isEmpty() ? preferred : options_.start_place;
  const auto show_start = [this, place] { area_->showPlace(place_named(place) ? place : QStringLiteral("runs")); };
  const auto reopen = [this, place] {
    for (const QString& key : session_.pages()) area_->restore(key);
    const QString current = session_.current();
    if (place_named(place)) {
      area_->showPlace(place);
    } else if (place_named(current)) {
      area_->showPlace(current);
    } else if (!current.isEmpty()) {
      area_->restore(current);
    }
  };
  show_start();
  if (!options_.remember) return;
  const Session::Start start = session_.begin();
  const bool wanted = settings_.value(keys::restore, true).toBool();
  const int pages = static_cast<int>(session_.pages().size());
  if (start == Session::Start::crashed_twice) {
    strips_->show(QStringLiteral("session"), StripKind::warning,
                  tr("Syncline ended unexpectedly twice with these pages open; they were not opened again. Drafts are safe in Drafts."),
                  {{tr("&Open Them Anyway"), reopen}});
  } else if (wanted && (start == Session::Start::resumed || start == Session::Start::after_crash)) {
    reopen();
    if (start == Session::Start::after_crash) {
      strips_->show(QStringLiteral("session"), StripKind::information,
                    tr("Syncline ended unexpectedly; %n page(s) were opened again. Runs were not affected.", nullptr, pages),
                    {{tr("&Close Them"), [this, show_start] {
                        area_->closeAll();
                        show_start();
                      }}});
    }
  }
  session_timer_.start();
}

void MainWindow::save_session() {
  if (!options_.remember || state_ != State::open) return;
  const Page* page = area_->current();
  const QString current = !area_->currentPlace().isEmpty() ? area_->currentPlace() : page != nullptr ? page->restoreKey() : QString();
  session_.save(area_->restoreKeys(), current);
}

void MainWindow::ask_pulse() {
  if (pulse_asked_ || state_ != State::open) return;
  pulse_asked_ = true;
  pulse_due_ = false;
  bench_->store().read<WorkspacePulse>(
      this, QStringLiteral("pulse"), [watched = announcements_->watched()](Reader& reader) { return pulse_of(reader, watched); },
      [this](const WorkspacePulse& pulse) { on_pulse(pulse); }, [this](const QString&) { pulse_asked_ = false; });
}

void MainWindow::on_pulse(const WorkspacePulse& pulse) {
  pulse_ = pulse;
  navigation_model_.setCount(QStringLiteral("runs"), pulse.runs);
  navigation_model_.setCount(QStringLiteral("drafts"), pulse.drafts);
  status_->setPulse(pulse);
  announcements_->take(pulse);
  for (const std::vector<RunBeat>* beats : {&pulse.active, &pulse.ended}) {
    for (const RunBeat& beat : *beats) area_->setRunState(beat.id, beat.state);
  }
  // The next one not before a second has passed, however often the workspace changes; the tick looks at what is due.
  QTimer::singleShot(tick_ms, this, [this] {
    pulse_asked_ = false;
    if (pulse_due_) ask_pulse();
  });
}

void MainWindow::on_shown() {
  const int id = area_->currentId();
  navigation_->select(id >= 0 ? navigation_model_.indexOfOpen(id) : navigation_model_.indexOfPlace(area_->currentPlace()));
  const QString title = area_->currentTitle();
  setWindowTitle(title.isEmpty() ? tr("Syncline") : tr("%1 – Syncline").arg(title));
  follow_state_in_actions();
  follow_undo();
  if (!navigation_->hasFocus()) focus_page();
  session_timer_.start();
}

void MainWindow::close_page(int id) { area_->close(id); }

void MainWindow::focus_page() {
  QWidget* page = area_->current();
  if (page == nullptr || state_ != State::open) return;
  if (QWidget* last = page->focusWidget(); last != nullptr && last->isVisible()) return last->setFocus(Qt::OtherFocusReason);
  for (QWidget* next = page->nextInFocusChain(); next != page && next != nullptr; next = next->nextInFocusChain()) {
    if (page->isAncestorOf(next) && next->isEnabled() && next->isVisibleTo(page) && (next->focusPolicy() & Qt::TabFocus) != 0) {
      return next->setFocus(Qt::OtherFocusReason);
    }
  }
}

void MainWindow::step_pane(int by) {
  std::vector<QWidget*> panes{navigation_, content_};
  if (problems_dock_->isVisible()) panes.push_back(problems_dock_->table());
  if (jobs_dock_->isVisible()) panes.push_back(jobs_dock_->table());
  panes.push_back(statusBar());
  const QWidget* focus = QApplication::focusWidget();
  const auto count = static_cast<int>(panes.size());
  int at = 0;
  for (int i = 0; i < count; ++i) {
    if (focus != nullptr && (panes[static_cast<std::size_t>(i)] == focus || panes[static_cast<std::size_t>(i)]->isAncestorOf(focus)))
      at = i;
  }
  QWidget* next = panes[static_cast<std::size_t>((at + by + count) % count)];
  if (next == content_) {
    state_ == State::open ? focus_page() : open_failed_->findChild<QWidget*>(QStringLiteral("open-failed.again"))->setFocus();
  } else if (next == statusBar()) {
    status_->first()->setFocus(Qt::TabFocusReason);
  } else {
    next->setFocus(Qt::TabFocusReason);
  }
}

void MainWindow::choose_workspace() {
  const QString chosen = FileDialog::saveFile(this, tr("Open Workspace"), QFileInfo(options_.workspace).absolutePath(),
                                              tr("Workspaces (*.db);;All files (*)"), nullptr, FileDialog::DontConfirmOverwrite);
  if (!chosen.isEmpty()) Q_EMIT workspaceChosen(chosen);
}

void MainWindow::find_action() {
  auto* dialog = new FindAction(bench_->actions(), *page_actions_, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void MainWindow::showPreferences(const QString& page) {
  if (!preferences_) {
    preferences_ = new Preferences(*bench_, this);
    preferences_->setAttribute(Qt::WA_DeleteOnClose);
  }
  if (!page.isEmpty()) preferences_->showPage(page);
  preferences_->show();
  preferences_->raise();
  preferences_->activateWindow();
}

void MainWindow::save_layout() {
  if (!options_.remember) return;
  const QString group = QStringLiteral("window/%1/").arg(layout_version);
  settings_.set(group + QStringLiteral("geometry"), saveGeometry());
  settings_.set(group + QStringLiteral("state"), saveState(layout_version));
  if (!navigation_->iconsOnly()) settings_.set(group + QStringLiteral("splitter"), splitter_->saveState());
}

void MainWindow::restore_layout() {
  if (!options_.remember) return;
  const QString group = QStringLiteral("window/%1/").arg(layout_version);
  restoreGeometry(settings_.value(group + QStringLiteral("geometry")).toByteArray());
  restoreState(settings_.value(group + QStringLiteral("state")).toByteArray(), layout_version);
  splitter_->restoreState(settings_.value(group + QStringLiteral("splitter")).toByteArray());
  bench_->actions().find(QStringLiteral("settings.toolbar"))->setChecked(!toolbar_->isHidden());
  bench_->actions().find(QStringLiteral("view.problems"))->setChecked(!problems_dock_->isHidden());
  bench_->actions().find(QStringLiteral("view.jobs"))->setChecked(!jobs_dock_->isHidden());
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save_session();
  for (int row = 0; row < navigation_model_.openCount(); ++row) {
    Page* page = area_->openPage(navigation_model_.openAt(row));
    if (page->unsaved() && !page->mayClose()) return event->ignore();
  }
  save_session();  // a draft that was saved on the way has a key now
  save_layout();
  session_.end();
  state_ = State::opening;  // nothing of what follows is remembered any more
  session_timer_.stop();
  event->accept();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  const bool narrow = width() < narrow_below;
  if (narrow == navigation_->iconsOnly()) return;
  if (narrow) wide_navigation_ = splitter_->sizes().value(0);
  navigation_->setIconsOnly(narrow);
  const int navigation = narrow ? navigation_->sizeHint().width() : std::max(wide_navigation_, navigation_->sizeHint().width());
  splitter_->setSizes({navigation, width() - navigation});
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  // Icons draw themselves in the new colours; what was painted before needs to be painted again.
  if (event->type() == QEvent::ApplicationPaletteChange || event->type() == QEvent::PaletteChange) {
    for (QWidget* widget : findChildren<QWidget*>()) widget->update();
  }
}

}  // namespace syncline::ui
