// SPDX-License-Identifier: GPL-3.0-or-later
// A curve in pixels, as few strokes as look the same. Stroking thousands of steep antialiased segments takes longer than everything else
// a chart does; a column in which the curve goes up and down is the same picture as one upright bar.
#pragma once

#include <span>
#include <vector>

namespace syncline::ui::chart {

struct PixelPoint {
  double x = 0, y = 0;  // y NaN: the line breaks
};
struct PixelBar {
  int column = 0;
  double top = 0, bottom = 0;  // top <= bottom
};
struct PixelLine {
  std::vector<PixelBar> bars;
  std::vector<std::vector<PixelPoint>> runs;  // at least two points each
};

// x must not fall. No point of the curve is further than `tolerance` pixels from what is drawn.
PixelLine pixel_line(std::span<const PixelPoint>, double tolerance = 0.3);

// For a curve of which each column of data holds many samples. Those columns are a pixel wide but begin elsewhere than the screen's, so one
// of the screen may get less than what its samples reach: every bar also covers the column after it.
void close_slits(std::vector<PixelBar>& bars);

// Around a run of at least two points, `width` wide: to fill, where a stroke would be drawn (flat ends, corners that stick out by a width
// at most).
std::vector<PixelPoint> outline_of(std::span<const PixelPoint> run, double width);

}  // namespace syncline::ui::chart
