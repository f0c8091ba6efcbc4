// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/experiment/parse_support.h"

namespace syncline {
namespace {

using test::experiment;
using test::minimal;
using test::parsed;
using test::problems;
using test::Texts;

constexpr std::string_view commented = R"(# the run
name = "a"   # its name

[model]
zoo = "lenet"
[data]
source = "fashion-mnist"
[train]
epochs = 3   # short
optimizer = { name = "sgd", lr = 0.05 }  # plain
[strategy]
name = "sync"
)";

TEST(Overrides, KeepCommentsAndOrder) {
  const Experiment e = experiment(commented, {{"train.epochs", "2"},
                                              {"train.optimizer.lr", "1e-3"},
                                              {"name", "b"},
                                              {"cluster.workers", "2"},
                                              {"train.batch_per_worker", "[32, 16]"}});
  EXPECT_EQ(e.as_typed, R"(# the run
name = "b"   # its name

[model]
zoo = "lenet"
[data]
source = "fashion-mnist"
[train]
epochs = 2   # short
optimizer = { name = "sgd", lr = 1e-3 }  # plain
batch_per_worker = [32, 16]
[strategy]
name = "sync"

[cluster]
workers = 2
)");
  EXPECT_EQ(e.train.epochs, 2);
  EXPECT_EQ(e.train.optimizer.options.real("lr"), 1e-3);
  EXPECT_EQ(e.batch_of(1), 16);
  EXPECT_EQ(e.global_batch(), 48);
}

TEST(Overrides, WithoutAnyTheTextIsAsTyped) { EXPECT_EQ(experiment(commented).as_typed, commented); }

TEST(Overrides, ABareWordIsAText) {
  EXPECT_EQ(experiment(commented, {{"train.optimizer.name", "adam"}}).train.optimizer.name, "adam");
  EXPECT_EQ(experiment(commented, {{"train.optimizer", "{ name = \"adam\", lr = 1 }"}}).train.optimizer.options.real("beta1"), 0.9);
  EXPECT_EQ(experiment(commented, {{"cluster.link.latency", "5 ms"}}).cluster.links[0].latency_s, 5e-3);
  EXPECT_EQ(experiment(commented, {{"cluster.link.latency", "0.25"}}).cluster.links[0].latency_s, 0.25);
  EXPECT_EQ(experiment(commented, {{"checkpoint.every", "500 steps"}}).checkpoint.every.amount, 500);
  EXPECT_EQ(experiment(commented, {{"checkpoint.every", "90"}}).checkpoint.every.amount, 90);
  EXPECT_EQ(experiment(commented, {{"data.augment", "flip"}}).data.augment, (std::vector<std::string>{"flip"}));
  // Where the table wants a text, numbers and words of TOML are one.
  EXPECT_EQ(experiment(commented, {{"name", "7"}}).name, "7");
  EXPECT_EQ(experiment(commented, {{"name", "true"}}).name, "true");
  EXPECT_EQ(experiment(commented, {{"name", "2026-01-01"}}).name, "2026-01-01");
  EXPECT_EQ(experiment(commented, {{"name", "\"quoted\""}}).name, "quoted");
  EXPECT_EQ(experiment(commented, {{"name", "say \"x\" # no comment"}}).name, "say \"x\" # no comment");
}

TEST(Overrides, TheLastOneWins) { EXPECT_EQ(experiment(commented, {{"train.epochs", "4"}, {"train.epochs", "5"}}).train.epochs, 5); }

TEST(Overrides, CannotSmuggleInOtherKeys) {
  EXPECT_EQ(problems(commented, {{"train.epochs", "1\nsteps = 2"}}),
            Texts{"--set train.epochs=1\nsteps = 2: must be a whole number, not the text \"1\\nsteps = 2\""});
  EXPECT_EQ(problems(commented, {{"train.optimizer.lr", "1, momentum = 2"}}),
            Texts{"--set train.optimizer.lr=1, momentum = 2: must be a number, not the text \"1, momentum = 2\""});
}

TEST(Overrides, ErrorsNameTheArgument) {
  EXPECT_EQ(problems(commented, {{"train.epochs", "many"}}),
            Texts{"--set train.epochs=many: must be a whole number, not the text \"many\""});
  EXPECT_EQ(problems(commented, {{"train.epoch", "2"}}), Texts{"--set train.epoch=2: unknown key 'epoch'; did you mean 'epochs'?"});
  EXPECT_EQ(problems(commented, {{"train.steps", "2"}}), Texts{"--set train.steps=2: give either epochs or steps, not both"});
  EXPECT_EQ(problems(commented, {{"train.optimizer", "{ lr = -1 }"}}),
            Texts{"--set train.optimizer={ lr = -1 }: train.optimizer.lr: must be at least 0, not -1"});
  EXPECT_EQ(problems(commented, {{"train..x", "2"}}), Texts{"--set train..x=2: 'train..x' is no dotted key such as train.epochs"});
  EXPECT_EQ(problems(commented, {{"train", "2"}}),
            Texts{"--set train=2: the file has a table there; set one key of it, such as train.KEY=VALUE"});
  const Problem problem = parsed(commented, {{"train.epochs", "many"}}).problems.at(0);
  EXPECT_EQ(problem.origin.line, 0);
  EXPECT_EQ(problem.origin.key, "train.epochs");
}

TEST(Overrides, ErrorsOfTheFileKeepTheirLines) {
  std::string text(commented);
  text += "plam = 1\n[fault]\nlimit_s = -1\n";
  // One key is put into a table above, one replaces a value by a text of several lines, one is appended.
  EXPECT_EQ(problems(text, {{"seed", "3"}, {"train.micro_batches", "1"}, {"train.batch_per_worker", "[\n64\n]"}, {"cluster.workers", "1"}}),
            (Texts{"a.toml:13: strategy.plam: unknown key 'plam'; did you mean 'plan'?",
                   "a.toml:15: fault.limit_s: must be between 0.1 and 1000000, not -1"}));
  // A value of several lines becomes one of one line.
  const std::string wide =
      "name = \"a\"\ntrain = { epochs = 1, batch_per_worker = [\n64\n] }\nplam = 1\n[model]\nzoo = \"lenet\"\n[data]\nsource = "
      "\"synthetic\"\n[strategy]\nname = \"sync\"\n";
  EXPECT_EQ(problems(wide, {{"train.batch_per_worker", "8"}}),
            Texts{"a.toml:5: plam: unknown key 'plam'; known here are 'name', 'seed', 'model', 'data', 'train', 'cluster', "
                  "'strategy', 'fault' and 'checkpoint'"});
}

TEST(Overrides, ASyntaxErrorOfTheFileComesFirst) {
  const Texts texts = problems("a = \n", {{"train.epochs", "2"}});
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_TRUE(texts[0].starts_with("a.toml:1: this is no TOML")) << texts[0];
}

}  // namespace
}  // namespace syncline
