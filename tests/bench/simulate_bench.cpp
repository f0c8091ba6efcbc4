// SPDX-License-Identifier: Apache-2.0
// How long simulations take: one synchronous job of ResNet-50's 161 tensors on 64 to 4,096 workers. Ends with 1 where 1,024 workers with
// merged gradients take more than 2 s.
// Usage: simulate_bench [WORKERS...]
#include <fmt/core.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "engine/metrics/clock.h"
#include "engine/optim/optimizer.h"
#include "engine/sim/simulate.h"
#include "tests/support/resnet50_card.h"

using namespace syncline;

namespace {

double largest_memory_gib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024 / 1024;
}

Experiment experiment_of(int workers, const std::string& plan) {
  Experiment experiment;
  experiment.name = "bench";
  experiment.train.batch_per_worker = {32};
  experiment.train.steps = 100;
  for (const Entry& entry : optimizer_entries())
    if (entry.name == "sgd") experiment.train.optimizer.options = with_defaults(entry.parameters, {{"lr", Value{0.1}}});
  experiment.cluster.workers = workers;
  experiment.strategy.name = "sync";
  experiment.strategy.plan = plan;
  experiment.strategy.plan_options = defaults_of(planner(plan).parameters);
  experiment.strategy.allreduce = "ring";
  experiment.strategy.options = defaults_of(strategy_entry("sync").parameters);
  return experiment;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<int> sizes;
  for (int k = 1; k < argc; ++k) sizes.push_back(std::atoi(argv[k]));
  if (sizes.empty()) sizes = {64, 256, 1024, 4096};
  const test::CardModel card = test::resnet50_of_the_card();
  const ModelledStep step = modelled_step(card.elements, card.backward_s, card.forward_s);
  bool slow = false;
  fmt::print("{:>8} {:<10} {:>10} {:>12} {:>14} {:>12}\n", "workers", "plan", "seconds", "events", "predicted step", "memory so far");
  for (const int workers : sizes) {
    for (const std::string plan : {"single", "mg-wfbp", "wfbp"}) {
      SimulationRequest request{.experiment = experiment_of(workers, plan), .strategy = &strategy_entry("sync"), .step = &step};
      request.wire = Wire{45e-6, 8 / 10e9, 0};
      const double before_s = monotonic_s();
      const SimulationResult result = simulate(request);
      const double took_s = monotonic_s() - before_s;
      fmt::print("{:>8} {:<10} {:>10.3f} {:>12} {:>12.4f} s {:>10.2f} GiB\n", workers, plan, took_s, result.happened, result.step_s,
                 largest_memory_gib());
      slow = slow || (workers == 1024 && plan == "mg-wfbp" && took_s > 2);
    }
  }
  if (slow) fmt::print("1,024 workers take more than 2 s\n");
  return slow ? 1 : 0;
}
