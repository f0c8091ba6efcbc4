// SPDX-License-Identifier: GPL-3.0-or-later
// The window's own actions, its menus and its toolbar. What pages offer stands in them through PageActions.
#include <QAbstractItemView>
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QTextEdit>
#include <QToolBar>
#include <QToolButton>
#include <QWhatsThis>

#include "ui/models/settings.h"
#include "ui/views/shell/docks.h"
#include "ui/views/shell/help_dialogs.h"
#include "ui/views/shell/main_window.h"
#include "ui/views/shell/page_area.h"
#include "ui/views/shell/shell_workbench.h"
#include "ui/views/shell/strips.h"
#include "ui/views/shell/theme.h"
#include "ui/views/shell/workspace_jobs.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

// What is selected in a table or list, as lines of cells; the whole row where rows are selected.
QString selected_text(const QAbstractItemView& view) {
  if (view.selectionModel() == nullptr) return {};
  QModelIndexList cells = view.selectionModel()->selectedIndexes();
  std::sort(cells.begin(), cells.end());
  QString text;
  for (qsizetype i = 0; i < cells.size(); ++i) {
    if (i > 0) text += cells[i].row() == cells[i - 1].row() && cells[i].parent() == cells[i - 1].parent() ? u'\t' : u'\n';
    text += cells[i].data().toString();
  }
  return text;
}

}  // namespace

QAction* MainWindow::action(const char* id, const QString& text, const QString& help, const char* keys, const char* icon,
                            std::function<void()> act) {
  QList<QKeySequence> shortcuts;
  if (*keys != '\0') shortcuts << QKeySequence(QLatin1String(keys));
  QAction* made = bench_->actions().add({QLatin1String(id), text, help, shortcuts, QLatin1String(icon)}, act);
  addAction(made);  // heard by the window also while the menu bar is hidden
  return made;
}

void MainWindow::add_actions() {
  action("workspace.open", tr("&Open Workspace…"), tr("Show another workspace, or make a new one."), "Ctrl+O", "document-open",
         [this] { choose_workspace(); });
  action("experiment.open", tr("Open E&xperiment…"), tr("Open a file of an experiment as a draft; the file stays as it is."),
         "Ctrl+Shift+O", "document-open", [this] { open_experiment(); });
  action("workspace.import", tr("&Import Runs…"), tr("Merge the runs of another workspace into this one."), "", "document-import",
         [this] { workspace_jobs_->chooseAndImport(); });
  action("workspace.verify", tr("&Verify Workspace"), tr("Read every page of the workspace's file and report damage; nothing is changed."),
         "", "dialog-ok", [this] { workspace_jobs_->verify(); });
  action("window.close-page", tr("&Close Page"), tr("Close the open page that is shown."), "Ctrl+W", "window-close", [this] {
    if (const int id = area_->currentId(); id >= 0) close_page(id);
  });
  action("window.quit", tr("&Quit"), tr("Close the window; runs go on."), "Ctrl+Q", "application-exit", [this] { close(); });
  action("edit.copy-table", tr("Cop&y as Table"), tr("Copy the selected rows with tabs between their cells."), "", "view-table", [this] {
    if (const auto* view = qobject_cast<QAbstractItemView*>(last_focus_)) QGuiApplication::clipboard()->setText(selected_text(*view));
  });
  add_view_actions();
  add_other_actions();
}

