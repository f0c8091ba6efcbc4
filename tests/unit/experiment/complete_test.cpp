// SPDX-License-Identifier: Apache-2.0
// The complete print: every key that applies, valid input that prints itself again and means the same.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/base/random.h"
#include "tests/unit/experiment/parse_support.h"

namespace syncline {
namespace {

using test::experiment;
using test::minimal;
using test::parsed;

void expect_same_model(const ModelSpec& a, const ModelSpec& b) {
  EXPECT_EQ(a.zoo, b.zoo);
  EXPECT_EQ(a.options, b.options);
  EXPECT_EQ(a.buffers, b.buffers);
  EXPECT_EQ(a.sync_bn, b.sync_bn);
  ASSERT_EQ(a.layers.size(), b.layers.size());
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    EXPECT_EQ(a.layers[i].type, b.layers[i].type);
    EXPECT_EQ(a.layers[i].name, b.layers[i].name);
    EXPECT_EQ(a.layers[i].inputs, b.layers[i].inputs);
    EXPECT_EQ(a.layers[i].options, b.layers[i].options);
  }
}

void expect_same_training(const Experiment& a, const Experiment& b) {
  EXPECT_EQ(a.train.task, b.train.task);
  EXPECT_EQ(a.train.epochs, b.train.epochs);
  EXPECT_EQ(a.train.steps, b.train.steps);
  EXPECT_EQ(a.train.micro_batches, b.train.micro_batches);
  EXPECT_EQ(a.train.batch_per_worker, b.train.batch_per_worker);
  EXPECT_EQ(a.train.target_accuracy, b.train.target_accuracy);
  EXPECT_EQ(a.train.stop_at_target, b.train.stop_at_target);
  EXPECT_EQ(a.train.optimizer.name, b.train.optimizer.name);
  EXPECT_EQ(a.train.optimizer.options, b.train.optimizer.options);
  EXPECT_EQ(a.train.schedule.name, b.train.schedule.name);
  EXPECT_EQ(a.train.schedule.options, b.train.schedule.options);
  EXPECT_EQ(a.train.precision, b.train.precision);
  EXPECT_EQ(a.train.on_divergence, b.train.on_divergence);
  EXPECT_EQ(a.train.evaluate_every, b.train.evaluate_every);
  EXPECT_EQ(a.data.source, b.data.source);
  EXPECT_EQ(a.data.options, b.data.options);
  EXPECT_EQ(a.data.shards, b.data.shards);
  EXPECT_EQ(a.data.last_batch, b.data.last_batch);
  EXPECT_EQ(a.data.augment, b.data.augment);
  EXPECT_EQ(a.data.mean, b.data.mean);
  EXPECT_EQ(a.data.stddev, b.data.stddev);
}

void expect_same_cluster(const ClusterSpec& a, const ClusterSpec& b) {
  EXPECT_EQ(a.workers, b.workers);
  EXPECT_EQ(a.servers, b.servers);
  EXPECT_EQ(a.colocate, b.colocate);
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.threads_per_worker, b.threads_per_worker);
  EXPECT_EQ(a.compute, b.compute);
  EXPECT_EQ(a.emulate_link, b.emulate_link);
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const auto fields = [](const NodeSpec& n) { return std::tuple(n.name, n.count, n.cores, n.devices, n.speed); };
    EXPECT_EQ(fields(a.nodes[i]), fields(b.nodes[i]));
  }
  ASSERT_EQ(a.links.size(), b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    const auto fields = [](const LinkSpec& l) {
      return std::tuple(l.from, l.to, l.bandwidth_bytes_per_s, l.bandwidth_back_bytes_per_s, l.latency_s, l.shared);
    };
    EXPECT_EQ(fields(a.links[i]), fields(b.links[i]));
  }
}

void expect_same(const Experiment& a, const Experiment& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.seed, b.seed);
  expect_same_model(a.model, b.model);
  expect_same_training(a, b);
  expect_same_cluster(a.cluster, b.cluster);
  const auto words = [](const StrategySpec& s) { return std::tuple(s.name, s.plan, s.allreduce, s.orchestration, s.codec); };
  EXPECT_EQ(words(a.strategy), words(b.strategy));
  EXPECT_EQ(a.strategy.options, b.strategy.options);
  EXPECT_EQ(a.strategy.plan_options, b.strategy.plan_options);
  EXPECT_EQ(a.strategy.allreduce_options, b.strategy.allreduce_options);
  EXPECT_EQ(a.strategy.codec_options, b.strategy.codec_options);
  const auto faults = [](const FaultSpec& f) { return std::tuple(f.limit_s, f.grace_s, f.max_restarts, f.on_worker_loss); };
  EXPECT_EQ(faults(a.fault), faults(b.fault));
  EXPECT_EQ(a.checkpoint.every.unit, b.checkpoint.every.unit);
  EXPECT_EQ(a.checkpoint.every.amount, b.checkpoint.every.amount);
  EXPECT_EQ(a.checkpoint.keep, b.checkpoint.keep);
}

