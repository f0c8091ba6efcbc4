// SPDX-License-Identifier: GPL-3.0-or-later
// A window over a real workspace with small pages of its own, and settings in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <QAction>
#include <QApplication>
#include <QLineEdit>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QVBoxLayout>
#include <memory>

#include "engine/store/registry.h"
#include "engine/store/workspace.h"
#include "ui/models/settings.h"
#include "ui/views/shell/main_window.h"
#include "ui/views/shell/navigation_view.h"
#include "ui/views/shell/page_area.h"
#include "ui/views/shell/strips.h"
#include "ui/views/shell/theme.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

// For people to look at, where $SYNCLINE_PICTURES names a folder.
inline void keep_picture(QWidget& widget, const QString& name) {
  const QString into = qEnvironmentVariable("SYNCLINE_PICTURES");
  if (!into.isEmpty()) widget.grab().save(into + QLatin1Char('/') + name + QStringLiteral(".png"));
}

class FakePage : public Page {
 public:
  FakePage(Workbench& workbench, QString title, QString key) : Page(workbench), title_(std::move(title)), key_(std::move(key)) {
    auto* column = new QVBoxLayout(this);
    field = new QLineEdit(this);
    column->addWidget(field);
  }
  QString title() const override { return title_; }
  bool unsaved() const override { return is_unsaved; }
  bool loaded() const override { return is_loaded; }
  bool mayClose() override { return may_close; }
  void showTab(const QString& name) override { tab = name; }
  QString restoreKey() const override { return key_; }
  QAction* offer(const char* id, const QString& text, const QList<QKeySequence>& keys, std::function<void()> act) {
    return workbench().actions().add(this, {QLatin1String(id), text, QStringLiteral("Does it."), keys, {}}, act);
  }

  QLineEdit* field;
  QString tab;
  bool is_unsaved = false, is_loaded = true, may_close = true;

 private:
  QString title_, key_;
};

inline PageFactories fake_factories() {
  PageFactories table;
  const auto place = [](const char* name) {
    return [title = QString::fromLatin1(name)](Workbench& workbench) -> Page* { return new FakePage(workbench, title, {}); };
  };
  table.runs = place("Runs");
  table.drafts = place("Drafts");
  table.recipes = place("Recipes");
  table.plugins = place("Plugins");
  table.run = [](Workbench& workbench, const QString& id, const QString& tab) -> Page* {
    auto* page = new FakePage(workbench, QStringLiteral("run ") + id, QStringLiteral("run:") + id);
    page->tab = tab;
    return page;
  };
  table.comparison = [](Workbench& workbench, const QStringList& ids, const QString&) -> Page* {
    return new FakePage(workbench, QStringLiteral("compare ") + ids.join(u','), QStringLiteral("compare:") + ids.join(u','));
  };
  table.editor = [](Workbench& workbench, const QString& saved, const QString& name, const QString&, const QString&) -> Page* {
    return new FakePage(workbench, saved.isEmpty() ? name : saved, saved.isEmpty() ? QString() : QStringLiteral("draft:") + saved);
  };
  return table;
}

class ShellTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder.isValid());
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.filePath(QStringLiteral("config")));
    QSettings().clear();
    settings = std::make_unique<Settings>();
    theme = std::make_unique<Theme>(*settings);
  }
  void TearDown() override {
    window.reset();
    settings->remove(keys::theme);
    settings->remove(keys::text_size);
    settings->remove(keys::zone);
    settings->remove(keys::decimals);
    theme->apply();
    QSettings().clear();
  }

  QString database() const { return folder.filePath(QStringLiteral("w.db")); }

  // A run that this process is rank 0 of; its id.
  static std::string goingRun(const Workspace& workspace, const std::string& name = "a") {
    NewRun run;
    run.name = name;
    run.experiment = "name = \"x\"\n";
    run.state = "running";
    run.rank0 = this_process();
    return RunRegistry(workspace).create(run);
  }

  // Opens a window and waits until its workspace is open or has failed.
  MainWindow& open(const QString& workspace = {}, bool remember = true) {
    WindowOptions options;
    options.workspace = workspace.isEmpty() ? database() : workspace;
    options.remember = remember;
    window = std::make_unique<MainWindow>(*settings, *theme, fake_factories(), options);
    window->resize(1100, 700);
    window->show();
    window->activateWindow();
    EXPECT_TRUE(QTest::qWaitFor([this] { return window->state() != MainWindow::State::opening; }, 20'000));
    QTest::qWait(20);
    return *window;
  }
  FakePage* current() const { return dynamic_cast<FakePage*>(window->area().current()); }
  QAction* action(const char* id) const { return window->workbench().actions().find(QLatin1String(id)); }
  template <typename T>
  T* child(const char* name) const {
    return window->findChild<T*>(QLatin1String(name));
  }

  QTemporaryDir folder;
  std::unique_ptr<Settings> settings;
  std::unique_ptr<Theme> theme;
  std::unique_ptr<MainWindow> window;
};

}  // namespace syncline::ui
