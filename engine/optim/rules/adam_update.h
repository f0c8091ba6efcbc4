// SPDX-License-Identifier: Apache-2.0
// What adam and adamw share: they differ only in where the weight decay goes in.
#pragma once

#include <cstdint>

#include "plugins/sdk/syncline_optimizer.h"

namespace syncline::rules {

struct AdamOptions {
  double beta1, beta2, epsilon, weight_decay;
  bool decoupled;  // AdamW
};
// state[0]: first moment, state[1]: second moment.
void adam_update(const syncline_host&, const AdamOptions&, const syncline_step_args&);

}  // namespace syncline::rules
