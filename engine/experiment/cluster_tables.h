// SPDX-License-Identifier: Apache-2.0
// The tables of [cluster] and what stands below it. Internal to sections.cpp.
#pragma once

#include <array>
#include <string_view>

#include "engine/experiment/parameter.h"

namespace syncline::tables {

inline constexpr std::string_view device_choices[] = {"auto", "cpu"};
inline constexpr std::string_view compute_choices[] = {"real", "paced", "emulate"};
inline constexpr std::string_view not_real = "compute = paced | emulate";
inline constexpr std::array cluster = {
    Parameter{
        .key = "workers", .help = "Training ranks.", .kind = Parameter::integer, .initial = std::int64_t{1}, .least = 1, .most = 16384},
    Parameter{.key = "servers",
              .help = "Shards of the parameter server; 0: as many as the strategy needs.",
              .kind = Parameter::integer,
              .initial = std::int64_t{0},
              .least = 0,
              .most = 16384,
              .advanced = true},
    Parameter{.key = "colocate",
              .help = "Servers run beside the first workers instead of in ranks of their own.",
              .kind = Parameter::flag,
              .initial = false,
              .advanced = true,
              .only_if = "servers > 0"},
    Parameter{.key = "device",
              .help = "What computes; auto takes the best that is there.",
              .kind = Parameter::choice,
              .initial = "auto",
              .choices = device_choices},
    Parameter{.key = "threads_per_worker",
              .help = "Threads that compute in each worker; 0: the cores are shared among the workers of a machine.",
              .kind = Parameter::integer,
              .initial = std::int64_t{0},
              .least = 0,
              .most = 4096},
    Parameter{
        .key = "compute",
        .help =
            "How fast workers compute: as this machine does; paced: the arithmetic is done, and each layer lasts as long as its profile "
            "says; emulate: no arithmetic, only the profile's times.",
        .kind = Parameter::choice,
        .initial = "real",
        .advanced = true,
        .choices = compute_choices},
    Parameter{.key = "profile",
              .help =
                  "Layer times of the machine that is paced or emulated, at this model and batch: a traced run, a .json file ('export RUN "
                  "--format profile' writes it), or a table { forward_s = [..], backward_s = [..], update_s = x }.",
              .kind = Parameter::text,
              .advanced = true,
              .only_if = not_real},
    Parameter{.key = "time_scale",
              .help = "Factor on the profile's times and on emulated links: above 1 everything takes longer in the same proportions.",
              .kind = Parameter::real,
              .initial = 1.0,
              .least = 1e-6,
              .most = 1e6,
              .advanced = true,
              .only_if = not_real},
    Parameter{.key = "slowdown",
              .help = "Factor on the profile's times of each worker, or one for all: above 1 a straggler.",
              .kind = Parameter::list,
              .initial = "[1.0]",
              .least = 1e-3,
              .most = 1e3,
              .advanced = true,
              .only_if = not_real},
    Parameter{.key = "jitter",
              .help = "Random factor on the profile's times, another one for each worker and step.",
              .kind = Parameter::table,
              .optional = true,
              .advanced = true,
              .only_if = not_real},
    Parameter{.key = "link", .help = "One link for all.", .kind = Parameter::table},
    Parameter{
        .key = "nodes", .help = "The machines; ranks fill them in order.", .kind = Parameter::table, .optional = true, .advanced = true},
    Parameter{.key = "links",
              .help = "Links between named machines, instead of the one link for all.",
              .kind = Parameter::table,
              .optional = true,
              .advanced = true},
};
inline constexpr std::array profile = {
    Parameter{.key = "forward_s",
              .help = "Seconds of each layer's forward, in the order of forward; or a single time for the whole pass.",
              .kind = Parameter::list,
              .least = 0,
              .most = 1e6,
              .unit = "s"},
    Parameter{.key = "backward_s",
              .help = "Seconds of each layer's backward, in the order of forward.",
              .kind = Parameter::list,
              .least = 0,
              .most = 1e6,
              .unit = "s"},
    Parameter{.key = "update_s",
              .help = "Seconds of the update of all parameters.",
              .kind = Parameter::real,
              .initial = 0.0,
              .least = 0,
              .most = 1e6,
              .unit = "s"},
};
inline constexpr std::array jitter = {
    Parameter{.key = "std",
              .help = "Standard deviation of the jitter, a factor on the times of each step whose mean is 1.",
              .kind = Parameter::real,
              .initial = 0.0,
              .least = 0,
              .most = 2,
              .advanced = true},
    Parameter{.key = "seed",
              .help = "Start of the jitter's random stream.",
              .kind = Parameter::integer,
              .initial = std::int64_t{1},
              .least = 0,
              .advanced = true},
};
constexpr Parameter bandwidth(std::string_view key, std::string_view help) {
  return {.key = key, .help = help, .kind = Parameter::rate, .initial = 0.0, .least = 0, .most = 1e15, .unit = "bytes/s"};
}
inline constexpr Parameter latency = {.key = "latency",
                                      .help = "Time until the first byte of a message arrives.",
                                      .kind = Parameter::duration,
                                      .initial = 0.0,
                                      .least = 0,
                                      .most = 3600,
                                      .unit = "s"};
inline constexpr std::array link = {
    bandwidth("bandwidth", "Bytes per second in each direction; 0: unlimited."),
    latency,
    Parameter{.key = "emulate",
              .help = "Slow real exchanges down to this link; otherwise only predictions use it.",
              .kind = Parameter::flag,
              .initial = false},
};
inline constexpr std::array nodes = {
    Parameter{.key = "name", .help = "The machine's name, unique.", .kind = Parameter::text},
    Parameter{.key = "count",
              .help = "How many machines of this kind.",
              .kind = Parameter::integer,
              .initial = std::int64_t{1},
              .least = 1,
              .most = 16384},
    Parameter{.key = "cores",
              .help = "Cores of one machine: without devices it takes as many ranks. 0: not known, it takes its share of those left over.",
              .kind = Parameter::integer,
              .initial = std::int64_t{0},
              .least = 0,
              .most = 65536},
    Parameter{.key = "devices",
              .help = "Accelerators of one machine: it takes as many ranks.",
              .kind = Parameter::integer,
              .initial = std::int64_t{0},
              .least = 0,
              .most = 1024},
    Parameter{.key = "speed",
              .help = "Speed of its arithmetic, relative to the others.",
              .kind = Parameter::real,
              .initial = 1.0,
              .least = 1e-3,
              .most = 1e3},
};
inline constexpr std::array links = {
    Parameter{.key = "from", .help = "The machine at one end.", .kind = Parameter::text},
    Parameter{.key = "to", .help = "The machine at the other end.", .kind = Parameter::text},
    bandwidth("bandwidth", "Bytes per second; 0: unlimited."),
    bandwidth("bandwidth_back", "Bytes per second in the other direction; 0: the same."),
    latency,
    Parameter{.key = "shared",
              .help = "All pairs of ranks across this link share its bandwidth, in each direction; otherwise each pair has it for itself.",
              .kind = Parameter::flag,
              .initial = false},
};

}  // namespace syncline::tables
