// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/rules/registry.h"

#include <array>

namespace syncline::rules {

std::span<const syncline_optimizer_table* const> built_in() {
  static const std::array list = {&sgd(), &adam(), &adamw(), &lars(), &lamb(), &rmsprop(), &adagrad()};
  return list;
}

}  // namespace syncline::rules
