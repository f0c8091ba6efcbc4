// SPDX-License-Identifier: Apache-2.0
// The row of a run that is about to start, from its experiment and this process's environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/store/records.h"

namespace syncline {

struct RunOrigin {
  std::string version;                   // of this program
  std::vector<std::string> command;      // argv as typed
  std::string name;                      // --name; empty: the experiment's
  std::string attempt_of, resumed_from;  // ids; empty: none
};

// The tag of the runs that a recipe has started: "recipe:mg-wfbp".
std::string recipe_tag(std::string_view recipe);

NewRun new_run(const Experiment&, const RunOrigin&);

// Variables that can change what a run computes or how fast: OMP_, GOMP_, ONEDNN_, DNNL_, OMPI_MCA_, NCCL_, CUDA_, CUBLAS_, SYNCLINE_.
std::map<std::string, std::string> relevant_environment();

}  // namespace syncline
