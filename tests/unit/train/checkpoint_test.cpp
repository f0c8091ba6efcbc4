// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/checkpoint.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/train/exchange.h"
#include "tests/unit/train/job.h"

namespace syncline::test {
namespace {

namespace fs = std::filesystem;

View sequence(std::int64_t count, float first) {
  const View view = View::host(count);
  for (std::int64_t k = 0; k < count; ++k) view.data()[k] = first + static_cast<float>(k);
  return view;
}

Snapshot snapshot_of(std::int64_t step, int rank, std::int64_t count = 1000) {
  Snapshot snapshot;
  snapshot.step = step;
  snapshot.epoch = 0.5;
  snapshot.shared.blocks = {{"params/conv1", sequence(count, static_cast<float>(step))}, {"params/fc", sequence(7, -1)}};
  StateWriter(snapshot.shared.values).integer("step", step);
  snapshot.own.blocks = {{"statistics", sequence(3, static_cast<float>(100 * rank + step))}};
  StateWriter(snapshot.own.values).real("mine", rank);
  return snapshot;
}

bool save(const fs::path& folder, std::int64_t step, int ranks = 1, std::int64_t keep = 2, std::string* why = nullptr) {
  ThreadWorld world(ranks);
  bool saved = false;
  run_ranks(world, [&](World& mine) {
    const auto control = mine.communicator().duplicate("control");
    Checkpoints checkpoints({.folder = folder, .keep = keep, .run_id = "run", .experiment_hash = "hash", .alive = {}, .committed = {}},
                            *control);
    std::string reason;
    const bool mine_saved = checkpoints.save(snapshot_of(step, mine.rank()), reason);
    if (mine.rank() == ranks - 1) {
      saved = mine_saved;
      if (why != nullptr) *why = reason;
    }
  });
  return saved;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void expect_whole(const fs::path& folder, std::int64_t step, int rank, int ranks) {
  const auto found = newest_checkpoint(folder, [](const std::string&) {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->manifest.step, step);
  const OpenedCheckpoint opened(*found, rank, ranks);
  const View params = View::host(1000), statistics = View::host(3);
  opened.read_block("params/conv1", params);
  EXPECT_EQ(params.data()[999], static_cast<float>(step) + 999);
  opened.read_block("statistics", statistics);
  EXPECT_EQ(statistics.data()[0], static_cast<float>(100 * rank + step));
  const StateReader values(opened.values());
  EXPECT_EQ(values.integer("step"), step);
  EXPECT_EQ(values.real("mine"), rank);
}

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}
void flip_byte(const fs::path& path, std::size_t at) {
  std::string bytes = contents(path);
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  std::ofstream(path, std::ios::binary) << bytes;
}

TEST(Checkpoint, HoldsWhatEachRankSaved) {
  Folder folder;
  EXPECT_TRUE(save(folder.path(), 12, 3));
  for (int rank = 0; rank < 3; ++rank) expect_whole(folder.path(), 12, rank, 3);
  EXPECT_EQ(names_in(folder.path() / "step_000012"),
            (std::vector<std::string>{"manifest.toml", "rank_0000.bin", "rank_0001.bin", "rank_0002.bin", "shared.bin"}));
}

TEST(Checkpoint, KeepsTheNewestAndNothingElse) {
  Folder folder;
  for (const std::int64_t step : {5, 10, 15, 20}) EXPECT_TRUE(save(folder.path(), step));
  EXPECT_EQ(names_in(folder.path()), (std::vector<std::string>{"step_000015", "step_000020"}));
  EXPECT_TRUE(save(folder.path(), 20));  // again at the same step, as after a crash right behind the rename
  expect_whole(folder.path(), 20, 0, 1);
}

TEST(Checkpoint, EveryFlippedByteIsRefused) {
  Folder folder;
  ASSERT_TRUE(save(folder.path(), 3));
  const fs::path step = folder.path() / "step_000003";
  for (const std::string name : {"shared.bin", "rank_0000.bin", "manifest.toml"}) {
    const std::string whole = contents(step / name);
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 37) {
      flip_byte(step / name, at);
      EXPECT_THROW(verify_checkpoint(step), TrainingError) << name << " byte " << at;
      if (name != "manifest.toml") {
        const std::string bytes = contents(step / name);
        EXPECT_THROW(parse_part(std::as_bytes(std::span(bytes)), name), TrainingError) << name << " byte " << at;
      }
      flip_byte(step / name, at);
    }
    std::ofstream(step / name, std::ios::binary) << whole.substr(0, whole.size() - 1);
    EXPECT_THROW(verify_checkpoint(step), TrainingError) << name << " cut";
    std::ofstream(step / name, std::ios::binary) << whole;
  }
  EXPECT_NO_THROW(verify_checkpoint(step));
}

TEST(Checkpoint, ADamagedOneFallsBackToTheOneBeforeAndSaysSo) {
  Folder folder;
  ASSERT_TRUE(save(folder.path(), 3));
  ASSERT_TRUE(save(folder.path(), 6));
  flip_byte(folder.path() / "step_000006" / "shared.bin", 200);
  std::vector<std::string> complaints;
  const auto found = newest_checkpoint(folder.path(), [&](const std::string& text) { complaints.push_back(text); });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->manifest.step, 3);
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_EQ(complaints[0], "the checkpoint of step 6 cannot be used: " + (folder.path() / "step_000006" / "shared.bin").string() +
                               " does not match its checksum; trying the one of step 3");
}

// Engine notes 6.3: whatever the moment of the kill, the newest committed checkpoint is whole and the next save works.
class AbortPoint : public testing::TestWithParam<std::pair<const char*, std::int64_t>> {};

TEST_P(AbortPoint, LeavesAWholeCheckpoint) {
  const auto [point, newest] = GetParam();
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const char* given = ::getenv("SYNCLINE_ABORT_FOLDER");  // the child starts the test from its beginning
  std::optional<Folder> own;
  if (given == nullptr) {
    own.emplace();
    ASSERT_TRUE(save(own->path(), 3));
    ASSERT_TRUE(save(own->path(), 6));
    ::setenv("SYNCLINE_ABORT_FOLDER", own->path().c_str(), 1);
  }
  const fs::path folder = ::getenv("SYNCLINE_ABORT_FOLDER");
  EXPECT_EXIT(
      {
        ::setenv("SYNCLINE_ABORT_AT", point, 1);
        save(folder, 9);
      },
      testing::KilledBySignal(SIGKILL), "");
  ::unsetenv("SYNCLINE_ABORT_FOLDER");
  expect_whole(folder, newest, 0, 1);
  ASSERT_TRUE(save(folder, 12));
  expect_whole(folder, 12, 0, 1);
  for (const std::string& name : names_in(folder)) EXPECT_EQ(fs::path(name).extension(), "") << name;
}

INSTANTIATE_TEST_SUITE_P(Points, AbortPoint,
                         testing::Values(std::pair("before-write", 6), std::pair("mid-write", 6), std::pair("before-fsync", 6),
                                         std::pair("before-manifest", 6), std::pair("before-rename", 6), std::pair("after-rename", 9),
                                         std::pair("before-delete", 9)));

// PT7, DS4: one rank cannot write; all ranks say so, nothing is left, and the run can go on.
TEST(Checkpoint, AFailureOnOneRankIsEverybodysAndLeavesNothing) {
  Folder folder;
  ASSERT_TRUE(save(folder.path(), 3, 2));
  ThreadWorld world(2);
  std::vector<std::string> reasons(2);
  run_ranks(world, [&](World& mine) {
    const auto control = mine.communicator().duplicate("control");
    const fs::path place = mine.rank() == 1 ? folder.path() / "nowhere" : folder.path();
    Checkpoints checkpoints({.folder = place, .keep = 2, .run_id = "run", .experiment_hash = "hash", .alive = {}, .committed = {}},
                            *control);
    EXPECT_FALSE(checkpoints.save(snapshot_of(6, mine.rank()), reasons[static_cast<std::size_t>(mine.rank())]));
  });
  EXPECT_EQ(reasons[0], reasons[1]);
  EXPECT_NE(reasons[0].find("rank 1: cannot open"), std::string::npos) << reasons[0];
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"step_000003"});
}

