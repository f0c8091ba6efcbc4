// SPDX-License-Identifier: GPL-3.0-or-later
// A window without a window: the real services over a workspace of its own, and what pages asked of it.
#pragma once

#include <gtest/gtest.h>

#include <QMainWindow>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <memory>

#include "ui/models/background_jobs.h"
#include "ui/models/engine_program.h"
#include "ui/models/problems.h"
#include "ui/models/settings.h"
#include "ui/models/store_service.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

inline constexpr int patience_ms = 20000;  // of anything that is waited for; two cores may be busy

class Bench : public Workbench {
 public:
  explicit Bench(const QString& database, const QString& engine_path) {
    settings_.set(QString::fromUtf16(EngineProgram::path_setting), engine_path);
    store_ = std::make_unique<StoreService>(database);
    engine_ = std::make_unique<EngineProgram>(settings_, database);
  }
  ~Bench() override { settings_.remove(QString::fromUtf16(EngineProgram::path_setting)); }

  StoreService& store() override { return *store_; }
  ActionRegistry& actions() override { return actions_; }
  Problems& problems() override { return problems_; }
  BackgroundJobs& jobs() override { return jobs_; }
  Settings& settings() override { return settings_; }
  EngineProgram& engine() override { return *engine_; }
  void show(Place) override {}
  void openRun(const QString& run_id, const QString&) override { opened_runs << run_id; }
  void openComparison(const QStringList&, const QString&) override {}
  void openDraft(const QString& saved_id) override { opened_drafts << saved_id; }
  void newDraft(const QString& name, const QString& text) override { new_drafts << name << text; }
  void notice(const QString& text, const QString&, std::function<void()>, int) override { notices << text; }

  QStringList opened_runs, opened_drafts, new_drafts, notices;

 private:
  Settings settings_;
  ActionRegistry actions_;
  Problems problems_;
  BackgroundJobs jobs_;
  std::unique_ptr<StoreService> store_;
  std::unique_ptr<EngineProgram> engine_;
};

class PageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1");
    qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    ASSERT_TRUE(folder_.isValid());
    database_ = folder_.filePath(QStringLiteral("w.db"));
    bench_ = std::make_unique<Bench>(database_, QStringLiteral(SYNCLINE_BINARY_DIR "/app/syncline-engine"));
  }
  void TearDown() override {
    window_.reset();
    bench_.reset();
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
  }

  static bool wait(const std::function<bool()>& condition) { return QTest::qWaitFor(condition, patience_ms); }

  // Shows the page in a window of the given size and waits until it is loaded.
  void open(Page* page, const QSize& size = {1100, 700}) {
    window_ = std::make_unique<QMainWindow>();
    window_->setCentralWidget(page);
    window_->resize(size);
    window_->show();
    QApplication::setActiveWindow(window_.get());
    ASSERT_TRUE(wait([page] { return page->loaded(); }));
  }

  template <typename T>
  T* find(const QString& name) const {
    T* found = window_->findChild<T*>(name);
    if (found == nullptr) ADD_FAILURE() << "no widget called " << name.toStdString();
    return found;
  }

  QTemporaryDir folder_;
  QString database_;
  std::unique_ptr<Bench> bench_;
  std::unique_ptr<QMainWindow> window_;
};

}  // namespace syncline::ui
