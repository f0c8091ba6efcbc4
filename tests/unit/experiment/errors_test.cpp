// SPDX-License-Identifier: Apache-2.0
// The sentences that a person reads, word for word.
#include <filesystem>
#include <fstream>

#include "tests/unit/experiment/parse_support.h"

namespace syncline {
namespace {

using test::minimal;
using test::problems;
using test::Texts;

TEST(Errors, ASyntaxErrorIsReportedAlone) {
  const Texts texts = problems("nam = 1\n[model\nzoo = 3\n");
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(texts[0].starts_with("a.toml:2: this is no TOML: ")) << texts[0];
}

TEST(Errors, BrokenInputNeverStopsTheProgram) {
  for (const char* text : {"[=",
                           "[",
                           "a = [=",
                           "= 1",
                           "a = {",
                           "a = \"\\u12\"",
                           "a = '''",
                           "a",
                           "\xff\xfe",
                           "a = 1e",
                           "[[a]",
                           "a.b = 1\na = 2",
                           "x = [1, {a = [[}]",
                           "a = 1e999",
                           "a = 99999999999999999999",
                           "a = 2000-13-45",
                           "a = \"\\q\"",
                           "\xef\xbb\xbf[",
                           "a = nan\n[a]",
                           "[a]\302\265s",
                           "\302\265 = 1",
                           "a = 1 \303\244",
                           "'"}) {
    EXPECT_FALSE(problems(text).empty()) << text;
  }
}

TEST(Errors, DeepKeysAreRefusedBeforeTheyExhaustTheStack) {
  std::string key = "a";
  for (int i = 0; i < 100000; ++i) key += ".a";
  for (const std::string& text : {key + " = 1\n", "[" + key + "]\n", "x = { " + key + " = 1 }", "y = '.....'\n" + key + " = 1"}) {
    const Texts texts = problems(text);
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_NE(texts[0].find("a key with more than 16 parts"), std::string::npos) << texts[0];
  }
  EXPECT_EQ(problems("x = " + std::string(100000, '[')).size(), 1u);
  EXPECT_EQ(problems(std::string(5 << 20, '#')),
            Texts{"a.toml:1: this is no TOML: the text has 5242880 bytes; an experiment has at most 4194304"});
}

TEST(Errors, EverythingRequiredIsNamed) {
  EXPECT_EQ(problems(""),
            (Texts{"a.toml:1: name: is missing: what the run is called; the newest run with this name wins",
                   "a.toml:1: model.zoo: is missing: give the model's zoo name or its layers; known are 'mlp', 'lenet' and 'resnet20'",
                   "a.toml:1: data.source: is missing; known are 'fashion-mnist', 'cifar10' and 'synthetic'",
                   "a.toml:1: train.epochs: is missing: give the length of the run as epochs or as steps",
                   "a.toml:1: strategy.name: is missing; known are 'none', 'sync' and 'local-sgd'"}));
}

TEST(Errors, AllErrorsOfMeaningComeAtOnceInTheOrderOfLines) {
  EXPECT_EQ(problems(R"(nam = "x"
[strategy]
name = "local-sgd"
plan = "wfbp"
mixing = 0.2
epochs = 3
[train]
epoch = 3
steps = 2.5
batch_per_worker = [1, 2, 3]
optimizer = { name = "sgd", lr = nan, momentum = 0, nesterov = true }
evaluate_every = "5 min"
[data]
source = "fashon-mnist"
augment = ["flop"]
[model]
zoo = 3
[cluster]
workers = 2
link = { bandwidth = "1 Gbps", emulate = 1 }
[fault]
max_restarts = -1
[checkpoint]
every = "soon"
)"),
            (Texts{
                "a.toml:1: nam: unknown key 'nam'; did you mean 'name'?",
                "a.toml:1: name: is missing: what the run is called; the newest run with this name wins",
                "a.toml:2: strategy.sync_period: is missing: steps between two exchanges",
                "a.toml:4: strategy.plan: does not apply: the strategy 'local-sgd' exchanges no gradients, so there is nothing to group; "
                "leave the key out",
                "a.toml:5: strategy.mixing: applies only with sync_point = pre_update",
                "a.toml:6: strategy.epochs: unknown key 'epochs'; it belongs to [train]",
                "a.toml:8: train.epoch: unknown key 'epoch'; did you mean 'epochs'?",
                "a.toml:9: train.steps: must be a whole number, not 2.5",
                "a.toml:10: train.batch_per_worker: has 3 values for 2 workers; give one number for all, or one for each",
                "a.toml:11: train.optimizer.lr: must be a finite number, not nan",
                "a.toml:11: train.optimizer.nesterov: applies only with momentum > 0",
                "a.toml:12: train.evaluate_every: must be such as \"500 steps\", \"1 epoch\" or \"never\", not the text \"5 min\"",
                "a.toml:14: data.source: 'fashon-mnist' is not known; did you mean 'fashion-mnist'?",
                "a.toml:15: data.augment: element 1: 'flop' is not known; did you mean 'flip'?",
                "a.toml:17: model.zoo: must be one of 'mlp', 'lenet' and 'resnet20', not the number 3",
                "a.toml:20: cluster.link.bandwidth: must be a rate such as \"1 Gbit/s\", or a number of bytes per second, not the text \"1 "
                "Gbps\"",
                "a.toml:20: cluster.link.emulate: must be true or false, not the number 1",
                "a.toml:22: fault.max_restarts: must be between 0 and 1000, not -1",
                "a.toml:24: checkpoint.every: must be such as \"5 min\", \"500 steps\", \"1 epoch\" or \"never\", not the text \"soon\"",
            }));
}

TEST(Errors, WhatThisVersionLacksIsNotTakenSilently) {
  EXPECT_EQ(problems(minimal("[cluster]\ndevice = \"cuda\"\nservers = 1\n")),
            (Texts{"a.toml:11: cluster.device: this build has no CUDA module; use 'cpu' or 'auto'",
                   "a.toml:12: cluster.servers: must be 0: the strategy 'sync' has no servers"}));
  EXPECT_EQ(problems(minimal("service = \"arrival\"\norchestration = \"gossip\"\nallreduce = \"ring\"\ncodec = \"qsgd\"\n")),
            (Texts{"a.toml:10: strategy.service: belongs to strategies with parameter servers; this version has none",
                   "a.toml:11: strategy.orchestration: 'gossip' is not known: this version knows only 'static' and 'bitvector'",
                   "a.toml:12: strategy.allreduce: 'ring' is not known: this version knows only 'direct', 'hierarchical' and 'library'",
                   "a.toml:13: strategy.codec: 'qsgd' is not known: this version knows only 'none' and 'topk'"}));
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "epochs = 1\nprecision = \"bf16\"", "source = \"fashion-mnist\"",
                             "zoo = \"lenet\"\nsync_bn = true")),
            (Texts{"a.toml:4: model.sync_bn: must be false, not true: this version knows no other value",
                   "a.toml:9: train.precision: 'bf16' is not known: this version knows only 'fp32'"}));
}

