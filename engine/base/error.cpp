// SPDX-License-Identifier: Apache-2.0
#include "engine/base/error.h"

namespace syncline {

ExitCode exit_code_of(const std::exception& error) {
  if (dynamic_cast<const ConfigError*>(&error) != nullptr) return ExitCode::config;
  if (dynamic_cast<const DataError*>(&error) != nullptr) return ExitCode::data;
  if (dynamic_cast<const WorkspaceError*>(&error) != nullptr) return ExitCode::workspace;
  return ExitCode::training;
}

}  // namespace syncline
