// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/leftovers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "engine/launch/rank_status.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class Leftovers : public testing::Test {
 protected:
  Leftovers() {
    std::string pattern = (fs::temp_directory_path() / "syncline-leftovers-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::create_directories(shared());
    workspace_ = Workspace::open(folder_ / "w.db");
  }
  ~Leftovers() override { fs::remove_all(folder_); }
  fs::path shared() const { return folder_ / "shm"; }
  std::size_t count() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(shared()), fs::directory_iterator())); }

  // `made` in another process, which is killed after it.
  static void in_a_killed_process(const std::function<void()>& made) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      made();
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  fs::path folder_;
  Workspace workspace_;
};

TEST_F(Leftovers, AFolderGoesWithItsJob) {
  {
    const JobScratch scratch(true, shared());
    EXPECT_TRUE(fs::is_directory(scratch.path()));
    std::ofstream(fs::path(scratch.path()) / "segment") << "memory";
    sweep_leftovers(workspace_, shared());
    EXPECT_EQ(count(), 1u);  // its maker lives
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(Leftovers, AKilledJobsFolderIsSweptWhenNoRankUsesItAnyMore) {
  in_a_killed_process([this] {
    auto* scratch = new JobScratch(true, shared());
    std::ofstream(fs::path(scratch->path()) / "segment") << "memory";
  });
  ASSERT_EQ(count(), 1u);
  const std::string path = fs::directory_iterator(shared())->path().string();
  int rank_holds[2], rank_may_end[2];
  ASSERT_EQ(::pipe(rank_holds), 0);
  ASSERT_EQ(::pipe(rank_may_end), 0);
  const pid_t rank = ::fork();
  if (rank == 0) {
    hold_scratch(path);
    char byte = 0;
    if (::write(rank_holds[1], &byte, 1) == 1 && ::read(rank_may_end[0], &byte, 1) == 1) ::_exit(0);
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(rank_holds[0], &byte, 1), 1);
  sweep_leftovers(workspace_, shared());
  EXPECT_EQ(count(), 1u);  // that rank is saving its checkpoint, perhaps
  ASSERT_EQ(::write(rank_may_end[1], &byte, 1), 1);
  int status = 0;
  ::waitpid(rank, &status, 0);
  EXPECT_EQ(status, 0);
  sweep_leftovers(workspace_, shared());
  EXPECT_EQ(count(), 0u);
  for (const int end : {rank_holds[0], rank_holds[1], rank_may_end[0], rank_may_end[1]}) ::close(end);
}

TEST_F(Leftovers, WhatIsNotOursStays) {
  fs::create_directory(shared() / "syncline-job-1-2");           // no name that we give
  fs::create_directory(shared() / "vader_segment.1234567-1-x");  // of another program
  std::ofstream(shared() / "syncline-job-999999999-1-abcdef") << "a file";
  sweep_leftovers(workspace_, shared());
  EXPECT_EQ(count(), 3u);
}

TEST_F(Leftovers, StatusFilesOfRanksThatAreGoneAreSwept) {
  const fs::path run = workspace_.make_run_folder("019e0000-0000-7000-8000-000000000000");
  const RankStatus alive(run, 0);
  in_a_killed_process([&] { new RankStatus(run, 1); });
  std::ofstream(run / "launch" / "command") << "mpirun";
  sweep_leftovers(workspace_, shared());
  EXPECT_TRUE(read_rank_status(run, 0));
  EXPECT_FALSE(fs::exists(run / "launch" / "rank_0001.status"));
  EXPECT_TRUE(fs::exists(run / "launch" / "command"));
}

}  // namespace
}  // namespace syncline
