// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace syncline::ui {

// A label that has an accessible name and changing text is read as both ("State: Running"): Qt alone would say the name and never the text.
// Once is enough; more does nothing.
void install_label_accessibility();

}  // namespace syncline::ui
