// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/bench_allreduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "engine/base/error.h"
#include "engine/experiment/check.h"
#include "engine/experiment/document.h"
#include "engine/metrics/clock.h"
#include "engine/metrics/statistics.h"

namespace syncline {
namespace {

constexpr double seconds_a_row = 0.4;
constexpr int least_repeats = 5, most_repeats = 200;

// How long all messages of an allreduce keep the link that they keep longest.
double busiest_link_s(const ScheduleEntry& entry, const Params& options, const Topology& links, const std::vector<int>& machines,
                      std::int64_t count) {
  std::map<Topology::Hop::Lane, double> busy_s;
  double most_s = 0;
  for (int rank = 0; rank < links.ranks(); ++rank) {
    const CollectiveSchedule schedule = entry.build({.rank = rank,
                                                     .size = links.ranks(),
                                                     .count = count,
                                                     .chunk = static_cast<std::int64_t>(options.real("chunk_bytes")) / 4,
                                                     .options = &options,
                                                     .machines = machines});
    for (const Move& move : schedule.moves) {
      if (move.kind != Move::send) continue;
      for (const Topology::Hop& hop : links.route(rank, move.peer)) {
        if (hop.bytes_per_s == 0) continue;
        double& busy = busy_s[hop.lane(rank, move.peer)];
        busy += 4.0 * static_cast<double>(move.count) / hop.bytes_per_s;
        most_s = std::max(most_s, busy);
      }
    }
  }
  return most_s;
}

class AllreduceBench {
 public:
  AllreduceBench(World& world, std::int64_t largest)
      : world_(world), in_(View::host(largest / 4)), out_(View::host(largest / 4)), flag_(View::host(1)) {}

  // Without a bound it measures one.
  AllreduceTime measure(Communicator& comm, const std::string& algorithm, std::int64_t bytes, std::optional<double> bound_s) {
    const View in = in_.part(0, bytes / 4), out = out_.part(0, bytes / 4);
    verify(comm, algorithm, in, out);
    const int ranks = comm.size();
    const double sent = 2.0 * (ranks - 1) / ranks * static_cast<double>(bytes);
    std::vector<double> times = repeat([&] { comm.allreduce(in, out).wait(); });
    if (!bound_s) {
      const auto copied = static_cast<std::size_t>(sent) / 2;
      std::vector<double> copies = repeat([&] {
        std::memcpy(out.data(), in.data(), copied);
        std::memcpy(out.data(), in.data(), copied);
      });
      bound_s = median(copies);
    }
    const double time_s = median(times);
    return {.algorithm = algorithm,
            .bytes = bytes,
            .time_s = time_s,
            .least_s = *std::min_element(times.begin(), times.end()),
            .most_s = *std::max_element(times.begin(), times.end()),
            .bus_bytes_per_s = sent / time_s,
            .bound_s = *bound_s};
  }

 private:
  // Values that depend on rank and place; their sum over ranks is exact in fp32.
  void verify(Communicator& comm, const std::string& algorithm, const View& in, const View& out) const {
    for (std::int64_t i = 0; i < in.count(); ++i) in.data()[i] = static_cast<float>(comm.rank() + 1) * static_cast<float>(i % 1009 + 1);
    comm.allreduce(in, out).wait();
    const auto factor = static_cast<float>(comm.size() * (comm.size() + 1) / 2);
    for (std::int64_t i = 0; i < in.count(); ++i) {
      if (out.data()[i] == factor * static_cast<float>(i % 1009 + 1)) continue;
      throw TrainingError(fmt::format("allreduce '{}' of {} bytes gave {} at element {} where {} is right", algorithm, in.bytes(),
                                      out.data()[i], i, factor * static_cast<float>(i % 1009 + 1)));
    }
  }

  double slowest(double seconds) {
    flag_.data()[0] = static_cast<float>(seconds);
    world_.communicator().allreduce(flag_, flag_, {.op = Op::max}).wait();
    return static_cast<double>(flag_.data()[0]);
  }

