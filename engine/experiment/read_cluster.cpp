// SPDX-License-Identifier: Apache-2.0
// [cluster] and [strategy]: where it runs, how workers exchange, and which of these go together.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/experiment/experiment_reader.h"
#include "engine/experiment/topology.h"

namespace syncline {
namespace {

using document::Node;

std::variant<Value, std::string> read_device(const Node& node) {
  for (const Parameter& parameter : section("cluster").parameters) {
    if (parameter.key != "device") continue;
    const bool cuda = node.type == Node::text && std::get<std::string>(node.value) == "cuda";
    const bool known = std::find(parameter.choices.begin(), parameter.choices.end(), "cuda") != parameter.choices.end();
    if (cuda && !known) return "this build has no CUDA module; use 'cpu' or 'auto'";
    return read_value(node, parameter);
  }
  throw UsageError("the table of [cluster] has no device");
}

constexpr std::int64_t most_machines = 16384;
constexpr std::size_t most_kinds = 256;

LinkSpec link_of(const TableRecord& table) {
  LinkSpec link;
  if (table.usable("from")) link.from = table.params.text("from");
  if (table.usable("to")) link.to = table.params.text("to");
  if (table.usable("bandwidth")) link.bandwidth_bytes_per_s = table.params.real("bandwidth");
  if (table.usable("bandwidth_back")) link.bandwidth_back_bytes_per_s = table.params.real("bandwidth_back");
  if (table.usable("latency")) link.latency_s = table.params.real("latency");
  if (table.usable("shared")) link.shared = table.params.flag("shared");
  return link;
}

// A table is a section of its own, read by read_compute().
std::variant<Value, std::string> read_profile(const Node& node) {
  if (node.type == Node::table) return Value{std::string()};
  if (node.type == Node::text && !std::get<std::string>(node.value).empty()) return Value{std::get<std::string>(node.value)};
  return fmt::format("must be a run, a .json file or a table {{ forward_s = [..], backward_s = [..], update_s = x }}, not {}",
                     document::describe(node));
}

}  // namespace

void ExperimentReader::read_compute(TableRecord& table, const Node* node) {
  ClusterSpec& cluster = reading_.experiment.cluster;
  TableRecord& jitter = keep(tables_.read(find(node, "jitter"), section("cluster.jitter"), {}, place_of(node)));
  if (table.hidden.contains("profile") || !table.usable("compute")) return;
  if (table.usable("time_scale")) cluster.time_scale = table.params.real("time_scale");
  if (table.usable("slowdown")) cluster.slowdown = table.params.reals("slowdown");
  if (jitter.usable("std")) cluster.jitter_std = jitter.params.real("std");
  if (jitter.usable("seed")) cluster.jitter_seed = static_cast<std::uint64_t>(jitter.params.integer("seed"));
  const std::size_t factors = cluster.slowdown.size();
  if (table.usable("slowdown") && table.usable("workers") && factors != 1 && static_cast<std::int64_t>(factors) != cluster.workers) {
    problems_.add(table.place_of("slowdown"), "cluster.slowdown",
                  fmt::format("has {} value{} for {} worker{}; give one number for all, or one for each", factors, factors == 1 ? "" : "s",
                              cluster.workers, cluster.workers == 1 ? "" : "s"));
  }
  if (const TableRecord& train = reading_.tables.at("train"); cluster.compute == "emulate" && train.usable("target_accuracy")) {
    problems_.add(train.place_of("target_accuracy"), "train.target_accuracy",
                  "does not apply: compute = \"emulate\" does no arithmetic, so there is no accuracy to reach; leave the key out");
  }
  if (const TableRecord& data = reading_.tables.at("data");
      cluster.compute == "emulate" && reading_.experiment.data.residency == "memory" && data.usable("residency")) {
    problems_.add(data.place_of("residency"), "data.residency",
                  "'memory' does not apply: compute = \"emulate\" reads no samples; leave the key out");
  }
  const Node* profile = find(node, "profile");
  if (profile == nullptr || profile->type != Node::table) {
    if (table.usable("profile")) cluster.profile_from = table.params.text("profile");
    return;
  }
  table.hidden.insert("profile");  // printed as the table that it is
  TableRecord& times = keep(tables_.read(profile, profile_section(), {}, {}));
  if (!times.usable("forward_s") || !times.usable("backward_s") || !times.usable("update_s")) return;
  cluster.profile.forward_s = times.params.reals("forward_s");
  cluster.profile.backward_s = times.params.reals("backward_s");
  cluster.profile.update_s = times.params.real("update_s");
  if (std::string problem = problem_with_profile(cluster.profile); !problem.empty())
    problems_.add(table.place_of("profile"), "cluster.profile", std::move(problem));
}

void ExperimentReader::read_cluster() {
  const Node* node = root_.find("cluster");
  TableRecord& table = keep(tables_.read(node, section("cluster"), {.rules = {{"device", read_device}, {"profile", read_profile}}}, {}));
  ClusterSpec& cluster = reading_.experiment.cluster;
  if (table.usable("workers")) cluster.workers = table.params.integer("workers");
  if (table.usable("servers")) cluster.servers = table.params.integer("servers");
  if (table.usable("colocate")) cluster.colocate = table.params.flag("colocate");
  if (table.usable("device")) cluster.device = table.params.choice("device");
  if (table.usable("threads_per_worker")) cluster.threads_per_worker = table.params.integer("threads_per_worker");
  if (table.usable("compute")) cluster.compute = table.params.choice("compute");
  read_compute(table, node);
  const TableRecord& link = keep(tables_.read(find(node, "link"), section("cluster.link"), {}, place_of(node)));
  cluster.links.push_back(link_of(link));
  if (link.usable("emulate")) cluster.emulate_link = link.params.flag("emulate");
  read_topology(node);
  check_batches(table);
}

std::vector<TableRecord> ExperimentReader::read_repeated(const Node* list, const Section& table_section) {
  std::vector<TableRecord> records;
  if (list == nullptr) return records;
  if (list->type != Node::array) {
    problems_.add(place_of(list), std::string(table_section.name),
                  fmt::format("must be [[{}]] tables, not {}", table_section.name, document::describe(*list)));
    return records;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    records.push_back(tables_.read(&list->items[i], table_section, {.path = fmt::format("{}.{}", table_section.name, i)}, {}));
  }
  return records;
}

void ExperimentReader::read_topology(const Node* cluster) {
  ClusterSpec& spec = reading_.experiment.cluster;
  reading_.nodes = read_repeated(find(cluster, "nodes"), section("cluster.nodes"));
  reading_.links = read_repeated(find(cluster, "links"), section("cluster.links"));
  std::vector<std::string_view> names;
  for (const TableRecord& table : reading_.nodes) {
    NodeSpec node;
    if (table.usable("name")) node.name = table.params.text("name");
    if (table.usable("count")) node.count = table.params.integer("count");
    if (table.usable("cores")) node.cores = table.params.integer("cores");
    if (table.usable("devices")) node.devices = table.params.integer("devices");
    if (table.usable("speed")) node.speed = table.params.real("speed");
    spec.nodes.push_back(std::move(node));
    if (!table.usable("name")) continue;
    const std::string_view name = table.params.text("name");
    if (name.empty()) problems_.add(table.place_of("name"), table.key("name"), "must not be empty");
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      problems_.add(table.place_of("name"), table.key("name"),
                    fmt::format("'{}' is the name of an earlier machine; names are unique", name));
    }
    names.push_back(name);
  }
  std::set<std::pair<std::string, std::string>> pairs;
  for (const TableRecord& table : reading_.links) {
    const LinkSpec link = link_of(table);
    for (const std::string_view end : {"from", "to"}) {
      if (!table.usable(end)) continue;
      const std::string& name = table.params.text(end);
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      problems_.add(table.place_of(end), table.key(end),
                    names.empty() ? fmt::format("'{}' is no machine; describe it as [[cluster.nodes]]", name) : not_known(name, names));
    }
    if (table.usable("from") && table.usable("to") && !pairs.insert(std::minmax(link.from, link.to)).second) {
      problems_.add(table.place_of("to"), table.key("to"), fmt::format("'{}' and '{}' have a link already", link.from, link.to));
    }
    spec.links.push_back(link);
  }
  check_topology();
}

