// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs/details_strip.h"

#include <QLabel>

#include "engine/metrics/clock.h"
#include "tests/ui/runs/stored_runs.h"

namespace syncline::ui {
namespace {

using DetailsStripTest = StoredRunsTest;

TEST_F(DetailsStripTest, TheAgeOfAHeartbeatGrowsWhileNothingElseHappens) {
  make({.name = "going", .state = "running"});
  StoreService store(path_);
  Reader reader(workspace());
  RunRow row = *read_runs(reader, nullptr)->rows.front();
  row.info.state = "running";
  row.info.heartbeat = utc_s();
  DetailsStrip strip(store);
  strip.show(std::make_shared<const RunRow>(row), nullptr, 0);
  strip.QWidget::show();
  const auto* sentence = strip.findChild<QLabel*>(QStringLiteral("runs.details.state"));
  ASSERT_NE(sentence, nullptr);
  const QString before = sentence->text();
  EXPECT_TRUE(before.contains(QStringLiteral("last heartbeat"))) << before.toStdString();
  EXPECT_TRUE(until([&] { return sentence->text() != before; }, 5000)) << before.toStdString();
}

}  // namespace
}  // namespace syncline::ui
