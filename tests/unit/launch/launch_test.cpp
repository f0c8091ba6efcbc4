// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

#include "engine/base/error.h"
#include "engine/launch/command.h"
#include "engine/launch/job_output.h"
#include "engine/launch/process.h"
#include "engine/launch/protocol.h"
#include "engine/launch/rank_status.h"

namespace syncline {
namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/syncline-launch-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Threads, AreSharedUnlessAskedFor) {
  EXPECT_EQ(resolve_threads(0, 1, 2), 2);
  EXPECT_EQ(resolve_threads(0, 2, 2), 1);
  EXPECT_EQ(resolve_threads(0, 4, 2), 1);
  EXPECT_EQ(resolve_threads(0, 3, 16), 5);
  EXPECT_EQ(resolve_threads(3, 4, 2), 3);
}

TEST(LocalCommand, OneRankNeedsNoMpirun) {
  const LaunchCommand command = local_command("/opt/engine", {"train", "a b.toml"}, {.ranks = 1, .threads_per_rank = 2, .cores = 2});
  EXPECT_EQ(command.text(), "OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive /opt/engine train 'a b.toml'");
}

TEST(LocalCommand, MpirunIsToldTransportBindingAndRoot) {
  const LaunchCommand command =
      local_command("/opt/engine", {"train", "x.toml"}, {.ranks = 4, .threads_per_rank = 1, .cores = 2, .as_root = true});
  EXPECT_EQ(
      command.text(),
      "OMP_NUM_THREADS=1 OMP_WAIT_POLICY=passive mpirun -n 4 --allow-run-as-root --bind-to none --oversubscribe --mca pml ob1 --mca btl "
      "self,vader,tcp --mca btl_vader_single_copy_mechanism none --mca mpi_yield_when_idle 0 --mca odls_base_sigkill_timeout 2 "
      "/opt/engine train x.toml");
  const LaunchCommand fits = local_command("/opt/engine", {"train"}, {.ranks = 2, .threads_per_rank = 1, .cores = 2});
  EXPECT_EQ(fits.text().find("--oversubscribe"), std::string::npos);
  EXPECT_EQ(fits.text().find("--allow-run-as-root"), std::string::npos);
}

TEST(LocalCommand, CopiesFromThePeersMemoryWhereThatIsAllowed) {
  JobShape shape{.ranks = 2, .threads_per_rank = 1, .cores = 2};
  EXPECT_NE(local_command("/opt/engine", {"train"}, shape).text().find("btl_vader_single_copy_mechanism none "), std::string::npos);
  shape.copy_once = true;
  EXPECT_NE(local_command("/opt/engine", {"train"}, shape).text().find("btl_vader_single_copy_mechanism cma "), std::string::npos);
}

// A process that may not be traced may not be read either, whatever the machine allows otherwise (but root may always).
TEST(PeerMemory, IsAskedOfTheKernel) {
  const bool allowed = peer_memory_readable();
  ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 0), 0);
  const bool allowed_to_root_only = peer_memory_readable();
  ASSERT_EQ(::prctl(PR_SET_DUMPABLE, 1), 0);
  EXPECT_EQ(peer_memory_readable(), allowed);
  if (::geteuid() != 0) {
    EXPECT_FALSE(allowed_to_root_only);
  }
}

TEST(ShellQuote, SurvivesAShell) {
  for (const std::string text : {"plain", "two words", "it's", "$HOME", "", "a\"b", "new\nline"}) {
    FILE* shell = ::popen(("printf %s " + shell_quote(text)).c_str(), "r");
    std::string back;
    for (int c; (c = std::fgetc(shell)) != EOF;) back += static_cast<char>(c);
    ::pclose(shell);
    EXPECT_EQ(back, text);
  }
}

TEST(ChildProcess, ReportsCodeSignalAndEnvironment) {
  ChildProcess coded({.argv = {"sh", "-c", "exit $((CODE + 1))"}, .environment = {{"CODE", "6"}}});
  EXPECT_EQ(coded.wait().code, 7);
  ChildProcess killed({.argv = {"sh", "-c", "kill -9 $$"}, .environment = {}});
  EXPECT_EQ(killed.wait().signal, SIGKILL);
  EXPECT_EQ(killed.wait().signal, SIGKILL);
}

TEST(ChildProcess, ASignalReachesTheWholeGroup) {
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC), 0);
  ChildProcess child({.argv = {"sh", "-c", "sleep 100 & echo started; wait"}, .environment = {}, .output_fd = fds[1]});
  ::close(fds[1]);
  char text[16] = {};
  ASSERT_GT(::read(fds[0], text, sizeof text), 0);
  child.signal_group(SIGKILL);
  EXPECT_EQ(child.wait().signal, SIGKILL);
  EXPECT_EQ(::read(fds[0], text, sizeof text), 0);  // end of file: the grandchild that held the pipe is gone too
  ::close(fds[0]);
}

TEST(ChildProcess, AMissingProgramIsOneSentence) {
  try {
    ChildProcess child({.argv = {"/nowhere/mpirun"}, .environment = {}});
    FAIL();
  } catch (const TrainingError& error) {
    EXPECT_STREQ(error.what(), "cannot start /nowhere/mpirun: No such file or directory");
  }
}

TEST(JobOutputTest, PutsTheTimeBeforeEachLineOfTheLogAndLeavesProgressOut) {
  const Folder folder;
  {
    JobOutput output(folder.path() / "log.txt", nullptr, false);
    output.say("error: rank 1 failed");
    output.say(std::string(1, progress_mark) + "step 3");
    EXPECT_EQ(output.last_error_line(), "error: rank 1 failed");  // without it: it becomes the run's reason
  }
  std::ifstream log(folder.path() / "log.txt");
  std::string line;
  ASSERT_TRUE(std::getline(log, line));
  EXPECT_TRUE(
      std::regex_match(line, std::regex("20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z error: rank 1 failed")))
      << line;
  EXPECT_FALSE(std::getline(log, line));
}

TEST(RankStatus, IsReadableAfterTheRankWasKilled) {
  const Folder folder;
  const pid_t pid = ::fork();
  if (pid == 0) {
    RankStatus status(folder.path(), 3);
    status.set_plugin("lion");
    status.in_plugin(true);
    status.set(41, Phase::backward);
    ::kill(::getpid(), SIGKILL);
  }
  int ignored = 0;
  ::waitpid(pid, &ignored, 0);
  const auto snapshot = read_rank_status(folder.path(), 3);
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->pid, pid);
  EXPECT_EQ(snapshot->step, 41);
  EXPECT_EQ(snapshot->phase, Phase::backward);
  EXPECT_EQ(snapshot->plugin, "lion");
  EXPECT_TRUE(snapshot->in_plugin);
  EXPECT_FALSE(read_rank_status(folder.path(), 2));
  remove_rank_status(folder.path(), 4);
  EXPECT_FALSE(read_rank_status(folder.path(), 3));
}

TEST(RankStatus, ATruncatedFileIsNoStatus) {
  const Folder folder;
  { const RankStatus status(folder.path(), 0); }
  std::filesystem::resize_file(folder.path() / "launch" / "rank_0000.status", 20);
  EXPECT_FALSE(read_rank_status(folder.path(), 0));
}

}  // namespace
}  // namespace syncline
