// SPDX-License-Identifier: Apache-2.0
// Every allreduce of the registry as data: sums, bits, bytes, messages, scratch, trees; then the same on thread ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>
#include <set>

#include "engine/comm/schedules/trees.h"
#include "tests/unit/comm/interpreter.h"
#include "tests/unit/comm/support.h"

namespace syncline {
namespace {

struct Variant {
  const ScheduleEntry* entry;
  Params options;
  int children = 1;  // the most that a rank has in a tree
  std::vector<int> machines = {};
};

Value number(std::int64_t n) { return {n}; }
Value word(const char* text) { return {std::string(text)}; }

// Any shape: neighbours in rank on one machine, or spread; all on one, or each on its own.
std::vector<int> machines_of(RandomStream& random, int size) {
  const int machines = 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(size)));
  const bool blocks = random.below(2) == 0;
  std::vector<int> result;
  for (int rank = 0; rank < size; ++rank)
    result.push_back(blocks ? rank * machines / size : 7 * static_cast<int>(random.below(static_cast<std::uint32_t>(machines))));
  return result;
}
bool has_two_levels(const Variant& variant) {
  const std::set<int> different(variant.machines.begin(), variant.machines.end());
  return !variant.entry->needs_machines || variant.machines.size() == 1 ||
         (different.size() > 1 && different.size() < variant.machines.size());
}

// Every entry, with each choice that changes the moves; options that are numbers are drawn.
std::vector<Variant> variants(RandomStream& random, int size) {
  std::vector<Variant> all;
  for (const ScheduleEntry& entry : allreduce_schedules()) {
    if (entry.build == nullptr) continue;
    if (entry.name == "tree") {
      all.push_back({&entry, with_defaults(entry.parameters, {{"shape", word("binomial")}}), 32});
      all.push_back({&entry, with_defaults(entry.parameters, {{"shape", word("double-binary")}}), 2});
    } else if (entry.name == "multicolor") {
      const std::int64_t colours = 1 + random.below(8), arity = random.below(3) == 0 ? 1 + random.below(4) : 0,
                         segments = 1 + random.below(20), window = 1 + random.below(4);
      const Params options = with_defaults(entry.parameters, {{"colors", number(colours)},
                                                              {"tree_arity", number(arity)},
                                                              {"segments", number(segments)},
                                                              {"recv_window", number(window)},
                                                              {"deterministic_reduce", Value{random.below(2) == 0}}});
      all.push_back({&entry, options, size * static_cast<int>(arity > 0 ? colours : 1)});
    } else if (entry.needs_machines) {
      all.push_back({&entry, defaults_of(entry.parameters), size, machines_of(random, size)});
    } else {
      all.push_back({&entry, defaults_of(entry.parameters), 1});
    }
  }
  return all;
}

