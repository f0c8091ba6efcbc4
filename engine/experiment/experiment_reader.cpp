// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/experiment_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/every.h"

namespace syncline {
namespace {

using document::Node;
using Read = std::variant<Value, std::string>;

constexpr std::size_t longest_name = 200;

Read read_name(const Node& node) {
  if (node.type != Node::text) return fmt::format("must be a text, not {}", document::describe(node));
  const std::string& text = std::get<std::string>(node.value);
  if (std::string problem = problem_with_name(text); !problem.empty()) return problem;
  return Value{text};
}

Read read_every(const Node& node, bool with_time) {
  std::optional<Every> every;
  if (node.type == Node::text) every = parse_every(std::get<std::string>(node.value));
  const bool number = node.type == Node::integer || node.type == Node::real;
  if (number && with_time) every = parse_every(document::print(node));
  if (every && (with_time || every->unit != Every::seconds)) return Value{print_every(*every)};
  return fmt::format("must be such as {}\"500 steps\", \"1 epoch\" or \"never\", not {}", with_time ? "\"5 min\", " : "",
                     document::describe(node));
}

Params without(const Params& params, std::span<const Parameter> common, std::span<const std::string_view> kept = {}) {
  Params result;
  for (const auto& [key, value] : params.all()) {
    const bool is_common = std::any_of(common.begin(), common.end(), [&](const Parameter& row) { return row.key == key; });
    if (!is_common || std::find(kept.begin(), kept.end(), key) != kept.end()) result.set(key, value);
  }
  return result;
}

}  // namespace

const Node* ExperimentReader::find(const Node* table, std::string_view key) const { return table == nullptr ? nullptr : table->find(key); }
Place ExperimentReader::place_of(const Node* table) const { return table == nullptr ? Place{} : Place{table->line, table->column}; }
TableRecord& ExperimentReader::keep(TableRecord record) {
  const std::string path = record.path;
  return reading_.tables[path] = std::move(record);
}

const Entry* ExperimentReader::chosen(const Node* table, const Section& section, bool& unknown) const {
  const Node* name = find(table, section.chosen_by);
  unknown = name != nullptr;
  std::string_view wanted;
  if (name != nullptr && name->type == Node::text) wanted = std::get<std::string>(name->value);
  Value initial;
  for (const Parameter& parameter : section.parameters) {
    if (name == nullptr && parameter.key == section.chosen_by) initial = default_of(parameter);
  }
  if (const auto* text = std::get_if<std::string>(&initial.data)) wanted = *text;
  const Entry* entry = find_entry(catalogue_, section.entries, wanted);
  if (entry != nullptr) unknown = false;
  return entry;
}

Reading ExperimentReader::read() {
  read_root();
  read_model();
  read_data();
  read_train();
  read_cluster();
  read_strategy();
  read_fault();
  read_checkpoint();
  return std::move(reading_);
}

void ExperimentReader::read_root() {
  const TableRecord& table = keep(tables_.read(&root_, section(""), {.rules = {{"name", read_name}}}, {}));
  if (table.usable("name")) reading_.experiment.name = table.params.text("name");
  if (table.usable("seed")) reading_.experiment.seed = static_cast<std::uint64_t>(table.params.integer("seed"));
}

void ExperimentReader::read_model() {
  const Node* node = root_.find("model");
  const Section& table_section = section("model");
  bool unknown = false;
  const Entry* zoo = chosen(node, table_section, unknown);
  const bool has_layers = find(node, "layers") != nullptr;
  const TableRecord& table = keep(tables_.read(
      node, table_section, {.own = zoo != nullptr ? zoo->parameters : std::span<const Parameter>{}, .owner_unknown = unknown}, {}));
  ModelSpec& model = reading_.experiment.model;
  if (table.usable("zoo")) model.zoo = table.params.choice("zoo");
  if (table.usable("buffers")) model.buffers = table.params.choice("buffers");
  if (table.usable("sync_bn")) model.sync_bn = table.params.flag("sync_bn");
  model.options = without(table.params, table_section.parameters);
  const bool has_zoo = table.is_given("zoo");
  if (has_zoo && has_layers) problems_.add(table.place_of("layers"), "model.layers", "give either zoo or layers, not both");
  if (!has_zoo && !has_layers && !(node != nullptr && node->type != Node::table)) {
    problems_.add(table.place, "model.zoo",
                  "is missing: give the model's zoo name or its layers; known are " +
                      quoted_list(choices_of(catalogue_, "model", table_section.parameters.front())));
  }
  if (has_layers) read_layers(*find(node, "layers"));
}

void ExperimentReader::read_data() {
  const Node* node = root_.find("data");
  const Section& table_section = section("data");
  bool unknown = false;
  const Entry* source = chosen(node, table_section, unknown);
  const TableRecord& table = keep(tables_.read(
      node, table_section, {.own = source != nullptr ? source->parameters : std::span<const Parameter>{}, .owner_unknown = unknown}, {}));
  DataSpec& data = reading_.experiment.data;
  if (table.usable("source")) data.source = table.params.choice("source");
  if (table.usable("shards")) data.shards = table.params.choice("shards");
  if (table.usable("last_batch")) data.last_batch = table.params.choice("last_batch");
  if (table.usable("residency")) data.residency = table.params.choice("residency");
  if (table.usable("shuffle_every_epochs")) data.shuffle_every_epochs = table.params.integer("shuffle_every_epochs");
  if (table.usable("dimd_groups")) data.dimd_groups = table.params.integer("dimd_groups");
  if (table.usable("prefetch")) data.prefetch = table.params.integer("prefetch");
  if (table.usable("read_delay")) data.read_delay_s = table.params.real("read_delay");
  data.options = without(table.params, table_section.parameters);
  if (table.usable("augment")) {
    for (const Value& each : table.params.list("augment")) {
      const std::string& name = std::get<std::string>(each.data);
      if (catalogue_.augmentations.empty()) problems_.add(table.place_of("augment"), "data.augment", not_known(name, {}));
      if (std::find(data.augment.begin(), data.augment.end(), name) != data.augment.end()) {
        problems_.add(table.place_of("augment"), "data.augment", fmt::format("'{}' is there twice; each is applied once", name));
      }
      data.augment.push_back(name);
    }
  }
  if (table.usable("mean")) data.mean = table.params.reals("mean");
  if (table.usable("std")) data.stddev = table.params.reals("std");
  if (table.usable("mean") && table.usable("std") && data.mean.size() != data.stddev.size()) {
    problems_.add(table.place_of("std"), "data.std",
                  fmt::format("has {} values and mean has {}; both need one for each channel", data.stddev.size(), data.mean.size()));
  }
}

void ExperimentReader::read_train() {
  const Node* node = root_.find("train");
  const auto evaluate = [](const Node& value) { return read_every(value, false); };
  const TableRecord& table = keep(tables_.read(node, section("train"), {.rules = {{"evaluate_every", evaluate}}}, {}));
  TrainSpec& train = reading_.experiment.train;
  if (table.usable("task")) train.task = table.params.choice("task");
  if (table.usable("epochs")) train.epochs = table.params.integer("epochs");
  if (table.usable("steps")) train.steps = table.params.integer("steps");
  if (table.usable("micro_batches")) train.micro_batches = table.params.integer("micro_batches");
  if (table.usable("batch_per_worker")) train.batch_per_worker = table.params.integers("batch_per_worker");
  if (table.usable("target_accuracy")) train.target_accuracy = table.params.real("target_accuracy");
  if (table.usable("stop_at_target")) train.stop_at_target = table.params.flag("stop_at_target");
  if (table.usable("evaluate_every")) train.evaluate_every = table.params.text("evaluate_every");
  if (table.usable("precision")) train.precision = table.params.choice("precision");
  if (table.usable("on_divergence")) train.on_divergence = table.params.choice("on_divergence");
  check_length(table);
  read_optimizer(node);
  read_schedule(node);
}

void ExperimentReader::check_length(const TableRecord& table) {
  const bool epochs = table.is_given("epochs"), steps = table.is_given("steps");
  if (epochs && steps) {
    const Place a = table.place_of("epochs"), b = table.place_of("steps");
    const bool steps_last = std::pair(b.line, b.column) > std::pair(a.line, a.column);
    problems_.add(steps_last ? b : a, steps_last ? "train.steps" : "train.epochs", "give either epochs or steps, not both");
  }
  const Node* node = root_.find("train");
  if (!epochs && !steps && (node == nullptr || node->type == Node::table)) {
    problems_.add(table.place, "train.epochs", "is missing: give the length of the run as epochs or as steps");
  }
}

void ExperimentReader::check_batches(const TableRecord& cluster) {
  const TableRecord& table = reading_.tables.at("train");
  if (!table.usable("batch_per_worker")) return;
  const std::vector<std::int64_t>& batches = reading_.experiment.train.batch_per_worker;
  const Place place = table.place_of("batch_per_worker");
  if (batches.empty()) {
    problems_.add(place, "train.batch_per_worker", "must be a number, or a list with one number for each worker, not an empty list");
    return;
  }
  const std::int64_t workers = reading_.experiment.cluster.workers;
  if (cluster.usable("workers") && batches.size() > 1 && static_cast<std::int64_t>(batches.size()) != workers) {
    problems_.add(place, "train.batch_per_worker",
                  fmt::format("has {} values for {} worker{}; give one number for all, or one for each", batches.size(), workers,
                              workers == 1 ? "" : "s"));
  }
  check_groups(cluster);
  const std::int64_t smallest = *std::min_element(batches.begin(), batches.end()), parts = reading_.experiment.train.micro_batches;
  if (table.usable("micro_batches") && parts > smallest) {
    problems_.add(table.place_of("micro_batches"), "train.micro_batches",
                  fmt::format("must be at most the {} samples of a worker's batch, not {}", smallest, parts));
  }
}

void ExperimentReader::check_groups(const TableRecord& cluster) {
  const TableRecord& table = reading_.tables.at("data");
  const std::int64_t groups = reading_.experiment.data.dimd_groups, workers = reading_.experiment.cluster.workers;
  if (reading_.experiment.data.residency != "memory" || !table.usable("dimd_groups") || groups == 1 || !cluster.usable("workers")) return;
  if (workers % groups != 0) {
    problems_.add(table.place_of("dimd_groups"), "data.dimd_groups",
                  fmt::format("is {} and there are {} workers: a divisor of their number would be right", groups, workers));
  }
  const std::vector<std::int64_t>& batches = reading_.experiment.train.batch_per_worker;
  if (std::any_of(batches.begin(), batches.end(), [&](std::int64_t batch) { return batch != batches.front(); })) {
    problems_.add(table.place_of("dimd_groups"), "data.dimd_groups",
                  "is more than one, which needs equal batches on all workers; with 1 they may be uneven");
  }
}

void ExperimentReader::read_optimizer(const Node* train) {
  const Node* node = find(train, "optimizer");
  const Section& table_section = section("train.optimizer");
  bool unknown = false;
  const Entry* entry = chosen(node, table_section, unknown);
  TableReader::Options options{.own = entry != nullptr ? entry->parameters : std::span<const Parameter>{}, .owner_unknown = unknown};
  const Node* name = find(node, "name");
  // A plugin's table is known only once it is loaded; its own check names the keys then.
  const bool plugin =
      entry == nullptr && name != nullptr && name->type == Node::text && std::get<std::string>(name->value).starts_with("plugin:");
  if (plugin) {
    options.any_key = true;
    options.rules["name"] = [](const Node& value) -> Read {
      const std::string& text = std::get<std::string>(value.value);
      if (text.size() > 7 && text.size() <= longest_name && text.find_first_of("/\\\n") == std::string::npos) return Value{text};
      return "must be plugin:NAME with the name of a plugin, such as \"plugin:lion\"";
    };
  }
  const TableRecord& table = keep(tables_.read(node, table_section, std::move(options), place_of(train)));
  OptimizerSpec& optimizer = reading_.experiment.train.optimizer;
  if (table.usable("name")) optimizer.name = table.params.choice("name");
  constexpr std::string_view lr[] = {"lr"};
  optimizer.options = without(table.params, table_section.parameters, lr);
}

void ExperimentReader::read_schedule(const Node* train) {
  const Node* node = find(train, "schedule");
  const Section& table_section = section("train.schedule");
  bool unknown = false;
  const Entry* entry = chosen(node, table_section, unknown);
  const TableRecord& table = keep(tables_.read(
      node, table_section, {.own = entry != nullptr ? entry->parameters : std::span<const Parameter>{}, .owner_unknown = unknown},
      place_of(train)));
  ScheduleSpec& schedule = reading_.experiment.train.schedule;
  if (table.usable("name")) schedule.name = table.params.choice("name");
  schedule.options = without(table.params, table_section.parameters);
}

void ExperimentReader::read_fault() {
  const TableRecord& table = keep(tables_.read(root_.find("fault"), section("fault"), {}, {}));
  FaultSpec& fault = reading_.experiment.fault;
  if (table.usable("limit_s")) fault.limit_s = table.params.real("limit_s");
  if (table.usable("grace_s")) fault.grace_s = table.params.real("grace_s");
  if (table.usable("max_restarts")) fault.max_restarts = table.params.integer("max_restarts");
  if (table.usable("on_worker_loss")) fault.on_worker_loss = table.params.choice("on_worker_loss");
}

void ExperimentReader::read_checkpoint() {
  const auto every = [](const Node& value) { return read_every(value, true); };
  const TableRecord& table = keep(tables_.read(root_.find("checkpoint"), section("checkpoint"), {.rules = {{"every", every}}}, {}));
  CheckpointSpec& checkpoint = reading_.experiment.checkpoint;
  if (table.usable("every")) checkpoint.every = parse_every(table.params.text("every")).value_or(Every{});
  if (table.usable("keep")) checkpoint.keep = table.params.integer("keep");
}

std::string problem_with_name(std::string_view name) {
  if (name.find_first_not_of(' ') == std::string_view::npos) return "must not be empty";
  if (name.size() > longest_name) return fmt::format("must have at most {} bytes, not {}", longest_name, name.size());
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) return "must be one line without control characters";
  // U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069: they would turn round what stands beside the name.
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string_view two = name.substr(at, 2), three = name.substr(at, 3);
    const bool turns = two == "\xd8\x9c" || three == "\xe2\x80\x8e" || three == "\xe2\x80\x8f" ||
                       (three >= "\xe2\x80\xaa" && three <= "\xe2\x80\xae") || (three >= "\xe2\x81\xa6" && three <= "\xe2\x81\xa9");
    if (turns) return "must be without characters that change the direction of writing";
  }
  if (name == "last") return "must not be 'last', which stands for the newest run";
  return {};
}

}  // namespace syncline
