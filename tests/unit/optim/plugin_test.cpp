// SPDX-License-Identifier: Apache-2.0
// Loading plugins, and the sentence that each broken one gives.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "engine/optim/loader.h"
#include "engine/optim/running.h"
#include "tests/unit/optim/support.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;
using testing::Bench;
using testing::options;

const fs::path fixtures = fs::path(SYNCLINE_BINARY_DIR) / "tests/unit/optim/fixtures";
const fs::path examples = fs::path(SYNCLINE_BINARY_DIR) / "plugins";

class Environment {  // the plugin folders for one test
 public:
  explicit Environment(const std::string& folders) { ::setenv("SYNCLINE_PLUGINS", folders.c_str(), 1); }
  ~Environment() { ::unsetenv("SYNCLINE_PLUGINS"); }
};

std::string load_message(const fs::path& file) {
  try {
    open_plugin(file);
  } catch (const ConfigError& error) {
    std::string text = error.what();
    const std::string folder = file.parent_path().string() + "/";
    for (std::size_t at = text.find(folder); at != std::string::npos; at = text.find(folder)) text.erase(at, folder.size());
    return text;
  }
  return "loaded";
}

TEST(Loader, SaysWhatIsWrongWithAFile) {
  const auto message = [](const std::string& name) { return load_message(fixtures / (name + ".so")); };
  EXPECT_EQ(message("wrong_version"),
            "wrong_version.so: built for plugin interface 3.0, this program offers 1.0; build it again with this program's plugins/sdk.");
  EXPECT_EQ(message("small_table"),
            "small_table.so: its table has 88 bytes, interface 1.0 needs at least 128; build it again with this program's plugins/sdk.");
  EXPECT_EQ(message("no_table"), "no_table.so: its function syncline_optimizer_v1 returned no table.");
  EXPECT_EQ(message("null_step"), "null_step.so: its table has no function \"step\"; create, step and destroy are needed.");
  EXPECT_EQ(message("only_save"), "only_save.so: its table has \"save\" but not \"load\"; both or neither are needed.");
  EXPECT_EQ(message("nameless_option"), "nameless_option.so: option 2 has no name; every option needs a key.");
  EXPECT_EQ(message("twice_the_option"), "twice_the_option.so: option \"lr\" appears twice; every key must be different.");
  EXPECT_EQ(message("default_outside"), "default_outside.so: the default of option \"momentum\", 2, is outside its range.");
  EXPECT_EQ(message("unnamed"), "unnamed.so: its table has no name.");
  EXPECT_EQ(message("missing_symbol"),
            "missing_symbol.so: it exports no function syncline_optimizer_v1; an optimizer plugin needs it "
            "(plugins/sdk/syncline_optimizer.h).");
  EXPECT_EQ(message("unresolved_symbol"), "unresolved_symbol.so: it cannot be loaded: undefined symbol: nothing_defines_this.");
  EXPECT_EQ(message("no_such_file"), "no_such_file.so: there is no such file.");
  EXPECT_EQ(load_message(fixtures), fixtures.filename().string() + ": this is not a file; a plugin is a shared object.");
}

TEST(Loader, PassesOnWhatTheSystemSaysOfAForeignFile) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path / "text.so") << "this is not a program, and it is longer than the header of one would have to be to be read";
  EXPECT_EQ(load_message(folder.path / "text.so"), "text.so: it cannot be loaded: invalid ELF header.");
  std::ofstream(folder.path / "empty.so").close();
  EXPECT_EQ(load_message(folder.path / "empty.so"), "empty.so: it cannot be loaded: file too short.");
}

TEST(Loader, TakesATableOfANewerMinorVersion) { EXPECT_EQ(load_message(fixtures / "newer_minor.so"), "loaded"); }

