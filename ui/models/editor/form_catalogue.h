// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue that forms and validation of the window use: the engine's own, and the optimizer plugins that the engine described. Plugins
// are never loaded here; their options come from the child process that looked into them.
#pragma once

#include <vector>

#include "engine/experiment/parameter.h"
#include "engine/sim/plugins.h"

namespace syncline::ui {

// Read and set on the GUI thread. A catalogue once returned stays valid until the program ends: fields and work under way point into it.
const Catalogue& form_catalogue();
// False when nothing changed.
bool set_described_plugins(const std::vector<RuleDescription>&);

}  // namespace syncline::ui
