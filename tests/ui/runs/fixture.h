// SPDX-License-Identifier: GPL-3.0-or-later
// One page over stored runs.
#pragma once

#include <gtest/gtest.h>

#include <QApplication>
#include <memory>

#include "tests/ui/recording_workbench.h"
#include "tests/ui/runs/stored_runs.h"

namespace syncline::ui {

template <class P>
class OnePageTest : public StoredRunsTest {
 protected:
  // Takes the page and waits until it is loaded.
  void show(Page* made) {
    page_.reset(static_cast<P*>(made));
    page_->resize(1100, 700);
    page_->show();
    QApplication::setActiveWindow(page_.get());
    ASSERT_TRUE(until([this] { return page_->loaded(); }, 20000));
  }
  void TearDown() override {
    page_.reset();
    bench_.reset();
    StoredRunsTest::TearDown();
  }
  template <typename T>
  T* find(const char* name) const {
    T* found = page_->template findChild<T*>(QString::fromUtf8(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  std::unique_ptr<RecordingWorkbench> bench_;
  std::unique_ptr<P> page_;
};

}  // namespace syncline::ui
