// SPDX-License-Identifier: GPL-3.0-or-later
// What of a window a person cannot get at with keys alone, or gets nothing from: actions and buttons.
#pragma once

#include <QStringList>

class QAction;
class QWidget;

namespace syncline::ui {

// One sentence for each action below `root` (menus included) that nothing answers, or that has neither shortcut nor mnemonic nor a button
// that Tab stops at; for each visible button that nothing answers, or that Tab does not stop at and no key presses; and for each visible
// control that Tab stops at and a screen reader has no name for. What Qt builds into its own widgets (arrows of tab bars, buttons of docks)
// is left out.
QStringList out_of_reach(QWidget& root);

// The number of actions and buttons that were looked at: a check of nothing finds nothing.
int looked_at(QWidget& root);

}  // namespace syncline::ui
