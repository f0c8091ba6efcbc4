// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page over stored runs.
#pragma once

#include "tests/ui/runs/fixture.h"
#include "ui/views/compare/compare_page.h"

namespace syncline::ui {

class ComparePageTest : public OnePageTest<ComparePage> {
 protected:
  void open(const std::vector<std::string>& ids, const QString& saved = {}) {
    if (!bench_) bench_ = std::make_unique<RecordingWorkbench>(path_);
    QStringList list;
    for (const std::string& id : ids) list << QString::fromStdString(id);
    show(make_compare_page(*bench_, list, saved));
  }
  QString cell(const char* table, int row, const QString& head) const {
    auto* one = find<QTableWidget>(table);
    for (int column = 0; column < one->columnCount(); ++column) {
      if (one->horizontalHeaderItem(column)->text() == head) return one->item(row, column)->text();
    }
    ADD_FAILURE() << "no column " << head.toStdString();
    return {};
  }
};

}  // namespace syncline::ui
