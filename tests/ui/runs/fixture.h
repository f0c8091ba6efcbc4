// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <gtest/gtest.h>

#include "tests/ui/recording_workbench.h"
#include "tests/ui/runs/stored_runs.h"

namespace syncline::ui {

class PageTest : public StoredRunsTest {};

}  // namespace syncline::ui
