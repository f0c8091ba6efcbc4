// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/experiment/check.h"
#include "engine/experiment/cluster_tables.h"

namespace syncline {
namespace {

using P = Parameter;
using Names = std::string_view;
constexpr std::int64_t operator""_i(unsigned long long n) { return static_cast<std::int64_t>(n); }

constexpr std::array root = {
    P{.key = "name", .help = "What the run is called; the newest run with this name wins.", .kind = P::text},
    P{.key = "seed",
      .help = "Start of every random stream: the same seed gives the same run.",
      .kind = P::integer,
      .initial = 1_i,
      .least = 0},
    P{.key = "model", .help = "What is trained.", .kind = P::table},
    P{.key = "data", .help = "What it is trained on.", .kind = P::table},
    P{.key = "train", .help = "How long, with which batches and which rule.", .kind = P::table},
    P{.key = "cluster", .help = "Where it runs.", .kind = P::table},
    P{.key = "strategy", .help = "When and how workers exchange what they learn.", .kind = P::table},
    P{.key = "fault", .help = "What happens when a rank goes silent or dies.", .kind = P::table},
    P{.key = "checkpoint", .help = "When the state is saved.", .kind = P::table},
};

constexpr Names buffer_choices[] = {"average", "rank0"};
constexpr std::array model = {
    P{.key = "zoo", .help = "A ready-made model; give this or layers.", .kind = P::choice, .optional = true},
    P{.key = "layers",
      .help = "The model as a list of layers, each a table with a type; give this or zoo.",
      .kind = P::table,
      .optional = true},
    P{.key = "buffers",
      .help = "Batch-norm running values at evaluation: the mean over workers, or those of rank 0.",
      .kind = P::choice,
      .initial = "average",
      .advanced = true,
      .choices = buffer_choices},
    P{.key = "sync_bn",
      .help = "Batch norm over the samples of all workers.",
      .kind = P::flag,
      .initial = false,
      .least = 0,
      .most = 0,
      .advanced = true},
};
constexpr std::array layers = {
    P{.key = "type", .help = "What the layer computes.", .kind = P::choice},
    P{.key = "name", .help = "The layer's name, unique in the model; by default its type and a number.", .kind = P::text, .optional = true},
    P{.key = "inputs",
      .help = "Names of the layers that it reads; by default the one before it. \"input\" is the model's input.",
      .kind = P::list,
      .initial = "[]"},
};

constexpr Names shard_choices[] = {"shuffled", "by-label"};
constexpr Names last_batch_choices[] = {"keep", "drop"};
constexpr Names residency_choices[] = {"file", "memory"};
constexpr std::string_view resident = "residency = memory";
constexpr std::array data = {
    P{.key = "source", .help = "Where the samples come from.", .kind = P::choice},
    P{.key = "shards",
      .help = "How samples are dealt to workers: shuffled, or sorted by label so that workers differ.",
      .kind = P::choice,
      .initial = "shuffled",
      .choices = shard_choices},
    P{.key = "last_batch",
      .help = "The uneven last batch of an epoch: kept and weighted by its samples, or dropped.",
      .kind = P::choice,
      .initial = "keep",
      .advanced = true,
      .choices = last_batch_choices},
    P{.key = "residency",
      .help = "Read samples from the source whenever they are wanted, or hold them in the memory of the workers, each its share.",
      .kind = P::choice,
      .initial = "file",
      .advanced = true,
      .section = "multicolor-allreduce, E",
      .choices = residency_choices},
    P{.key = "shuffle_every_epochs",
      .symbol = "E_s",
      .help = "Passes of a worker over its share after which the samples in memory change places between workers; 0 is never.",
      .initial = std::int64_t{1},
      .least = 0,
      .most = 1e9,
      .advanced = true,
      .section = "multicolor-allreduce, E",
      .only_if = resident},
    P{.key = "dimd_groups",
      .symbol = "G",
      .help = "Copies of the set in memory: so many groups of neighbouring workers each hold all of it.",
      .initial = std::int64_t{1},
      .least = 1,
      .most = 65536,
      .advanced = true,
      .section = "multicolor-allreduce, E",
      .only_if = resident},
    P{.key = "prefetch",
      .help = "Batches read ahead of training; with 0 a step reads its own.",
      .initial = std::int64_t{2},
      .least = 0,
      .most = 64,
      .advanced = true},
    P{.key = "read_delay",
      .help = "Added to every batch read from the source, to see what slow storage costs.",
      .kind = P::duration,
      .initial = 0.0,
      .least = 0,
      .most = 60,
      .advanced = true,
      .unit = "s",
      .only_if = "residency = file"},
    P{.key = "augment", .help = "Random changes of each training sample, applied in this order.", .kind = P::list, .initial = "[]"},
    P{.key = "mean",
      .help = "Subtracted from each channel, of values scaled to 0..1; by default the source's own.",
      .kind = P::list,
      .least = -1e6,
      .most = 1e6,
      .optional = true,
      .advanced = true},
    P{.key = "std",
      .help = "Divides each channel after the mean is subtracted; by default the source's own.",
      .kind = P::list,
      .least = 1e-6,
      .most = 1e6,
      .optional = true,
      .advanced = true},
};

constexpr Names task_choices[] = {"supervised"};
constexpr Names precision_choices[] = {"fp32"};
constexpr Names divergence_choices[] = {"fail", "stop", "continue"};
constexpr std::array train = {
    P{.key = "task",
      .help = "What a step computes.",
      .kind = P::choice,
      .initial = "supervised",
      .advanced = true,
      .choices = task_choices},
    P{.key = "epochs",
      .help = "Length of the run in passes over the training data; give this or steps.",
      .kind = P::integer,
      .least = 1,
      .most = 1e9,
      .optional = true},
    P{.key = "steps",
      .help = "Length of the run in steps; give this or epochs.",
      .kind = P::integer,
      .least = 1,
      .most = 1e12,
      .optional = true},
    P{.key = "micro_batches",
      .help = "Parts that a batch is computed in, to save memory; the gradient is that of the whole batch.",
      .kind = P::integer,
      .initial = 1_i,
      .least = 1,
      .most = 1e6,
      .advanced = true},
    P{.key = "batch_per_worker",
      .help = "Samples per step of each worker: one number for all, or a list with one for each.",
      .kind = P::list,
      .initial = "[64]",
      .least = 1,
      .most = 1e6},
    P{.key = "target_accuracy", .help = "Test accuracy whose time is measured.", .kind = P::real, .least = 0, .most = 1, .optional = true},
    P{.key = "stop_at_target",
      .help = "End the run when the target accuracy is reached.",
      .kind = P::flag,
      .initial = false,
      .only_if = "target_accuracy >= 0"},
    P{.key = "evaluate_every",
      .help = "When test accuracy is measured: \"500 steps\", \"1 epoch\" or \"never\"; always once at the end.",
      .kind = P::text,
      .initial = "1 epoch",
      .advanced = true},
    P{.key = "optimizer", .help = "The update rule.", .kind = P::table},
    P{.key = "schedule", .help = "The learning rate over time.", .kind = P::table},
    P{.key = "precision",
      .help = "Number format of the passes.",
      .kind = P::choice,
      .initial = "fp32",
      .advanced = true,
      .choices = precision_choices},
    P{.key = "on_divergence",
      .help = "When the loss is no longer finite: the run fails, stops in good order, or goes on.",
      .kind = P::choice,
      .initial = "fail",
      .advanced = true,
      .choices = divergence_choices},
};
constexpr std::array optimizer = {
    P{.key = "name", .help = "The rule; plugin:NAME for one from a plugin.", .kind = P::choice, .initial = "sgd"},
    P{.key = "lr", .symbol = "η", .help = "Learning rate, before the schedule.", .kind = P::real, .initial = 0.01, .least = 0, .most = 1e6},
};
constexpr std::array schedule = {
    P{.key = "name", .help = "The curve.", .kind = P::choice, .initial = "constant"},
};

using tables::cluster, tables::profile, tables::jitter, tables::link, tables::nodes, tables::links;

constexpr Names submit_orders[] = {"backward", "random"};
constexpr std::array strategy = {
    P{.key = "name", .help = "The distributed algorithm.", .kind = P::choice},
    P{.key = "plan", .help = "How gradients are grouped into messages.", .kind = P::choice, .initial = "threshold"},
    P{.key = "plan_options", .help = "The plan's own keys.", .kind = P::table},
    P{.key = "allreduce", .help = "The collective that adds gradients up.", .kind = P::choice, .initial = "direct"},
    P{.key = "allreduce_options", .help = "The collective's own keys.", .kind = P::table},
    P{.key = "orchestration",
      .help = "How workers agree on the order of messages.",
      .kind = P::choice,
      .initial = "static",
      .advanced = true},
    P{.key = "orchestration_options", .help = "The orchestration's own keys.", .kind = P::table},
    P{.key = "submit_order",
      .help = "In which order a worker's gradients are handed over; random: another one on each worker and in each step, as where graphs "
              "branch.",
      .kind = P::choice,
      .initial = "backward",
      .advanced = true,
      .choices = submit_orders},
    P{.key = "hook_jitter",
      .help = "Longest of the random delays before each gradient is handed over, different on each worker and in each step.",
      .kind = P::duration,
      .initial = 0.0,
      .least = 0,
      .most = 60,
      .advanced = true,
      .unit = "s"},
    P{.key = "codec", .help = "How gradients are encoded on the way.", .kind = P::choice, .initial = "none"},
    P{.key = "codec_options", .help = "The codec's own keys.", .kind = P::table},
};

constexpr Names loss_choices[] = {"fail"};
constexpr std::array fault = {
    P{.key = "limit_s",
      .help = "Seconds after which a silent peer ends the job.",
      .kind = P::real,
      .initial = 60.0,
      .least = 0.1,
      .most = 1e6,
      .unit = "s"},
    P{.key = "grace_s",
      .help = "Seconds that a stop request may take before it is enforced.",
      .kind = P::real,
      .initial = 30.0,
      .least = 0,
      .most = 1e6,
      .unit = "s"},
    P{.key = "max_restarts",
      .help = "How often a job that lost a rank is started again from its newest checkpoint.",
      .kind = P::integer,
      .initial = 0_i,
      .least = 0,
      .most = 1000,
      .advanced = true},
    P{.key = "on_worker_loss",
      .help = "When a worker dies.",
      .kind = P::choice,
      .initial = "fail",
      .advanced = true,
      .choices = loss_choices},
};
constexpr std::array checkpoint = {
    P{.key = "every",
      .help = "When a checkpoint is written: \"5 min\", \"500 steps\", \"1 epoch\" or \"never\"; always once at the end.",
      .kind = P::text,
      .initial = "5 min"},
    P{.key = "keep", .help = "How many of the newest checkpoints are kept.", .kind = P::integer, .initial = 2_i, .least = 1, .most = 1e6},
};
constexpr std::span<const Parameter> none;

constexpr std::array table = {
    Section{"", "Experiment", "The run's name and the start of its random streams.", root, "", ""},
    Section{"model", "Model", "What is trained: a model of the zoo, or a list of layers.", model, "zoo", "zoo"},
    Section{"model.layers", "Layer", "One layer of a model given as a list.", layers, "layers", "type", true},
    Section{"data", "Data", "What it is trained on, and how samples reach the workers.", data, "sources", "source"},
    Section{"train", "Training", "How long, with which batches and which rule.", train, "", ""},
    Section{"train.optimizer", "Optimizer", "The update rule and its keys.", optimizer, "optimizers", "name"},
    Section{"train.schedule", "Schedule", "The learning rate over time.", schedule, "schedules", "name"},
    Section{"cluster", "Cluster", "Where it runs: workers, devices, links.", cluster, "", ""},
    Section{"cluster.jitter", "Jitter", "Random factor on the times of paced and emulated workers.", jitter, "", ""},
    Section{"cluster.link", "Link", "One link for all: the card of every worker, or of every machine where machines are described.", link,
            "", ""},
    Section{"cluster.nodes", "Machine", "One kind of machine of a topology.", nodes, "", "", true},
    Section{"cluster.links", "Link between machines",
            "One link of a topology; from one machine to itself: between its ranks, which else use memory.", links, "", "", true},
    Section{"strategy", "Strategy", "When and how workers exchange what they learn; the algorithm's own keys stand here too.", strategy,
            "strategies", "name"},
    Section{"strategy.plan_options", "Plan", "Keys of the plan.", none, "plans", "strategy.plan"},
    Section{"strategy.allreduce_options", "Allreduce", "Keys of the collective.", none, "allreduces", "strategy.allreduce"},
    Section{"strategy.orchestration_options", "Orchestration", "Keys of the agreement on an order.", none, "orchestrations",
            "strategy.orchestration"},
    Section{"strategy.codec_options", "Codec", "Keys of the codec.", none, "codecs", "strategy.codec"},
    Section{"fault", "Faults", "What happens when a rank goes silent or dies.", fault, "", ""},
    Section{"checkpoint", "Checkpoints", "When the state is saved, and how many are kept.", checkpoint, "", ""},
};

struct CatalogueChoice {
  std::string_view section, key, kind;
};
constexpr CatalogueChoice catalogue_choices[] = {
    {"model", "zoo", "zoo"},
    {"model.layers", "type", "layers"},
    {"data", "source", "sources"},
    {"data", "augment", "augmentations"},
    {"train.optimizer", "name", "optimizers"},
    {"train.schedule", "name", "schedules"},
    {"strategy", "name", "strategies"},
    {"strategy", "plan", "plans"},
    {"strategy", "allreduce", "allreduces"},
    {"strategy", "codec", "codecs"},
    {"strategy", "orchestration", "orchestrations"},
};

constexpr std::string_view kinds[] = {"strategies", "plans", "allreduces", "codecs",        "optimizers",    "schedules",
                                      "layers",     "zoo",   "sources",    "augmentations", "orchestrations"};

constexpr std::string_view no_servers = "belongs to strategies with parameter servers; this version has none";
constexpr Reserved reserved[] = {
    {"strategy", "service", no_servers},
    {"strategy", "script", no_servers},
};

void check_table(std::string_view where, std::span<const Parameter> parameters, std::span<const Parameter> also,
                 std::vector<std::string>& mistakes) {
  std::vector<std::string_view> keys;
  for (const Parameter& parameter : also) keys.push_back(parameter.key);
  for (const Parameter& parameter : parameters) {
    const bool replaces = where.find('/') != std::string_view::npos && parameter.key == "lr";
    if (!replaces && std::find(keys.begin(), keys.end(), parameter.key) != keys.end())
      mistakes.push_back(fmt::format("{}: the key '{}' is there twice", where, parameter.key));
    keys.push_back(parameter.key);
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.help.empty() || parameter.help.back() != '.')
      mistakes.push_back(fmt::format("{}: the help of '{}' is no sentence", where, parameter.key));
    try {
      const Value value = default_of(parameter);
      const auto* text = std::get_if<std::string>(&value.data);
      const bool known = parameter.choices.empty() || text == nullptr ||
                         std::find(parameter.choices.begin(), parameter.choices.end(), *text) != parameter.choices.end();
      if (!known) mistakes.push_back(fmt::format("{}: the default of '{}' is not among its choices", where, parameter.key));
    } catch (const UsageError& error) {
      mistakes.push_back(fmt::format("{}: {}", where, error.what()));
    }
    for (const std::string_view key : condition_keys(parameter.only_if)) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        mistakes.push_back(fmt::format("{}: '{}' depends on '{}', which is not there", where, parameter.key, key));
    }
  }
}

}  // namespace

