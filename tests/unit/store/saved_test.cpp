// SPDX-License-Identifier: Apache-2.0
#include "engine/store/saved.h"

#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

using Saved = StoreTest;

TEST_F(Saved, TextsAreKeptByKindAndReplacedById) {
  const Workspace in = workspace();
  SavedTexts saved(in);
  Database reading = in.connect_read_only();
  EXPECT_TRUE(saved_texts(reading, "draft").empty());
  const std::string id = saved.put({{}, "draft", "first", "name = \"a\"", 0});
  saved.put({{}, "filter", "running", "state:running", 0});
  saved.put({id, "draft", "renamed", "name = \"b\"", 0});
  const auto drafts = saved_texts(reading, "draft");
  ASSERT_EQ(drafts.size(), 1u);
  EXPECT_EQ(drafts[0].name, "renamed");
  EXPECT_EQ(drafts[0].content, "name = \"b\"");
  EXPECT_GT(drafts[0].updated_at, 1.6e9);
  EXPECT_EQ(saved_text(reading, id)->content, "name = \"b\"");
  saved.remove(id);
  EXPECT_FALSE(saved_text(reading, id));
  EXPECT_EQ(saved_texts(reading, "filter").size(), 1u);
}

TEST_F(Saved, AnotherConnectionsWriteChangesTheDataVersion) {
  const Workspace in = workspace();
  Database reading = in.connect_read_only();
  const std::int64_t before = reading.data_version();
  EXPECT_EQ(reading.data_version(), before);
  SavedTexts(in).put({{}, "draft", "a", "", 0});
  EXPECT_NE(reading.data_version(), before);
}

}  // namespace
}  // namespace syncline