TEST(Loader, FindsFilesAndFoldersAndTheFirstOfANameCounts) {
  const testing::TemporaryFolder first, second;
  fs::create_symlink(examples / "liblion.so", first.path / "liblion.so");
  fs::create_directories(second.path / "adafactor");
  fs::create_symlink(examples / "libadafactor.so", second.path / "adafactor" / "libadafactor.so");
  fs::create_symlink(fixtures / "ascends.so", second.path / "ascends.so");
  fs::create_symlink(fixtures / "ascends.so", second.path / "lion.so");
  std::ofstream(second.path / "README.md") << "not a plugin";
  const std::vector<fs::path> folders = {first.path, second.path, "/nonexistent"};
  const std::vector<FoundPlugin> found = find_plugins(folders);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].file, second.path / "adafactor" / "libadafactor.so");
  EXPECT_EQ(found[1].name, "ascends");
  EXPECT_EQ(found[2].file, first.path / "liblion.so");

  const Environment environment(first.path.string() + ":" + second.path.string());
  EXPECT_EQ(load_plugin("lion")->file(), (first.path / "liblion.so").string());
  EXPECT_EQ(load_plugin("adafactor")->entry().name, "plugin:adafactor");
}

TEST(Loader, AsksTheFoldersInOrderAndNeverTheWorkingDirectory) {
  const Environment environment("/a:relative/b::/c");
  const std::vector<fs::path> folders = plugin_folders();
  ASSERT_GE(folders.size(), 4u);
  EXPECT_EQ(folders[0], "/a");
  EXPECT_EQ(folders[1], "/c");
  for (const fs::path& folder : folders) EXPECT_TRUE(folder.is_absolute()) << folder;
}

TEST(Loader, RefusesNamesThatAreNotThere) {
  const testing::TemporaryFolder folder;
  const Environment environment(folder.path.string());
  const auto message = [](const std::string& name) -> std::string {
    try {
      load_plugin(name);
    } catch (const ConfigError& error) {
      return error.origin().key + ": " + error.what();
    }
    return "loaded";
  };
  EXPECT_EQ(message("../lion"),
            "train.optimizer.name: \"plugin:../lion\" is not a plugin's name; it has lower case letters, digits, dashes and "
            "underscores, and no path.");
  EXPECT_EQ(message("nobody").find("train.optimizer.name: there is no plugin \"nobody\": no nobody.so, libnobody.so or folder nobody in " +
                                   folder.path.string()),
            0u);
  fs::create_symlink(fixtures / "other_name.so", folder.path / "other_name.so");
  EXPECT_EQ(message("other_name"), "train.optimizer.name: " + (folder.path / "other_name.so").string() +
                                       ": this is the plugin \"somebody_else\", not \"other_name\"; name the file after the plugin.");
}

TEST(Loader, HashIsOfTheContent) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path / "empty").close();
  EXPECT_EQ(file_hash(folder.path / "empty"), "99aa06d3014798d86001c324468d497f");  // XXH3-128 of nothing, as published
  EXPECT_EQ(open_plugin(examples / "liblion.so")->file_hash(), file_hash(examples / "liblion.so"));
}

// Where every field lies in interface 1.0: a plugin built then must be read right for as long as the major version stays. Never edit a
// number here; append.
TEST(Interface, LayoutOfVersion1NeverChanges) {
  EXPECT_EQ(SYNCLINE_ABI_MAJOR, 1);
  EXPECT_EQ(sizeof(syncline_option), 120u);
  EXPECT_EQ(offsetof(syncline_option, choices), 48u);
  EXPECT_EQ(offsetof(syncline_option, kind), 60u);
  EXPECT_EQ(offsetof(syncline_option, initial_integer), 72u);
  EXPECT_EQ(offsetof(syncline_option, least), 96u);
  EXPECT_EQ(offsetof(syncline_option, advanced), 112u);
  EXPECT_EQ(sizeof(syncline_value), 48u);
  EXPECT_EQ(offsetof(syncline_value, real), 32u);
  EXPECT_EQ(offsetof(syncline_value, present), 40u);
  EXPECT_EQ(sizeof(syncline_slice), 56u);
  EXPECT_EQ(offsetof(syncline_slice, rows), 24u);
  EXPECT_EQ(offsetof(syncline_slice, flags), 44u);
  EXPECT_EQ(offsetof(syncline_host, parallel_for), 24u);
  EXPECT_EQ(offsetof(syncline_host, release), 48u);
  EXPECT_EQ(offsetof(syncline_config, values), 8u);
  EXPECT_EQ(offsetof(syncline_config, slice_count), 32u);
  EXPECT_EQ(offsetof(syncline_step_args, step), 8u);
  EXPECT_EQ(offsetof(syncline_step_args, param), 24u);
  EXPECT_EQ(offsetof(syncline_step_args, state), 40u);
  EXPECT_EQ(offsetof(syncline_step_args, slices), 64u);
  EXPECT_EQ(offsetof(syncline_optimizer_table, name), 8u);
  EXPECT_EQ(offsetof(syncline_optimizer_table, options), 56u);
  EXPECT_EQ(offsetof(syncline_optimizer_table, create), 72u);
  EXPECT_EQ(offsetof(syncline_optimizer_table, step_device), 112u);
}

