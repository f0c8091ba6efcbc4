// SPDX-License-Identifier: Apache-2.0
// What `bench allreduce --allreduce` takes.
#include <gtest/gtest.h>

#include "engine/base/error.h"
#include "engine/train/rank/bench_allreduce.h"

namespace syncline {
namespace {

std::string wrong(const std::string& text) {
  try {
    allreduce_choice(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "right";
}

TEST(AllreduceChoice, HasItsOwnKeysAndDefaultsForTheOthers) {
  const AllreduceChoice plain = allreduce_choice("multicolor"), chosen = allreduce_choice("multicolor:colors=2,segments=1");
  EXPECT_EQ(chosen.label, "multicolor:colors=2,segments=1");
  EXPECT_EQ(chosen.name, "multicolor");
  EXPECT_EQ(chosen.options.integer("colors"), 2);
  EXPECT_EQ(chosen.options.integer("segments"), 1);
  EXPECT_NE(plain.options.integer("colors"), 2);
  EXPECT_EQ(chosen.options.integer("tree_arity"), plain.options.integer("tree_arity"));
}

TEST(AllreduceChoice, MistakesAreSaidInOneSentence) {
  EXPECT_EQ(wrong("rign"), "--allreduce rign: the allreduce 'rign' is not known; did you mean 'ring'?");
  EXPECT_EQ(wrong("multicolor:colours=2"), "--allreduce multicolor:colours=2: the key 'colours' is not known; did you mean 'colors'?");
  for (const char* text : {"multicolor:colors=two", "multicolor:colors=", "multicolor:colors", "multicolor:colors=-1"})
    EXPECT_EQ(wrong(text).substr(0, std::string(text).size() + 21), "--allreduce " + std::string(text) + ": colors ") << wrong(text);
  EXPECT_NE(wrong("multicolor:"), "right");
}

}  // namespace
}  // namespace syncline
