// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/run_tab.h"

namespace syncline::ui {

RunTab::RunTab(RunContext context, const QString& name, QWidget* parent) : QWidget(parent), context_(context) { setObjectName(name); }

}  // namespace syncline::ui
