// SPDX-License-Identifier: Apache-2.0
// The queue: order, limits, deaths, ends, and what it costs.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <regex>

#include "engine/base/error.h"
#include "engine/comm/traced.h"
#include "engine/metrics/clock.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

using test::CapturedLog;
using test::cell;
using test::cell_sum;
using test::filled;
using test::on_ranks;

class ExchangeList final : public Recorder {  // written on the communication thread, read after the operations have ended
 public:
  void span(const Span&) override {}
  void exchange(const Exchange& one) override {
    const std::scoped_lock lock(mutex);
    all.push_back(one);
  }
  void scalar(std::string_view, std::int64_t, double) override {}
  void event(std::string_view, std::string) override {}
  std::mutex mutex;
  std::vector<Exchange> all;
};

template <class Kind>
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Kind& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another kind of error: ") + error.what();
  }
  return "no error";
}

TEST(Order, CollectivesStartByNumberWhateverTheOrderOfAsking) {
  on_ranks(3, [](World& world) {
    ExchangeList list;
    auto& comm = world.communicator();
    comm.trace(&list);
    constexpr int count = 6;
    for (int step = 0; step < 20; ++step) {
      world.set_step(step);
      View view = filled(world.rank(), count * 100);
      Work works[count];
      for (int i = 0; i < count; ++i) {
        const int k = (i * 5 + world.rank() * step) % count;  // another permutation on every rank and step
        works[k] = comm.allreduce(view.part(k * 100, 100), view.part(k * 100, 100), {.order = k, .id = k});
      }
      for (Work& work : works) work.wait();
      for (std::int64_t i = 0; i < view.count(); ++i) ASSERT_EQ(view.data()[i], cell_sum(3, i));
    }
    comm.trace(nullptr);
    comm.barrier().wait();
    ASSERT_EQ(list.all.size(), 20u * count);
    for (std::size_t i = 0; i < list.all.size(); ++i) {
      EXPECT_EQ(list.all[i].id, i % count);
      EXPECT_EQ(list.all[i].step, i / count);
      EXPECT_EQ(list.all[i].sequence, list.all[0].sequence + i);
    }
  });
}

TEST(Order, TheOneAfterAMissingNumberWaitsForIt) {
  on_ranks(2, [](World& world) {
    auto& comm = world.communicator();
    View a = filled(world.rank(), 10), b = filled(world.rank(), 10);
    Work second = comm.allreduce(b, b, {.order = 1});
    // An exchange on another lane: when it is over, both threads have had their chance to make the mistake.
    Work out = comm.send(View::host(1), 1 - world.rank(), 1);
    comm.receive(View::host(1), 1 - world.rank(), 1).wait();
    out.wait();
    EXPECT_FALSE(second.done());
    Work first = comm.allreduce(a, a, {.order = 0});
    first.wait();
    second.wait();
    EXPECT_LE(first.times().done_s, second.times().issued_s + 1e-9);
  });
}

TEST(Order, CommunicatorsAskedInDifferentOrderDoNotBlockEachOther) {
  on_ranks(2, [](World& world) {
    auto& comm = world.communicator();
    const auto other = comm.duplicate("other");
    for (int round = 0; round < 50; ++round) {
      View a = filled(world.rank(), 3000), b = filled(world.rank(), 3000);
      Work one, two;
      if (world.rank() == 0) {
        one = comm.allreduce(a, a);
        two = other->allreduce(b, b);
        one.wait();
        two.wait();
      } else {
        two = other->allreduce(b, b);
        one = comm.allreduce(a, a);
        two.wait();
        one.wait();
      }
      ASSERT_EQ(a.data()[2999], cell_sum(2, 2999));
      ASSERT_EQ(b.data()[2999], cell_sum(2, 2999));
    }
  });
}

