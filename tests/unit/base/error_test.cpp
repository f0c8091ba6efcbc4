// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(Errors, HaveTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(exit_code_of(ConfigError("x")), ExitCode::config);
  EXPECT_EQ(exit_code_of(DataError("x")), ExitCode::data);
  EXPECT_EQ(exit_code_of(TrainingError("x")), ExitCode::training);
  EXPECT_EQ(exit_code_of(PeerLost("x")), ExitCode::training);
  EXPECT_EQ(exit_code_of(TimeLimit("x")), ExitCode::training);
  EXPECT_EQ(exit_code_of(WorkspaceError("x")), ExitCode::workspace);
  EXPECT_EQ(exit_code_of(UsageError("x")), ExitCode::training);
  EXPECT_EQ(exit_code_of(std::bad_alloc()), ExitCode::training);
}

TEST(Errors, ExitCodesAreThePublishedNumbers) {
  EXPECT_EQ(static_cast<int>(ExitCode::done), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::not_held), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::config), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::data), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::training), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::stopped), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::workspace), 6);
}

TEST(Errors, AConfigErrorKnowsItsPlace) {
  try {
    throw ConfigError("must be at least 1", {.file = "a.toml", .line = 3, .column = 9, .key = "train.epochs"});
  } catch (const Error& error) {
    const auto& config = dynamic_cast<const ConfigError&>(error);
    EXPECT_STREQ(error.what(), "must be at least 1");
    EXPECT_EQ(config.origin().file, "a.toml");
    EXPECT_EQ(config.origin().line, 3);
    EXPECT_EQ(config.origin().column, 9);
    EXPECT_EQ(config.origin().key, "train.epochs");
  }
}

}  // namespace
}  // namespace syncline
