// SPDX-License-Identifier: GPL-3.0-or-later
// The window of one workspace: navigation, pages, menus, toolbar, docks, status bar. A workspace that cannot be opened is said in place.
#pragma once

#include <QMainWindow>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "ui/models/navigation_model.h"
#include "ui/models/workspace_pulse.h"
#include "ui/views/shell/page_actions.h"
#include "ui/views/shell/page_factories.h"
#include "ui/views/shell/session.h"

class QMenu;
class QSplitter;
class QStackedWidget;
class QToolBar;

namespace syncline::ui {

class Announcements;
class JobsDock;
class NavigationView;
class OpenFailed;
class PageActions;
class PageArea;
class Preferences;
class ProblemsDock;
class Settings;
class ShellWorkbench;
class StatusFields;
class Strips;
class Theme;
class WorkspaceJobs;

struct WindowOptions {
  QString workspace;
  // A window that only makes a picture remembers nothing and reopens nothing.
  bool remember = true;
  QString start_place;  // instead of the one in the preferences; a page named on the command line
};

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  enum class State { opening, open, failed };

  MainWindow(Settings&, Theme&, PageFactories, const WindowOptions&);
  ~MainWindow() override;

  Workbench& workbench();
  PageArea& area() { return *area_; }
  Strips& strips() { return *strips_; }
  NavigationModel& navigation() { return navigation_model_; }
  NavigationView& navigationView() { return *navigation_; }
  PageActions& pageActions() { return *page_actions_; }
  WorkspaceJobs& workspaceJobs() { return *workspace_jobs_; }
  State state() const { return state_; }
  QString failure() const { return failure_; }
  // At once when the workspace is open already; never when it cannot be opened.
  void whenOpen(std::function<void()>);
  // Every menu entry and toolbar action of this window: for tests and Find Action.
  std::vector<QAction*> menuActions() const;
  void showPreferences(const QString& page = {});

 Q_SIGNALS:
  void opened();
  void openFailed(const QString& message);
  void workspaceChosen(const QString& path);  // the same one again: try again

 protected:
  void closeEvent(QCloseEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  void build_content();
  void build_docks();
  void build_status();
  void connect_store();
  void connect_navigation();
  // main_window_menus.cpp
  void add_actions();
  void add_view_actions();
  void add_other_actions();
  void build_menus();
  void build_toolbar();
  QAction* action(const char* id, const QString& text, const QString& help, const char* keys, const char* icon, std::function<void()> act);
  void fill_recent(QMenu&);
  void follow_state_in_actions();
  void edit(const char* slot);

  void on_opened();
  void on_failed(const QString& message);
  void on_shown();
  void restore();
  void on_pulse(const WorkspacePulse&);
  void ask_pulse();
  void save_session();
  void save_layout();
  void restore_layout();
  void close_page(int id);
  void choose_workspace();
  void new_experiment();
  void open_experiment();
  void undo();
  void follow_undo();
  bool text_can(const char* property) const;  // "undoAvailable", "redoAvailable": of the text in focus
  PageActions::Standing undo_standing() const;
  PageActions::Standing redo_standing() const;
  void find_action();
  void step_pane(int by);
  void focus_page();
  void adopt_queues();
  void show_read_only();

  Settings& settings_;
  Theme& theme_;
  PageFactories factories_;
  WindowOptions options_;
  std::unique_ptr<ShellWorkbench> bench_;
  NavigationModel navigation_model_;
  Session session_;
  PageActions* page_actions_ = nullptr;
  QSplitter* splitter_ = nullptr;
  NavigationView* navigation_ = nullptr;
  Strips* strips_ = nullptr;
  PageArea* area_ = nullptr;
  OpenFailed* open_failed_ = nullptr;
  QStackedWidget* content_ = nullptr;
  ProblemsDock* problems_dock_ = nullptr;
  JobsDock* jobs_dock_ = nullptr;
  StatusFields* status_ = nullptr;
  QToolBar* toolbar_ = nullptr;
  WorkspaceJobs* workspace_jobs_ = nullptr;
  Announcements* announcements_ = nullptr;
  QAction* undo_ = nullptr;  // hears the keys of Undo where no widget and no page does
  QPointer<Preferences> preferences_;
  QPointer<QWidget> last_focus_;  // inside the content: what Edit's entries act on
  std::vector<std::function<void()>> when_open_;
  std::vector<QMenu*> menus_;
  State state_ = State::opening;
  QString failure_;
  WorkspacePulse pulse_;
  QTimer tick_, session_timer_, busy_timer_;
  bool pulse_asked_ = false, pulse_due_ = false;
  int ticks_ = 0, wide_navigation_ = 0;
};

}  // namespace syncline::ui
