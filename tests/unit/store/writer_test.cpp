// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <thread>

#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

using WriterTest = StoreTest;

TEST_F(WriterTest, EverythingRecordedIsThere) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  RunWriter writer(made, id);
  writer.position(axes_at(4));
  writer.scalar("test_accuracy", 4, 0.5);
  writer.rank_scalar("peak_memory_bytes", 1, 4, 1e9);
  writer.step(sums_at(4, 0));
  writer.event("evaluation", "accuracy 0.5");
  EventRecord lost;
  lost.rank = 1;
  lost.step = 5;
  lost.kind = "rank-lost";
  lost.text = "rank 1 is gone";
  writer.event(lost);
  writer.checkpoint({0, 4, 1.8e9, "checkpoints/4", 12345, true});
  writer.clock(1, {0.25, 1e-5, 100});
  writer.clock(2, {std::nan(""), 1e-5, 100});  // no estimate: not stored
  writer.document("plan", "{\"buckets\": []}");
  writer.document("plan", "{\"buckets\": [1]}");
  StepTrace trace;
  trace.step = 4;
  trace.rank = 1;
  trace.spans.resize(3);
  writer.trace(trace);
  trace.spans.resize(5);
  writer.trace(trace);  // the step was done again: the newer trace counts
  ASSERT_TRUE(writer.flush());
  const std::int64_t acknowledged = writer.acknowledged();
  EXPECT_EQ(acknowledged, 11);
  Reader reader(made);
  EXPECT_EQ(reader.run(id).last_sequence, acknowledged);
  ASSERT_EQ(reader.series(id).size(), 2u);
  EXPECT_EQ(reader.find_series(id, "peak_memory_bytes", 1)->count, 1);
  EXPECT_FALSE(reader.find_series(id, "peak_memory_bytes").has_value());
  ASSERT_EQ(reader.events(id).size(), 2u);
  EXPECT_EQ(reader.events(id)[0].step, 4);
  EXPECT_NEAR(reader.events(id)[0].wall_s, utc_s(), 10);
  EXPECT_EQ(reader.events(id)[1].rank, 1);
  ASSERT_EQ(reader.checkpoints(id).size(), 1u);
  EXPECT_EQ(reader.checkpoints(id)[0].bytes, 12345);
  EXPECT_TRUE(reader.checkpoints(id)[0].verified);
  ASSERT_EQ(reader.clocks(id).size(), 1u);
  EXPECT_EQ(reader.clocks(id)[0].offset.offset_s, 0.25);
  EXPECT_EQ(reader.document(id, "plan"), "{\"buckets\": [1]}");
  EXPECT_FALSE(reader.document(id, "layers").has_value());
  ASSERT_EQ(reader.traces(id).size(), 1u);
  EXPECT_EQ(reader.trace(id, 4, 1)->spans.size(), 5u);
  EXPECT_FALSE(reader.trace(id, 4, 0).has_value());
  EXPECT_TRUE(reader.run(id).heartbeat.has_value());
  writer.close();
  writer.close();
  EXPECT_FALSE(writer.flush());
  // A second writer of the same run goes on counting.
  RunWriter again(made, id);
  again.scalar("test_accuracy", 5, 0.75);
  ASSERT_TRUE(again.flush());
  EXPECT_EQ(again.acknowledged(), acknowledged + 1);
}

