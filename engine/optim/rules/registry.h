// SPDX-License-Identifier: Apache-2.0
// The built-in update rules: one file each in this folder, one line here and one in registry.cpp.
#pragma once

#include <span>

#include "plugins/sdk/syncline_optimizer.h"

namespace syncline::rules {

const syncline_optimizer_table& sgd();
const syncline_optimizer_table& adam();
const syncline_optimizer_table& adamw();
const syncline_optimizer_table& lars();
const syncline_optimizer_table& lamb();
const syncline_optimizer_table& rmsprop();
const syncline_optimizer_table& adagrad();

std::span<const syncline_optimizer_table* const> built_in();

}  // namespace syncline::rules
