// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page over stored runs.
#pragma once

#include "tests/ui/runs/fixture.h"
#include "ui/views/compare/compare_page.h"

namespace syncline::ui {

class ComparePageTest : public PageTest {
 protected:
  void open(const std::vector<std::string>& ids, const QString& saved = {}) {
    if (!bench_) bench_ = std::make_unique<RecordingWorkbench>(path_);
    QStringList list;
    for (const std::string& id : ids) list << QString::fromStdString(id);
    page_.reset(static_cast<ComparePage*>(make_compare_page(*bench_, list, saved)));
    page_->resize(1100, 700);
    page_->show();
    QApplication::setActiveWindow(page_.get());
    ASSERT_TRUE(until([this] { return page_->loaded(); }, 20000));
  }
  void TearDown() override {
    page_.reset();
    bench_.reset();
    PageTest::TearDown();
  }
  template <typename T>
  T* find(const char* name) const {
    T* found = page_->findChild<T*>(QString::fromUtf8(name));
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  QString cell(const char* table, int row, const QString& head) const {
    auto* one = find<QTableWidget>(table);
    for (int column = 0; column < one->columnCount(); ++column) {
      if (one->horizontalHeaderItem(column)->text() == head) return one->item(row, column)->text();
    }
    ADD_FAILURE() << "no column " << head.toStdString();
    return {};
  }
  std::unique_ptr<RecordingWorkbench> bench_;
  std::unique_ptr<ComparePage> page_;
};

}  // namespace syncline::ui
