// SPDX-License-Identifier: GPL-3.0-or-later
// A value over rows and columns, made small enough to draw: cells are put together by their maximum, because one looks for the worst.
#pragma once

#include <cstddef>
#include <vector>

namespace syncline::ui::chart {

inline constexpr std::size_t most_columns = 2000, most_rows = 1024;

struct HeatCells {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // [row][column]; NaN: nothing recorded in any of its cells
  std::size_t rows_per_cell = 1, columns_per_cell = 1;
  double least = 0, most = 0;  // of the finite ones; 0, 0 when there is none
};

// values: [row][column], rows * columns of them (UsageError otherwise).
HeatCells heat_cells(const std::vector<double>& values, std::size_t rows, std::size_t columns, std::size_t row_limit = most_rows,
                     std::size_t column_limit = most_columns);

}  // namespace syncline::ui::chart