void MainWindow::add_view_actions() {
  const std::pair<const char*, QString> places[] = {
      {"runs", tr("&Runs")}, {"drafts", tr("&Drafts")}, {"recipes", tr("R&ecipes")}, {"plugins", tr("&Plugins")}};
  int number = 1;
  for (const auto& [name, text] : places) {
    const QString place = QLatin1String(name);
    action((std::string("view.") + name).c_str(), text, tr("Show this place."), (std::string("Ctrl+") + std::to_string(number++)).c_str(),
           navigation_model_.indexOfPlace(place).data(NavigationModel::icon_role).toString().toLatin1().constData(),
           [this, place] { area_->showPlace(place); });
  }
  action("view.back", tr("&Back"), tr("Show what was shown before."), "Alt+Left", "go-previous", [this] { area_->back(); });
  action("view.forward", tr("&Forward"), tr("Undo a step back."), "Alt+Right", "go-next", [this] { area_->forward(); });
  action("view.next-page", tr("&Next Open Page"), tr("Show the open page below."), "Ctrl+Tab", "go-down", [this] { area_->step(+1); });
  action("view.previous-page", tr("Pre&vious Open Page"), tr("Show the open page above."), "Ctrl+Shift+Tab", "go-up",
         [this] { area_->step(-1); });
  action("view.next-pane", tr("Ne&xt Pane"), tr("Move the focus to navigation, page, docks and status bar in turn."), "F6", "",
         [this] { step_pane(+1); });
  action("view.previous-pane", tr("Previo&us Pane"), tr("Move the focus back to the pane before."), "Shift+F6", "",
         [this] { step_pane(-1); });
  const auto toggle_dock = [](QDockWidget* dock, QAction* made) {
    made->setCheckable(true);
    connect(dock, &QDockWidget::visibilityChanged, made, [dock, made] { made->setChecked(!dock->isHidden()); });
  };
  const auto show_or_hide = [](QDockWidget* dock) {
    const bool to_front = dock->isHidden() || dock->visibleRegion().isEmpty();
    dock->setVisible(to_front);
    if (to_front) dock->raise();
  };
  toggle_dock(problems_dock_, action("view.problems", tr("Prob&lems"), tr("Show or hide the list of problems."), "Ctrl+Shift+P",
                                     "dialog-warning", [this, show_or_hide] { show_or_hide(problems_dock_); }));
  toggle_dock(jobs_dock_, action("view.jobs", tr("Background &Jobs"), tr("Show or hide the list of background jobs."), "Ctrl+Shift+J",
                                 "view-list-tree", [this, show_or_hide] { show_or_hide(jobs_dock_); }));
  auto* themes = new QActionGroup(this);
  const std::tuple<const char*, const char*, QString> choices[] = {{"view.theme-system", "system", tr("&System Theme")},
                                                                   {"view.theme-light", "light", tr("Li&ght Theme")},
                                                                   {"view.theme-dark", "dark", tr("Dar&k Theme")}};
  for (const auto& [id, choice, text] : choices) {
    const QString wanted = QLatin1String(choice);
    QAction* made = action(id, text, tr("Colours of the window, of icons and of charts."), "", "",
                           [this, wanted] { settings_.set(keys::theme, wanted); });
    made->setCheckable(true);
    made->setChecked(theme_.choice() == wanted);
    themes->addAction(made);
    connect(&settings_, &Settings::changed, made, [this, made, wanted](const QString& key) {
      if (key == keys::theme) made->setChecked(theme_.choice() == wanted);
    });
  }
  QAction* full = action("view.full-screen", tr("Full S&creen"), tr("Use the whole screen, or go back."), "F11", "view-fullscreen",
                         [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
  full->setCheckable(true);
}

void MainWindow::add_other_actions() {
  action("tools.find-action", tr("Find &Action…"), tr("Type part of any action's name and run it."), "Ctrl+Alt+I", "edit-find",
         [this] { find_action(); });
  QAction* bar = action("settings.menu-bar", tr("Show &Menu Bar"), tr("Show or hide the menu bar."), "Ctrl+M", "",
                        [this] { menuBar()->setVisible(!menuBar()->isVisible()); });
  bar->setCheckable(true);
  bar->setChecked(true);
  QAction* toolbar = action("settings.toolbar", tr("Show &Toolbar"), tr("Show or hide the toolbar."), "", "",
                            [this] { toolbar_->setVisible(!toolbar_->isVisible()); });
  toolbar->setCheckable(true);
  toolbar->setChecked(true);
  action("settings.shortcuts", tr("Configure &Shortcuts…"), tr("Choose the keys of every action."), "", "preferences-desktop-keyboard",
         [this] { showPreferences(QStringLiteral("shortcuts")); });
  action("settings.configure", tr("&Configure Syncline…"), tr("Preferences."), "Ctrl+Shift+,", "configure", [this] { showPreferences(); });
  action("help.whats-this", tr("&What's This"), tr("Click on something to read what it is."), "Shift+F1", "help-contextual",
         [] { QWhatsThis::enterWhatsThisMode(); });
  action("help.keyboard", tr("&Keyboard Overview"), tr("List the keys that work now."), "", "input-keyboard",
         [this] { make_keyboard_overview(bench_->actions(), *page_actions_, last_focus_, this)->open(); });
  action("help.report", tr("&Report a Problem…"), tr("Put together a text about a problem, to read and to copy."), "", "tools-report-bug",
         [this] {
           EngineProgram& engine = bench_->engine();
           const QString version =
               engine.problem().isEmpty() ? QString(engine.path() + u' ' + engine.version().value_or(QString())) : engine.problem();
           make_text_dialog(QStringLiteral("report"), tr("Report a Problem"),
                            tr("Read this text, add what happened, and copy it to where you report it. Nothing is sent by itself."),
                            report_text(bench_->problems(), options_.workspace, version), this)
               ->open();
         });
  action("help.about", tr("&About Syncline"), tr("Version and licences."), "", "help-about", [this] { make_about(this)->open(); });
}

void MainWindow::edit(const char* slot) {
  QWidget* widget = last_focus_;
  if (widget == nullptr) return;
  const QByteArray name(slot);
  if (const auto* view = qobject_cast<QAbstractItemView*>(widget); view != nullptr && name == "copy") {
    QGuiApplication::clipboard()->setText(selected_text(*view));
  } else if (widget->metaObject()->indexOfMethod(QByteArray(name + "()").constData()) >= 0) {
    QMetaObject::invokeMethod(widget, slot);
  }
  page_actions_->update();  // there may be more, or nothing, to take back now
}

// A text that can take something back itself comes first; else what the page that is shown has last done.
void MainWindow::undo() {
  if (!text_can("undoAvailable") && bench_->undo()) return;
  edit("undo");
}

bool MainWindow::text_can(const char* property) const {
  if (const auto* line = qobject_cast<QLineEdit*>(last_focus_)) return line->property(property).toBool();
  const QTextDocument* text = nullptr;
  if (const auto* plain = qobject_cast<QPlainTextEdit*>(last_focus_)) text = plain->document();
  if (const auto* rich = qobject_cast<QTextEdit*>(last_focus_)) text = rich->document();
  return text != nullptr && (qstrcmp(property, "undoAvailable") == 0 ? text->isUndoAvailable() : text->isRedoAvailable());
}

// What Edit > Undo and Redo would do where the page has no history of its own.
PageActions::Standing MainWindow::undo_standing() const {
  if (text_can("undoAvailable")) return {{}, tr("&Undo: Typing")};
  if (!bench_->canUndo()) return {tr("Undo: nothing has been done here that can be taken back"), {}};
  QString done = bench_->undoText();
  while (done.endsWith(u'.')) done.chop(1);
  constexpr int longest = 48;
  if (done.size() > longest) done = done.left(longest - 1) + u'\u2026';
  return {{}, tr("&Undo: %1").arg(done.replace(u'&', QStringLiteral("&&")))};
}

PageActions::Standing MainWindow::redo_standing() const {
  if (text_can("redoAvailable")) return {{}, tr("&Redo: Typing")};
  return {tr("Redo: nothing has been taken back"), {}};
}

void MainWindow::follow_undo() {
  // A page with an Undo of its own hears the keys itself.
  undo_->setEnabled(bench_->canUndo() && page_actions_->offered(QStringLiteral("edit.undo")) == nullptr);
  page_actions_->update();
  undo_->setShortcuts(
      bench_->actions().shortcutsOf(QStringLiteral("edit.undo"), page_action_text(QStringLiteral("edit.undo"))->text.shortcuts));
}

void MainWindow::build_menus() {
  ActionRegistry& registry = bench_->actions();
  const auto menu = [this, &registry](const QString& title, const QString& name, const QStringList& ids) {
    QMenu* made = menuBar()->addMenu(title);
    made->setObjectName(QStringLiteral("menu.") + name);
    made->setToolTipsVisible(true);
    for (const QString& id : ids) {
      if (id == QStringLiteral("-")) {
        made->addSeparator();
      } else if (QAction* own = registry.find(id); own != nullptr && page_action_text(id) == nullptr) {
        made->addAction(own);
      } else {
        QAction* entry = page_actions_->entry(id);
        addAction(entry);
        made->addAction(entry);
      }
    }
    connect(made, &QMenu::aboutToShow, page_actions_, qOverload<>(&PageActions::update));
    menus_.push_back(made);
    return made;
  };
  const auto ids = [](const char* text) { return QString::fromLatin1(text).split(u' ', Qt::SkipEmptyParts); };
  // What acts also where no page offers it.
  page_actions_->entry(QStringLiteral("experiment.new"), [this] { new_experiment(); });
  page_actions_->entry(QStringLiteral("view.next-tab"), [this] { area_->stepTab(+1); });
  page_actions_->entry(QStringLiteral("view.previous-tab"), [this] { area_->stepTab(-1); });
  const std::pair<const char*, const char*> edits[] = {{"edit.undo", "undo"}, {"edit.redo", "redo"},   {"edit.cut", "cut"},
                                                       {"edit.copy", "copy"}, {"edit.paste", "paste"}, {"edit.select-all", "selectAll"}};
  page_actions_->entry(QStringLiteral("edit.undo"), [this] { undo(); });
  for (const auto& [id, slot] : edits) page_actions_->entry(QLatin1String(id), [this, slot = slot] { edit(slot); });
  page_actions_->follow(QStringLiteral("edit.undo"), [this] { return undo_standing(); });
  page_actions_->follow(QStringLiteral("edit.redo"), [this] { return redo_standing(); });
  undo_ = new QAction(this);
  undo_->setObjectName(QStringLiteral("window.undo"));
  connect(undo_, &QAction::triggered, this, &MainWindow::undo);
  addAction(undo_);
  follow_undo();

  QMenu* project = menu(tr("&Project"), QStringLiteral("project"),
                        ids("experiment.new experiment.open draft.save - workspace.open workspace.import - runs.archive runs.show-trash - "
                            "window.close-page window.quit"));
  auto* recent = new QMenu(tr("Open &Recent"), project);
  recent->setObjectName(QStringLiteral("menu.recent"));
  recent->setIcon(themed_icon(QStringLiteral("document-open-recent")));
  project->insertMenu(registry.find(QStringLiteral("workspace.import")), recent);
  connect(recent, &QMenu::aboutToShow, this, [this, recent] { fill_recent(*recent); });
  fill_recent(*recent);
  menu(tr("&Edit"), QStringLiteral("edit"),
       ids("edit.undo edit.redo - edit.cut edit.copy edit.copy-table chart.copy-picture edit.paste - runs.filter edit.select-all - "
           "runs.rename runs.tag "
           "runs.note "
           "runs.star - runs.trash"));
  menu(tr("&View"), QStringLiteral("view"),
       ids("view.runs view.drafts view.recipes view.plugins - view.back view.forward view.next-page view.previous-page - view.next-tab "
           "view.previous-tab view.next-pane view.previous-pane - chart.fit chart.table - view.problems view.jobs - view.theme-system "
           "view.theme-light view.theme-dark - view.full-screen"));
  const auto submenu = [&](const QString& title, const QString& name, const QStringList& entries) {
    QMenu* made = menu(title, name, entries);
    menuBar()->removeAction(made->menuAction());
    menus_[menus_.size() - 2]->insertMenu(page_actions_->entry(QStringLiteral("chart.table")), made);
    std::swap(menus_[menus_.size() - 1], menus_[menus_.size() - 2]);  // the View menu stays the last
  };
  QString axes;
  for (int i = 0; i < x_axis_count; ++i) axes += QString(chart_axis_action(static_cast<XAxis>(i)) + u' ');
  submenu(tr("X Ax&is"), QStringLiteral("view.x"),
          ids(QString(axes + QStringLiteral("chart.x-metric - chart.align")).toLatin1().constData()));
  submenu(tr("S&moothing"), QStringLiteral("view.smoothing"),
          ids("chart.smoothing-off chart.smoothing-light chart.smoothing-medium chart.smoothing-strong chart.smoothing-other"));
  menu(tr("&Run"), QStringLiteral("run"),
       ids("run.launch run.dry-run - run.stop run.checkpoint run.resume - run.duplicate run.check-state runs.lock"));
  menu(tr("&Compare"), QStringLiteral("compare"),
       ids("compare.add compare.new - compare.baseline chart.pin compare.aggregate compare.only-differences compare.by-difference - "
           "compare.export-table"));
  menu(tr("&Tools"), QStringLiteral("tools"), ids("tools.find-action - workspace.verify"));
  menu(tr("&Settings"), QStringLiteral("settings"), ids("settings.toolbar settings.menu-bar - settings.shortcuts settings.configure"));
  menu(tr("&Help"), QStringLiteral("help"), ids("help.whats-this help.keyboard - help.report - help.about"));
}

void MainWindow::fill_recent(QMenu& recent) {
  recent.clear();
  int number = 1;
  for (const QString& path : recent_workspaces(settings_)) {
    if (path == options_.workspace) continue;
    QString shown = path;
    recent.addAction(tr("&%1 %2").arg(number++).arg(shown.replace(u'&', QStringLiteral("&&"))), this,
                     [this, path] { Q_EMIT workspaceChosen(path); });
  }
  recent.menuAction()->setEnabled(number > 1);
}

void MainWindow::build_toolbar() {
  toolbar_ = addToolBar(tr("Toolbar"));
  toolbar_->setObjectName(QStringLiteral("window.toolbar"));
  toolbar_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  toolbar_->setIconSize({16, 16});
  toolbar_->setContextMenuPolicy(Qt::PreventContextMenu);
  for (const char* id : {"experiment.new", "run.launch", "-", "run.stop", "run.checkpoint", "-", "compare.add"}) {
    if (*id == '-') {
      toolbar_->addSeparator();
    } else {
      toolbar_->addAction(page_actions_->entry(QLatin1String(id)));
    }
  }
  auto* gap = new QWidget(toolbar_);
  gap->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  toolbar_->addWidget(gap);
  toolbar_->addAction(bench_->actions().find(QStringLiteral("tools.find-action")));
  for (QAction* one : toolbar_->actions()) {
    QWidget* button = toolbar_->widgetForAction(one);
    if (qobject_cast<QToolButton*>(button) == nullptr) continue;
    button->setFocusPolicy(Qt::TabFocus);
    button->setObjectName(QStringLiteral("toolbar.") + one->objectName());
  }
  QAction* shown = bench_->actions().find(QStringLiteral("settings.toolbar"));
  connect(toolbar_, &QToolBar::visibilityChanged, shown, [this, shown] { shown->setChecked(!toolbar_->isHidden()); });
}

std::vector<QAction*> MainWindow::menuActions() const {
  std::vector<QAction*> all;
  for (const QMenu* menu : menus_) {
    for (QAction* one : menu->actions()) {
      if (!one->isSeparator() && one->menu() == nullptr) all.push_back(one);
    }
  }
  for (QAction* one : toolbar_->actions()) {
    if (!one->isSeparator() && !one->text().isEmpty()) all.push_back(one);
  }
  return all;
}

void MainWindow::follow_state_in_actions() {
  ActionRegistry& registry = bench_->actions();
  const bool open = state_ == State::open;
  const QString not_open = tr("%1: the workspace is not open");
  const auto set = [&registry](const char* id, const QString& reason) {
    ActionRegistry::setReason(registry.find(QLatin1String(id)), reason);
  };
  for (const char* id : {"view.runs", "view.drafts", "view.recipes", "view.plugins", "workspace.import", "experiment.open"}) {
    QString name = registry.find(QLatin1String(id))->text();
    set(id, open ? QString() : not_open.arg(name.remove(u'&')));
  }
  set("view.back", open && area_->canGoBack() ? QString() : tr("Back: nothing was shown before"));
  set("view.forward", open && area_->canGoForward() ? QString() : tr("Forward: go back first"));
  set("window.close-page", area_->currentId() >= 0 ? QString() : tr("Close Page: places stay; show an open page"));
  const QString none = navigation_model_.openCount() > 0 ? QString() : tr("No page is open");
  set("view.next-page", none);
  set("view.previous-page", none);
}

void MainWindow::open_experiment() {
  if (state_ != State::open) return;
  const QString path = FileDialog::openFile(this, tr("Open Experiment"), QStringLiteral("."), tr("Experiments (*.toml)"));
  if (path.isEmpty()) return;
  QFile file(path);
  const bool opened = file.open(QIODevice::ReadOnly);
  constexpr qint64 largest = 1 << 20;  // of an experiment; more is another kind of file
  if (!opened || file.size() > largest) {
    strips_->show(QStringLiteral("open experiment"), StripKind::error,
                  tr("%1 is not opened: %2").arg(path, opened ? tr("it is larger than an experiment is (1 MiB)") : file.errorString()));
    return;
  }
  strips_->remove(QStringLiteral("open experiment"));
  bench_->newDraft(QFileInfo(path).completeBaseName(), QString::fromUtf8(file.readAll()));
}

void MainWindow::new_experiment() {
  if (state_ != State::open) return;
  bench_->newDraft(tr("new experiment"),
                   QStringLiteral("name = \"new experiment\"\n\n[model]\nzoo = \"lenet\"\n\n[data]\nsource = \"fashion-mnist\"\n\n"
                                  "[train]\nepochs = 3\n\n[cluster]\nworkers = 2\n\n[strategy]\nname = \"sync\"\n"));
}

}  // namespace syncline::ui