  // The ranks agree on how often, by the slowest of the first two, which also warm up.
  std::vector<double> repeat(const std::function<void()>& call) {
    double first_s = 0;
    std::vector<double> times;
    int repeats = 2;
    for (int i = -2; i < repeats; ++i) {
      world_.communicator().barrier().wait();
      const double start_s = monotonic_s();
      call();
      const double took_s = slowest(monotonic_s() - start_s);
      if (i < 0) first_s = took_s;
      if (i == -1) repeats = std::clamp(static_cast<int>(seconds_a_row / std::max(first_s, 1e-6)), least_repeats, most_repeats);
      if (i >= 0) times.push_back(took_s);
    }
    return times;
  }

  World& world_;
  View in_, out_, flag_;
};

}  // namespace

AllreduceChoice allreduce_choice(const std::string& text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  AllreduceChoice choice{.label = text, .name = text.substr(0, colon), .options = {}};
  std::vector<std::string_view> names, keys;
  for (const ScheduleEntry& entry : allreduce_schedules()) names.push_back(entry.name);
  if (std::find(names.begin(), names.end(), choice.name) == names.end())
    throw ConfigError("--allreduce " + text + ": the allreduce " + not_known(choice.name, names));
  const std::span<const Parameter> parameters = allreduce_schedule(choice.name).parameters;
  for (const Parameter& parameter : parameters) keys.push_back(parameter.key);
  std::map<std::string, Value, std::less<>> given;
  for (std::size_t at = colon + 1; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size()), equals = std::min(text.find('=', at), comma);
    const std::string key = text.substr(at, equals - at), value = equals < comma ? text.substr(equals + 1, comma - equals - 1) : "";
    const auto parameter = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& each) { return each.key == key; });
    if (parameter == parameters.end()) throw ConfigError("--allreduce " + text + ": the key " + not_known(key, keys));
    // A number, a flag or a word, as a file would have it.
    auto parsed = document::parse("value = " + value);
    if (std::holds_alternative<document::SyntaxError>(parsed)) parsed = document::parse("value = " + document::print_text(value));
    const auto* root = std::get_if<document::Node>(&parsed);
    const document::Node* node = root == nullptr ? nullptr : root->find("value");
    if (node == nullptr) throw ConfigError(fmt::format("--allreduce {}: '{}' is no value", text, value));
    auto read = read_value(*node, *parameter);
    if (const auto* wrong = std::get_if<std::string>(&read)) throw ConfigError(fmt::format("--allreduce {}: {} {}", text, key, *wrong));
    given[key] = std::get<Value>(read);
    at = comma + 1;
  }
  choice.options = with_defaults(parameters, given);
  return choice;
}

std::vector<AllreduceTime> bench_allreduce(World& world, const std::vector<std::int64_t>& sizes,
                                           const std::vector<AllreduceChoice>& algorithms, const std::vector<int>& machines,
                                           const std::optional<Topology>& links) {
  AllreduceBench bench(world, *std::max_element(sizes.begin(), sizes.end()));
  std::vector<std::unique_ptr<QueueCommunicator>> communicators;
  for (const AllreduceChoice& algorithm : algorithms) {
    GroupOptions options;
    options.allreduce = algorithm.name;
    options.allreduce_options = algorithm.options;
    options.machines = machines;
    communicators.push_back(QueueCommunicator::world(world.queue(), options, "bench " + algorithm.label));
  }
  std::vector<AllreduceTime> results;
  for (const std::int64_t bytes : sizes) {
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      std::optional<double> bound_s;
      if (links) bound_s = busiest_link_s(allreduce_schedule(algorithms[i].name), algorithms[i].options, *links, machines, bytes / 4);
      results.push_back(bench.measure(*communicators[i], algorithms[i].label, bytes, bound_s));
    }
  }
  return results;
}

}  // namespace syncline
