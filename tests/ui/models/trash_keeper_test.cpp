// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/trash_keeper.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <memory>
#include <tuple>

#include "engine/metrics/clock.h"
#include "tests/unit/store/fixture.h"
#include "ui/models/settings.h"

namespace syncline::ui {
namespace {

constexpr double day = 24 * 3600;

class TrashKeeperTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    workspace();
    settings_.remove(TrashKeeper::days_setting);
    store_ = std::make_unique<StoreService>(QString::fromStdString((folder_ / "workspace.db").string()));
  }
  void TearDown() override {
    store_.reset();
    StoreTest::TearDown();
  }

  std::string ended_run(const std::string& name) {
    RunRegistry registry(workspace());
    const std::string id = registry.create(new_run(name));
    registry.finish(id, {"finished", "", 0, 0});
    return id;
  }
  bool there(const std::string& id) {
    Reader reader(workspace());
    for (const RunInfo& run : reader.runs()) {
      if (run.id == id) return true;
    }
    return false;
  }

  static constexpr int quiet_ms = 700;  // after which nothing is expected any more

  // What one start of the window says: "announced 2", "removed 1", or nothing.
  QString start(double now, int patience_ms = 20'000) {
    TrashKeeper keeper(*store_, settings_);
    QString said;
    QObject::connect(&keeper, &TrashKeeper::announced, &keeper, [&said](int runs) { said += QStringLiteral("announced %1 ").arg(runs); });
    QObject::connect(&keeper, &TrashKeeper::removed, &keeper, [&said](int runs) { said += QStringLiteral("removed %1 ").arg(runs); });
    QObject::connect(&keeper, &TrashKeeper::failed, &keeper, [&said](const QString& why) { said += why; });
    keeper.look(now);
    std::ignore = QTest::qWaitFor([&said] { return !said.isEmpty(); }, patience_ms);
    return said.trimmed();
  }

  Settings settings_;
  std::unique_ptr<StoreService> store_;
};

TEST_F(TrashKeeperTest, ARunIsNamedFirstAndGoesAtALaterStart) {
  const std::string old = ended_run("old"), kept = ended_run("kept");
  Annotations(workspace()).set_trashed(old, true);
  const double put = utc_s();
  EXPECT_EQ(start(put + 29 * day, quiet_ms), QString());
  EXPECT_EQ(start(put + 31 * day), QStringLiteral("announced 1"));
  EXPECT_EQ(start(put + 31 * day + 60, quiet_ms), QString());  // not within the day
  EXPECT_TRUE(there(old));
  EXPECT_EQ(start(put + 32.5 * day), QStringLiteral("removed 1"));
  EXPECT_FALSE(there(old));
  EXPECT_TRUE(there(kept));
}

TEST_F(TrashKeeperTest, WhatIsRestoredOrLockedStays) {
  const std::string restored = ended_run("restored"), locked = ended_run("locked");
  const double put = utc_s();
  for (const std::string& id : {restored, locked}) Annotations(workspace()).set_trashed(id, true);
  EXPECT_EQ(start(put + 31 * day), QStringLiteral("announced 2"));
  Annotations(workspace()).set_trashed(restored, false);
  Annotations(workspace()).set_locked(locked, true);
  EXPECT_EQ(start(put + 40 * day, quiet_ms), QString());
  EXPECT_TRUE(there(restored));
  EXPECT_TRUE(there(locked));
}

TEST_F(TrashKeeperTest, ThePersonChoosesHowLongAndWhetherAtAll) {
  const std::string old = ended_run("old");
  Annotations(workspace()).set_trashed(old, true);
  const double put = utc_s();
  settings_.set(TrashKeeper::days_setting, 0);
  EXPECT_EQ(start(put + 4000 * day, quiet_ms), QString());
  settings_.set(TrashKeeper::days_setting, 7);
  EXPECT_EQ(start(put + 8 * day), QStringLiteral("announced 1"));
}

TEST_F(TrashKeeperTest, AllAttemptsOfARunGoTogether) {
  const std::string first = ended_run("run");
  RunRegistry registry(workspace());
  NewRun again = new_run("run");
  again.attempt_of = first;
  const std::string second = registry.create(again);
  registry.finish(second, {"finished", "", 0, 0});
  const double put = utc_s();
  for (const std::string& id : {first, second}) Annotations(workspace()).set_trashed(id, true);
  EXPECT_EQ(start(put + 31 * day), QStringLiteral("announced 1"));
  EXPECT_EQ(start(put + 33 * day), QStringLiteral("removed 1"));
  EXPECT_FALSE(there(first));
  EXPECT_FALSE(there(second));
}

}  // namespace
}  // namespace syncline::ui
