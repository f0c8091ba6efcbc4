// SPDX-License-Identifier: Apache-2.0
// Rank 0 is killed at random moments while another engine records into the same workspace and a reader holds a snapshot: what was
// acknowledged is there, nothing is there twice. SYNCLINE_KILL_ROUNDS sets how often (CI: 6).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "engine/base/random.h"
#include "engine/metrics/clock.h"
#include "engine/store/run_rows.h"
#include "engine/store/step_rows.h"
#include "tests/integration/job/job.h"

namespace syncline::test {
namespace fs = std::filesystem;
namespace {

constexpr double snapshot_s = 10;
constexpr std::uintmax_t most_log_bytes = 100'000'000;

std::int64_t last_acknowledged(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::int64_t sequence = 0, last = 0;
  while (stream.read(reinterpret_cast<char*>(&sequence), sizeof sequence)) {
    EXPECT_GT(sequence, last);
    last = sequence;
  }
  return last;
}

// Every sequence number from 1 to the last one, each once, whatever table it lies in; unique by construction only where a document of the
// same name replaced an earlier one.
void expect_complete(Reader& reader, const RunInfo& run, std::int64_t acknowledged) {
  EXPECT_GE(run.last_sequence, acknowledged) << run.id;
  std::vector<std::int64_t> found;
  for (const SeriesInfo& info : reader.series(run.id))
    reader.each_point(info.key, [&](const Point& point) { found.push_back(point.sequence); });
  Database& database = reader.database();
  const std::int64_t key = run_key_of(database, run.id);
  Statement lanes = database.prepare("SELECT key FROM step_lane WHERE run = ?");
  lanes.bind_all(key);
  while (lanes.step()) {
    Statement chunks = database.prepare("SELECT data, count FROM step_chunk WHERE lane = ?");
    chunks.bind_all(lanes.integer(0));
    while (chunks.step()) {
      for (const StepRow& row : decode_steps(chunks.blob(0), chunks.integer(1), 0)) found.push_back(row.sequence);
    }
    Statement rows = database.prepare("SELECT sequence FROM step WHERE lane = ?");
    rows.bind_all(lanes.integer(0));
    while (rows.step()) found.push_back(rows.integer(0));
  }
  for (const char* table : {"event", "checkpoint", "clock", "trace", "document"}) {
    Statement rows = database.prepare(fmt::format("SELECT sequence FROM {} WHERE run = ?", table));
    rows.bind_all(key);
    while (rows.step()) found.push_back(rows.integer(0));
  }
  std::sort(found.begin(), found.end());
  ASSERT_EQ(static_cast<std::int64_t>(found.size()), run.last_sequence) << run.id;
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_EQ(found[k], static_cast<std::int64_t>(k) + 1) << run.id;
}

TEST(Store, NothingAcknowledgedIsLostWhenRank0IsKilled) {
  const Engine engine;
  make_endless(engine);
  engine.replace("workers = 2", "workers = 1");
  engine.replace("batch_per_worker = [5, 4]", "batch_per_worker = 9");
  const char* wanted = std::getenv("SYNCLINE_KILL_ROUNDS");
  const int rounds = wanted == nullptr ? 6 : std::atoi(wanted);
  RandomStream random(7, "kill rank 0");
  Job other(engine, "train job.toml --quiet --name other", fmt::format("SYNCLINE_ACKNOWLEDGED={}/other.bin", engine.folder().string()));
  ASSERT_TRUE(other.wait_for_step(10, 1)) << other.output();
  const std::string other_id = engine.last().id;
  const Workspace workspace = Workspace::open_read_only(engine.workspace());
  Database held = workspace.connect_read_only();
  auto snapshot = std::make_unique<Transaction>(held, Transaction::Kind::snapshot);
  const char count_all[] = "SELECT coalesce(sum(sequence), 0) FROM progress";
  std::int64_t seen = held.integer(count_all);
  double held_since_s = monotonic_s();
  std::uintmax_t log_bytes = 0;
  const fs::path log = engine.workspace().string() + "-wal";
  std::vector<std::pair<std::string, fs::path>> victims;
  for (int round = 0; round < rounds; ++round) {
    const fs::path acknowledged = engine.folder() / fmt::format("round-{}.bin", round);
    {
      Job job(engine, "train job.toml --quiet --name victim --set 'checkpoint.every=\"200 steps\"'",
              fmt::format("SYNCLINE_ACKNOWLEDGED={}", acknowledged.string()));
      ASSERT_TRUE(eventually(20, [&] { return last_acknowledged(acknowledged) > 0; })) << job.output();
      const std::string id = engine.last().id;
      victims.emplace_back(id, acknowledged);
      const pid_t rank0 = job.pid(0);
      std::this_thread::sleep_for(std::chrono::duration<double>(0.8 * random.uniform()));  // the random moment
      ASSERT_EQ(::kill(rank0, SIGKILL), 0);
      EXPECT_EQ(job.wait(30), 4) << job.output();
      Reader reader(workspace);
      const RunInfo run = reader.run(id);
      EXPECT_TRUE(run.reason.starts_with(fmt::format("rank 0 (pid {}, host {}) ended by signal 9 (Killed) in step ", rank0, host_name())))
          << run.reason;
      expect_complete(reader, run, last_acknowledged(acknowledged));
      if (HasFatalFailure()) return;
      for (const int left : engine.processes())
        if (left == job.supervisor()) FAIL() << "the supervisor is still there";
    }
    if (fs::exists(log)) log_bytes = std::max(log_bytes, fs::file_size(log));
    // Ten seconds held, one round without: while anybody holds one the log can only grow.
    if (snapshot) {
      EXPECT_EQ(held.integer(count_all), seen);
      if (monotonic_s() - held_since_s > snapshot_s) snapshot.reset();
    } else {
      snapshot = std::make_unique<Transaction>(held, Transaction::Kind::snapshot);
      seen = held.integer(count_all);
      held_since_s = monotonic_s();
    }
    if (round + 1 == rounds) break;
    ASSERT_TRUE(other.wait(0) == std::nullopt) << other.output();
  }
  EXPECT_LT(log_bytes, most_log_bytes);
  ::kill(other.supervisor(), SIGTERM);
  EXPECT_EQ(other.wait(30), 5) << other.output();
  snapshot.reset();
  EXPECT_EQ(damage_of(engine.workspace()), "");
  Reader reader(workspace);
  for (const auto& [id, acknowledged] : victims) expect_complete(reader, reader.run(id), last_acknowledged(acknowledged));
  expect_complete(reader, reader.run(other_id), last_acknowledged(engine.folder() / "other.bin"));
}

}  // namespace
}  // namespace syncline::test
