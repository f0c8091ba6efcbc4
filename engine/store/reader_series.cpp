// SPDX-License-Identifier: Apache-2.0
// Reading series and step sums: the coarsest form that still shows every pixel what it needs.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engine/store/level_of_detail.h"
#include "engine/store/reader.h"
#include "engine/store/series_rows.h"
#include "engine/store/step_rows.h"

namespace syncline {
namespace {

constexpr double points_per_pixel = 8, buckets_per_pixel = 4;

// Column prefix-less names of the axes in tables point and bucket are those of name_of().
struct Shape {
  std::int64_t count = 0, chunked = 0;
};

Shape shape_of(Database& database, std::int64_t series) {
  Statement select = database.prepare("SELECT count, chunked FROM series WHERE key = ?");
  select.bind_all(series);
  if (!select.step()) throw WorkspaceError(fmt::format("{}: the series is not there any more", database.path()));
  return {select.integer(0), select.integer(1)};
}

// Points n in [first, last) from chunks and rows.
std::vector<Point> points_between(Database& database, std::int64_t series, std::int64_t first, std::int64_t last) {
  std::vector<Point> points;
  Statement chunks = database.prepare(
      "SELECT first_n, count, data FROM chunk WHERE series = ?1 AND first_n < ?3 AND first_n >= "
      "coalesce((SELECT max(first_n) FROM chunk WHERE series = ?1 AND first_n <= ?2), 0) AND first_n + count > ?2 ORDER BY first_n");
  chunks.bind_all(series, first, last);
  while (chunks.step()) {
    const std::int64_t start = chunks.integer(0), count = chunks.integer(1);
    const std::vector<Point> block = decode_points(chunks.blob(2), count);
    const std::int64_t from = std::max<std::int64_t>(0, first - start), to = std::min(count, last - start);
    for (std::int64_t i = from; i < to; ++i) points.push_back(block[static_cast<std::size_t>(i)]);
  }
  Statement rows = database.prepare(fmt::format("SELECT {} FROM point WHERE series = ? AND n >= ? AND n < ? ORDER BY n", point_columns));
  rows.bind_all(series, first, last);
  while (rows.step()) points.push_back(read_point(rows, 0));
  return points;
}

std::vector<SeriesBucket> buckets_between(Database& database, std::int64_t series, int level, std::int64_t first, std::int64_t last) {
  Statement select =
      database.prepare(fmt::format("SELECT {} FROM bucket WHERE series = ? AND level = ? AND n >= ? AND n < ? ORDER BY n", bucket_columns));
  select.bind_all(series, level, first, last);
  std::vector<SeriesBucket> buckets;
  while (select.step()) buckets.push_back(read_bucket(select, 0));
  return buckets;
}

struct Range {
  std::int64_t first = 0, last = 0;  // half-open, in points
};

// The points whose x lies in [from, to], found through the levels: the coarsest level is scanned, each finer one only at the two ends.
Range find_range(Database& database, std::int64_t series, std::int64_t count, XAxis axis, double from, double to) {
  int top = first_level;
  while (top + level_step <= last_level && level_exists(top + level_step, count)) top += level_step;
  const std::string column(name_of(axis));
  Statement first_bucket = database.prepare(
      fmt::format("SELECT n FROM bucket WHERE series = ? AND level = ? AND n >= ? AND last_{} >= ? ORDER BY n LIMIT 1", column));
  Statement last_bucket = database.prepare(
      fmt::format("SELECT n FROM bucket WHERE series = ? AND level = ? AND n <= ? AND first_{} <= ? ORDER BY n DESC LIMIT 1", column));
  Range range{0, count};
  for (int level = top; level >= first_level; level -= level_step) {
    first_bucket.bind_all(series, level, range.first >> level, from);
    range.first = first_bucket.step() ? std::max(range.first, first_bucket.integer(0) << level) : count;
    first_bucket.reset();
    last_bucket.bind_all(series, level, (range.last - 1) >> level, to);
    range.last = last_bucket.step() ? std::min(range.last, (last_bucket.integer(0) + 1) << level) : 0;
    last_bucket.reset();
    if (range.first >= range.last) {
      // Nothing inside: the two neighbours of the gap.
      const std::int64_t gap = std::clamp<std::int64_t>(range.last > 0 ? range.last : range.first, 0, count);
      return {gap, gap};
    }
  }
  return range;
}

}  // namespace

std::vector<SeriesInfo> Reader::series(std::string_view run_id) {
  Statement select = database_.prepare(
      "SELECT key, name, unit, rank, count FROM series WHERE run = (SELECT key FROM run WHERE id = ?) AND count > 0 ORDER BY name, rank");
  select.bind_all(run_id);
  std::vector<SeriesInfo> all;
  while (select.step()) {
    all.push_back({select.integer(0), select.text(1), select.text(2), static_cast<int>(select.integer(3)), select.integer(4)});
  }
  return all;
}

std::optional<SeriesInfo> Reader::find_series(std::string_view run_id, std::string_view name, int rank) {
  Statement select = database_.prepare(
      "SELECT key, name, unit, rank, count FROM series WHERE run = (SELECT key FROM run WHERE id = ?) AND name = ? AND rank = ? AND count "
      "> 0");
  select.bind_all(run_id, name, rank);
  if (!select.step()) return std::nullopt;
  return SeriesInfo{select.integer(0), select.text(1), select.text(2), static_cast<int>(select.integer(3)), select.integer(4)};
}

SeriesView Reader::read(std::int64_t series, XAxis axis, double from, double to, int pixels) {
  const Transaction snapshot(database_, Transaction::Kind::snapshot);
  const Shape shape = shape_of(database_, series);
  SeriesView view;
  if (shape.count == 0) return view;
  const Range range = find_range(database_, series, shape.count, axis, from, to);
  const double inside = static_cast<double>(range.last - range.first);
  if (pixels > 0 && inside > points_per_pixel * pixels) {
    view.level = first_level;
    while (inside / std::exp2(view.level) > buckets_per_pixel * pixels && level_exists(view.level + level_step, shape.count)) {
      view.level += level_step;
    }
    const std::int64_t first = std::max<std::int64_t>(0, (range.first >> view.level) - 1), last = ((range.last - 1) >> view.level) + 2;
    view.buckets = buckets_between(database_, series, view.level, first, last);
    return view;
  }
  // The range is exact to a bucket of the finest level; trim to the points inside and one neighbour on each side.
  const std::int64_t first = std::max<std::int64_t>(0, range.first - 1), last = std::min(shape.count, range.last + 1);
  view.points = points_between(database_, series, first, last);
  const auto inside_from =
      std::partition_point(view.points.begin(), view.points.end(), [&](const Point& p) { return value_of(p.axes, axis) < from; });
  const auto inside_to = std::partition_point(inside_from, view.points.end(), [&](const Point& p) { return value_of(p.axes, axis) <= to; });
  const auto keep_to = inside_to == view.points.end() ? inside_to : inside_to + 1;
  const auto keep_from = inside_from == view.points.begin() ? inside_from : inside_from - 1;
  view.points.erase(keep_to, view.points.end());
  view.points.erase(view.points.begin(), keep_from);
  return view;
}

void Reader::each_point(std::int64_t series, const std::function<void(const Point&)>& visit) {
  const Transaction snapshot(database_, Transaction::Kind::snapshot);
  const Shape shape = shape_of(database_, series);
  constexpr std::int64_t block = 64 * chunk_points;
  for (std::int64_t first = 0; first < shape.count; first += block) {
    for (const Point& point : points_between(database_, series, first, std::min(shape.count, first + block))) visit(point);
  }
}

std::vector<Point> Reader::points(std::int64_t series, std::int64_t first) {
  const Transaction snapshot(database_, Transaction::Kind::snapshot);
  return points_between(database_, series, first, shape_of(database_, series).count);
}

namespace {

struct LaneShape {
  std::int64_t key = 0, count = 0;
};

std::optional<LaneShape> lane_of(Database& database, std::string_view run_id, int rank) {
  Statement select = database.prepare("SELECT key, count FROM step_lane WHERE run = (SELECT key FROM run WHERE id = ?) AND rank = ?");
  select.bind_all(run_id, rank);
  return select.step() ? std::optional(LaneShape{select.integer(0), select.integer(1)}) : std::nullopt;
}

std::vector<StepSums> steps_of(Database& database, const LaneShape& lane, int rank, std::int64_t from_step, std::int64_t to_step) {
  std::vector<StepSums> steps;
  const auto keep = [&](const StepSums& sums) {
    if (sums.axes.step >= from_step && sums.axes.step <= to_step) steps.push_back(sums);
  };
  Statement chunks =
      database.prepare("SELECT count, data FROM step_chunk WHERE lane = ? AND last_step >= ? AND first_step <= ? ORDER BY first_n");
  chunks.bind_all(lane.key, from_step, to_step);
  while (chunks.step()) {
    for (const StepRow& row : decode_steps(chunks.blob(1), chunks.integer(0), rank)) keep(row.sums);
  }
  Statement rows = database.prepare("SELECT data FROM step WHERE lane = ? AND step BETWEEN ? AND ? ORDER BY n");
  rows.bind_all(lane.key, from_step, to_step);
  while (rows.step()) keep(decode_step(rows.blob(0), rank).sums);
  return steps;
}

}  // namespace

std::vector<StepSums> Reader::steps(std::string_view run_id, int rank, std::int64_t from_step, std::int64_t to_step) {
  const Transaction snapshot(database_, Transaction::Kind::snapshot);
  const auto lane = lane_of(database_, run_id, rank);
  return lane ? steps_of(database_, *lane, rank, from_step, to_step) : std::vector<StepSums>{};
}

std::vector<StepBucket> Reader::step_buckets(std::string_view run_id, int rank, std::int64_t from_step, std::int64_t to_step,
                                             int max_buckets) {
  const Transaction snapshot(database_, Transaction::Kind::snapshot);
  std::vector<StepBucket> result;
  const auto lane = lane_of(database_, run_id, rank);
  if (!lane || lane->count == 0) return result;
  Statement count =
      database_.prepare("SELECT count(*) FROM step_bucket WHERE lane = ? AND level = ? AND last_step >= ? AND first_step <= ?");
  count.bind_all(lane->key, first_level, from_step, to_step);
  count.step();
  const double inside = static_cast<double>(std::min(lane->count, count.integer(0) << first_level));
  if (inside <= std::max(1, max_buckets) || std::min(to_step, lane->count) - from_step < max_buckets) {
    for (const StepSums& sums : steps_of(database_, *lane, rank, from_step, to_step)) {
      StepAggregate one;
      one.add(sums);
      result.push_back(one.bucket(rank));
    }
    return result;
  }
  int level = first_level;
  while (inside / std::exp2(level) > max_buckets && level_exists(level + level_step, lane->count)) level += level_step;
  Statement select =
      database_.prepare("SELECT data FROM step_bucket WHERE lane = ? AND level = ? AND last_step >= ? AND first_step <= ? ORDER BY n");
  select.bind_all(lane->key, level, from_step, to_step);
  while (select.step()) result.push_back(decode_aggregate(select.blob(0)).bucket(rank));
  return result;
}

}  // namespace syncline
