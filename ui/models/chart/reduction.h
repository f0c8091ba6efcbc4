// SPDX-License-Identifier: GPL-3.0-or-later
// What of a series reaches the screen: per pixel column the first, lowest, highest and last sample, so that a spike of one sample stays
// visible at any zoom. Never a bucket's mean, never every n-th sample. What cannot be drawn as a line becomes a gap and a mark.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/store/reader.h"

namespace syncline::ui::chart {

enum class MarkKind { nan, positive_infinity, negative_infinity, not_finite, not_positive };
struct Mark {  // one per pixel column and kind
  MarkKind kind = MarkKind::nan;
  double x = 0;  // of the first such sample in the column
  std::int64_t count = 0;
  double least = 0, most = 0;  // values, of not_positive
};

struct Reduced {
  std::vector<double> x, y;          // vertices by rising x; a NaN y is a gap
  std::vector<double> dot_x, dot_y;  // finite samples between gaps, which no line shows
  std::vector<Mark> marks;
  std::int64_t per_column = 0;  // samples per pixel column, on average, where columns were reduced; 0: every sample is a vertex
  bool empty() const { return x.empty() && marks.empty(); }
};
void find_dots(Reduced&);

struct Frame {
  double from = 0, to = 1;  // x of the left and right edge
  int pixels = 1;
  bool logarithmic = false;  // values <= 0 become gaps and marks
};

class Reducer {
 public:
  explicit Reducer(const Frame&);
  void add(double x, double y);
  // A bucket of samples between two x. Where its extremes lie inside is not known and not visible either: it is narrower than a pixel.
  void add(const SeriesBucket&, double first_x, double last_x);
  Reduced finish();

 private:
  struct Seen {
    double x = 0, y = 0;
    std::int64_t order = -1;
  };
  struct Column {
    int index = -2;
    std::int64_t samples = 0, finite = 0;
    Seen first, second, lowest, highest, last, gap;  // gap: the last one
    std::int64_t first_gap = -1;
    bool gap_first = false;
  };
  int column_of(double x) const;
  void open(double x);
  void take(double x, double y);
  void mark(MarkKind, double x, double y, std::int64_t count);
  void flush();
  void vertex(const Seen&);
  void gap(double x);

  Frame frame_;
  Column column_;
  Reduced reduced_;
  std::size_t first_mark_ = 0;  // of this column
  std::int64_t order_ = 0, lowest_drawn_ = -1, inside_ = 0;
  int first_column_ = -1, last_column_ = -1;  // inside the frame
  bool reduced_any_ = false;
};

// Lower edges by their minimum, upper ones by their maximum: a band never looks narrower than it is. Both have a vertex at the same x.
struct ReducedBand {
  std::vector<double> x, lower, upper;
};
ReducedBand reduce_band(const std::vector<double>& x, const std::vector<double>& lower, const std::vector<double>& upper, const Frame&);

}  // namespace syncline::ui::chart
