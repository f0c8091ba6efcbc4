// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of the editor over a workspace of their own.
#pragma once

#include <gtest/gtest.h>

#include <QMainWindow>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QThreadPool>
#include <memory>

#include "tests/ui/recording_workbench.h"

namespace syncline::ui {

inline constexpr int patience_ms = 20000;  // of anything that is waited for; two cores may be busy

using Bench = RecordingWorkbench;

class PageTest : public ::testing::Test {
 protected:
  void SetUp() override {
    qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1");
    qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    ASSERT_TRUE(folder_.isValid());
    database_ = folder_.filePath(QStringLiteral("w.db"));
    bench_ = std::make_unique<Bench>(database_, Bench::builtEngine());
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