TEST(Limit, NamesRankStepOperationAndThePeersMissed) {
  const CapturedLog log;
  ThreadWorldOptions options;
  options.queue.limit_s = 1;
  ThreadWorld world(3, options);
  const test::Watchdog watchdog(world, 30);
  world.rank(0).set_step(12);
  View view = View::host(100), peer = View::host(100);
  Work ours = world.communicator(0).allreduce(view, view, {.label = "bucket 3"});
  Work theirs = world.communicator(2).allreduce(peer, peer, {.label = "bucket 3"});
  EXPECT_EQ(error_of<TimeLimit>([&] { ours.wait(); }),
            "rank 0: allreduce 'bucket 3' (number 1 of 'data', step 12) took longer than the limit of 1 s, waiting for rank 1");
  // Said between half the limit and the limit.
  const std::regex heard(
      "rank 0 has heard nothing for (0\\.[5-9]|1\\.0) s in allreduce 'bucket 3' .number 1 of 'data', step 12., waiting for rank 1");
  EXPECT_TRUE(std::regex_search(log.all(), heard)) << log.all();
  EXPECT_THROW(theirs.wait(), TimeLimit);
  // What this rank asks for afterwards ends at once with the same words: the order with the others is lost.
  EXPECT_NE(error_of<TimeLimit>([&] { world.communicator(0).barrier().wait(); }).find("allreduce 'bucket 3' (number 1 of 'data', step 12)"),
            std::string::npos);
}

TEST(Limit, AlsoEndsWhatWaitsForANumberThatNobodyAsksFor) {
  const CapturedLog log;
  ThreadWorldOptions options;
  options.queue.limit_s = 0.2;
  ThreadWorld world(2, options);
  const test::Watchdog watchdog(world, 30);
  View view = View::host(10);
  Work later = world.communicator(0).allreduce(view, view, {.order = 3, .label = "bucket 3"});
  EXPECT_NE(error_of<TimeLimit>([&] { later.wait(); }).find("allreduce 'bucket 3'"), std::string::npos);
}

// A recorder that does not return stands for a library call that does not: the communication thread cannot end its operations then.
TEST(Limit, WhoWaitsGetsAwayFromAThreadThatIsStuck) {
  class Stuck final : public Recorder {
   public:
    void span(const Span&) override {}
    void exchange(const Exchange&) override { go.wait(false); }
    void scalar(std::string_view, std::int64_t, double) override {}
    void event(std::string_view, std::string) override {}
    std::atomic<bool> go{false};
  } stuck;
  ThreadWorldOptions options;
  options.queue.limit_s = 0.1;
  ThreadWorld world(1, options);
  const test::Watchdog watchdog(world, 30);
  world.communicator(0).trace(&stuck);
  View view = View::host(10);
  Work work = world.communicator(0).allreduce(view, view, {.label = "bucket 3"});
  const std::string text = error_of<TimeLimit>([&] { work.wait(); });
  EXPECT_NE(
      text.find("allreduce 'bucket 3' (number 1 of 'data', step 0) did not end: the communication thread has been inside one library call"),
      std::string::npos)
      << text;
  stuck.go.store(true);
  stuck.go.notify_all();
  while (!work.done()) std::this_thread::yield();  // until then the thread still counts as stuck
  work.wait();
}

TEST(Limit, WaitForGivesUpWithoutEndingTheOperation) {
  on_ranks(2, [](World& world) {
    View view = filled(world.rank(), 10);
    const View ready = View::host(1);
    if (world.rank() == 0) {
      Work work = world.communicator().allreduce(view, view);
      EXPECT_FALSE(work.wait_for(0.01));
      EXPECT_FALSE(work.done());
      world.communicator().send(ready, 1, 3).wait();
      work.wait();
      EXPECT_TRUE(work.wait_for(0));
    } else {
      world.communicator().receive(ready, 0, 3).wait();
      world.communicator().allreduce(view, view).wait();
    }
    EXPECT_EQ(view.data()[9], cell_sum(2, 9));
  });
}