// What only the whole graph can say; nothing where a part of it is wrong already.
void ExperimentReader::check_topology() {
  const ClusterSpec& spec = reading_.experiment.cluster;
  const TableRecord &cluster = reading_.tables.at("cluster"), &link = reading_.tables.at("cluster.link");
  for (const char* key : {"bandwidth", "latency"}) {
    if (reading_.links.empty() || !link.usable(key) || link.params.real(key) == 0) continue;
    problems_.add(link.place_of(key), link.key(key),
                  "is one link for all, and [[cluster.links]] describe a topology: leave one of the two out");
  }
  const auto sound = [](const TableRecord& table) { return table.wrong.empty(); };
  std::set<std::string> names;
  for (const NodeSpec& node : spec.nodes) names.insert(node.name);
  const bool known = std::all_of(spec.links.begin(), spec.links.end(), [&](const LinkSpec& each) {
    return each.from.empty() || (names.contains(each.from) && names.contains(each.to));
  });
  if (spec.nodes.empty() || !known || names.size() < spec.nodes.size() || !sound(cluster) ||
      !std::all_of(reading_.nodes.begin(), reading_.nodes.end(), sound) ||
      !std::all_of(reading_.links.begin(), reading_.links.end(), sound))
    return;
  std::int64_t machines = 0;
  for (const NodeSpec& node : spec.nodes) machines += node.count;
  if (machines > most_machines || spec.nodes.size() > most_kinds) {
    problems_.add(reading_.nodes.front().place, "cluster.nodes",
                  fmt::format("describe {} machines of {} kinds; up to {} of {} are possible", machines, spec.nodes.size(), most_machines,
                              most_kinds));
    return;
  }
  const Topology topology(spec);
  if (topology.left_over() > 0) {
    problems_.add(cluster.place_of("workers"), "cluster.workers",
                  fmt::format("is {} and the machines of [[cluster.nodes]] have room for {}, by their devices or else their cores{}: fewer "
                              "workers, or more machines or cores, would be right",
                              spec.workers, topology.ranks(), spec.threads_per_worker > 1 ? " over cluster.threads_per_worker" : ""));
    return;
  }
  for (const auto& [a, b] : topology.without_route()) {
    const TableRecord& table = reading_.nodes[static_cast<std::size_t>(b)];
    const std::string& name = spec.nodes[static_cast<std::size_t>(a)].name;
    problems_.add(
        table.place_of("name"), table.key("name"),
        a == b ? fmt::format("the {} machines '{}' have no link to each other (from = to is the link inside one): links to a machine "
                             "between them, such as a switch, would be right",
                             spec.nodes[static_cast<std::size_t>(a)].count, name)
               : fmt::format("no [[cluster.links]] lead from '{}' to '{}', directly or through machines of which there is one", name,
                             spec.nodes[static_cast<std::size_t>(b)].name));
  }
}

