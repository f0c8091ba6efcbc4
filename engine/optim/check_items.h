// SPDX-License-Identifier: Apache-2.0
// The items of the conformance test, run inside the child process.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/optim/rule.h"

namespace syncline {

struct Check {
  std::string_view name, text;
  std::string (*run)(const std::shared_ptr<const Rule>&);  // empty: passed; else the reason. May throw; may crash
};
std::span<const Check> plugin_checks();

}  // namespace syncline
