// SPDX-License-Identifier: Apache-2.0
// The commands' definitions, each in app/commands/<family>.cpp.
#pragma once

#include "app/cli.h"

namespace syncline::app {}  // namespace syncline::app
