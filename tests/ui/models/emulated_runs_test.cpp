// SPDX-License-Identifier: GPL-3.0-or-later
// Paced and emulated runs in the table of runs.
#include <gtest/gtest.h>

#include "tests/ui/runs/stored_runs.h"
#include "ui/models/runs_columns.h"

namespace syncline::ui {
namespace {

using EmulatedRuns = StoredRunsTest;

TEST_F(EmulatedRuns, AreMarkedBehindTheirStateAndInCopiedTables) {
  auto row = std::make_shared<RunRow>();
  row->info.state = "finished";
  const RunsColumn state = runs_column(QStringLiteral("state"));
  EXPECT_FALSE(cell_of(state, *row, nullptr, 0).text.contains(u','));
  row->info.emulated = {"link", "compute", "paced"};
  EXPECT_TRUE(cell_of(state, *row, nullptr, 0).text.endsWith(QStringLiteral(", paced")));
  EXPECT_TRUE(cell_of(state, *row, nullptr, 0).tip.contains(QStringLiteral("paced compute, emulated link")));
  row->info.emulated = {"compute"};
  EXPECT_TRUE(cell_of(state, *row, nullptr, 0).text.endsWith(QStringLiteral(", emulated")));
  make({.name = "a run"});  // a workspace to open
  StoreService store(path_);
  auto real = std::make_shared<RunRow>();
  real->info.state = "finished";
  const RunsDetails nothing(store);
  EXPECT_TRUE(cell_of_group(state, {row, row}, nothing, 0).text.endsWith(QStringLiteral("Finished, emulated")));
  EXPECT_TRUE(cell_of_group(state, {row, real}, nothing, 0).text.endsWith(QStringLiteral("Finished, some emulated")));
  EXPECT_TRUE(cell_of_group(state, {real, real}, nothing, 0).text.endsWith(QStringLiteral("Finished")));
  EXPECT_TRUE(runs_as_table({state}, {row}, RunsDetails(store)).contains(QStringLiteral("finished, emulated")));
}

TEST_F(EmulatedRuns, SayWhyTheyHaveNoTimesAndNoLoss) {
  RunRow row;
  row.info.state = "finished";
  row.info.emulated = {"compute"};
  RunDetails details;
  auto summary = std::make_shared<Summary>();
  summary->emulation_overrun = 0.25;
  details.summary = summary;
  const auto tip = [&](const char* id) { return cell_of(runs_column(QString::fromUtf8(id)), row, &details, 0).tip; };
  EXPECT_TRUE(tip("samples_per_s").contains(QStringLiteral("in 25.0 % of the steps a wait was over before it began")))
      << qPrintable(tip("samples_per_s"));
  EXPECT_TRUE(tip("exposed").contains(QStringLiteral("25.0 %")));
  EXPECT_EQ(tip("loss"), QStringLiteral("nothing was computed in this run: its compute is emulated"));
  EXPECT_EQ(tip("accuracy"), tip("loss"));
  summary->emulation_overrun = 0.02;
  EXPECT_EQ(tip("samples_per_s"), QStringLiteral("not measured in this run"));
}

}  // namespace
}  // namespace syncline::ui
