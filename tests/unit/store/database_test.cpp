// SPDX-License-Identifier: Apache-2.0
#include "engine/store/database.h"

#include <optional>

#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

class StatementsOfADatabase : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    database_.emplace(folder_ / "numbers.db", Database::Mode::create);
    database_->execute("CREATE TABLE number (value INTEGER); INSERT INTO number VALUES (1), (2), (3)");
  }
  void TearDown() override {
    database_.reset();
    StoreTest::TearDown();
  }
  std::optional<Database> database_;
};

TEST_F(StatementsOfADatabase, BeginAnewWithoutTheParametersOfTheirLastUse) {
  const char* sql = "SELECT value, ?1 FROM number WHERE value > coalesce(?1, 0) ORDER BY value";
  {
    Statement select = database_->prepare(sql);
    select.bind(1, 1);
    ASSERT_TRUE(select.step());
    EXPECT_EQ(select.integer(0), 2);
  }
  Statement again = database_->prepare(sql);
  ASSERT_TRUE(again.step());
  EXPECT_EQ(again.integer(0), 1);
  EXPECT_TRUE(again.null(1));
}

TEST_F(StatementsOfADatabase, OfOneTextAreSeveralWhereSeveralAreInUse) {
  const char* sql = "SELECT value FROM number ORDER BY value";
  Statement first = database_->prepare(sql), second = database_->prepare(sql);
  ASSERT_TRUE(first.step() && second.step() && second.step());
  EXPECT_EQ(first.integer(0), 1);
  EXPECT_EQ(second.integer(0), 2);
}

TEST_F(StatementsOfADatabase, HoldNoSnapshotOnceTheyAreLeft) {
  {
    Statement select = database_->prepare("SELECT value FROM number");
    ASSERT_TRUE(select.step());  // and not to the end
  }
  Database other(folder_ / "numbers.db", Database::Mode::write, 0);
  other.execute("INSERT INTO number VALUES (4)");
  EXPECT_EQ(other.checkpoint(true), 0) << "an old snapshot keeps the log from being emptied";
}

TEST_F(StatementsOfADatabase, AnswerWhatHoldsNow) {
  EXPECT_EQ(database_->integer("PRAGMA user_version"), 0);
  const std::int64_t before = database_->integer("PRAGMA busy_timeout");
  database_->execute("PRAGMA busy_timeout=17; PRAGMA user_version=5");
  EXPECT_NE(before, 17);
  EXPECT_EQ(database_->integer("PRAGMA busy_timeout"), 17);
  EXPECT_EQ(database_->integer("PRAGMA user_version"), 5);
  // A table that changes under a statement that waits.
  EXPECT_EQ(database_->integer("SELECT count(*) FROM number"), 3);
  database_->execute("ALTER TABLE number ADD COLUMN name TEXT; DELETE FROM number WHERE value = 1");
  EXPECT_EQ(database_->integer("SELECT count(*) FROM number"), 2);
}

TEST_F(StatementsOfADatabase, AreKeptUpToALimit) {
  for (int i = 0; i < 300; ++i) EXPECT_EQ(database_->integer("SELECT " + std::to_string(i)), i);
  EXPECT_EQ(database_->integer("SELECT 7"), 7);
  Database moved = std::move(*database_);
  EXPECT_EQ(moved.integer("SELECT 299"), 299);
}

}  // namespace
}  // namespace syncline
