// SPDX-License-Identifier: GPL-3.0-or-later
// Every page, tab, dock and dialog of the real window over a workspace that the real engine filled: nothing in it is out of a key's reach.
#include "tests/ui/journey/reach.h"

#include <QCheckBox>
#include <QDialog>
#include <QDockWidget>
#include <QFileDialog>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "tests/ui/engine_workspace.h"
#include "tests/ui/shell/fixture.h"
#include "ui/views/pages.h"
#include "ui/views/shell/find_action.h"
#include "ui/views/shell/page_actions.h"

namespace syncline::ui {
namespace {

TEST(Reach, names_every_kind_of_widget_that_it_is_there_to_find) {
  QWidget root;
  auto* column = new QVBoxLayout(&root);
  const auto put = [&](auto* widget, const char* name) {
    widget->setObjectName(QLatin1String(name));
    column->addWidget(widget);
    return widget;
  };
  put(new QPushButton(QStringLiteral("&Deaf")), "deaf");
  auto* no_tab = put(new QToolButton, "no-tab");
  no_tab->setText(QStringLiteral("Mouse only"));
  no_tab->setFocusPolicy(Qt::NoFocus);
  QObject::connect(no_tab, &QToolButton::clicked, &root, [] {});
  put(new QLineEdit, "nameless");
  auto* good = put(new QPushButton(QStringLiteral("&Good")), "good");
  QObject::connect(good, &QPushButton::clicked, &root, [] {});
  auto* menu_button = put(new QPushButton(QStringLiteral("&Menu")), "menu-button");
  auto* menu = new QMenu(menu_button);
  menu->addAction(QStringLiteral("&Nothing"))->setObjectName(QStringLiteral("unanswered"));
  menu_button->setMenu(menu);
  QObject::connect(menu_button, &QPushButton::pressed, &root, [] {});
  auto* keyless = new QAction(QStringLiteral("Keyless"), &root);
  keyless->setObjectName(QStringLiteral("keyless"));
  QObject::connect(keyless, &QAction::triggered, &root, [] {});
  root.addAction(keyless);
  root.show();

  const QStringList found = out_of_reach(root);
  ASSERT_EQ(found.size(), 5) << found.join(u'\n').toStdString();
  const auto names = [&found](const char* name, const char* what) {
    return std::any_of(found.begin(), found.end(), [&](const QString& one) {
      return one.contains(QLatin1String(name) + QStringLiteral(")")) && one.contains(QLatin1String(what));
    });
  };
  EXPECT_TRUE(names("deaf", "answered by nothing"));
  EXPECT_TRUE(names("no-tab", "Tab does not stop"));
  EXPECT_TRUE(names("nameless", "no name for a screen reader"));
  EXPECT_TRUE(names("unanswered", "answered by nothing"));
  EXPECT_TRUE(names("keyless", "neither shortcut nor mnemonic"));
}

class RealWindow : public ShellTest {
 protected:
  static void SetUpTestSuite() {
    workspace = std::make_unique<EngineWorkspace>();
    for (const char* name : {"first", "second"}) {
      const auto answer =
          workspace->engine({QStringLiteral("train"), workspace->experiment(QLatin1String(name), QStringLiteral("steps = 12"))});
      if (answer.exit_code != 0) made << QString::fromUtf8(answer.error);
    }
  }
  static void TearDownTestSuite() { workspace.reset(); }

  void SetUp() override {
    ShellTest::SetUp();
    ASSERT_TRUE(made.isEmpty()) << made.join(u'\n').toStdString();
  }

  MainWindow& open_real(const QString& database) {
    WindowOptions options;
    options.workspace = database;
    window = std::make_unique<MainWindow>(*settings, *theme, every_page(), options);
    window->resize(1280, 900);
    window->show();
    window->activateWindow();
    EXPECT_TRUE(comes([this] { return window->state() == MainWindow::State::open; }));
    return *window;
  }

  void wait_for_page() {
    EXPECT_TRUE(comes([this] { return window->area().current() != nullptr && window->area().current()->loaded(); }));
    QTest::qWait(50);
  }

  void expect_in_reach(QWidget& root, const char* where, int least = 3) {
    EXPECT_GE(looked_at(root), least) << where;
    const QStringList found = out_of_reach(root);
    EXPECT_TRUE(found.isEmpty()) << where << ":\n" << found.join(u'\n').toStdString();
  }

  // The tabs of what is shown, one after the other.
  void expect_tabs_in_reach(const char* where) {
    wait_for_page();
    auto* tabs = window->area().current()->findChild<QTabBar*>();
    const int count = tabs != nullptr ? tabs->count() : 1;
    for (int i = 0; i < count; ++i) {
      expect_in_reach(*window, (std::string(where) + ", part " + std::to_string(i)).c_str(), 40);
      window->area().stepTab(+1);
      wait_for_page();
    }
  }

  QStringList run_ids() {
    QStringList ids;
    bool there = false;
    window->workbench().store().read<QStringList>(
        window.get(), QStringLiteral("ids"),
        [](Reader& reader) {
          QStringList found;
          for (const RunInfo& run : reader.runs()) found << QString::fromStdString(run.id);
          return found;
        },
        [&](const QStringList& found) {
          ids = found;
          there = true;
        });
    EXPECT_TRUE(comes([&there] { return there; }));
    return ids;
  }

