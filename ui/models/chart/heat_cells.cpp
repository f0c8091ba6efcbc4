// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/heat_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"

namespace syncline::ui::chart {

HeatCells heat_cells(const std::vector<double>& values, std::size_t rows, std::size_t columns, std::size_t row_limit,
                     std::size_t column_limit) {
  if (values.size() != rows * columns) throw UsageError("a heat map needs one value for each row and column");
  HeatCells cells;
  if (values.empty()) return cells;
  cells.rows_per_cell = (rows + row_limit - 1) / row_limit;
  cells.columns_per_cell = (columns + column_limit - 1) / column_limit;
  cells.rows = (rows + cells.rows_per_cell - 1) / cells.rows_per_cell;
  cells.columns = (columns + cells.columns_per_cell - 1) / cells.columns_per_cell;
  cells.values.assign(cells.rows * cells.columns, std::numeric_limits<double>::quiet_NaN());
  cells.least = std::numeric_limits<double>::infinity();
  cells.most = -cells.least;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double value = values[row * columns + column];
      if (!std::isfinite(value)) continue;
      double& cell = cells.values[row / cells.rows_per_cell * cells.columns + column / cells.columns_per_cell];
      cell = std::isnan(cell) ? value : std::max(cell, value);
    }
  }
  for (const double cell : cells.values) {
    if (std::isnan(cell)) continue;
    cells.least = std::min(cells.least, cell);
    cells.most = std::max(cells.most, cell);
  }
  if (cells.least > cells.most) cells.least = cells.most = 0;
  return cells;
}

}  // namespace syncline::ui::chart