std::uint64_t seed_of_this_run() {
  const char* given = std::getenv("SYNCLINE_TEST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

TEST(Allreduces, TwoThousandRandomCasesAddUpExactlyInAnyOrderOfArrival) {
  const std::uint64_t seed = seed_of_this_run();
  RecordProperty("seed", std::to_string(seed));
  std::printf("SYNCLINE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  RandomStream random(seed, "allreduces");
  int cases = 0;
  const int wanted = test::speed_counts ? 2000 : 300;  // fewer under a sanitizer
  while (cases < wanted) {
    const int size = 1 + static_cast<int>(random.below(17));
    // Mostly lengths around the number of ranks, where the corner cases are; a few long ones.
    const std::uint32_t kind = random.below(20);
    const std::int64_t count = kind == 0 ? random.below(200004) : kind < 8 ? random.below(40) : random.below(3000);
    const std::int64_t chunk = std::max<std::int64_t>(1 + random.below(kind == 0 ? 20000 : 700), count / 60);
    const bool in_place = random.below(2) == 0, scaled = random.below(3) == 0;
    for (const Variant& variant : variants(random, size)) {
      const std::string text = std::string(variant.entry->name) + ", " + std::to_string(size) + " ranks, " + std::to_string(count) +
                               " elements, chunks of " + std::to_string(chunk) + ", seed " + std::to_string(seed);
      std::vector<CollectiveSchedule> schedules;
      std::vector<std::vector<float>> inputs(static_cast<std::size_t>(size));
      for (int rank = 0; rank < size; ++rank) {
        const ScheduleRequest request{.rank = rank,
                                      .size = size,
                                      .count = count,
                                      .chunk = chunk,
                                      .scaled = scaled,
                                      .options = &variant.options,
                                      .machines = variant.machines};
        schedules.push_back(variant.entry->build(request));
        Traffic sent;
        for (const Move& move : schedules.back().moves) {
          ASSERT_LE(move.count, chunk) << text;
          if (move.kind != Move::send) continue;
          sent.elements += move.count;
          ++sent.messages;
        }
        ASSERT_EQ(sent, variant.entry->traffic(request)) << text << ", rank " << rank;
        const std::int64_t window = variant.options.has("recv_window") ? variant.options.integer("recv_window") : chunk_window;
        const int senders = variant.entry->name == "direct" ? size : variant.children;
        ASSERT_LE(schedules.back().slots, window * std::max(1, senders)) << text;
        ASSERT_LE(schedules.back().slot_elements, chunk) << text;
        for (std::int64_t i = 0; i < count; ++i) inputs[static_cast<std::size_t>(rank)].push_back(test::cell(rank, i));
      }
      test::Interpreter run(std::move(schedules), std::move(inputs), in_place, scaled ? 2.0F : 1.0F);
      ASSERT_TRUE(run.run(random)) << text << ": dead-locked";
      for (int rank = 0; rank < size; ++rank) {
        const std::vector<float>& result = run.result(static_cast<std::size_t>(rank));
        for (std::int64_t i = 0; i < count; ++i)
          ASSERT_EQ(result[static_cast<std::size_t>(i)], (scaled ? 2 : 1) * test::cell_sum(size, i))
              << text << ", rank " << rank << " at " << i;
      }
      ++cases;
    }
  }
}

// Random numbers instead of small integers: here the order of the additions shows. Ranks agree to the bit, and so do two runs with messages
// in another order; the sum is that of double precision to single precision.
TEST(Allreduces, RanksAndRepeatedRunsAgreeToTheBit) {
  RandomStream random(7, "bits");
  for (const int size : {2, 3, 6, 8, 13}) {
    for (const Variant& drawn : variants(random, size)) {
      Variant variant = drawn;
      if (variant.options.has("deterministic_reduce")) variant.options.set("deterministic_reduce", Value{true});
      const std::int64_t count = 503;
      std::vector<std::vector<float>> inputs(static_cast<std::size_t>(size));
      std::vector<double> exact(count), magnitude(count);
      for (auto& input : inputs) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
          input.push_back(static_cast<float>(2 * random.uniform() - 1));
          exact[i] += static_cast<double>(input[i]);
          magnitude[i] += std::abs(static_cast<double>(input[i]));
        }
      }
      std::vector<float> first;
      for (int repeat = 0; repeat < 3; ++repeat) {
        std::vector<CollectiveSchedule> schedules;
        for (int rank = 0; rank < size; ++rank)
          schedules.push_back(variant.entry->build(
              {.rank = rank, .size = size, .count = count, .chunk = 32, .options = &variant.options, .machines = variant.machines}));
        test::Interpreter run(std::move(schedules), inputs, false, 1);
        ASSERT_TRUE(run.run(random)) << variant.entry->name;
        if (first.empty()) first = run.result(0);
        for (int rank = 0; rank < size; ++rank) ASSERT_EQ(run.result(static_cast<std::size_t>(rank)), first) << variant.entry->name;
      }
      for (std::size_t i = 0; i < first.size(); ++i)
        ASSERT_NEAR(static_cast<double>(first[i]), exact[i], 1e-6 * magnitude[i]) << variant.entry->name;
    }
  }
}

// The card's hand example, section "Invariants": P = 4, k = 2, n = 8, g_r[i] = 10 (r + 1) + i.
TEST(Multicolor, TheHandExampleOfTheCard) {
  const ScheduleEntry& entry = allreduce_schedule("multicolor");
  const Params options = with_defaults(entry.parameters, {{"colors", number(2)}, {"segments", number(1)}});
  EXPECT_EQ(multicolor_arity(4, 2), 2);
  EXPECT_EQ(multicolor_place(0, 4, 2, 0, 0).children, (std::vector<int>{1, 2}));
  EXPECT_EQ(multicolor_place(1, 4, 2, 0, 0).children, (std::vector<int>{3}));
  EXPECT_EQ(multicolor_place(2, 4, 2, 1, 0).children, (std::vector<int>{3, 0}));
  EXPECT_EQ(multicolor_place(3, 4, 2, 1, 0).children, (std::vector<int>{1}));
  std::vector<CollectiveSchedule> schedules;
  std::vector<std::vector<float>> inputs(4);
  std::int64_t bytes = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const ScheduleRequest request{.rank = rank, .size = 4, .count = 8, .options = &options};
    schedules.push_back(entry.build(request));
    bytes += entry.traffic(request).elements * 4;
    for (int i = 0; i < 8; ++i) inputs[static_cast<std::size_t>(rank)].push_back(static_cast<float>(10 * (rank + 1) + i));
  }
  EXPECT_EQ(bytes, 192);  // 2 (P - 1) n e
  RandomStream random(1, "card");
  test::Interpreter run(std::move(schedules), std::move(inputs), true, 1);
  ASSERT_TRUE(run.run(random));
  for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(run.result(rank), (std::vector<float>{100, 104, 108, 112, 116, 120, 124, 128}));
}