void expect_prints_itself(const Experiment& first) {
  const Parsed again = parsed(first.complete);
  for (const Problem& problem : again.problems) ADD_FAILURE() << to_string(problem) << "\n" << first.complete;
  ASSERT_TRUE(again.experiment) << first.as_typed;
  EXPECT_EQ(again.experiment->complete, first.complete);
  EXPECT_EQ(group_key(*again.experiment), group_key(first));
  EXPECT_TRUE(differences(first.complete, again.experiment->complete).empty());
  expect_same(first, *again.experiment);
}

TEST(Complete, HasEveryKeyThatApplies) {
  EXPECT_EQ(experiment(minimal()).complete, R"(name = "a"
seed = 1

[model]
zoo = "lenet"
buffers = "average"
sync_bn = false

[data]
source = "fashion-mnist"
shards = "shuffled"
last_batch = "keep"
residency = "file"
prefetch = 2
read_delay = 0.0
augment = []

[train]
task = "supervised"
epochs = 1
micro_batches = 1
batch_per_worker = 64
evaluate_every = "1 epoch"
precision = "fp32"
on_divergence = "fail"
optimizer = { name = "sgd", lr = 0.01, momentum = 0.9, nesterov = false, weight_decay = 0.0 }
schedule = { name = "constant", warmup_steps = 0, scale_lr_with_workers = false }

[cluster]
workers = 1
servers = 0
device = "auto"
threads_per_worker = 0
compute = "real"

[cluster.link]
bandwidth = 0.0
latency = 0.0
emulate = false

[strategy]
name = "sync"
plan = "threshold"
allreduce = "direct"
orchestration = "static"
submit_order = "backward"
hook_jitter = 0.0
codec = "none"

[strategy.plan_options]
bytes = "4 MiB"

[fault]
limit_s = 60.0
grace_s = 30.0
max_restarts = 0
on_worker_loss = "fail"

[checkpoint]
every = "5 min"
keep = 2
)");
}

TEST(Complete, LeavesOutWhatDoesNotApply) {
  const Experiment e = experiment(minimal("sync_period = 8\n", "name = \"local-sgd\"", "epochs = 1\noptimizer = { momentum = 0 }"));
  EXPECT_NE(
      e.complete.find("[strategy]\nname = \"local-sgd\"\nallreduce = \"direct\"\nsync_period = 8\nsync_point = \"post_update\"\n\n[fault]"),
      std::string::npos)
      << e.complete;
  EXPECT_NE(e.complete.find("optimizer = { name = \"sgd\", lr = 0.01, momentum = 0.0, weight_decay = 0.0 }"), std::string::npos)
      << e.complete;
  // What does not apply has its default all the same, so that code may read it.
  EXPECT_FALSE(e.train.optimizer.options.flag("nesterov"));
  EXPECT_EQ(e.strategy.options.real("mixing"), 0.5);
  expect_prints_itself(e);
}

TEST(Complete, WritesLayersInFull) {
  const Experiment e = experiment(
      minimal("", "name = \"sync\"", "epochs = 1", "source = \"synthetic\"",
              "layers = [{ type = \"conv\", name = \"relu2\", channels = 8, kernel = 3 }, { type = \"relu\" }, { type = \"relu\" },"
              "{ type = \"add\", inputs = [\"relu1\", \"input\"] }]"));
  EXPECT_NE(e.complete.find(R"(layers = [
  { type = "conv", name = "relu2", channels = 8, kernel = 3, stride = 1, padding = 0, bias = true },
  { type = "relu", name = "relu1" },
  { type = "relu", name = "relu3" },
  { type = "add", name = "add1", inputs = ["relu1", "input"] },
]
)"),
            std::string::npos)
      << e.complete;
  EXPECT_EQ(e.model.layers[3].origin.key, "model.layers.3");
  EXPECT_EQ(e.model.layers[3].origin.line, 3);
  expect_prints_itself(e);
}