std::span<const Section> sections() { return table; }

const Section& section(std::string_view name) {
  for (const Section& candidate : table) {
    if (candidate.name == name) return candidate;
  }
  throw UsageError(fmt::format("the experiment file has no section '{}'", name));
}

const Section& profile_section() {
  static constexpr Section times{"cluster.profile", "Profile", "Layer times of the machine that is paced or emulated.", profile, "", ""};
  return times;
}

std::vector<std::string_view> choices_of(const Catalogue& catalogue, std::string_view section_name, const Parameter& parameter) {
  for (const CatalogueChoice& choice : catalogue_choices) {
    if (choice.section != section_name || choice.key != parameter.key) continue;
    std::vector<std::string_view> names;
    for (const Entry* entry : entries_of(catalogue, choice.kind)) names.push_back(entry->name);
    return names;
  }
  return {parameter.choices.begin(), parameter.choices.end()};
}

std::span<const std::string_view> catalogue_kinds() { return kinds; }

std::vector<const Entry*> entries_of(const Catalogue& catalogue, std::string_view kind) {
  std::vector<const Entry*> result;
  if (kind == "strategies") {
    for (const Catalogue::Strategy& entry : catalogue.strategies) result.push_back(&entry);
    return result;
  }
  const std::pair<std::string_view, const std::vector<Entry>*> lists[] = {{"plans", &catalogue.plans},
                                                                          {"allreduces", &catalogue.allreduces},
                                                                          {"codecs", &catalogue.codecs},
                                                                          {"optimizers", &catalogue.optimizers},
                                                                          {"schedules", &catalogue.schedules},
                                                                          {"layers", &catalogue.layers},
                                                                          {"zoo", &catalogue.zoo},
                                                                          {"sources", &catalogue.sources},
                                                                          {"augmentations", &catalogue.augmentations},
                                                                          {"orchestrations", &catalogue.orchestrations}};
  for (const auto& [name, list] : lists) {
    if (name != kind) continue;
    for (const Entry& entry : *list) result.push_back(&entry);
    return result;
  }
  throw UsageError(fmt::format("the catalogue has no kind '{}'", kind));
}

