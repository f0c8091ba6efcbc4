// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of RunsModel.
#pragma once

#include "ui/models/runs_model.h"

namespace syncline::ui {

struct RunsModel::Node {
  QString id;
  RunsEntry entry;
  Node* parent = nullptr;
  int row = 0;
  std::size_t target = 0;  // its place after the rearrangement of number `wanted`
  int wanted = 0;
  std::vector<std::unique_ptr<Node>> children;
  mutable std::vector<std::optional<RunsCell>> cells;  // made when they are first painted

  const RunRow& first() const { return *entry.runs.front(); }
};

struct RunsModel::Item {
  QString id;
  RunsEntry entry;
};

}  // namespace syncline::ui