void ExperimentReader::read_strategy() {
  const Node* node = root_.find("strategy");
  const Section& table_section = section("strategy");
  bool unknown = false;
  const Entry* entry = chosen(node, table_section, unknown);
  TableRecord& table = keep(tables_.read(
      node, table_section,
      {.own = entry != nullptr ? entry->parameters : std::span<const Parameter>{}, .owner_unknown = unknown || entry == nullptr}, {}));
  StrategySpec& strategy = reading_.experiment.strategy;
  if (table.usable("name")) strategy.name = table.params.choice("name");
  if (table.usable("plan")) strategy.plan = table.params.choice("plan");
  if (table.usable("allreduce")) strategy.allreduce = table.params.choice("allreduce");
  if (table.usable("orchestration")) strategy.orchestration = table.params.choice("orchestration");
  if (table.usable("submit_order")) strategy.submit_order = table.params.choice("submit_order");
  if (table.usable("hook_jitter")) strategy.hook_jitter_s = table.params.real("hook_jitter");
  if (table.usable("codec")) strategy.codec = table.params.choice("codec");
  for (const auto& [key, value] : table.params.all()) {
    const auto is_key = [&key = key](const Parameter& row) { return row.key == key; };
    if (std::none_of(table_section.parameters.begin(), table_section.parameters.end(), is_key)) strategy.options.set(key, value);
  }
  bool exchanges = true;
  for (const Catalogue::Strategy& each : catalogue_.strategies) {
    if (entry != &each) continue;
    check_exchange(table, each);
    exchanges = each.exchanges_gradients;
  }
  read_options(table, "plan", "strategy.plan_options", exchanges, strategy.plan_options);
  read_options(table, "allreduce", "strategy.allreduce_options", true, strategy.allreduce_options);
  read_options(table, "orchestration", "strategy.orchestration_options", exchanges, strategy.orchestration_options);
  read_options(table, "codec", "strategy.codec_options", exchanges, strategy.codec_options);
  check_link(table);
  check_levels(table);
}

