// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/message_level.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace syncline {
namespace {

using Given = std::map<std::string, Value, std::less<>>;

double seconds(const char* name, const Given& given, int size, double bytes, const Wire& wire, double chunk_bytes = 64e6) {
  const ScheduleEntry& entry = allreduce_schedule(name);
  const Params options = with_defaults(entry.parameters, given);
  return allreduce_by_messages(entry, options, size, static_cast<std::int64_t>(bytes / 4), static_cast<std::int64_t>(chunk_bytes / 4), wire)
      .seconds;
}
Given colours(std::int64_t k, std::int64_t segments, std::int64_t arity = 0) {
  return {{"colors", Value{k}}, {"segments", Value{segments}}, {"tree_arity", Value{arity}}};
}

// The card's event model of full-duplex cards (multicolor-allreduce, "Reproduction at small scale" 1): 100 MB/s, 8 ranks, 16 segments.
struct Row {
  double bytes, latency_s, ring, tree, two, four, eight;
};
constexpr Row card[] = {{4e6, 1e-3, 0.0840, 0.1590, 0.0855, 0.0775, 0.0745},
                        {4e6, 5e-3, 0.1400, 0.1800, 0.1063, 0.0919, 0.0781},
                        {0.18e6, 1e-3, 0.0172, 0.0103, 0.0081, 0.0060, 0.0049},
                        {40e6, 1e-4, 0.7014, 1.5504, 0.8253, 0.7439, 0.7252}};

// The ring to the digits of the card. The trees at most 5 % above it, and up to a fifth below: here every rank begins with another
// colour and sends to its children in the order of their virtual numbers, which the card leaves open. Never below what a card must send.
TEST(MessageLevel, AgreesWithTheTableOfTheCard) {
  for (const Row& row : card) {
    const Wire wire{row.latency_s, 1e-8, 0};
    EXPECT_NEAR(seconds("ring", {}, 8, row.bytes, wire), row.ring, 5e-5);
    const std::pair<Given, double> trees[] = {
        {colours(1, 16, 2), row.tree}, {colours(2, 16), row.two}, {colours(4, 16), row.four}, {colours(8, 16), row.eight}};
    for (const auto& [given, expected] : trees) {
      const double time_s = seconds("multicolor", given, 8, row.bytes, wire);
      EXPECT_LE(time_s, 1.05 * expected) << row.bytes << ' ' << row.latency_s;
      EXPECT_GE(time_s, 0.8 * expected) << row.bytes << ' ' << row.latency_s;
      EXPECT_GE(time_s, 2.0 * 7 / 8 * row.bytes * 1e-8);
    }
  }
}

TEST(MessageLevel, TheClaimsOfTheCardHold) {
  const auto tree = [](const Row& row) { return seconds("multicolor", colours(1, 16, 2), 8, row.bytes, {row.latency_s, 1e-8, 0}); };
  const auto ring = [](const Row& row) { return seconds("ring", {}, 8, row.bytes, {row.latency_s, 1e-8, 0}); };
  const auto four = [](const Row& row, std::int64_t segments) {
    return seconds("multicolor", colours(4, segments), 8, row.bytes, {row.latency_s, 1e-8, 0});
  };
  EXPECT_GE(tree(card[0]) / four(card[0], 16), 1.5);
  EXPECT_GE(ring(card[1]) / four(card[1], 16), 1.2);
  EXPECT_GE(ring(card[2]) / four(card[2], 16), 1.5);
  EXPECT_LE(four(card[3], 16), 1.25 * ring(card[3]));
  EXPECT_GE(four(card[0], 1) / four(card[0], 16), 1.2);  // what the segments are for
}

TEST(MessageLevel, AgreesWithTheFormulasWithinTwoPercent) {
  for (const char* name : {"direct", "ring", "halving-doubling"}) {
    const ScheduleEntry& entry = allreduce_schedule(name);
    const Params options = defaults_of(entry.parameters);
    for (const int size : {2, 4, 8, 16, 32}) {
      for (const double bytes : {32768.0, 1048576.0, 16777216.0}) {
        const Wire wire{50e-6, 8e-9, 0};
        const double formula =
            entry.cost_s({.size = size, .bytes = bytes, .alpha_s = wire.latency_s, .beta_s = wire.per_byte_s, .options = &options});
        const MessageLevel level = allreduce_by_messages(entry, options, size, static_cast<std::int64_t>(bytes / 4), 16777216, wire);
        EXPECT_NEAR(level.seconds, formula, 0.02 * formula) << name << ", " << size << " ranks, " << bytes << " bytes";
        std::int64_t sent = 0;
        for (int rank = 0; rank < size; ++rank)
          sent +=
              entry.traffic({.rank = rank, .size = size, .count = static_cast<std::int64_t>(bytes / 4), .chunk = 16777216}).elements * 4;
        EXPECT_EQ(level.bytes, sent);
      }
    }
  }
}

TEST(MessageLevel, AdditionsTakeTheProcessorBesideTheTransfers) {
  const ScheduleEntry& entry = allreduce_schedule("ring");
  const Params options = defaults_of(entry.parameters);
  const auto with = [&](double gamma, std::int64_t chunk) {
    return allreduce_by_messages(entry, options, 4, 1 << 20, chunk, {1e-5, 1e-9, gamma}).seconds;
  };
  const double free = with(0, 1 << 20), whole = with(1e-9, 1 << 20), chunked = with(1e-9, 1 << 14);
  EXPECT_NEAR(whole - free, 3 * (4 << 20) / 4 * 1e-9, 1e-5);  // p - 1 additions of a part, in the way of the next step
  EXPECT_LT(chunked, free + 0.3 * (whole - free));            // behind the transfers of the chunks that follow
}

TEST(MessageLevel, OneRankAndNothingToAddCostNothing) {
  for (const ScheduleEntry& entry : allreduce_schedules()) {
    const Params options = defaults_of(entry.parameters);
    if (entry.build == nullptr) {
      EXPECT_THROW(allreduce_by_messages(entry, options, 2, 10, 10, {}), UsageError);
      continue;
    }
    EXPECT_EQ(allreduce_by_messages(entry, options, 1, 1000, 100, {1e-3, 1e-8, 1e-9}).seconds, 0) << entry.name;
    EXPECT_EQ(allreduce_by_messages(entry, options, 8, 0, 100, {1e-3, 1e-8, 1e-9}).messages, 0) << entry.name;
  }
}

}  // namespace
}  // namespace syncline