TEST_F(WriterTest, FlushesByItselfAndReadsRequests) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Request> seen;
  std::int64_t flushed = 0;
  RunWriterOptions options;
  options.flush_s = 0.01;
  options.on_request = [&](const Request& request) {
    const std::lock_guard lock(mutex);
    seen.push_back(request);
    changed.notify_all();
  };
  options.on_flush = [&](std::int64_t sequence) {
    const std::lock_guard lock(mutex);
    flushed = sequence;
    changed.notify_all();
  };
  RunWriter writer(made, id, options);
  writer.scalar("loss", 0, 1);
  Requests requests(made);
  const std::int64_t stop = requests.ask(id, "stop-after-step", "tester", "a note");
  const std::int64_t other = requests.ask(id, "checkpoint", "tester");
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return seen.size() >= 2 && flushed >= 1; }));
    EXPECT_EQ(seen[0].id, stop);
    EXPECT_EQ(seen[0].kind, "stop-after-step");
    EXPECT_EQ(seen[0].by, "tester");
    EXPECT_EQ(seen[0].note, "a note");
    EXPECT_EQ(seen[1].id, other);
  }
  writer.acknowledge(stop, "announced for step 7");
  ASSERT_TRUE(writer.flush());
  EXPECT_EQ(requests.get(stop)->stage, "announced for step 7");
  ASSERT_TRUE(writer.flush());
  const std::lock_guard lock(mutex);
  EXPECT_EQ(seen.size(), 2u);  // each one once
}

TEST_F(WriterTest, ABusyWorkspaceIsWaitedForAndDropsAreTold) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  RunWriterOptions options;
  options.unavailable_s = 0.02;
  options.scalars = 100;
  options.steps = 10;
  RunWriter writer(made, id, options);
  {
    Database other = made.connect();
    const Transaction blocking(other);
    writer.scalar("loss", 0, 1);
    EXPECT_FALSE(writer.flush());
    for (int step = 1; step < 150; ++step) writer.scalar("loss", step, 1);  // 100 find room
    EXPECT_EQ(writer.dropped(), 49u);
    EXPECT_FALSE(writer.flush());
    EXPECT_FALSE(writer.error().has_value());
  }
  ASSERT_TRUE(writer.flush());
  Reader reader(made);
  EXPECT_EQ(reader.find_series(id, "loss")->count, 101);
  ASSERT_TRUE(writer.flush());
  const auto events = reader.events(id);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, "dropped");
  EXPECT_NE(events[0].text.find("49 records were dropped"), std::string::npos);
}

TEST_F(WriterTest, AnUnusableWorkspaceIsOneSentenceForTheTrainer) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  RunWriter writer(made, id);
  writer.scalar("loss", 0, 1);
  ASSERT_TRUE(writer.flush());
  made.connect().execute("DROP TABLE point");
  writer.scalar("loss", 1, 1);
  EXPECT_FALSE(writer.flush());
  ASSERT_TRUE(writer.error().has_value());
  EXPECT_EQ(writer.error()->rfind(made.path().string() + ": the workspace cannot be used", 0), 0u) << *writer.error();
  writer.scalar("loss", 2, 1);  // costs nothing and harms nothing
  EXPECT_THROW(writer.close(), WorkspaceError);
  EXPECT_THROW(RunWriter(made, "no such run"), WorkspaceError);
}

TEST_F(WriterTest, CopiesGoBesideTheWantedPath) {
  const Workspace made = workspace("local.db");
  const std::string id = RunRegistry(made).create(new_run());
  RunWriterOptions options;
  options.copy_to = folder_ / "wanted" / (id + ".db");
  options.copy_every_s = 0;
  RunWriter writer(made, id, options);
  writer.scalar("loss", 0, 1);
  ASSERT_TRUE(writer.flush());
  ASSERT_TRUE(writer.flush());  // the copy of the flush before is complete by now
  EXPECT_TRUE(std::filesystem::exists(options.copy_to));
  writer.scalar("loss", 1, 1);
  writer.close();
  Reader reader(Workspace::open_read_only(options.copy_to));
  EXPECT_EQ(reader.find_series(id, "loss")->count, 2);
}

// How often the log of a workspace has begun anew: its header counts that (bytes 12 to 15, the first is the highest).
std::uint32_t log_beginnings(const Workspace& workspace) {
  std::ifstream log(workspace.path().string() + "-wal", std::ios::binary);
  std::array<unsigned char, 16> header{};
  log.read(reinterpret_cast<char*>(header.data()), header.size());
  return std::uint32_t{header[12]} << 24 | std::uint32_t{header[13]} << 16 | std::uint32_t{header[14]} << 8 | header[15];
}

