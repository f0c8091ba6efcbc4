// SPDX-License-Identifier: Apache-2.0
// Under a launcher that is not ours, which ends all ranks when the first leaves with an error: what is wrong is said, and said once.
#include <gtest/gtest.h>

#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Three ranks, of which one runs `shell` first; in it, "$0" and "$@" are the engine and its arguments.
std::string ranks_where(int rank, const std::string& shell) {
  return mpirun(3) + " sh -c '[ $OMPI_COMM_WORLD_RANK = " + std::to_string(rank) + " ] && " + shell + "; exec \"$0\" \"$@\"'";
}

struct Wrong {
  const char* name;
  const char* what;  // in job.toml
  const char* with;
  int code;
  const char* sentence;
};
class LauncherWith : public testing::TestWithParam<Wrong> {};

// Rank 0, which speaks for all, is the last to find it.
TEST_P(LauncherWith, SaysOnceWhatEveryRankFinds) {
  const Engine engine;
  engine.replace("workers = 2", "workers = 3");
  engine.replace("batch_per_worker = [5, 4]", "batch_per_worker = 4");
  engine.replace(GetParam().what, GetParam().with);
  const Ended ended = engine.run("train job.toml", ranks_where(0, "sleep 1"));
  EXPECT_EQ(ended.code, GetParam().code) << ended.output;
  EXPECT_EQ(count(ended.output, GetParam().sentence), 1u) << ended.output;
  EXPECT_TRUE(engine.processes().empty());
}

constexpr char synthetic[] = "source = \"synthetic\"\nclasses = 3\nheight = 6\nwidth = 6\ntrain_size = 60\ntest_size = 23\n";
INSTANTIATE_TEST_SUITE_P(
    Mistakes, LauncherWith,
    testing::Values(Wrong{"ranks", "workers = 3", "workers = 2", 2, "the experiment asks for 2 workers and 3 ranks were started"},
                    Wrong{"experiment", "\"sync\"", "\"synk\"", 2, "'synk' is not known"},
                    Wrong{"data", synthetic, "source = \"fashion-mnist\"\npath = \"/nowhere\"\n", 3, "/nowhere"},
                    Wrong{"plugin", "\"adam\"", "\"plugin:nothere\"", 2, "there is no plugin \"nothere\""},
                    Wrong{"learning_rate", "\"adam\", lr = 0.01", "\"sgd\", lr = 1e38", 4, "error: the loss is not finite"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Launcher, GetsOneDocumentFromAllRanks) {
  const Engine engine;
  const Ended ended = engine.run("train nofile.toml --json", ranks_where(0, "sleep 1"));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(count(ended.output, "\"error\": {"), 1u) << ended.output;
  EXPECT_EQ(count(ended.output, "\"message\": \"cannot read the experiment file nofile.toml\""), 1u) << ended.output;
}

// The others start, wait for it, and would end the job by their own limit only.
TEST(Launcher, HearsFromARankThatFailsAlone) {
  const Engine engine;
  engine.replace("workers = 2", "workers = 3");
  engine.replace("batch_per_worker = [5, 4]", "batch_per_worker = 4");
  const Ended ended = engine.run("train job.toml", ranks_where(1, "exec \"$0\" train nofile.toml"));
  EXPECT_EQ(ended.code, 2) << ended.output;
  EXPECT_EQ(count(ended.output, "nofile.toml"), 1u) << ended.output;
  EXPECT_LT(ended.seconds, 15);
  EXPECT_TRUE(engine.processes().empty());
}

}  // namespace
}  // namespace syncline::test
