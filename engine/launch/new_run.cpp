// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/new_run.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "engine/launch/protocol.h"
#include "engine/store/emulation.h"

extern char** environ;

namespace syncline {
namespace {

std::string processor_model() {
  std::ifstream stream("/proc/cpuinfo");
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

}  // namespace

std::map<std::string, std::string> relevant_environment() {
  std::map<std::string, std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const std::string_view prefix : {"OMP_", "GOMP_", "ONEDNN_", "DNNL_", "OMPI_MCA_", "NCCL_", "CUDA_", "CUBLAS_", "SYNCLINE_"}) {
      if (!text.starts_with(prefix)) continue;
      const std::size_t equals = text.find('=');
      result.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  utsname system{};
  ::uname(&system);
  result.emplace("kernel", std::string(system.sysname) + " " + system.release);
  result.emplace("processor", processor_model());
  return result;
}

std::string recipe_tag(std::string_view recipe) { return "recipe:" + std::string(recipe); }

NewRun new_run(const Experiment& experiment, const RunOrigin& origin) {
  NewRun run;
  run.name = origin.name.empty() ? experiment.name : origin.name;
  run.attempt_of = origin.attempt_of;
  run.resumed_from = origin.resumed_from;
  run.experiment_as_typed = experiment.as_typed;
  run.experiment = experiment.complete;
  run.group_key = group_key(experiment);
  run.version = origin.version;
  run.model = experiment.model.zoo.empty() ? "layers" : experiment.model.zoo;
  run.dataset = experiment.data.source;
  run.strategy = experiment.strategy.name;
  run.plan = experiment.strategy.plan;
  run.device = experiment.cluster.device == "auto" ? "cpu" : experiment.cluster.device;
  run.emulated = emulation_words(experiment.cluster);
  run.command = origin.command;
  run.environment = relevant_environment();
  if (const char* recipe = std::getenv(recipe_variable)) run.tags.push_back(recipe_tag(recipe));
  run.target_accuracy = experiment.train.target_accuracy;
  run.seed = experiment.seed;
  run.workers = static_cast<int>(experiment.cluster.workers);
  run.servers = static_cast<int>(experiment.cluster.servers);
  run.threads_per_worker = static_cast<int>(experiment.cluster.threads_per_worker);
  return run;
}

}  // namespace syncline
