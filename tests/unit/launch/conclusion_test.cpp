// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/conclusion.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace syncline {
namespace {

RankSnapshot rank(int number, Phase phase = Phase::backward) {
  RankSnapshot snapshot;
  snapshot.rank = number;
  snapshot.pid = 4242;
  snapshot.host = "gpu07";
  snapshot.step = 41;
  snapshot.phase = phase;
  return snapshot;
}

JobEnd two_ranks() {
  JobEnd end;
  end.through_mpirun = true;
  end.ranks = end.ranks_seen = 2;
  end.newest_step = 41;
  return end;
}

TEST(Conclusion, OnlyAProcessThatIsGoneOrSilentCountsAsLost) {
  JobEnd end = two_ranks();
  end.first_lost = rank(0);
  end.launcher.code = 4;
  end.outcome = Outcome{"failed", "the loss is not finite in step 41", 4, 1, 41};
  EXPECT_FALSE(conclude(end).lost);
  end.outcome->lost = true;
  EXPECT_TRUE(conclude(end).lost);
  end.outcome.reset();
  EXPECT_TRUE(conclude(end).lost);  // exited without a word
  end.last_line = "error: w.db: no space left for the workspace";
  EXPECT_FALSE(conclude(end).lost);
  end.first_lost.reset();
  end.launcher = {0, 9};
  EXPECT_TRUE(conclude(end).lost);
  end.launcher = {1, 0};
  end.ranks_seen = 0;
  EXPECT_FALSE(conclude(end).lost);
}

TEST(Conclusion, AFinishedRunIsFinished) {
  JobEnd end = two_ranks();
  end.outcome = Outcome{"finished", "", 0, 0, 100};
  EXPECT_EQ(conclude(end).state, "finished");
  EXPECT_EQ(conclude(end).exit_code, 0);
}

TEST(Conclusion, AStopOnRequestIsCodeFive) {
  JobEnd end = two_ranks();
  end.outcome = Outcome{"stopped", "stopped on request after saving a checkpoint of step 40", 5, 0, 40};
  const ExitRecord record = conclude(end);
  EXPECT_EQ(record.state, "stopped");
  EXPECT_EQ(record.exit_code, 5);
}

TEST(Conclusion, AKilledRankIsNamedWithPidHostSignalAndStep) {
  JobEnd end = two_ranks();
  end.launcher.code = 128 + 9;
  end.first_lost = rank(1);
  end.outcome = Outcome{"failed", "rank 0 lost rank 1 during allreduce of bucket 2", 4, 0, 41};
  const Conclusion record = conclude(end);
  EXPECT_EQ(record.state, "failed");
  EXPECT_EQ(record.reason, "rank 1 (pid 4242, host gpu07) ended by signal 9 (Killed) in step 41");
  EXPECT_EQ(record.exit_code, 4);
  EXPECT_TRUE(record.lost);
}

TEST(Conclusion, WithoutRoomForAnOutcomeTheSentenceOfTheOutputCounts) {
  JobEnd end = two_ranks();
  end.launcher.code = 6;
  end.first_lost = rank(0);
  end.last_line = "error: w.db: no space left for the workspace";
  EXPECT_EQ(conclude(end).reason, "w.db: no space left for the workspace");
  EXPECT_EQ(conclude(end).exit_code, 6);
}

// mpirun did not end by itself after the loss: how the rank ended is not known, and mpirun's own end was our doing.
TEST(Conclusion, ALauncherThatWeKilledIsNotBlamed) {
  JobEnd end = two_ranks();
  end.launcher.signal = 9;
  end.first_lost = rank(1);
  end.launcher_killed = true;
  EXPECT_EQ(conclude(end).reason, "rank 1 (pid 4242, host gpu07) ended without a word in step 41");
  end.launcher_killed = false;
  EXPECT_EQ(conclude(end).reason, "mpirun ended by signal 9 (Killed) in step 41");
}

TEST(Conclusion, ACrashInsideAPluginNamesThePlugin) {
  JobEnd end;
  end.ranks = end.ranks_seen = 1;
  end.launcher.signal = 11;
  end.first_lost = rank(0);
  end.first_lost->plugin = "lion";
  end.first_lost->in_plugin = true;
  EXPECT_EQ(conclude(end).reason,
            "rank 0 (pid 4242, host gpu07) ended by signal 11 (Segmentation fault) in step 41, inside the optimizer plugin 'lion'");
}

TEST(Conclusion, AFailingRanksOwnSentenceAndCodeStand) {
  JobEnd end = two_ranks();
  end.launcher.code = 3;
  end.first_lost = rank(0, Phase::data);
  end.outcome = Outcome{"failed", "train-images-idx3-ubyte.gz is truncated", static_cast<int>(ExitCode::data), 0, 0};
  EXPECT_EQ(conclude(end).reason, "train-images-idx3-ubyte.gz is truncated");
  EXPECT_EQ(conclude(end).exit_code, 3);
}

TEST(Conclusion, SigtermOfMpirunIsNotTheCause) {
  JobEnd end = two_ranks();
  end.launcher.code = 128 + 15;
  end.first_lost = rank(0);
  end.outcome = Outcome{"failed", "the loss is not finite in step 41", 4, 1, 41};
  EXPECT_EQ(conclude(end).reason, "the loss is not finite in step 41");
}

TEST(Conclusion, ASilentExitTellsTheCode) {
  JobEnd end = two_ranks();
  end.launcher.code = 1;
  end.first_lost = rank(1, Phase::forward);
  EXPECT_EQ(conclude(end).reason, "rank 1 (pid 4242, host gpu07) exited with code 1 without a word in step 41");
}

TEST(Conclusion, MpirunKilledAndRanksThatNeverCame) {
  JobEnd end = two_ranks();
  end.launcher.signal = 9;
  EXPECT_EQ(conclude(end).reason, "mpirun ended by signal 9 (Killed) in step 41");
  end.launcher = {1, 0};
  end.ranks_seen = 0;
  end.last_line = "There are not enough slots available";
  EXPECT_EQ(conclude(end).reason, "0 of 2 ranks started: mpirun ended with code 1; its last line: There are not enough slots available");
}

TEST(Conclusion, EndedTwiceAskedIsStoppedNotFailed) {
  JobEnd end = two_ranks();
  end.launcher.signal = 9;
  end.first_lost = rank(0);
  end.ended_at_once = true;
  const ExitRecord record = conclude(end);
  EXPECT_EQ(record.state, "stopped");
  EXPECT_EQ(record.exit_code, 5);
}

TEST(Conclusion, ALauncherThatHangsAfterTheEndDoesNotSpoilIt) {
  JobEnd end = two_ranks();
  end.outcome = Outcome{"finished", "", 0, 0, 100};
  end.launcher.signal = 9;
  end.hung_after_end = true;
  EXPECT_EQ(conclude(end).state, "finished");
}

}  // namespace
}  // namespace syncline