TEST(Errors, TypesAndRangesSayWhatWouldBeRight) {
  EXPECT_EQ(problems(minimal("[fault]\nlimit_s = \"60\"\ngrace_s = -1\n[checkpoint]\nkeep = 0\nevery = 0\n[cluster]\nworkers = 20000\nlink "
                             "= { latency = -1, bandwidth = 2e15 }\n")),
            (Texts{"a.toml:11: fault.limit_s: must be a number, not the text \"60\"",
                   "a.toml:12: fault.grace_s: must be between 0 and 1000000, not -1",
                   "a.toml:14: checkpoint.keep: must be between 1 and 1000000, not 0",
                   "a.toml:15: checkpoint.every: must be such as \"5 min\", \"500 steps\", \"1 epoch\" or \"never\", not the number 0",
                   "a.toml:17: cluster.workers: must be between 1 and 16384, not 20000",
                   "a.toml:18: cluster.link.latency: must be between 0 and 1 h, not -1",
                   "a.toml:18: cluster.link.bandwidth: must be between 0 and 8000 Tbit/s, not 2000000000000000.0"}));
  EXPECT_EQ(
      problems(minimal(
          "", "name = [1]",
          "epochs = 1\nbatch_per_worker = [64, \"a\"]\ntarget_accuracy = 2020-01-01\nstop_at_target = { a = 1 }\noptimizer = \"adam\"")),
      (Texts{"a.toml:8: train.batch_per_worker: element 2: must be a whole number, not the text \"a\"",
             "a.toml:9: train.target_accuracy: must be a number, not the date or time 2020-01-01",
             "a.toml:10: train.stop_at_target: must be true or false, not a table",
             "a.toml:11: train.optimizer: must be a table, not the text \"adam\"",
             "a.toml:13: strategy.name: must be one of 'none', 'sync' and 'local-sgd', not a list"}));
}

TEST(Errors, LengthAndBatches) {
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "epochs = 1\nsteps = 5")),
            Texts{"a.toml:8: train.steps: give either epochs or steps, not both"});
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "steps = 5\nepochs = 1")),
            Texts{"a.toml:8: train.epochs: give either epochs or steps, not both"});
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "batch_per_worker = []\nepochs = 0")),
            (Texts{"a.toml:7: train.batch_per_worker: must be a number, or a list with one number for each worker, not an empty list",
                   "a.toml:8: train.epochs: must be between 1 and 1000000000, not 0"}));
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "epochs = 1\nmicro_batches = 128")),
            Texts{"a.toml:8: train.micro_batches: must be at most the 64 samples of a worker's batch, not 128"});
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "epochs = 1\nstop_at_target = true")),
            Texts{"a.toml:8: train.stop_at_target: applies only with target_accuracy >= 0"});
}

