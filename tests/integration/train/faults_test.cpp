// SPDX-License-Identifier: Apache-2.0
// A fault in every phase: the job ends within the limit, says why in one sentence, and leaves nothing behind (failure tests, "Nothing
// hangs").
#include <gtest/gtest.h>

#include <fstream>

#include "tests/integration/train/engine.h"

namespace syncline::test {
namespace {

constexpr double limit_s = 3, margin_s = 10;  // fault.limit_s of the job; what may come on top, start included

struct Fault {
  const char* text;
  const char* reason;  // part of the recorded sentence
};
class FaultIn : public testing::TestWithParam<Fault> {};

TEST_P(FaultIn, EndsTheJobWithOneSentence) {
  const Engine engine;
  const Ended ended = engine.train("", std::string("SYNCLINE_FAULT=") + GetParam().text);
  EXPECT_EQ(ended.code, 4) << ended.output;
  EXPECT_LT(ended.seconds, limit_s + margin_s) << ended.output;
  const RunInfo run = engine.last();
  EXPECT_EQ(run.state, "failed");
  EXPECT_NE(run.reason.find(GetParam().reason), std::string::npos) << run.reason;
  EXPECT_TRUE(engine.processes().empty());
  EXPECT_EQ(engine.leftovers(run.id), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Throws, FaultIn,
                         testing::Values(Fault{"1:0:start:throw", "rank 1 failed in step 0: a fault was asked for in start"},
                                         Fault{"1:0:data:throw", "rank 1 failed in step 0: a fault was asked for in data"},
                                         Fault{"0:3:forward:throw", "rank 0 failed in step 3: a fault was asked for in forward"},
                                         Fault{"1:3:backward:throw", "rank 1 failed in step 3: a fault was asked for in backward"},
                                         Fault{"1:3:collective:throw", "rank 1 failed in step 3: a fault was asked for in collective"},
                                         Fault{"1:7:evaluation:throw", "rank 1 failed in step 7: a fault was asked for in evaluation"},
                                         Fault{"0:0:checkpoint:throw", "rank 0 failed in step 28: a fault was asked for in checkpoint"},
                                         Fault{"1:0:shutdown:throw", "rank 1 failed in step 28: a fault was asked for in shutdown"}));
INSTANTIATE_TEST_SUITE_P(Silences, FaultIn,
                         testing::Values(Fault{"1:3:collective:stop", "waiting for rank 1"},
                                         Fault{"0:3:forward:stop", "waiting for rank 0"}, Fault{"1:2:data:sleep", "waiting for rank 1"}));

TEST(Faults, NotFiniteLossFails) {
  const Engine engine;
  const Ended ended = engine.train("", "SYNCLINE_FAULT=1:4:collective:nan");
  EXPECT_EQ(ended.code, 4);
  EXPECT_EQ(
      engine.last().reason,
      "the loss is not finite in step 4 on rank 1; a smaller learning rate may help, or on_divergence = \"continue\" to go on regardless");
}

TEST(Faults, MissingDataIsExitCode3) {
  const Engine engine;
  engine.replace("source = \"synthetic\"\nclasses = 3\nheight = 6\nwidth = 6\ntrain_size = 60\ntest_size = 23\n",
                 "source = \"fashion-mnist\"\npath = \"/nowhere\"\n");
  const Ended ended = engine.train();
  EXPECT_EQ(ended.code, 3) << ended.output;
  EXPECT_NE(ended.output.find("/nowhere"), std::string::npos) << ended.output;
}

TEST(Faults, AWorkspaceThatCannotBeMadeIsExitCode6) {
  const Engine engine;
  std::ofstream(engine.workspace()) << "this is no database, and long enough to be looked at as one: " << std::string(4096, 'x');
  const Ended ended = engine.train();
  EXPECT_EQ(ended.code, 6) << ended.output;
}

// A kill between two checkpoints: the run goes on from the newest, and ends with the same bits.
TEST(Faults, KilledAndResumedEndsAlike) {
  const Engine engine;
  ASSERT_EQ(engine.train().code, 0);
  const RunInfo whole = engine.last();
  const Ended killed = engine.train("--set 'checkpoint.every=\"4 steps\"'", "SYNCLINE_FAULT=0:10:backward:kill");
  EXPECT_EQ(killed.code, 4);
  const RunInfo first = engine.last();
  EXPECT_EQ(engine.checkpoint_step(first.id), 8);
  const Ended resumed = engine.run("train --resume " + first.id);
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  EXPECT_EQ(engine.state(engine.last().id), engine.state(whole.id));
}

TEST(Faults, ADamagedCheckpointFallsBackAndSaysSo) {
  const Engine engine;
  ASSERT_EQ(engine.train("--set 'checkpoint.every=\"10 steps\"'").code, 0);
  const RunInfo first = engine.last();
  const std::vector<std::byte> whole = engine.state(first.id);
  const auto newest = Workspace::open_read_only(engine.workspace()).run_folder(first.id) / "checkpoints" / "step_000028" / "shared.bin";
  std::fstream file(newest, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(300);
  file.put('!');
  file.close();
  const Ended resumed = engine.run("train --resume " + first.id);
  ASSERT_EQ(resumed.code, 0) << resumed.output;
  EXPECT_NE(resumed.output.find("the checkpoint of step 28 cannot be used"), std::string::npos) << resumed.output;
  EXPECT_NE(resumed.output.find("from the checkpoint of step 20"), std::string::npos) << resumed.output;
  EXPECT_EQ(engine.state(engine.last().id), whole);
}

}  // namespace
}  // namespace syncline::test