const Entry* find_entry(const Catalogue& catalogue, std::string_view kind, std::string_view name) {
  for (const Entry* entry : entries_of(catalogue, kind)) {
    if (entry->name == name) return entry;
  }
  return nullptr;
}

std::span<const Reserved> reserved_keys() { return reserved; }

std::vector<std::string> mistakes_of(const Catalogue& catalogue) {
  std::vector<std::string> mistakes;
  for (const Section& each : table) {
    check_table(each.name, each.parameters, {}, mistakes);
    if (each.entries.empty()) continue;
    std::vector<std::string_view> names;
    for (const Entry* entry : entries_of(catalogue, each.entries)) {
      const std::string where = fmt::format("{}/{}", each.entries, entry->name);
      check_table(where, entry->parameters, each.parameters, mistakes);
      if (std::find(names.begin(), names.end(), entry->name) != names.end()) mistakes.push_back(where + ": there twice");
      names.push_back(entry->name);
    }
  }
  for (const CatalogueChoice& choice : catalogue_choices) {
    const Section& where = section(choice.section);
    for (const Parameter& parameter : where.parameters) {
      const auto* initial = std::get_if<std::string_view>(&parameter.initial);
      if (parameter.key != choice.key || parameter.kind != Parameter::choice || initial == nullptr) continue;
      const std::vector<std::string_view> known = choices_of(catalogue, where.name, parameter);
      if (std::find(known.begin(), known.end(), *initial) == known.end()) {
        mistakes.push_back(fmt::format("{}: the default '{}' of '{}' is not in the catalogue", where.name, *initial, parameter.key));
      }
    }
  }
  return mistakes;
}

}  // namespace syncline