TEST(Death, OfOneRankWakesTheOthersWithItsName) {
  ThreadWorld world(4);
  const test::Watchdog watchdog(world, 30);
  std::vector<std::string> said(4);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 4; ++rank) {
    threads.emplace_back([&, rank] {
      if (rank == 2) return world.abort(2, "the dataset cannot be read");
      View view = View::host(1000);
      said[static_cast<std::size_t>(rank)] = error_of<PeerLost>([&] { world.communicator(rank).allreduce(view, view).wait(); });
    });
  }
  for (auto& thread : threads) thread.join();
  for (const int rank : {0, 1, 3}) EXPECT_EQ(said[static_cast<std::size_t>(rank)], "rank 2 ended: the dataset cannot be read");
}

TEST(Handle, DroppedUnfinishedIsReportedAndWaitedFor) {
  const CapturedLog log;
  on_ranks(2, [&log](World& world) {
    View view = filled(world.rank(), 1000);
    const auto reported = [&log] { return log.all().find("internal error: the handle of allreduce 'lost'") != std::string::npos; };
    while (world.rank() == 1 && !reported()) std::this_thread::yield();  // rank 0 drops its handle while this one has not asked yet
    Work kept;
    {
      Work dropped = world.communicator().allreduce(view, view, {.label = "lost"});
      if (world.rank() == 1) kept = std::move(dropped);
    }
    kept.wait();
    EXPECT_EQ(view.data()[999], cell_sum(2, 999)) << "the operation was not waited for";
  });
}

TEST(Handle, OverwrittenUnfinishedIsAnError) {
  on_ranks(2, [](World& world) {
    const View view = View::host(4), go = View::host(1);
    Work work = world.communicator().receive(view, 1 - world.rank(), 1);
    EXPECT_THROW(work = Work(), UsageError);
    EXPECT_FALSE(work.done());
    world.communicator().barrier().wait();
    Work send = world.communicator().send(go, 1 - world.rank(), 1);
    work.wait();
    send.wait();
    EXPECT_NO_THROW(work = Work());
    EXPECT_TRUE(work.done());
    EXPECT_NO_THROW(work.wait());
  });
}

TEST(Handle, KeepsItsBuffersAlive) {
  on_ranks(2, [](World& world) {
    Work works[20];
    for (int i = 0; i < 20; ++i) {
      const View view = filled(world.rank(), 5000);  // the only other owner goes at the end of the turn
      works[i] = world.communicator().allreduce(view, view);
    }
    for (Work& work : works) work.wait();
  });
}

TEST(Handle, MemoryInUseIsNotGivenTwice) {
  on_ranks(2, [](World& world) {
    auto& comm = world.communicator();
    const View view = View::host(100), go = View::host(1);
    Work receive = comm.receive(view.part(10, 20), 1 - world.rank(), 1);
    EXPECT_THROW(comm.allreduce(view, view), UsageError);
    EXPECT_THROW(comm.send(view.part(29, 1), 1 - world.rank(), 2), UsageError);
    Work beside = comm.send(view.part(0, 10), 1 - world.rank(), 2);  // beside it: allowed
    comm.receive(View::host(10), 1 - world.rank(), 2).wait();
    beside.wait();
    comm.send(go, 1 - world.rank(), 1).wait();
    receive.wait();
    EXPECT_THROW(view.part(90, 11), std::out_of_range);
    EXPECT_THROW(comm.allreduce(view, view.part(0, 50)), UsageError);
    EXPECT_THROW(comm.allreduce(view.part(0, 50), view.part(25, 50)), UsageError);
    EXPECT_THROW(comm.send(go, 2, 0), UsageError);
    EXPECT_THROW(comm.send(go, 0, 40000), UsageError);
    EXPECT_THROW(comm.allreduce(View::ghost(5), View::ghost(5)), UsageError);
  });
}

TEST(End, QueuedOperationsAreCarriedOutBeforeTheThreadGoes) {
  constexpr int size = 2;
  std::vector<View> views;
  std::vector<Work> works;
  {
    ThreadWorld world(size);
    for (int rank = 0; rank < size; ++rank) {
      for (int i = 0; i < 3; ++i) {
        views.push_back(filled(rank, 20000));
        works.push_back(world.communicator(rank).allreduce(views.back(), views.back()));
      }
    }
  }
  for (Work& work : works) {
    EXPECT_TRUE(work.done());
    EXPECT_NO_THROW(work.wait());
  }
  for (const View& view : views) EXPECT_EQ(view.data()[19999], cell_sum(size, 19999));
}

