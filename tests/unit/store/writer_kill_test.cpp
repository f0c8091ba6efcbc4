// SPDX-License-Identifier: Apache-2.0
// Engines are killed at random moments while another one writes and a reader holds a snapshot. SYNCLINE_KILL_ROUNDS sets how often.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <set>
#include <thread>

#include "engine/base/random.h"
#include "engine/store/run_rows.h"
#include "tests/support/slow_build.h"
#include "tests/unit/store/fixture.h"

extern char** environ;

// Writes records without end and tells each acknowledged sequence number on standard output: --write-until-killed WORKSPACE RUN.
int kill_test_child(int, char** argv) {
  using namespace syncline;
  const Workspace workspace = Workspace::open(argv[2]);
  RunWriterOptions options;
  options.flush_s = 0.005;
  options.on_flush = [](std::int64_t sequence) {
    // One write of 8 bytes into a pipe is whole or not there.
    if (::write(STDOUT_FILENO, &sequence, sizeof sequence) != sizeof sequence) _exit(1);
  };
  RunWriter writer(workspace, argv[3], options);
  const double give_up = monotonic_s() + 60;  // should nobody kill it
  for (std::int64_t step = 0; monotonic_s() < give_up; ++step) {
    Axes axes;
    axes.step = step;
    writer.position(axes);
    writer.scalar("a", step, 1.0 / static_cast<double>(step));
    writer.scalar("b", step, static_cast<double>(step));
    StepSums sums;
    sums.axes = axes;
    sums.step_s = 1;
    writer.step(sums);
    if (step % 50 == 0) writer.event("tick", "tick");
    std::this_thread::sleep_for(std::chrono::microseconds(test::speed_counts ? 200 : 1000));  // the pace of a fast engine
  }
  return 0;
}

namespace syncline {
namespace {

class Child {
 public:
  Child(const std::filesystem::path& workspace, const std::string& run) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    std::string self = "/proc/self/exe", flag = "--write-until-killed", path = workspace.string(), id = run;
    char* arguments[] = {self.data(), flag.data(), path.data(), id.data(), nullptr};
    if (posix_spawn(&pid_, "/proc/self/exe", &actions, nullptr, arguments, environ) != 0) throw std::runtime_error("no child");
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    from_ = ends[0];
  }
  // Waits for `flushes` acknowledgements, then for `more_s`, kills, and returns the last one acknowledged before its death.
  std::int64_t kill_after(int flushes, double more_s) {
    std::int64_t acknowledged = 0, sequence = 0;
    while (flushes-- > 0 && ::read(from_, &sequence, sizeof sequence) == sizeof sequence) acknowledged = sequence;
    std::this_thread::sleep_for(std::chrono::duration<double>(more_s));  // the random moment
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    while (::read(from_, &sequence, sizeof sequence) == sizeof sequence) acknowledged = sequence;
    ::close(from_);
    return acknowledged;
  }

 private:
  pid_t pid_ = -1;
  int from_ = -1;
};

// Every sequence number from 1 to the last one, each exactly once, whatever table it lies in.
void expect_complete(Reader& reader, const std::string& id, std::int64_t acknowledged) {
  const std::int64_t last = reader.run(id).last_sequence;
  EXPECT_GE(last, acknowledged);
  std::vector<std::int64_t> sequences;
  for (const SeriesInfo& info : reader.series(id)) {
    std::int64_t count = 0;
    reader.each_point(info.key, [&](const Point& point) {
      sequences.push_back(point.sequence);
      ++count;
    });
    EXPECT_EQ(count, info.count);
  }
  const std::int64_t key = run_key_of(reader.database(), id);
  Statement lanes = reader.database().prepare("SELECT key FROM step_lane WHERE run = ?");
  lanes.bind_all(key);
  while (lanes.step()) {
    Statement chunks = reader.database().prepare("SELECT data, count FROM step_chunk WHERE lane = ?");
    chunks.bind_all(lanes.integer(0));
    while (chunks.step()) {
      for (const StepRow& row : decode_steps(chunks.blob(0), chunks.integer(1), 0)) sequences.push_back(row.sequence);
    }
    Statement rows = reader.database().prepare("SELECT sequence FROM step WHERE lane = ?");
    rows.bind_all(lanes.integer(0));
    while (rows.step()) sequences.push_back(rows.integer(0));
  }
  for (const EventRecord& event : reader.events(id)) sequences.push_back(event.sequence);
  std::sort(sequences.begin(), sequences.end());
  ASSERT_EQ(static_cast<std::int64_t>(sequences.size()), last);
  for (std::size_t i = 0; i < sequences.size(); ++i) ASSERT_EQ(sequences[i], static_cast<std::int64_t>(i) + 1);
}

using WriterKillTest = StoreTest;

TEST_F(WriterKillTest, NothingAcknowledgedIsLostAndNothingIsThereTwice) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  const char* wanted = std::getenv("SYNCLINE_KILL_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : test::speed_counts ? 20 : 6;
  RandomStream random(11, "kill");
  std::string victim, other;
  for (int round = 0; round < rounds; ++round) {
    // The same run is continued for some rounds, so that rows, chunks and levels are taken up by a new writer after a death.
    if (round % 5 == 0) {
      victim = registry.create(new_run());
      other = registry.create(new_run());
    }
    Database held = made.connect_read_only();
    const Transaction snapshot(held, Transaction::Kind::snapshot);
    const std::int64_t before = held.integer("SELECT coalesce(sum(sequence), 0) FROM progress");
    Child killed(made.path(), victim), second(made.path(), other);
    const std::int64_t acknowledged = killed.kill_after(1 + static_cast<int>(random.below(6)), 0.02 * random.uniform());
    const std::int64_t acknowledged_second = second.kill_after(2, 0);
    EXPECT_GT(acknowledged, 0);
    EXPECT_EQ(held.integer("SELECT coalesce(sum(sequence), 0) FROM progress"), before);
    ASSERT_EQ(damage_of(made.path()), "");
    Reader reader(made);
    expect_complete(reader, victim, acknowledged);
    expect_complete(reader, other, acknowledged_second);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace syncline