TEST(Errors, Layers) {
  const auto model = [](std::string_view layers) { return minimal("", "name = \"sync\"", "epochs = 1", "source = \"synthetic\"", layers); };
  EXPECT_EQ(problems(model(R"(layers = [
  { type = "conv", channels = 0, kernel = 3, name = "a" },
  { type = "lineer", units = 3 },
  { type = "relu", name = "a" },
  { type = "add", inputs = ["a", "last"] },
  { type = "add", inputs = ["aa", "input"], name = "x y" },
  { type = "relu", name = "input", inputs = ["input", 3] },
  { kernel = 3 },
  { type = "relu", name = "last", inputs = ["last"], slope = 0.1 },
  7,
])")),
            (Texts{"a.toml:4: model.layers.0.channels: must be between 1 and 65536, not 0",
                   "a.toml:5: model.layers.1.type: 'lineer' is not known; did you mean 'linear'?",
                   "a.toml:6: model.layers.2.name: 'a' is the name of an earlier layer; names are unique",
                   "a.toml:7: model.layers.3.inputs: 'last' comes later; a layer reads layers before it",
                   "a.toml:8: model.layers.4.name: must be 1 to 200 letters, digits, or any of _ - . /, not \"x y\"",
                   "a.toml:8: model.layers.4.inputs: no layer before it is called 'aa'; did you mean 'a'?",
                   "a.toml:9: model.layers.5.inputs: element 2: must be a text, not the number 3",
                   "a.toml:9: model.layers.5.name: 'input' is the model's input; a layer needs another name",
                   "a.toml:10: model.layers.6.type: is missing; known are 'conv', 'linear', 'relu', 'add', 'batch_norm', 'flatten' and "
                   "'global_pool'",
                   "a.toml:11: model.layers.7.slope: unknown key 'slope'; known here are 'type', 'name' and 'inputs'",
                   "a.toml:11: model.layers.7.inputs: 'last' is this layer itself; a layer reads layers before it",
                   "a.toml:12: model.layers.8: must be a table, not the number 7"}));
  EXPECT_EQ(problems(model("layers = []")), Texts{"a.toml:3: model.layers: must have 1 to 10000 layers, not 0"});
  EXPECT_EQ(problems(model("layers = 3")),
            Texts{"a.toml:3: model.layers: must be a list of tables such as [{ type = \"linear\", ... }], not the number 3"});
  EXPECT_EQ(problems(model("zoo = \"mlp\"\nlayers = [{ type = \"relu\" }]")),
            Texts{"a.toml:4: model.layers: give either zoo or layers, not both"});
  EXPECT_EQ(problems(model("zoo = \"mlp\"\nhidden = [0]")), Texts{"a.toml:4: model.hidden: element 1: must be between 1 and 65536, not 0"});
  EXPECT_EQ(problems(model("zoo = \"lenet\"\nhidden = [1]")),
            Texts{"a.toml:4: model.hidden: unknown key 'hidden'; known here are 'zoo', 'layers', 'buffers' and 'sync_bn'"});
}

TEST(Errors, CombinationsWithoutMeaning) {
  EXPECT_EQ(problems(minimal("allreduce = \"library\"\n[cluster]\nlink = { latency = \"1 ms\", emulate = true }\n")),
            Texts{"a.toml:10: strategy.allreduce: 'library' cannot run over an emulated link: the library's messages do not pass through "
                  "it; use allreduce = 'direct', or set "
                  "cluster.link.emulate = false"});
  EXPECT_EQ(problems(minimal("[cluster.link]\nemulate = true\n")),
            Texts{"a.toml:11: cluster.link.emulate: there is no link to emulate: give cluster.link.bandwidth or cluster.link.latency"});
  EXPECT_EQ(problems(minimal("codec = \"none\"\n[strategy.codec_options]\nfraction = 1\n[strategy.plan_options]\n", "name = \"none\"")),
            (Texts{"a.toml:10: strategy.codec: does not apply: the strategy 'none' exchanges no gradients, so there is nothing to encode; "
                   "leave the key out",
                   "a.toml:11: strategy.codec_options: does not apply: the strategy 'none' exchanges no gradients, so there is nothing to "
                   "encode; leave the key out",
                   "a.toml:13: strategy.plan_options: does not apply: the strategy 'none' exchanges no gradients, so there is nothing to "
                   "group; leave the key out"}));
  EXPECT_EQ(problems(minimal("codec = \"topk\"\n[strategy.plan_options]\nbyte = 3\n")),
            (Texts{"a.toml:8: strategy.codec_options.fraction: is missing: part of the gradient that is sent",
                   "a.toml:12: strategy.plan_options.byte: unknown key 'byte'; did you mean 'bytes'?"}));
  EXPECT_EQ(problems(minimal("plan = \"single\"\n[strategy.plan_options]\nbytes = 3\n")),
            Texts{"a.toml:12: strategy.plan_options.bytes: unknown key 'bytes'; there are no keys here"});
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "epochs = 1",
                             "source = \"synthetic\"\nmean = [0.5]\nstd = [0.2, 0]\naugment = [\"flip\", \"flip\"]")),
            (Texts{"a.toml:7: data.std: element 2: must be between 1e-06 and 1000000, not 0",
                   "a.toml:8: data.augment: 'flip' is there twice; each is applied once"}));
  EXPECT_EQ(problems(minimal("", "name = \"sync\"", "epochs = 1", "source = \"synthetic\"\nmean = [0.5]\nstd = [0.2, 1]")),
            Texts{"a.toml:7: data.std: has 2 values and mean has 1; both need one for each channel"});
}