TEST(Multicolor, TheEightRankTreesOfTheCard) {
  EXPECT_EQ(multicolor_arity(8, 4), 4);
  const std::vector<std::vector<std::vector<int>>> expected = {// colour -> its two inner ranks' children
                                                               {{1, 2, 3, 4}, {5, 6, 7}},
                                                               {{3, 4, 5, 6}, {7, 0, 1}},
                                                               {{5, 6, 7, 0}, {1, 2, 3}},
                                                               {{7, 0, 1, 2}, {3, 4, 5}}};
  for (int c = 0; c < 4; ++c) {
    EXPECT_EQ(multicolor_place(2 * c, 8, 4, c, 0).parent, -1);
    for (int k = 0; k < 2; ++k)
      EXPECT_EQ(multicolor_place(2 * c + k, 8, 4, c, 0).children, expected[static_cast<std::size_t>(c)][static_cast<std::size_t>(k)]);
    EXPECT_EQ(multicolor_place(0, 8, 4, c, 0).height, 2);
  }
}

// From rank to parent to the root in `height` steps at most, children and parents agreeing; gives the inner ranks.
std::set<int> check_tree(const std::vector<TreePlace>& places, const std::string& text) {
  std::set<int> inner;
  int roots = 0, edges = 0;
  for (int rank = 0; rank < static_cast<int>(places.size()); ++rank) {
    const TreePlace& place = places[static_cast<std::size_t>(rank)];
    if (!place.children.empty()) inner.insert(rank);
    edges += static_cast<int>(place.children.size());
    roots += place.parent < 0;
    for (const int child : place.children) EXPECT_EQ(places[static_cast<std::size_t>(child)].parent, rank) << text;
    int at = rank, steps = 0;
    while (places[static_cast<std::size_t>(at)].parent >= 0 && steps <= static_cast<int>(places.size())) {
      at = places[static_cast<std::size_t>(at)].parent;
      ++steps;
    }
    EXPECT_LE(steps, place.height) << text << ", rank " << rank;
  }
  EXPECT_EQ(roots, 1) << text;
  EXPECT_EQ(edges, static_cast<int>(places.size()) - 1) << text;
  return inner;
}