// LB3: rank 0 chooses, rank 1 cannot read its part; both get the same error and nobody waits.
TEST(Checkpoint, AnErrorInReadingIsTheSameOnEveryRank) {
  Folder folder;
  ASSERT_TRUE(save(folder.path(), 3, 2));
  const fs::path step = folder.path() / "step_000003";
  const std::string nonsense(80, 'x');  // whole by its checksum, but no part
  std::ofstream(step / "rank_0001.bin", std::ios::binary) << nonsense;
  Manifest manifest = parse_manifest(contents(step / "manifest.toml"), "manifest");
  manifest.files[2] = {.name = "rank_0001.bin", .bytes = nonsense.size(), .xxh64 = XXH64(nonsense.data(), nonsense.size(), 0)};
  std::ofstream(step / "manifest.toml", std::ios::binary) << to_text(manifest);
  ThreadWorld world(2);
  std::vector<std::string> errors(2);
  run_ranks(world, [&](World& mine) {
    const auto control = mine.communicator().duplicate("control");
    try {
      open_newest(*control, folder.path(), [](const std::string& text) { FAIL() << text; });
    } catch (const AgreedError& error) {
      errors[static_cast<std::size_t>(mine.rank())] = error.what();
    }
  });
  EXPECT_EQ(errors[0], "rank 1: " + (step / "rank_0001.bin").string() + " is no part of a checkpoint");
  EXPECT_EQ(errors[1], errors[0]);
}

TEST(Checkpoint, WithNoneThatHoldsThereIsNone) {
  Folder folder;
  ASSERT_TRUE(save(folder.path(), 3, 2));
  flip_byte(folder.path() / "step_000003" / "rank_0001.bin", 70);
  ThreadWorld world(2);
  run_ranks(world, [&](World& mine) {
    const auto control = mine.communicator().duplicate("control");
    EXPECT_EQ(open_newest(*control, folder.path(), [](const std::string&) {}), nullptr);
  });
}

TEST(Checkpoint, LargePartsCrossBlocks) {
  Folder folder;
  const fs::path path = folder.path() / "part.bin";
  Snapshot snapshot = snapshot_of(1, 0, (std::int64_t{9} << 20) / 4 + 3);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT, 0600);
  write_part(file, path.string(), {.rank = 2, .ranks = 4, .step = 1}, snapshot.shared, nullptr);
  ::close(file);
  std::string bytes = contents(path);
  const CheckpointPart part = parse_part(std::as_bytes(std::span(bytes)), "part.bin");
  EXPECT_EQ(part.rank, 2);
  EXPECT_EQ(part.ranks, 4);
  EXPECT_EQ(part.blocks.at("params/conv1").size(), static_cast<std::size_t>((9 << 20) + 12));
  bytes[(std::size_t{6} << 20)] ^= 1;
  EXPECT_THROW(parse_part(std::as_bytes(std::span(bytes)), "part.bin"), TrainingError);
}

}  // namespace
}  // namespace syncline::test
