// SPDX-License-Identifier: Apache-2.0
// The description of an optimizer plugin as `syncline-engine plugins --json` prints it, for programs that never load one themselves.
#pragma once

#include "engine/optim/description.h"