TEST(Multicolor, InnerRanksOfTheColoursAreDisjointAndEveryEdgeHasOneColour) {
  for (int size = 2; size <= 64; ++size) {
    for (const int asked : {1, 2, 3, 4, 7, 8, 16, 100}) {
      const int colours = std::min(asked, size);
      std::set<int> inner;
      std::set<std::pair<int, int>> edges;
      for (int c = 0; c < colours; ++c) {
        std::vector<TreePlace> places;
        for (int rank = 0; rank < size; ++rank) places.push_back(multicolor_place(rank, size, asked, c, 0));
        for (const int rank : check_tree(places, std::to_string(size) + " ranks, colour " + std::to_string(c)))
          EXPECT_TRUE(inner.insert(rank).second) << "rank " << rank << " of " << size << " is inner in two of " << colours << " colours";
        for (int rank = 0; rank < size; ++rank) {
          for (const int child : places[static_cast<std::size_t>(rank)].children) EXPECT_TRUE(edges.insert({rank, child}).second);
        }
      }
    }
  }
}

TEST(Trees, ADoubleBinaryTreeHasEveryRankInnerInOneTreeAtMost) {
  for (int size = 1; size <= 130; ++size) {
    std::set<int> inner;
    for (int which = 0; which < 2; ++which) {
      std::vector<TreePlace> places;
      for (int rank = 0; rank < size; ++rank) places.push_back(double_binary_place(rank, size, which));
      for (const int rank : check_tree(places, std::to_string(size) + " ranks, tree " + std::to_string(which)))
        EXPECT_TRUE(inner.insert(rank).second) << "rank " << rank << " of " << size << " is inner in both trees";
      for (const TreePlace& place : places) EXPECT_LE(place.children.size(), 2u);
      EXPECT_LE(places[0].height, static_cast<int>(std::ceil(std::log2(size + 1)))) << size;
    }
    std::vector<TreePlace> places;
    for (int rank = 0; rank < size; ++rank) places.push_back(binomial_place(rank, size));
    check_tree(places, std::to_string(size) + " ranks, binomial");
  }
}

// Between h machines each sends 2 (h-1)/h of the vector, whatever its ranks, and no allreduce can do with less.
TEST(Hierarchical, BetweenMachinesEachByteTravelsOnceForAllRanksOfAMachine) {
  for (const std::vector<int>& machines :
       std::vector<std::vector<int>>{{0, 0, 1, 1}, {0, 0, 0, 1, 1, 1, 2, 2, 2}, {0, 1, 1, 1}, {5, 5, 2, 5, 2}}) {
    const auto size = static_cast<int>(machines.size());
    const std::set<int> different(machines.begin(), machines.end());
    const std::int64_t h = static_cast<std::int64_t>(different.size()), count = 6 * h * 100;
    std::map<int, std::int64_t> sent;
    for (int rank = 0; rank < size; ++rank) {
      for (const Move& move :
           hierarchical_allreduce({.rank = rank, .size = size, .count = count, .chunk = 50, .machines = machines}).moves) {
        const int here = machines[static_cast<std::size_t>(rank)];
        if (move.kind == Move::send && machines[static_cast<std::size_t>(move.peer)] != here) sent[here] += move.count;
      }
    }
    for (const int machine : different) EXPECT_EQ(sent[machine], 2 * (h - 1) * count / h) << size << " ranks, machine " << machine;
  }
}

// With as many ranks on each machine, every rank has the same to do.
TEST(Hierarchical, EqualMachinesLoadTheirRanksAlike) {
  const std::vector<int> machines{0, 0, 1, 1, 2, 2};
  for (int rank = 0; rank < 6; ++rank) {
    const Traffic sent = hierarchical_traffic({.rank = rank, .size = 6, .count = 6000, .chunk = 100000, .machines = machines});
    EXPECT_EQ(sent.elements, 2 * 3000 + 4 * 1000) << "half in and out inside, two thirds of a half twice between";
    EXPECT_EQ(sent.messages, 2 + 4);
  }
}