TEST(End, WhatCannotBeCarriedOutEndsWithAnError) {
  const CapturedLog log;
  Work alone;
  const View view = View::host(10);
  ThreadWorldOptions options;
  options.queue.limit_s = 0.1;
  {
    ThreadWorld world(2, options);
    alone = world.communicator(0).allreduce(view, view);  // rank 1 never asks for it
  }
  EXPECT_TRUE(alone.done());
  EXPECT_THROW(alone.wait(), TimeLimit);
}

int threads_of_this_process() {
  int threads = 0;
  FILE* status = std::fopen("/proc/self/status", "r");
  char line[256];
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr) std::sscanf(line, "Threads: %d", &threads);
  if (status != nullptr) std::fclose(status);
  return threads;
}

TEST(End, LeavesNoThread) {
  const int before = threads_of_this_process();
  {
    ThreadWorld world(4);
    EXPECT_EQ(threads_of_this_process(), before + 4);
  }
  // The kernel still counts a joined thread for a moment.
  for (int i = 0; i < 1000 && threads_of_this_process() != before; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(threads_of_this_process(), before);
}

TEST(Cost, AnIdleQueueUsesNoProcessor) {
  ThreadWorld world(2);
  for (const int rank : {0, 1}) {
    double least = 1;  // a thread that polls never rests; one that has just been made may still be on its way to sleep
    for (int tries = 0; tries < 10 && least >= 1e-3; ++tries) {
      const double before = world.rank(rank).queue().thread_cpu_s();
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
      least = std::min(least, world.rank(rank).queue().thread_cpu_s() - before);
    }
    EXPECT_LT(least, 1e-3);
  }
}

TEST(Cost, WaitingForALatePeerUsesNoProcessor) {
  std::atomic<bool> asked{false};
  on_ranks(2, [&asked](World& world) {
    View view = filled(world.rank(), 1000);
    const double before = world.queue().thread_cpu_s(), start = monotonic_s();
    if (world.rank() == 0) {
      Work work = world.communicator().allreduce(view, view);
      asked = true;
      asked.notify_all();
      work.wait();
      EXPECT_GE(monotonic_s() - start, 0.2);
      EXPECT_LT(world.queue().thread_cpu_s() - before, 0.02);
    } else {
      asked.wait(false);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the peer that is late
      world.communicator().allreduce(view, view).wait();
    }
  });
}

TEST(Cost, TenThousandOperationsWhileTheWorkerComputes) {
  on_ranks(2, [](World& world) {
    auto& comm = world.communicator();
    constexpr int rounds = 1000, at_once = 10;
    View view = View::host(at_once * 8);
    double sink = 1;
    for (int round = 0; round < rounds; ++round) {
      Work works[at_once];
      for (int k = 0; k < at_once; ++k) {
        const View part = view.part(k * 8, 8);
        for (float& value : part.floats()) value = static_cast<float>(world.rank() + round);
        works[k] = comm.allreduce(part, part, {.order = k});
      }
      for (int i = 0; i < 200; ++i) sink = std::sqrt(sink + i);
      for (Work& work : works) work.wait();
      ASSERT_EQ(view.data()[at_once * 8 - 1], static_cast<float>(1 + 2 * round));
    }
    EXPECT_GT(sink, 0);
  });
}

TEST(Record, TellsBytesMessagesAndTimes) {
  on_ranks(2, [](World& world) {
    ExchangeList list;
    auto& comm = world.communicator();
    auto traced = std::make_optional<Traced>(comm, list);
    world.set_step(7);
    View view = filled(world.rank(), 200000);
    {
      const std::string label = "conv1 to conv3";  // the caller's text need not outlive the call
      Work work = comm.allreduce(view, view, {.id = 4, .label = label});
      work.wait();
      const Work::Times times = work.times();
      EXPECT_GT(times.queued_s, 0);
      EXPECT_GE(times.issued_s, times.queued_s);
      EXPECT_GE(times.first_byte_s, times.issued_s);
      EXPECT_GE(times.done_s, times.first_byte_s);
    }
    traced.reset();
    comm.barrier().wait();
    ASSERT_EQ(list.all.size(), 1u);
    const Exchange& exchange = list.all[0];
    EXPECT_EQ(exchange.step, 7u);
    EXPECT_EQ(exchange.id, 4);
    EXPECT_EQ(exchange.bytes, 800000);
    EXPECT_EQ(exchange.sent_bytes, 800000);  // two ranks: half out, half of the sum out
    EXPECT_EQ(exchange.messages, 4);         // 400,000 bytes in chunks of 256 KiB, twice
    EXPECT_EQ(exchange.label, "conv1 to conv3");
    EXPECT_LE(exchange.queued_s, exchange.issued_s);
    EXPECT_LE(exchange.issued_s, exchange.first_byte_s);
    EXPECT_LE(exchange.first_byte_s, exchange.done_s);
  });
}

TEST(Check, ASkippedCallEndsEveryRankWithBothOperations) {
  ThreadWorldOptions options;
  options.group.check = true;
  ThreadWorld world(3, options);
  const test::Watchdog watchdog(world, 30);
  std::vector<std::string> said(3);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      said[static_cast<std::size_t>(rank)] = error_of<TrainingError>([&] {
        View view = View::host(1024);
        for (int k = 0; k < 4; ++k) {
          if (rank == 1 && k == 2) continue;
          world.communicator(rank).allreduce(view, view, {.label = "bucket " + std::to_string(k)}).wait();
        }
        world.communicator(rank).broadcast(view, 0).wait();
      });
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(
      said[0],
      "the ranks are at different operations of 'data' in step 0: rank 0 at allreduce 'bucket 2' of 1024 elements (number 3), rank 1 at "
      "allreduce 'bucket 3' of 1024 elements (number 3); every rank must ask for the same operations in the same order");
  EXPECT_NE(said[1].find("rank 1 at allreduce 'bucket 3' of 1024 elements (number 3), rank 0 at allreduce 'bucket 2'"), std::string::npos)
      << said[1];
  EXPECT_NE(said[2].find("rank 2 at allreduce 'bucket 2' of 1024 elements (number 3), rank 1 at allreduce 'bucket 3'"), std::string::npos)
      << said[2];
}

TEST(Check, KindAndLengthAreComparedAndEqualCallsPass) {
  for (const bool kind : {true, false}) {
    ThreadWorldOptions options;
    options.group.check = true;
    EXPECT_THROW(on_ranks(2, options,
                          [kind](World& world) {
                            View view = View::host(64);
                            world.communicator().allreduce(view, view).wait();
                            world.communicator().barrier().wait();
                            std::vector<ByteBuffer> all;
                            world.communicator().allgather_bytes(ByteBuffer(static_cast<std::size_t>(world.rank())), all).wait();
                            if (world.rank() == 0) {
                              world.communicator().broadcast(view, 0).wait();
                            } else if (kind) {
                              world.communicator().allreduce(view, view).wait();
                            } else {
                              world.communicator().broadcast(view.part(0, 63), 0).wait();
                            }
                          }),
                 TrainingError);
  }
}

// A gradient written after it was handed over: no crash and no hang, the loss merely stops improving. The order makes the exchange wait,
// so that the late write surely falls between asking and sending.
TEST(Check, ALateProducerIsCaught) {
  ThreadWorldOptions options;
  options.group.check = true;
  EXPECT_THROW(on_ranks(2, options,
                        [](World& world) {
                          View late = View::host(100), first = View::host(1);
                          Work second = world.communicator().allreduce(late, late, {.order = 1, .label = "late"});
                          late.data()[50] = 1;
                          world.communicator().allreduce(first, first, {.order = 0}).wait();
                          second.wait();
                        }),
               UsageError);
}

}  // namespace
}  // namespace syncline
