// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a run as rows: every key of the complete experiment with where its value comes from, and what it ran on.
#pragma once

#include <QString>
#include <vector>

#include "engine/store/records.h"

namespace syncline::ui {

struct SettingRow {
  QString key, value, origin;  // origin: "typed", "default"; of an environment row empty
  bool operator==(const SettingRow&) const = default;
};
std::vector<SettingRow> settings_of(const RunInfo&);
std::vector<SettingRow> environment_of(const RunInfo&);

}  // namespace syncline::ui
