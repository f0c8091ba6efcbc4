// SPDX-License-Identifier: Apache-2.0
#include "engine/base/state.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace syncline {
namespace {

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const TrainingError& error) {
    return error.what();
  }
  return "no error";
}

TEST(State, GivesBackWhatWasWritten) {
  StateMap map;
  StateWriter writer(map);
  writer.integer("least", std::numeric_limits<std::int64_t>::min());
  writer.integer("step", 41);
  writer.real("tiny", 5e-324);
  writer.real("nan", std::nan(""));
  writer.real("minus_zero", -0.0);
  writer.bytes("bytes", {std::byte{0}, std::byte{255}});
  writer.bytes("nothing", {});
  const StateReader reader(map);
  EXPECT_EQ(reader.integer("least"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(reader.integer("step"), 41);
  EXPECT_EQ(reader.real("tiny"), 5e-324);
  EXPECT_TRUE(std::isnan(reader.real("nan")));
  EXPECT_TRUE(std::signbit(reader.real("minus_zero")));
  EXPECT_EQ(reader.bytes("bytes"), (std::vector<std::byte>{std::byte{0}, std::byte{255}}));
  EXPECT_TRUE(reader.bytes("nothing").empty());
  EXPECT_TRUE(reader.has("step"));
  EXPECT_FALSE(reader.has("steps"));
}

TEST(State, PrefixesKeepPartsApart) {
  StateMap map;
  StateWriter(map, "strategy.").integer("step", 1);
  StateWriter(map, "loader.").integer("step", 2);
  StateWriter(map, "loader.").integer("step", 3);  // the last one written counts
  EXPECT_EQ(StateReader(map, "strategy.").integer("step"), 1);
  EXPECT_EQ(StateReader(map, "loader.").integer("step"), 3);
  EXPECT_FALSE(StateReader(map).has("step"));
}

TEST(State, SaysWhatIsMissingOrOfTheWrongSize) {
  StateMap map;
  StateWriter(map, "loader.").bytes("short", {std::byte{1}});
  const StateReader reader(map, "loader.");
  EXPECT_EQ(message_of([&] { reader.integer("epoch"); }), "the checkpoint does not hold 'loader.epoch'");
  EXPECT_EQ(message_of([&] { reader.integer("short"); }), "the checkpoint's value 'short' has 1 bytes instead of 8");
  EXPECT_EQ(message_of([&] { reader.real("short"); }), "the checkpoint's value 'short' has 1 bytes instead of 8");
}

}  // namespace
}  // namespace syncline
