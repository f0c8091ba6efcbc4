// SPDX-License-Identifier: Apache-2.0
// The median step of a rank without data, exchanges or records, in seconds: alone, or ("with", under mpirun -n 2) beside its communication
// thread with nothing to send.
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

double step_s() {
  const Parsed parsed = parse_experiment(
      "name = \"idle\"\n[model]\nzoo = \"lenet\"\n[data]\nsource = \"synthetic\"\n[train]\nsteps = 1\nbatch_per_worker = 64\n"
      "[strategy]\nname = \"none\"\n",
      "idle", catalogue());
  if (!parsed.experiment) throw UsageError("the experiment of this test is not one");
  return bench_step({.experiment = *parsed.experiment, .input = {28, 28, 1}, .classes = 10, .threads = 1, .steps = 60, .bounds = false})
      .step_s;
}

int measure(bool with_communicator) {
  std::unique_ptr<World> world;
  if (with_communicator) {
    world = make_mpi_world({});
    if (world->size() != 2) return 2;
    world->communicator().barrier().wait();
  }
  if (!world || world->rank() == 0) fmt::print("{:.9f}\n", step_s());
  std::fflush(stdout);
  if (world) world->communicator().barrier().wait();
  return 0;
}

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) {
  try {
    return syncline::measure(argc > 1 && std::strcmp(argv[1], "with") == 0);
  } catch (const syncline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