TEST(Hierarchical, IsRefusedWhereThereAreNoTwoLevels) {
  const auto said = [](const std::vector<int>& machines) {
    try {
      check_machines(allreduce_schedule("hierarchical"), machines);
    } catch (const ConfigError& error) {
      EXPECT_EQ(error.origin().key, "strategy.allreduce");
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(said({}).find("is not said: [[cluster.nodes]] with two machines"), std::string::npos) << said({});
  EXPECT_NE(said({3, 3}).find("is the same for all"), std::string::npos) << said({3, 3});
  EXPECT_NE(said({1, 0}).find("is another one for each"), std::string::npos) << said({1, 0});
  EXPECT_EQ(said({1, 0, 1}), "");
  ThreadWorldOptions options;
  options.group.allreduce = "hierarchical";
  EXPECT_THROW(ThreadWorld(3, options), ConfigError);
  EXPECT_NO_THROW(check_machines(allreduce_schedule("ring"), {}));
}

// A part of a group keeps the machines of its members.
TEST(Hierarchical, AddsUpInPartsOfAGroup) {
  ThreadWorldOptions options;
  options.group.allreduce = "hierarchical";
  options.group.machines = {0, 0, 0, 1, 1, 2, 2};
  test::on_ranks(7, options, [](World& world) {
    const auto part = world.communicator().split(world.rank() % 2, -world.rank(), "half");
    const View view = test::filled(part->rank(), 1000);
    test::ExchangeSum seen;
    dynamic_cast<QueueCommunicator&>(*part).trace(&seen);
    part->allreduce(view, view).wait();
    for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(view.data()[i], test::cell_sum(part->size(), i));
    const std::vector<int> machines = world.rank() % 2 == 0 ? std::vector{2, 1, 0, 0} : std::vector{2, 1, 0};
    const Traffic expected = hierarchical_traffic({.rank = part->rank(), .size = part->size(), .count = 1000, .machines = machines});
    EXPECT_EQ(seen.sent, 4 * expected.elements);
  });
}

TEST(Allreduces, RingAndHalvingSendTheLeastThatIsPossible) {
  for (const char* name : {"direct", "ring", "halving-doubling"}) {
    const ScheduleEntry& entry = allreduce_schedule(name);
    for (const int size : {2, 4, 8, 16}) {
      const ScheduleRequest request{.rank = 1, .size = size, .count = 16 * 1000};
      EXPECT_EQ(entry.traffic(request).elements, 2 * (size - 1) * 16 * 1000 / size) << name;
    }
  }
}

// The formulas against their terms by hand: 4 ranks, 1 MB, alpha 1 ms, 10 ns a byte.
TEST(Allreduces, CostsFollowTheirFormulas) {
  const auto cost = [](const char* name, int size, std::map<std::string, Value, std::less<>> given = {}) {
    const ScheduleEntry& entry = allreduce_schedule(name);
    const Params options = with_defaults(entry.parameters, given);
    return entry.cost_s({.size = size, .bytes = 1e6, .alpha_s = 1e-3, .beta_s = 1e-8, .gamma_s = 0, .options = &options});
  };
  EXPECT_NEAR(cost("direct", 4), 2e-3 + 0.015, 1e-12);
  EXPECT_NEAR(cost("ring", 4), 6e-3 + 0.015, 1e-12);
  EXPECT_NEAR(cost("halving-doubling", 4), 4e-3 + 0.015, 1e-12);
  EXPECT_NEAR(cost("halving-doubling", 5), 4e-3 + 0.015 + 2 * (1e-3 + 0.01), 1e-12);
  // h = 2, d = 4, k = 4, S = 16: 4 (alpha + beta n / 64) + beta n 8 / 4
  EXPECT_NEAR(cost("multicolor", 8, {{"chunk_bytes", Value{1e7}}}), 4 * (1e-3 + 1e-2 / 64) + 2e-2, 1e-12);
  for (const ScheduleEntry& entry : allreduce_schedules()) {
    if (entry.cost_s == nullptr) continue;
    EXPECT_EQ(cost(std::string(entry.name).c_str(), 1), 0) << entry.name;
  }
}

// The executor, delays on every message, and the communicator around it: the same conformance on thread ranks.
class OnThreads : public testing::TestWithParam<int> {};

TEST_P(OnThreads, EveryAllreduceAddsUpUnderRandomDelays) {
  RandomStream random(static_cast<std::uint64_t>(GetParam()), "threads");
  for (Variant variant : variants(random, GetParam())) {
    for (int tries = 0; !has_two_levels(variant) && tries < 100; ++tries) variant.machines = machines_of(random, GetParam());
    if (!has_two_levels(variant)) continue;  // two ranks have one level
    ThreadWorldOptions options;
    options.group.machines = variant.machines;
    options.group.allreduce = variant.entry->name;
    options.group.allreduce_options = variant.options;
    options.group.allreduce_options.set("chunk_bytes", Value{4.0 * (1 + random.below(3000))});
    options.delays = {.seed = random.below(1000000), .most_s = 2e-4};
    options.queue.limit_s = 30;
    test::on_ranks(GetParam(), options, [](World& world) {
      auto& comm = world.communicator();
      for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{world.size()}, std::int64_t{20011}}) {
        View same = test::filled(world.rank(), count);
        comm.allreduce(same, same, {.scale_before = 2}).wait();
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(same.data()[i], 2 * test::cell_sum(world.size(), i));
        const View in = test::filled(world.rank(), count), out = View::host(count);
        comm.allreduce(in, out).wait();
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(out.data()[i], test::cell_sum(world.size(), i));
        for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(in.data()[i], test::cell(world.rank(), i));
      }
    });
  }
}
INSTANTIATE_TEST_SUITE_P(Ranks, OnThreads, testing::Values(1, 2, 3, 4, 5, 7, 8, 9));

