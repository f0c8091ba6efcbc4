// SPDX-License-Identifier: GPL-3.0-or-later
// The bundled line drawings: SVG elements on a grid of 16 by 16; INK stands for the colour where something is filled.
#pragma once

#include <QString>

namespace syncline::ui {

const char* bundled_shape(const QString& freedesktop_name);  // null: there is none

}  // namespace syncline::ui