// ---- Plugins in use ----

std::string train_message(const std::string& name, int steps = 4, int threads = 1) {
  const Environment environment(fixtures.string());
  try {
    Bench bench("plugin:" + name, {}, threads);
    bench.run(steps);
  } catch (const TrainingError& error) {
    EXPECT_EQ(Running::current(), nullptr);
    const std::string text = error.what(), label = "optimizer plugin " + name + " (" + (fixtures / (name + ".so")).string() + ") ";
    EXPECT_TRUE(text.starts_with(label)) << text;
    return text.substr(label.size());
  }
  return "no error";
}

TEST(Plugin, FailuresAreOneSentenceWithItsName) {
  EXPECT_EQ(train_message("refuses_to_start"), "could not start: the moon is in the wrong place.");
  EXPECT_EQ(train_message("fails_later"), "failed in step 3: three is too many.");
  EXPECT_EQ(train_message("fails_silently"), "failed in step 1: error code 42.");
  EXPECT_EQ(train_message("throws"),
            "failed in step 1: it let a C++ exception escape, \"out of ideas\"; a plugin must return an error code.");
  EXPECT_EQ(train_message("throws_in_create"), "could not start: it let an exception escape; a plugin must return an error code.");
  EXPECT_EQ(train_message("not_finite"), "failed in step 2: it wrote a value that is not finite into layer layer4 from finite gradients.");
}

TEST(Plugin, ExceptionsInParallelPartsAreCaughtOnEveryThread) {
  EXPECT_NE(train_message("throws_parallel", 1, 1).find("failed in step 1: it let a C++ exception escape"), std::string::npos);
  EXPECT_EQ(train_message("throws_parallel", 1, 3),
            "failed in step 1: it let a C++ exception escape in its parallel part, \"out of pieces\".");
}

// Gradients that are not finite are the model's matter, not the plugin's.
TEST(Plugin, IsNotBlamedForTheGradients) {
  const Environment environment(examples.string());
  Bench bench("plugin:adafactor");
  bench.grads.all().data()[5] = INFINITY;
  EXPECT_NO_THROW(bench.optimizer->step(bench.params, bench.grads));
}

TEST(Plugin, EveryKindOfOptionArrives) {
  const Environment environment(fixtures.string());
  const std::vector<Value> marks = {{std::int64_t{3}}, {4.5}};
  EXPECT_NO_THROW(Bench("plugin:all_options", options({{"momentum", {0.5}},
                                                       {"steps", {std::int64_t{4}}},
                                                       {"fast", {false}},
                                                       {"shape", {std::string("round")}},
                                                       {"marks", {marks}},
                                                       {"pause", {std::string("2 ms")}}})));
  EXPECT_THROW(Bench("plugin:all_options", options({{"shape", {std::string("oval")}}})), ConfigError);
  EXPECT_THROW(Bench("plugin:all_options", options({{"steps", {std::int64_t{10}}}})), ConfigError);
  EXPECT_THROW(Bench("plugin:all_options"), TrainingError);  // create sees other values than it expects
}