TEST(Errors, Topology) {
  EXPECT_EQ(problems(minimal("[[cluster.nodes]]\nname = \"n1\"\n[[cluster.nodes]]\nname = \"n1\"\ncpus = 3\n[[cluster.links]]\nfrom = "
                             "\"n1\"\nto = \"n2\"\n[[cluster.links]]\n"
                             "from = \"n1\"\n")),
            (Texts{"a.toml:13: cluster.nodes.1.name: 'n1' is the name of an earlier machine; names are unique",
                   "a.toml:14: cluster.nodes.1.cpus: unknown key 'cpus'; known here are 'name', 'count', 'cores', 'devices' and 'speed'",
                   "a.toml:17: cluster.links.0.to: 'n2' is not known; did you mean 'n1'?",
                   "a.toml:18: cluster.links.1.to: is missing: the machine at the other end"}));
  EXPECT_EQ(problems(minimal("[cluster]\nnodes = 3\n[[cluster.links]]\nfrom = \"a\"\nto = \"b\"\n")),
            (Texts{"a.toml:11: cluster.nodes: must be [[cluster.nodes]] tables, not the number 3",
                   "a.toml:13: cluster.links.0.from: 'a' is no machine; describe it as [[cluster.nodes]]",
                   "a.toml:14: cluster.links.0.to: 'b' is no machine; describe it as [[cluster.nodes]]"}));
}

TEST(Errors, Names) {
  const auto named = [](const std::string& name) { return "name = " + name + minimal().substr(10); };
  EXPECT_EQ(problems(named("\"  \"")), Texts{"a.toml:1: name: must not be empty"});
  EXPECT_EQ(problems(named("\"a\\nb\"")), Texts{"a.toml:1: name: must be one line without control characters"});
  for (const char* turning : {"\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"})
    EXPECT_EQ(problems(named(std::string("\"a") + turning + "b\"")),
              Texts{"a.toml:1: name: must be without characters that change the direction of writing"});
  EXPECT_EQ(problems(named("\"\u0648\u0633\u0645 \u2013 \u2014 \u2026 \u2060\"")), Texts{});  // right to left by its letters alone
  EXPECT_EQ(problems(named("\"" + std::string(201, 'x') + "\"")), Texts{"a.toml:1: name: must have at most 200 bytes, not 201"});
  EXPECT_EQ(problems(named("3")), Texts{"a.toml:1: name: must be a text, not the number 3"});
  EXPECT_EQ(problems("seed = -1\n" + minimal()), Texts{"a.toml:1: seed: must be at least 0, not -1"});
  EXPECT_EQ(problems("name = \"a\"\nmodel = 3\ntrain = { epochs = 1 }\ndata = { source = \"synthetic\" }\nstrategy = { name = \"none\" }"),
            Texts{"a.toml:2: model: must be a table, not the number 3"});
}

TEST(Errors, AFileThatIsNotThere) {
  const Catalogue catalogue = test::small_catalogue();
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "syncline-no-such-file.toml";
  try {
    load_experiment(path, catalogue);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), "cannot read the experiment file " + path.string() + ": No such file or directory");
    EXPECT_EQ(error.origin().file, path.string());
  }
}

TEST(Errors, LoadingJoinsAllProblems) {
  const Catalogue catalogue = test::small_catalogue();
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "syncline-two-problems.toml";
  std::ofstream(path) << "seed = -1\n" << minimal() << "plam = 3\n";
  try {
    load_experiment(path, catalogue);
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_EQ(error.what(), path.string() + ":1: seed: must be at least 0, not -1\n" + path.string() +
                                ":11: strategy.plam: unknown key 'plam'; did you mean 'plan'?");
    EXPECT_EQ(error.origin().line, 1);
    EXPECT_EQ(error.origin().key, "seed");
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace syncline