void ExperimentReader::read_options(const TableRecord& strategy, std::string_view key, std::string_view section_name, bool applies,
                                    Params& options) {
  const Section& table_section = section(section_name);
  // Where they do not apply, that they are given is what is wrong with them, whatever they say.
  const Node* node = applies ? find(root_.find("strategy"), section_name.substr(section_name.find('.') + 1)) : nullptr;
  const Entry* entry =
      strategy.usable(key) && applies ? find_entry(catalogue_, table_section.entries, strategy.params.choice(key)) : nullptr;
  const TableRecord& table = keep(
      tables_.read(node, table_section,
                   {.own = entry != nullptr ? entry->parameters : std::span<const Parameter>{}, .owner_unknown = !strategy.usable(key)},
                   place_of(root_.find("strategy"))));
  options = table.params;
}

void ExperimentReader::check_exchange(TableRecord& table, const Catalogue::Strategy& strategy) {
  const TableRecord& cluster = reading_.tables.at("cluster");
  if (!strategy.has_servers && cluster.usable("servers") && cluster.params.integer("servers") > 0) {
    problems_.add(cluster.place_of("servers"), "cluster.servers",
                  fmt::format("must be 0: the strategy '{}' has no servers", strategy.name));
  }
  if (strategy.exchanges_gradients) return;
  constexpr std::pair<std::string_view, std::string_view> keys[] = {
      {"plan", "to group"},         {"plan_options", "to group"}, {"orchestration", "to order"}, {"orchestration_options", "to order"},
      {"submit_order", "to order"}, {"hook_jitter", "to delay"},  {"codec", "to encode"},        {"codec_options", "to encode"}};
  for (const auto& [key, what] : keys) {
    table.hidden.insert(std::string(key));
    if (!table.is_given(key)) continue;
    problems_.add(table.place_of(key), table.key(key),
                  fmt::format("does not apply: the strategy '{}' exchanges no gradients, so there is nothing {}; leave the key out",
                              strategy.name, what));
  }
}

// An allreduce of two levels needs both of them.
void ExperimentReader::check_levels(const TableRecord& strategy) {
  const ClusterSpec& cluster = reading_.experiment.cluster;
  if (!strategy.usable("allreduce") || reading_.experiment.strategy.allreduce != "hierarchical") return;
  std::string_view trouble = "is not said";
  if (!cluster.nodes.empty()) {
    if (!problems_.empty() || cluster.workers == 1) return;  // the topology may be what is wrong
    const Topology topology(cluster);
    const std::vector<int>& machines = topology.machine_of_ranks();
    const std::set<int> different(machines.begin(), machines.begin() + cluster.workers);
    if (different.size() > 1 && static_cast<std::int64_t>(different.size()) < cluster.workers) return;
    trouble = different.size() == 1 ? "is the same for all of them" : "is another one for each of them";
  }
  problems_.add(strategy.place_of("allreduce"), "strategy.allreduce",
                fmt::format("'hierarchical' adds up inside machines first and then between them, and which machine a worker is on {}: "
                            "[[cluster.nodes]] with two machines or more, of which one has two workers or more, would be right, or "
                            "allreduce = 'direct'",
                            trouble));
}

void ExperimentReader::check_link(const TableRecord& strategy) {
  const ClusterSpec& cluster = reading_.experiment.cluster;
  if (!cluster.emulate_link) return;
  const TableRecord& link = reading_.tables.at("cluster.link");
  const bool free = std::all_of(cluster.links.begin(), cluster.links.end(), [](const LinkSpec& each) {
    return each.bandwidth_bytes_per_s == 0 && each.bandwidth_back_bytes_per_s == 0 && each.latency_s == 0;
  });
  if (free && link.usable("bandwidth") && link.usable("latency")) {
    problems_.add(link.place_of("emulate"), "cluster.link.emulate",
                  reading_.links.empty() ? "there is no link to emulate: give cluster.link.bandwidth or cluster.link.latency"
                                         : "there is no link to emulate: give [[cluster.links]] a bandwidth or a latency");
  }
  if (strategy.usable("allreduce") && reading_.experiment.strategy.allreduce == "library") {
    problems_.add(
        strategy.place_of("allreduce"), "strategy.allreduce",
        "'library' cannot run over an emulated link: the library's messages do not pass through it; use allreduce = 'direct', or set "
        "cluster.link.emulate = false");
  }
}

}  // namespace syncline