// A rank that dies inside any algorithm ends the others with an error that names it; a rank that is late ends them at the limit.
TEST(Allreduces, ADeadOrLatePeerIsNamed) {
  RandomStream random(3, "faults");
  for (Variant variant : variants(random, 4)) {
    if (variant.entry->needs_machines) variant.machines = {0, 0, 1, 1};
    for (const bool dies : {true, false}) {
      ThreadWorldOptions options;
      options.group.machines = variant.machines;
      options.group.allreduce = variant.entry->name;
      options.group.allreduce_options = variant.options;
      options.queue.limit_s = dies ? 20 : 0.3;
      std::vector<std::string> errors(4);
      ThreadWorld world(4, options);
      const test::Watchdog watchdog(world, 60);
      std::vector<std::thread> threads;
      for (int rank = 0; rank < 4; ++rank) {
        threads.emplace_back([&, rank] {
          View view = View::host(1 << 20);
          try {
            if (rank == 2) {
              std::this_thread::sleep_for(std::chrono::milliseconds(dies ? 20 : 600));
              if (dies) world.abort(2, "rank 2 is gone");
              return;
            }
            world.communicator(rank).allreduce(view, view).wait();
          } catch (const std::exception& error) {
            errors[static_cast<std::size_t>(rank)] = error.what();
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      bool named = false;
      for (const int rank : {0, 1, 3}) {
        EXPECT_FALSE(errors[static_cast<std::size_t>(rank)].empty())
            << variant.entry->name << ", rank " << rank << (dies ? ", dead" : ", late");
        named = named || errors[static_cast<std::size_t>(rank)].find("rank 2") != std::string::npos;
      }
      EXPECT_TRUE(named) << variant.entry->name << ": " << errors[0] << " | " << errors[1] << " | " << errors[3];
    }
  }
}

}  // namespace
}  // namespace syncline