// Somebody always reads: each snapshot ends after the next one has begun, and that begins after the commit before it. So the log never
// finds a moment to begin anew by itself; only while the writer holds commits off for it do the snapshots follow one another by the clock.
TEST_F(WriterTest, ReadersWithoutAGapDoNotLetTheLogGrow) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  std::mutex mutex, turn;
  std::condition_variable changed;
  std::int64_t commits = 0;
  bool stop = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      Database reading = made.connect_read_only();
      std::unique_lock mine(turn);
      for (bool last = false; !last;) {
        Transaction snapshot(reading, Transaction::Kind::snapshot);
        reading.integer("SELECT count(*) FROM run");
        mine.unlock();  // the other one begins its own while this one lasts
        {
          std::unique_lock lock(mutex);
          changed.wait_for(lock, std::chrono::milliseconds(50), [&, seen = commits] { return stop || commits > seen; });
          last = stop;
        }
        mine.lock();
        snapshot.commit();
      }
    });
  }
  RunWriterOptions options;
  options.log_limit_bytes = 1 << 20;
  options.log_restart_every_s = 0;
  options.on_flush = [&](std::int64_t) {
    const std::lock_guard lock(mutex);
    ++commits;
    changed.notify_all();
  };
  RunWriter writer(made, id, options);
  int batches = 0;
  for (int step = 0; batches < 100 && log_beginnings(made) < 3; ++batches) {
    for (const int until = step + 500; step < until; ++step) {
      writer.position(axes_at(step));
      for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) writer.scalar(name, step, step);
    }
    EXPECT_TRUE(writer.flush());
  }
  {
    const std::lock_guard lock(mutex);
    stop = true;
    changed.notify_all();
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_GE(log_beginnings(made), 3u) << "after " << batches << " batches";
  EXPECT_EQ(writer.dropped(), 0u);
}

// Two engines on one workspace and a reader that holds a snapshot: both finish, the reader sees one state, the log stays small.
TEST_F(WriterTest, TwoWritersAndAReaderWithASnapshot) {
  const Workspace made = workspace();
  std::vector<std::string> ids;
  {
    RunRegistry registry(made);
    for (int i = 0; i < 2; ++i) ids.push_back(registry.create(new_run()));
  }
  Database held = made.connect_read_only();
  Transaction snapshot(held, Transaction::Kind::snapshot);
  EXPECT_EQ(held.integer("SELECT count(*) FROM point"), 0);
  std::vector<std::thread> threads;
  for (const std::string& id : ids) {
    threads.emplace_back([&made, id] {
      RunWriterOptions options;
      options.flush_s = 0.005;
      RunWriter writer(made, id, options);
      for (int step = 0; step < 12000; ++step) {
        writer.position(axes_at(step));
        writer.scalar("a", step, step);
        writer.scalar("b", step, -step);
        if (step % 4 == 0) writer.step(sums_at(step));
        if (step % 500 == 0) writer.flush();
      }
      writer.close();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(held.integer("SELECT count(*) FROM point"), 0);
  EXPECT_LT(std::filesystem::file_size(made.path().string() + "-wal"), 100u << 20);
  snapshot.commit();
  Reader reader(made);
  for (const std::string& id : ids) {
    const auto points = reader.points(reader.find_series(id, "b")->key);
    ASSERT_EQ(points.size(), 12000u);
    for (int step = 0; step < 12000; ++step) ASSERT_EQ(points[static_cast<std::size_t>(step)].value, -step);
    EXPECT_EQ(reader.steps(id, 0).size(), 3000u);
    EXPECT_EQ(reader.run(id).last_sequence, 27000);
  }
  EXPECT_EQ(damage_of(made.path()), "");
}

}  // namespace
}  // namespace syncline