TEST(Complete, TablesMayBeWrittenInAnyWay) {
  const Experiment headers = experiment(minimal(
      "[cluster]\nworkers = 2\n[cluster.link]\nlatency = \"1 ms\"\n[train.optimizer]\nname = \"adam\"\n[checkpoint]\nevery = 90\n"));
  const Experiment dotted = experiment("cluster.workers = 2\ncluster.link.latency = 0.001\ncheckpoint.every = \"1.5 min\"\n" +
                                       minimal("", "name = \"sync\"", "epochs = 1\noptimizer.name = \"adam\""));
  EXPECT_EQ(headers.complete, dotted.complete);
  expect_same(headers, dotted);
}

TEST(Complete, PluginsKeepTheirKeys) {
  const Experiment e = experiment(minimal(
      "", "name = \"sync\"", "epochs = 1\noptimizer = { name = \"plugin:lion\", lr = 1, beta = 0.9, fast = true, n = 3, mode = \"x\" }"));
  EXPECT_EQ(e.train.optimizer.name, "plugin:lion");
  EXPECT_EQ(e.train.optimizer.options.real("lr"), 1.0);
  EXPECT_EQ(e.train.optimizer.options.integer("n"), 3);
  EXPECT_TRUE(e.train.optimizer.options.flag("fast"));
  expect_prints_itself(e);
  EXPECT_EQ(test::problems(minimal("", "name = \"sync\"", "epochs = 1\noptimizer = { name = \"plugin:\", a = [1] }")),
            (test::Texts{"a.toml:8: train.optimizer.name: must be plugin:NAME with the name of a plugin, such as \"plugin:lion\"",
                         "a.toml:8: train.optimizer.a: must be a number, a text, true or false, not a list"}));
}

TEST(Complete, BatchesOfTheWorkers) {
  const Experiment e = experiment(minimal("[cluster]\nworkers = 3\n", "name = \"sync\"", "epochs = 1\nbatch_per_worker = [1, 2, 3]"));
  EXPECT_EQ(e.batch_of(0), 1);
  EXPECT_EQ(e.batch_of(2), 3);
  EXPECT_EQ(e.global_batch(), 6);
  EXPECT_NE(e.complete.find("batch_per_worker = [1, 2, 3]\n"), std::string::npos);
  EXPECT_THROW(e.batch_of(3), UsageError);
  EXPECT_THROW(e.batch_of(-1), UsageError);
  EXPECT_EQ(experiment(minimal("[cluster]\nworkers = 3\n")).global_batch(), 192);
}

TEST(Complete, ShippedExperimentsPrintThemselves) {
  int count = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::filesystem::path(SYNCLINE_SOURCE_DIR) / "resources/experiments")) {
    std::ifstream stream(file.path());
    std::ostringstream text;
    text << stream.rdbuf();
    SCOPED_TRACE(file.path().string());
    const Experiment e = experiment(text.str());
    EXPECT_EQ(e.as_typed, text.str());
    expect_prints_itself(e);
    ++count;
  }
  EXPECT_GE(count, 5);
}

TEST(Complete, TheQuickstartPairDiffersInNameAndPlanAlone) {
  const std::filesystem::path folder = std::filesystem::path(SYNCLINE_SOURCE_DIR) / "resources/experiments";
  const Catalogue catalogue = test::small_catalogue();
  const auto all = differences(load_experiment(folder / "quickstart.toml", catalogue).complete,
                               load_experiment(folder / "quickstart-wfbp.toml", catalogue).complete);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, "name");
  EXPECT_EQ(all[1].key, "strategy.plan");
  EXPECT_EQ(all[1].before, "single");
  EXPECT_EQ(all[1].after, "wfbp");
}

