// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace syncline {

struct ChildResult {
  std::string output;      // standard output, at most 4 MB
  bool timed_out = false;  // it was killed at the limit
  int exit_code = 0;       // when it ended by itself
  int signal = 0;          // when a signal ended it
};
// Runs a program to its end with no input. Throws Error when it cannot be started.
ChildResult run_child(const std::vector<std::string>& command, double limit_s);

}  // namespace syncline
