// SPDX-License-Identifier: Apache-2.0
// bench: what this machine does now, beside what it could do at best.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/commands/output.h"
#include "engine/base/units.h"
#include "engine/comm/mpi/mpi_world.h"
#include "engine/comm/schedules/schedule.h"
#include "engine/data/dataset.h"
#include "engine/experiment/topology.h"
#include "engine/launch/command.h"
#include "engine/launch/process.h"
#include "engine/model/graph.h"
#include "engine/sim/schema.h"
#include "engine/store/process.h"
#include "engine/train/rank/bench_allreduce.h"
#include "engine/train/rank/bench_ops.h"
#include "engine/train/rank/bench_step.h"
#include "engine/train/rank/placement.h"

namespace syncline::app {
namespace {

using Json = nlohmann::ordered_json;

struct BenchArguments {
  ExperimentArguments experiment;  // FILE and --set, of step and ops
  std::string model;
  int threads = 1, workers = 2;
  std::vector<std::int64_t> sizes;
  std::vector<std::string> allreduces;
};

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
std::string share(const std::optional<double>& bound_s, double time_s) { return bound_s ? fmt::format("{:.2f}", *bound_s / time_s) : "-"; }

Experiment experiment_of(const BenchArguments& arguments) {
  const bool file = !arguments.experiment.file.empty();
  if (file != arguments.model.empty())
    throw ConfigError("bench step and bench ops take an experiment file or --model NAME, one of the two; for example --model resnet20");
  if (file) return load(arguments.experiment);
  const std::string text = fmt::format(
      "name = \"bench\"\n[model]\nzoo = \"{}\"\n[data]\nsource = \"fashion-mnist\"\n[train]\nepochs = 1\nbatch_per_worker = 64\n"
      "optimizer = {{ name = \"sgd\", lr = 0.01, momentum = 0.9 }}\n[strategy]\nname = \"none\"\n",
      arguments.model);
  Parsed parsed = parse_experiment(text, "--model", catalogue(), arguments.experiment.overrides());
  if (parsed.experiment) parsed.problems = check_model(*parsed.experiment, "--model");
  if (!parsed.problems.empty()) throw ProblemsError(std::move(parsed.problems));
  return *std::move(parsed.experiment);
}

int bench_step_command(const BenchArguments& arguments, const Global& global) {
  const Experiment experiment = experiment_of(arguments);
  const DataShape data = data_shape(experiment.data);
  const StepTimes times = bench_step({.experiment = experiment,
                                      .input = data.shape,
                                      .classes = data.classes,
                                      .threads = arguments.threads,
                                      .bounds = arguments.threads == 1});
  const auto samples = static_cast<double>(experiment.batch_of(0));
  LayerTime sum{.layer = "sum", .bound_s = {}};
  Json rows = Json::array();
  Table table({"layer", "forward", "backward", "update", "oneDNN", "ratio"});
  const auto add = [&](const LayerTime& each) {
    const double passes_s = each.forward_s + each.backward_s;
    rows.push_back({{"layer", each.layer},
                    {"forward_s", each.forward_s},
                    {"backward_s", each.backward_s},
                    {"update_s", each.update_s},
                    {"bound_s", optional_json(each.bound_s)},
                    {"ratio", each.bound_s && passes_s > 0 ? Json(*each.bound_s / passes_s) : Json(nullptr)}});
    table.row({each.layer, format_duration(each.forward_s), format_duration(each.backward_s), format_duration(each.update_s),
               text_or_dash(each.bound_s, format_duration), share(each.bound_s, passes_s)});
  };
  for (const LayerTime& each : times.layers) {
    add(each);
    sum.forward_s += each.forward_s, sum.backward_s += each.backward_s, sum.update_s += each.update_s;
    if (each.bound_s) sum.bound_s = sum.bound_s.value_or(0) + *each.bound_s;
  }
  add(sum);
  rows.push_back({{"layer", "step"},
                  {"time_s", times.step_s},
                  {"samples_per_s", samples / times.step_s},
                  {"bound_s", optional_json(sum.bound_s)},
                  {"ratio", sum.bound_s ? Json(*sum.bound_s / times.step_s) : Json(nullptr)}});
  if (global.json) return print_document({{"rows", rows}}), 0;
  table.print();
  fmt::print("\nstep {}, {} samples/s, {}; oneDNN: its own primitives, measured alone; ratio: oneDNN / (forward + backward)\n",
             format_duration(times.step_s), format_count(samples / times.step_s),
             arguments.threads == 1 ? "one thread" : fmt::format("{} threads", arguments.threads));
  return 0;
}

int bench_ops_command(const BenchArguments& arguments, const Global& global) {
  const Experiment experiment = experiment_of(arguments);
  const DataShape data = data_shape(experiment.data);
  const std::vector<LayerSpec> layers = expand_model(experiment.model, data.shape, data.classes);
  double time_s = 0, bound_s = 0;
  Json rows = Json::array();
  Table table({"operation", "times", "ours", "oneDNN", "ratio", "implementation"}, {false, true, true, true, true, false});
  for (const OperationTime& each :
       bench_operations({.layers = layers, .input = data.shape, .classes = data.classes, .rows = experiment.batch_of(0)})) {
    const std::string name = each.shape + " " + each.pass;
    rows.push_back({{"operation", name},
                    {"layers", each.layers},
                    {"times", each.layers.size()},
                    {"time_s", each.time_s},
                    {"bound_s", each.bound_s},
                    {"ratio", each.bound_s / each.time_s},
                    {"bound", each.bound}});
    table.row({name, std::to_string(each.layers.size()), format_duration(each.time_s), format_duration(each.bound_s),
               share(each.bound_s, each.time_s), each.bound});
    time_s += static_cast<double>(each.layers.size()) * each.time_s;
    bound_s += static_cast<double>(each.layers.size()) * each.bound_s;
  }
  rows.push_back({{"operation", "sum"}, {"time_s", time_s}, {"bound_s", bound_s}, {"ratio", bound_s / time_s}});
  table.row({"sum", "", format_duration(time_s), format_duration(bound_s), share(bound_s, time_s), ""});
  if (global.json) return print_document({{"rows", rows}}), 0;
  table.print();
  fmt::print("\nratio: oneDNN's primitive in its fastest format / ours; one thread, {} samples, the smallest of 15 CPU times\n",
             experiment.batch_of(0));
  return 0;
}

// Ranks on one host are on one machine.
std::vector<int> machines_by_host(World& world) {
  std::vector<std::string> hosts;
  std::vector<int> machines;
  for (const Placement& each : gather_placements(world.communicator(), {.host = {}, .boot_id = boot_id(), .threads = 1, .cores = {}})) {
    const auto at = std::find(hosts.begin(), hosts.end(), each.boot_id);
    machines.push_back(static_cast<int>(at - hosts.begin()));
    if (at == hosts.end()) hosts.push_back(each.boot_id);
  }
  return machines;
}

// Those that can run here: two levels need machines of several ranks, and the library's messages pass no emulated link.
std::vector<AllreduceChoice> possible_allreduces(const std::vector<int>& machines, bool emulated) {
  std::vector<AllreduceChoice> choices;
  for (const ScheduleEntry& entry : allreduce_schedules()) {
    if (entry.build == nullptr && emulated) continue;
    try {
      check_machines(entry, machines);
    } catch (const ConfigError&) {
      continue;
    }
    choices.push_back(allreduce_choice(std::string(entry.name)));
  }
  return choices;
}

// Those asked for, which must be possible here.
std::vector<AllreduceChoice> chosen_allreduces(const std::vector<std::string>& asked, const std::vector<int>& machines, bool emulated) {
  if (asked.empty()) return possible_allreduces(machines, emulated);
  std::vector<AllreduceChoice> choices;
  for (const std::string& text : asked) {
    choices.push_back(allreduce_choice(text));
    const ScheduleEntry& entry = allreduce_schedule(choices.back().name);
    if (entry.build == nullptr && emulated)
      throw ConfigError(
          fmt::format("--allreduce {}: its messages pass no emulated links; another allreduce, or cluster.link.emulate = "
                      "false, would be right",
                      text));
    check_machines(entry, machines);
  }
  return choices;
}

int allreduce_rank(const BenchArguments& arguments, const Global& global) {
  process_cores();
  MpiWorldOptions options;
  std::vector<int> machines;
  std::optional<Topology> links;
  if (!arguments.experiment.file.empty()) {
    const ClusterSpec cluster = load(arguments.experiment).cluster;
    if (launcher_place()->size != cluster.workers)
      throw ConfigError(
          fmt::format("{} ranks were started and the experiment has {} workers; start as many", launcher_place()->size, cluster.workers));
    options.links = emulated_links(cluster);
    if (options.links) links.emplace(cluster);
    if (!cluster.nodes.empty()) machines = Topology(cluster).machine_of_ranks();
  }
  std::unique_ptr<World> world = make_mpi_world(options);
  if (world->size() < 2) throw ConfigError("bench allreduce needs two or more workers; --workers 2 would be right");
  if (machines.empty()) machines = machines_by_host(*world);
  const std::vector<AllreduceTime> times =
      bench_allreduce(*world, arguments.sizes, chosen_allreduces(arguments.allreduces, machines, links.has_value()), machines, links);
  const int rank = world->rank(), ranks = world->size();
  world->communicator().barrier().wait();
  world.reset();
  if (rank != 0) return 0;
  Json rows = Json::array();
  Table table({"size", "allreduce", "time", "from", "to", "bus bandwidth", links ? "link" : "copy", "ratio"},
              {true, false, true, true, true, true, true, true});
  for (const AllreduceTime& each : times) {
    rows.push_back({{"workers", ranks},
                    {"bytes", each.bytes},
                    {"allreduce", each.algorithm},
                    {"time_s", each.time_s},
                    {"least_s", each.least_s},
                    {"most_s", each.most_s},
                    {"bus_bytes_per_s", each.bus_bytes_per_s},
                    {"bound_s", each.bound_s},
                    {"ratio", each.bound_s / each.time_s}});
    table.row({format_size(static_cast<double>(each.bytes)), each.algorithm, format_duration(each.time_s), format_duration(each.least_s),
               format_duration(each.most_s), format_rate(each.bus_bytes_per_s), format_duration(each.bound_s),
               share(each.bound_s, each.time_s)});
  }
  if (global.json) return print_document({{"rows", rows}}), 0;
  table.print();
  if (links) {
    fmt::print("\n{} workers over emulated links; link: how long the messages keep the busiest one; ratio: link / time\n", ranks);
  } else {
    fmt::print("\n{} workers on {} cores; copy: each rank copies what it has to send once, all at the same time; ratio: copy / time\n",
               ranks, core_count());
  }
  return 0;
}

// Started plainly it starts its own ranks; under a launcher it is one of them.
int bench_allreduce_command(BenchArguments arguments, const Global& global) {
  for (const std::int64_t bytes : arguments.sizes) {
    if (bytes < 4 || bytes % 4 != 0)
      throw ConfigError(fmt::format("--sizes: {} bytes; elements have 4 bytes, so multiples of 4 are possible", bytes));
  }
  for (const std::string& text : arguments.allreduces) allreduce_choice(text);  // said once, not by every rank
  if (arguments.sizes.empty()) {
    for (std::int64_t bytes = 4 << 10; bytes <= 16 << 20; bytes *= 4) arguments.sizes.push_back(bytes);
  }
  if (launcher_place()) return allreduce_rank(arguments, global);
  if (!arguments.experiment.file.empty()) arguments.workers = static_cast<int>(load(arguments.experiment).cluster.workers);
  if (arguments.workers < 2) throw ConfigError("bench allreduce needs two or more workers; --workers 2 would be right");
  const LaunchCommand command = local_command(global.program, global.arguments,
                                              {.ranks = arguments.workers,
                                               .threads_per_rank = 1,
                                               .cores = core_count(),
                                               .as_root = ::geteuid() == 0,
                                               .copy_once = peer_memory_readable()});
  const ProcessExit end = ChildProcess({.argv = command.argv, .environment = command.environment, .group = SpawnOptions::same}).wait();
  if (end.signal != 0) throw TrainingError("mpirun ended by " + signal_text(end.signal));
  return end.code;
}

void add_model_options(CLI::App& sub, BenchArguments& arguments) {
  add_experiment_options(sub, arguments.experiment, false);
  sub.add_option("--model", arguments.model, "a model of the zoo on Fashion-MNIST, batch 64, instead of a file")->type_name("NAME");
}

}  // namespace

Action define_bench(CLI::App& sub, const Global& global) {
  const auto arguments = std::make_shared<BenchArguments>();
  const auto chosen = std::make_shared<Action>();
  sub.require_subcommand(1);
  const auto add = [&](const char* name, const char* summary, int (*run)(const BenchArguments&, const Global&)) {
    CLI::App* what = sub.add_subcommand(name, summary);
    what->fallthrough();  // --json and --workspace are options of bench
    what->callback([=, &global] { *chosen = [=, &global] { return run(*arguments, global); }; });
    return what;
  };
  CLI::App* step = add("step", "forward, backward and update of each layer of one worker", bench_step_command);
  add_model_options(*step, *arguments);
  step->add_option("--threads", arguments->threads, "of the worker; oneDNN is measured with one only")->check(CLI::PositiveNumber);
  add_model_options(*add("ops", "each operation of a model beside oneDNN's own primitive", bench_ops_command), *arguments);
  CLI::App* allreduce = add("allreduce", "our allreduces beside the MPI library's, from 4 KiB to 16 MiB",
                            [](const BenchArguments& given, const Global& all) { return bench_allreduce_command(given, all); });
  add_experiment_options(*allreduce, arguments->experiment, false);
  allreduce->add_option("--workers", arguments->workers, "how many ranks to start; with FILE its workers, over its machines and links")
      ->check(CLI::PositiveNumber);
  allreduce->add_option("--sizes", arguments->sizes, "of the messages, in bytes")->delimiter(',')->type_name("BYTES");
  allreduce
      ->add_option("--allreduce", arguments->allreduces,
                   "only this one, several times for several; with its keys: multicolor:colors=2,segments=1")
      ->type_name("NAME")
      ->take_all();
  return [chosen] { return (*chosen)(); };
}

}  // namespace syncline::app