  // Triggers what opens a dialog, modal or not, looks at it and closes it.
  // (Of Qt's file dialog only that it opens.)
  void expect_dialog_in_reach(const char* where, const std::function<void()>& trigger) {
    bool seen = false;
    const auto look = [&] {
      for (QWidget* top : QApplication::topLevelWidgets()) {
        auto* dialog = qobject_cast<QDialog*>(top);
        if (dialog == nullptr || !dialog->isVisible() || seen) continue;
        seen = true;
        if (qobject_cast<QFileDialog*>(dialog) == nullptr) expect_in_reach(*dialog, where, 0);
        dialog->reject();
      }
    };
    QTimer modal;  // exec() comes back only after this one has looked
    QObject::connect(&modal, &QTimer::timeout, look);
    modal.start(100);
    trigger();
    comes([&seen] { return seen; }, 3000);
    EXPECT_TRUE(seen) << where << " did not open";
    QTest::qWait(20);
  }

  static inline std::unique_ptr<EngineWorkspace> workspace;
  static inline QStringList made;
};

TEST_F(RealWindow, places_and_docks_are_in_reach_empty_and_filled) {
  for (const QString& path : {database(), workspace->database()}) {
    open_real(path);
    for (const QDockWidget* dock : window->findChildren<QDockWidget*>()) const_cast<QDockWidget*>(dock)->show();
    for (const Place place : {Place::runs, Place::drafts, Place::recipes, Place::plugins}) {
      window->workbench().show(place);
      wait_for_page();
      expect_in_reach(*window, (path + u' ' + name_of(place)).toUtf8().constData(), 40);
    }
    window.reset();
  }
}

TEST_F(RealWindow, every_tab_of_a_run_and_of_a_comparison_is_in_reach) {
  open_real(workspace->database());
  const QStringList ids = run_ids();
  ASSERT_EQ(ids.size(), 2);
  window->workbench().openRun(ids.front());
  expect_tabs_in_reach("run");
  window->workbench().openComparison(ids);
  expect_tabs_in_reach("comparison");
}

TEST_F(RealWindow, every_step_of_the_editor_is_in_reach_as_form_and_as_text) {
  open_real(workspace->database());
  QFile file(workspace->experiment(QStringLiteral("draft"), QStringLiteral("steps = 12")));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  window->workbench().newDraft(QStringLiteral("draft"), QString::fromUtf8(file.readAll()));
  wait_for_page();
  auto* steps = window->area().current()->findChild<QListWidget*>();
  ASSERT_NE(steps, nullptr);
  for (int step = 0; step < steps->count(); ++step) {
    steps->setCurrentRow(step);
    for (QCheckBox* more : window->area().current()->findChildren<QCheckBox*>()) {
      if (more->isVisible() && more->text().startsWith(QStringLiteral("More options"))) more->setChecked(true);
    }
    QTest::qWait(50);
    expect_in_reach(*window, ("step " + std::to_string(step)).c_str(), 40);
  }
  window->area().stepTab(+1);
  QTest::qWait(50);
  expect_in_reach(*window, "editor, text", 40);
}

TEST_F(RealWindow, find_action_finds_the_exports_of_the_charts_that_are_shown) {
  open_real(workspace->database());
  const auto exports = [this] {
    FoundActions found(window->workbench().actions(), window->pageActions());
    found.find(QStringLiteral("export"));
    QMap<QString, QAction*> usable;
    for (int row = 0; row < found.rowCount(); ++row) {
      const QModelIndex at = found.index(row);
      if (at.flags().testFlag(Qt::ItemIsEnabled)) usable[ActionRegistry::idOf(found.at(row))] = found.at(row);
    }
    return usable;
  };
  wait_for_page();
  EXPECT_FALSE(exports().contains(QStringLiteral("chart.export-picture"))) << "the Runs page has no chart";
  window->workbench().openRun(run_ids().front());
  wait_for_page();
  for (const char* id : {"chart.export-picture", "chart.export-data"}) {
    QAction* action = exports().value(QLatin1String(id));
    ASSERT_NE(action, nullptr) << id;
    expect_dialog_in_reach(id, [action] { action->trigger(); });
  }
}

TEST_F(RealWindow, dialogs_are_in_reach) {
  open_real(workspace->database());
  wait_for_page();
  const auto trigger = [this](const char* id) { return [this, id] { action(id)->trigger(); }; };
  for (const char* id : {"tools.find-action", "help.keyboard", "help.report", "help.about", "runs.show-trash"}) {
    expect_dialog_in_reach(id, trigger(id));
  }
  for (const char* page : {"", "storage", "numbers", "shortcuts"}) {
    expect_dialog_in_reach("preferences", [this, page] { window->showPreferences(QLatin1String(page)); });
  }
  auto* runs = window->area().current()->findChild<QAbstractItemView*>();
  ASSERT_NE(runs, nullptr);
  runs->setFocus();
  runs->selectionModel()->setCurrentIndex(runs->model()->index(0, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  for (const char* id : {"runs.tag", "runs.note"}) expect_dialog_in_reach(id, trigger(id));
  auto* columns = window->findChild<QPushButton*>(QStringLiteral("runs.columns.open"));
  ASSERT_NE(columns, nullptr);
  expect_dialog_in_reach("columns", [columns] { columns->click(); });
  window->workbench().openComparison(run_ids());
  wait_for_page();
  expect_dialog_in_reach("add runs", trigger("compare.add-run"));
}

}  // namespace
}  // namespace syncline::ui