TEST(Plugin, LearningRateIsItsOwnDefault) {
  const Environment environment(examples.string());
  EXPECT_EQ(learning_rate({.name = "plugin:lion", .options = {}}), 1e-4);
  EXPECT_EQ(learning_rate({.name = "plugin:lion", .options = options({{"lr", {0.5}}})}), 0.5);
  EXPECT_EQ(learning_rate({.name = "sgd", .options = {}}), 0.01);
}

TEST(Plugin, LionFollowsItsPaper) {
  const Environment environment(examples.string());
  Bench bench("plugin:lion", options({{"weight_decay", {0.1}}}));
  bench.schedule.rate = 0.25;
  std::vector<double> w(bench.params.all().floats().begin(), bench.params.all().floats().end()), m(w.size());
  for (int k = 0; k < 3; ++k) {
    bench.run(1, 0.5);
    for (std::size_t i = 0; i < w.size(); ++i) {
      const double g = 0.5 * static_cast<double>(bench.grads.all().data()[i]), c = 0.9 * m[i] + 0.1 * g;
      const bool decays = i < 43 || i >= 76;  // layer 2 of support.h
      w[i] -= 0.25 * ((c > 0) - (c < 0) + (decays ? 0.1 : 0) * w[i]);
      m[i] = 0.99 * m[i] + 0.01 * g;
    }
  }
  for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(bench.params.all().data()[i], w[i], 1e-5) << i;
}

// The paper's algorithm for one matrix, with the outer product written out.
TEST(Plugin, AdafactorFollowsItsPaper) {
  const Environment environment(examples.string());
  constexpr std::int64_t rows = 3, cols = 4;
  const std::vector<LayerSlice> slices = {
      {.index = 0, .name = "a", .offset = 0, .count = rows * cols, .decay = true, .dense = true, .rows = rows, .cols = cols}};
  Bench bench("plugin:adafactor", {}, 1, slices);
  bench.schedule.rate = 0.125;
  std::vector<double> w(bench.params.all().floats().begin(), bench.params.all().floats().end());
  double r[rows] = {}, c[cols] = {};
  for (int k = 1; k <= 3; ++k) {
    bench.run(1);
    const float* g = bench.grads.all().data();
    const double keep = 1 - std::pow(k, -0.8);
    double row_now[rows] = {}, col_now[cols] = {}, total = 0, rms_w = 0, rms_u = 0;
    for (std::int64_t i = 0; i < rows * cols; ++i)
      row_now[i / cols] += g[i] * g[i], col_now[i % cols] += g[i] * g[i],
          rms_w += w[static_cast<std::size_t>(i)] * w[static_cast<std::size_t>(i)];
    for (int i = 0; i < rows; ++i) r[i] = keep * r[i] + (1 - keep) * row_now[i], total += r[i];
    for (int i = 0; i < cols; ++i) c[i] = keep * c[i] + (1 - keep) * col_now[i];
    double u[rows * cols];
    for (std::int64_t i = 0; i < rows * cols; ++i) u[i] = g[i] / std::sqrt(r[i / cols] * c[i % cols] / total), rms_u += u[i] * u[i];
    const double step = 0.125 * std::max(1e-3, std::sqrt(rms_w / (rows * cols))) / std::max(1.0, std::sqrt(rms_u / (rows * cols)));
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= step * u[i];
    for (std::size_t i = 0; i < w.size(); ++i) ASSERT_NEAR(bench.params.all().data()[i], w[i], 2e-6) << "step " << k << " element " << i;
  }
}

TEST(Plugin, ACrashNamesThePluginInAHandler) {
  const Environment environment(fixtures.string());
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_handler = [](int) {
          const char* name = Running::current();
          if (name == nullptr) name = "nobody";
          if (::write(STDERR_FILENO, name, std::strlen(name)) < 0) ::_exit(1);
          ::_exit(9);
        };
        ::sigaction(SIGSEGV, &action, nullptr);
        Bench bench("plugin:crashes_in_parallel", {}, 3);
        bench.run(1);
      },
      ::testing::ExitedWithCode(9), "optimizer plugin crashes_in_parallel \\(.*crashes_in_parallel.so\\)");
}

}  // namespace
}  // namespace syncline
