// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of lists that a pointer hits easily: as high as other things to click on.
#pragma once

class QAbstractItemView;

namespace syncline::ui {

inline constexpr int least_row_height = 24;  // logical px

void make_rows_tall(QAbstractItemView&);  // replaces its delegate

}  // namespace syncline::ui