// Random experiments: any key may be there, with any value that its table allows.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed, "experiments") {}

  std::string run() {
    text_ = fmt::format("name = {}\n", pick({"\"plain\"", R"("ä \"quoted\" \\ #")", R"('literal # \')", "\"😀\"", "\"x = [1]\""}));
    maybe("seed", whole(0, 1000000));
    model();
    text_ += fmt::format("[data]\nsource = \"synthetic\"\n");
    maybe("noise", real());
    maybe("augment", pick({"[]", "\"flip\"", "[\"flip\", \"crop\"]"}));
    maybe("shards", pick({"\"shuffled\"", "\"by-label\""}));
    maybe("mean", fmt::format("[{}, {}]", real(), whole(0, 3)));
    train();
    cluster();
    strategy();
    text_ += "[fault]\n";
    maybe("limit_s", fmt::format("{}", 0.1 + 1000 * random_.uniform()));
    text_ += "[checkpoint]\n";
    maybe("every", pick({"\"never\"", "\"3 steps\"", "1.25", "\"0.3 h\"", "\"1 epoch\"", "\"123456789.125 ns\""}));
    return text_;
  }

 private:
  std::string pick(std::vector<std::string> choices) { return choices[random_.below(static_cast<std::uint32_t>(choices.size()))]; }
  std::string whole(std::int64_t least, std::int64_t most) {
    return fmt::format("{}", least + random_.below(static_cast<std::uint32_t>(most - least + 1)));
  }
  std::string real() {
    return fmt::format("{}", random_.below(3) == 0 ? std::round(8 * random_.uniform()) : std::exp(20 * random_.uniform() - 18));
  }
  void maybe(std::string_view key, const std::string& value) {
    if (random_.below(2) == 0) text_ += fmt::format("{} = {}\n", key, value);
  }

  void model() {
    text_ += "[model]\n";
    if (random_.below(2) == 0) {
      text_ += "zoo = \"mlp\"\n";
      maybe("hidden", pick({"[]", "7", "[3, 4, 5]"}));
      return;
    }
    text_ += "layers = [";
    const std::uint32_t count = 1 + random_.below(6);
    for (std::uint32_t i = 0; i < count; ++i) {
      text_ += pick({"{ type = 'relu' }, ", fmt::format("{{ type = 'conv', channels = {}, kernel = 3, name = 'c{}' }}, ", whole(1, 9), i),
                     fmt::format("{{ bias = false, kernel = 1, type = 'conv', channels = {} }}, ", whole(1, 9)),
                     "{ type = 'add', inputs = ['input', 'input'] }, "});
    }
    text_ += "]\n";
  }

  void train() {
    text_ += "[train]\n" + pick({"epochs = 3\n", "steps = 1_000_000\n"});
    maybe("batch_per_worker", whole(1, 100000));
    if (random_.below(2) == 0) {
      text_ += fmt::format("target_accuracy = {}\n", random_.uniform());
      maybe("stop_at_target", "true");
    }
    maybe("evaluate_every", pick({"\"never\"", "\"7 steps\"", "\"1 epochs\""}));
    maybe("optimizer", pick({fmt::format("{{ lr = {}, momentum = 0 }}", real()),
                             fmt::format("{{ name = \"sgd\", momentum = {}, nesterov = true }}", 0.5 * random_.uniform() + 0.1),
                             fmt::format("{{ name = \"adam\", beta1 = {} }}", random_.uniform()),
                             fmt::format("{{ name = \"plugin:x\", z = {}, a-b = true }}", real())}));
    maybe("schedule", pick({"{ name = \"cosine\" }", "{ warmup_steps = 3, scale_lr_with_workers = true }"}));
  }

  void cluster() {
    text_ += "[cluster]\n";
    maybe("threads_per_worker", whole(0, 8));
    if (random_.below(2) == 0) {
      text_ += "[cluster.link]\n";
      maybe("bandwidth", pick({real(), "\"1 Gbit/s\"", fmt::format("\"{} MB/s\"", real())}));
      maybe("latency", pick({real(), "\"50 us\"", fmt::format("\"{} ms\"", real())}));
      return;
    }
    text_ += fmt::format("[[cluster.nodes]]\nname = \"a b\"\nspeed = {}\n[[cluster.nodes]]\nname = \"n2\"\n", 0.5 + random_.uniform());
    text_ += fmt::format("[[cluster.links]]\nfrom = \"n2\"\nto = \"a b\"\nlatency = {}\n", real());
  }

  void strategy() {
    text_ += "[strategy]\n";
    if (random_.below(2) == 0) {
      text_ += pick({"name = \"none\"\n", "name = \"local-sgd\"\nsync_period = 4\n",
                     "name = \"local-sgd\"\nsync_period = 4\nsync_point = \"pre_update\"\nmixing = 0.125\n"});
      return;
    }
    text_ += "name = \"sync\"\n";
    text_ += pick({"", "plan = \"wfbp\"\n", fmt::format("plan_options = {{ bytes = {} }}\n", whole(1, 1000000000)),
                   "plan_options.bytes = \"3 KiB\"\n"});
    text_ += pick({"", fmt::format("codec = \"topk\"\ncodec_options = {{ fraction = {} }}\n", 0.5 * random_.uniform() + 1e-6)});
  }

  RandomStream random_;
  std::string text_;
};

TEST(Complete, RandomExperimentsPrintThemselves) {
  for (std::uint64_t seed = 0; seed < 400 && !HasFailure(); ++seed) {
    const std::string text = Generator(seed).run();
    SCOPED_TRACE(text);
    expect_prints_itself(experiment(text));
  }
}

}  // namespace
}  // namespace syncline
