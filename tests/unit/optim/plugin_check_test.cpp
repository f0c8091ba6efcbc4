// SPDX-License-Identifier: Apache-2.0
// The conformance test: the examples pass, and each broken plugin fails at the item that is about its fault, with the reason.
#include "engine/optim/plugin_check.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>

#include "engine/optim/loader.h"
#include "tests/unit/optim/support.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

const fs::path fixtures = fs::path(SYNCLINE_BINARY_DIR) / "tests/unit/optim/fixtures";
const fs::path examples = fs::path(SYNCLINE_BINARY_DIR) / "plugins";

ChildProgram this_program(double limit_s = 20) {
  char path[4096];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  return {.command = {std::string(path, static_cast<std::size_t>(length)), "--plugin-child"}, .limit_s = limit_s};
}

// Item -> reason, of the items that failed.
std::map<std::string, std::string> failures(const std::string& name) {
  const CheckReport report = check_plugin(fixtures / (name + ".so"), this_program());
  EXPECT_TRUE(report.examined.description) << report.examined.problem;
  EXPECT_EQ(report.items.size(), 7u);
  std::map<std::string, std::string> failed;
  for (const CheckItem& item : report.items) {
    if (!item.ok) failed[item.name] = item.reason;
  }
  EXPECT_EQ(report.passed(), failed.empty());
  return failed;
}

using Failed = std::map<std::string, std::string>;

TEST(PluginCheck, TheExamplesPass) {
  for (const std::string name : {"lion", "adafactor"}) {
    const CheckReport report = check_plugin(examples / ("lib" + name + ".so"), this_program());
    EXPECT_TRUE(report.passed()) << report.examined.problem;
    for (const CheckItem& item : report.items) EXPECT_TRUE(item.ok) << name << ", " << item.name << ": " << item.reason;
    ASSERT_TRUE(report.examined.description);
    EXPECT_EQ(report.examined.description->name, "plugin:" + name);
    EXPECT_EQ(report.examined.description->file_hash, file_hash(examples / ("lib" + name + ".so")));
  }
}

TEST(PluginCheck, FindsWritesOutsideTheArrays) {
  EXPECT_EQ(failures("writes_behind")["bounds"], "it reads or writes behind the parameters");
  EXPECT_EQ(failures("writes_before")["bounds"], "it writes beside the state array writes_before.0");
  EXPECT_EQ(failures("writes_state")["bounds"], "it reads or writes behind the state array writes_state.0");
  EXPECT_EQ(failures("writes_gradient")["bounds"], "it writes into the gradients, which it may only read");
}

TEST(PluginCheck, FindsWhatIsNotReproducible) {
  EXPECT_EQ(failures("shares_memory")["determinism"], "the parameters of layer \"head\" differ between two equal runs");
  EXPECT_EQ(
      failures("depends_on_range"),
      (Failed{{"ranges", "the parameters of layer \"head\" differ between one call for the model and a call for each layer"},
              {"convergence", "the loss of a quadratic does not fall at any of 5 learning rates from 1/100 to 100 times the default"}}));
  EXPECT_EQ(failures("counts_outside")["state"], "the parameters of layer \"head\" differ after saving and loading from those without");
  EXPECT_TRUE(failures("depends_on_threads").contains("threads"));
}

TEST(PluginCheck, FindsRulesThatDoNotMinimise) {
  EXPECT_EQ(
      failures("ascends"),
      (Failed{{"convergence", "the loss of a quadratic does not fall at any of 5 learning rates from 1/100 to 100 times the default"}}));
}

TEST(PluginCheck, FindsWhatIsNotFinite) {
  EXPECT_EQ(failures("not_finite")["finite"],
            "it failed in step 2: it wrote a value that is not finite into layer wide from finite gradients");
}

TEST(PluginCheck, SurvivesCrashesAbortsAndEarlyEnds) {
  for (const auto& [item, reason] : failures("crashes_in_step"))
    EXPECT_EQ(reason, "it crashed with signal 11 (Segmentation fault)") << item;
  for (const auto& [item, reason] : failures("aborts")) EXPECT_EQ(reason, "it crashed with signal 6 (Aborted)") << item;
  for (const auto& [item, reason] : failures("exits")) EXPECT_EQ(reason, "it ended its process without an answer") << item;
  EXPECT_EQ(failures("throws")["finite"],
            "it failed in step 1: it let a C++ exception escape, \"out of ideas\"; a plugin must return an error code");
}

TEST(PluginCheck, EndsAPluginThatHangs) {
  ChildProgram program = this_program(0.3);
  const CheckReport report = check_plugin(fixtures / "hangs_in_step.so", program);
  ASSERT_FALSE(report.items.empty());
  EXPECT_EQ(report.items[0].reason, "it did not end within 0.3 s");
  EXPECT_EQ(report.items.size(), 1u);  // the others would each wait as long
}

TEST(PluginCheck, ExaminesWithoutLoadingIntoThisProcess) {
  const Examined crashed = examine_plugin(fixtures / "crashes_on_load.so", this_program());
  EXPECT_EQ(crashed.problem,
            (fixtures / "crashes_on_load.so").string() + ": it crashed with signal 11 (Segmentation fault) when it was looked into.");
  const Examined refused = examine_plugin(fixtures / "wrong_version.so", this_program());
  EXPECT_NE(refused.problem.find("built for plugin interface 3.0"), std::string::npos);
  EXPECT_FALSE(check_plugin(fixtures / "wrong_version.so", this_program()).passed());
}

TEST(PluginCheck, DescriptionCrossesUnchanged) {
  const Examined examined = examine_plugin(fixtures / "all_options.so", this_program());
  ASSERT_TRUE(examined.description);
  EXPECT_EQ(*examined.description, describe(*open_plugin(fixtures / "all_options.so")));
  const auto& list = examined.description->options;
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(list[4].choices, (std::vector<std::string>{"round", "square"}));
  EXPECT_EQ(std::get<std::int64_t>(list[2].initial), 3);
  EXPECT_EQ(list[7].only_if, "fast = true");
  EXPECT_TRUE(list[5].optional);
  EXPECT_FALSE(list[0].most);
}

TEST(PluginCheck, DescriptionsFromElsewhereAreRefused) {
  const std::string good = to_json(describe(*find_rule("adam")));
  EXPECT_TRUE(parse_description(good));
  for (const std::string bad : {"", "[]", "{}", "null", "{\"name\": 3}"}) EXPECT_FALSE(parse_description(bad)) << bad;
  for (const std::string word : {"\"title\"", "\"parameters\"", "\"least\"", "\"kind\"", "\"state_arrays\"", "\"default\""}) {
    std::string broken = good;
    broken.replace(broken.find(word), word.size(), "\"other\"");
    EXPECT_FALSE(parse_description(broken)) << word;
  }
}

}  // namespace
}  // namespace syncline

// The checker starts this program again as its child.
int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--plugin-child") return syncline::plugin_child(std::vector<std::string>(argv + 2, argv + argc));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
