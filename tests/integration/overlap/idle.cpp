// SPDX-License-Identifier: Apache-2.0
// For idle.py: for every line read, the median of a few steps of a rank without data, exchanges or records, in seconds; alone, or (under
// mpirun) beside a communication thread with nothing to send.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <memory>

#include "engine/base/error.h"
#include "engine/comm/mpi/mpi_world.h"
#include "engine/sim/schema.h"
#include "engine/train/rank/bench_step.h"

namespace syncline {
namespace {

Experiment lenet() {
  Parsed parsed = parse_experiment(
      "name = \"idle\"\n[model]\nzoo = \"lenet\"\n[data]\nsource = \"synthetic\"\n[train]\nsteps = 1\nbatch_per_worker = 64\n"
      "[strategy]\nname = \"none\"\n",
      "idle", catalogue());
  if (!parsed.experiment) throw UsageError("the experiment of this test is not one");
  return *std::move(parsed.experiment);
}

void answer() {
  const Experiment experiment = lenet();
  while (std::getchar() != EOF) {
    const StepTimes times =
        bench_step({.experiment = experiment, .input = {28, 28, 1}, .classes = 10, .threads = 1, .steps = 5, .bounds = false});
    fmt::print("{:.9f}\n", times.step_s);
    std::fflush(stdout);
  }
}

void run(bool with_communicator) {
  if (!with_communicator) return answer();
  const std::unique_ptr<World> world = make_mpi_world({});
  if (world->size() < 2) throw UsageError("an idle communicator has a peer: start two ranks");
  world->communicator().barrier().wait();
  if (world->rank() == 0) answer();
  world->communicator().barrier().wait();
}

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) {
  try {
    syncline::run(argc > 1 && std::strcmp(argv[1], "with") == 0);
    return 0;
  } catch (const syncline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
