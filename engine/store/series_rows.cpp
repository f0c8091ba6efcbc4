// SPDX-License-Identifier: Apache-2.0
#include "engine/store/series_rows.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "engine/store/columns.h"

namespace syncline {
namespace {

std::int64_t microseconds(double seconds) { return std::llround(seconds * 1e6); }

void bind_value(Statement& statement, int value_column, int kind_column, double value) {
  const ValueKind kind = kind_of(value);
  if (kind == ValueKind::finite) {
    statement.bind(value_column, value);
  } else {
    statement.bind(value_column, nullptr);
  }
  statement.bind(kind_column, static_cast<int>(kind));
}

void bind_finite(Statement& statement, int column, double value) {
  if (std::isfinite(value)) {
    statement.bind(column, value);
  } else {
    statement.bind(column, nullptr);
  }
}

double real_or_nan(const Statement& statement, int column) {
  return statement.null(column) ? std::numeric_limits<double>::quiet_NaN() : statement.real(column);
}

template <typename Value>
std::vector<Value> column(std::span<const Point> points, auto&& value) {
  std::vector<Value> values;
  values.reserve(points.size());
  for (const Point& point : points) values.push_back(value(point));
  return values;
}

}  // namespace

std::vector<std::byte> encode_points(std::span<const Point> points) {
  ColumnWriter writer(points.size());
  using Integers = std::int64_t;
  writer.integers(column<Integers>(points, [](const Point& p) { return p.sequence; }));
  writer.integers(column<Integers>(points, [](const Point& p) { return p.axes.step; }));
  writer.integers(column<Integers>(points, [](const Point& p) { return p.axes.samples; }));
  writer.integers(column<Integers>(points, [](const Point& p) { return p.axes.gradients; }));
  writer.integers(column<Integers>(points, [](const Point& p) { return p.axes.rounds; }));
  writer.integers(column<Integers>(points, [](const Point& p) { return p.axes.bytes; }));
  writer.integers(column<Integers>(points, [](const Point& p) { return microseconds(p.axes.active_s); }));
  writer.integers(column<Integers>(points, [](const Point& p) { return microseconds(p.axes.elapsed_s); }));
  // Wall clock and elapsed time run together except where a clock was set: their difference costs nothing.
  writer.integers(column<Integers>(points, [](const Point& p) {
    // Unsigned: what a damaged chunk holds may wrap, and wraps back when read.
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(microseconds(p.axes.wall_s)) -
                                     static_cast<std::uint64_t>(microseconds(p.axes.elapsed_s)));
  }));
  writer.reals(column<double>(points, [](const Point& p) { return p.axes.epoch; }));
  writer.reals(column<double>(points, [](const Point& p) { return p.value; }));
  return writer.finish();
}

std::vector<Point> decode_points(std::span<const std::byte> data, std::int64_t count) {
  if (count < 0 || count > 4096) throw WorkspaceError("a block of stored points is damaged; restore a copy of the workspace");
  ColumnReader reader(data, static_cast<std::size_t>(count));
  std::vector<Point> points(static_cast<std::size_t>(count));
  const auto fill = [&](const auto& values, auto&& assign) {
    for (std::size_t row = 0; row < points.size(); ++row) assign(points[row], values[row]);
  };
  fill(reader.integers(), [](Point& p, std::int64_t v) { p.sequence = v; });
  fill(reader.integers(), [](Point& p, std::int64_t v) { p.axes.step = v; });
  fill(reader.integers(), [](Point& p, std::int64_t v) { p.axes.samples = v; });
  fill(reader.integers(), [](Point& p, std::int64_t v) { p.axes.gradients = v; });
  fill(reader.integers(), [](Point& p, std::int64_t v) { p.axes.rounds = v; });
  fill(reader.integers(), [](Point& p, std::int64_t v) { p.axes.bytes = v; });
  fill(reader.integers(), [](Point& p, std::int64_t v) { p.axes.active_s = static_cast<double>(v) / 1e6; });
  const std::vector<std::int64_t> elapsed = reader.integers();
  fill(elapsed, [](Point& p, std::int64_t v) { p.axes.elapsed_s = static_cast<double>(v) / 1e6; });
  std::vector<std::int64_t> wall = reader.integers();
  for (std::size_t row = 0; row < points.size(); ++row) {
    const auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(wall[row]) + static_cast<std::uint64_t>(elapsed[row]));
    points[row].axes.wall_s = static_cast<double>(sum) / 1e6;
  }
  fill(reader.reals(), [](Point& p, double v) { p.axes.epoch = v; });
  fill(reader.reals(), [](Point& p, double v) { p.value = v; });
  reader.expect_end();
  return points;
}

SeriesBucket read_bucket(const Statement& row, int c) {
  SeriesBucket bucket;
  bucket.count = row.integer(c);
  bucket.nonfinite = row.integer(c + 1);
  bucket.min = real_or_nan(row, c + 2);
  bucket.max = real_or_nan(row, c + 3);
  bucket.mean = real_or_nan(row, c + 4);
  bucket.first = value_of_kind(static_cast<ValueKind>(row.integer(c + 6)), row.real(c + 5));
  bucket.last = value_of_kind(static_cast<ValueKind>(row.integer(c + 8)), row.real(c + 7));
  const auto axes = [&](Axes& to, int from) {
    to.step = row.integer(from);
    to.samples = row.integer(from + 2);
    to.epoch = row.real(from + 4);
    to.gradients = row.integer(from + 6);
    to.rounds = row.integer(from + 8);
    to.bytes = row.integer(from + 10);
    to.active_s = row.real(from + 12);
    to.elapsed_s = row.real(from + 14);
    to.wall_s = row.real(from + 16);
  };
  axes(bucket.first_axes, c + 9);
  axes(bucket.last_axes, c + 10);
  return bucket;
}

Point read_point(const Statement& row, int c) {
  Point point;
  point.sequence = row.integer(c);
  point.axes = {row.integer(c + 1), row.integer(c + 2), row.real(c + 3), row.integer(c + 4), row.integer(c + 5),
                row.integer(c + 6), row.real(c + 7),    row.real(c + 8), row.real(c + 9)};
  point.value = value_of_kind(static_cast<ValueKind>(row.integer(c + 11)), row.real(c + 10));
  return point;
}

SeriesRows::SeriesRows(Database& database, std::int64_t run_key) : database_(database), run_key_(run_key) {
  insert_point_ = database.prepare(fmt::format("INSERT INTO point (series, n, {}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", point_columns));
  insert_bucket_ = database.prepare(fmt::format(
      "INSERT OR REPLACE INTO bucket (series, level, n, {}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      bucket_columns));
  update_series_ = database.prepare("UPDATE series SET count = ?2, chunked = ?3 WHERE key = ?1");
}

SeriesRows::Series& SeriesRows::open(std::string_view name, int rank) {
  const auto known = series_.find(std::pair<std::string_view, int>(name, rank));
  if (known != series_.end()) return known->second;
  Series series;
  Statement find = database_.prepare("SELECT key, count, chunked FROM series WHERE run = ? AND name = ? AND rank = ?");
  find.bind_all(run_key_, name, rank);
  if (find.step()) {
    series.key = find.integer(0);
    series.count = find.integer(1);
    series.chunked = find.integer(2);
    load(series);
  } else {
    const auto unit = units_.find(name);
    Statement insert = database_.prepare("INSERT INTO series (run, name, rank, unit) VALUES (?, ?, ?, ?)");
    insert.bind_all(run_key_, name, rank, unit == units_.end() ? std::string() : unit->second).run();
    series.key = database_.last_row_id();
  }
  return series_.emplace(std::pair(std::string(name), rank), std::move(series)).first->second;
}

void SeriesRows::load(Series& series) {
  Statement find = database_.prepare(fmt::format("SELECT {} FROM bucket WHERE series = ? AND level = ? AND n = ?", bucket_columns));
  for (int level = first_level; level <= last_level && level_exists(level, series.count); level += level_step) {
    const std::int64_t size = std::int64_t{1} << level;
    SeriesBucket bucket;
    if (series.count % size != 0) {
      find.bind_all(series.key, level, series.count / size);
      if (find.step()) bucket = read_bucket(find, 0);
      find.reset();
    }
    series.open.push_back(bucket);
  }
}

void SeriesRows::append(std::string_view name, int rank, const Point& given) {
  Series& series = open(name, rank);
  Point point = given;
  point.axes = stored_axes(given.axes);
  const Axes& axes = point.axes;
  insert_point_.bind_all(series.key, series.count, point.sequence, axes.step, axes.samples, axes.epoch, axes.gradients, axes.rounds,
                         axes.bytes, axes.active_s, axes.elapsed_s, axes.wall_s);
  bind_value(insert_point_, 13, 14, point.value);
  insert_point_.run();
  if (!series.touched) {
    series.touched = true;
    touched_.push_back(&series);
  }
  ++series.count;
  for (int level = first_level, index = 0; level <= last_level && level_exists(level, series.count); level += level_step, ++index) {
    const auto place = static_cast<std::size_t>(index);
    if (series.open.size() <= place) {
      // A level begins with what the level below has so far, its one completed bucket, and this point.
      series.open.push_back(place == 0 ? SeriesBucket{} : first_bucket(series, level - level_step));
    }
    if (series.full.size() <= place) series.full.resize(place + 1);
    SeriesBucket& bucket = series.open[place];
    add_to_bucket(bucket, axes, point.value);
    if (bucket.count == std::int64_t{1} << level) {
      series.full[place].emplace_back((series.count - 1) >> level, bucket);
      bucket = SeriesBucket{};
    }
  }
}

SeriesBucket SeriesRows::first_bucket(const Series& series, int level) {
  const auto place = static_cast<std::size_t>((level - first_level) / level_step);
  if (!series.full[place].empty()) return series.full[place].front().second;
  Statement find = database_.prepare(fmt::format("SELECT {} FROM bucket WHERE series = ? AND level = ? AND n = 0", bucket_columns));
  find.bind_all(series.key, level);
  return find.step() ? read_bucket(find, 0) : SeriesBucket{};
}

void SeriesRows::write_bucket(const Series& series, int level, std::int64_t n, const SeriesBucket& bucket) {
  Statement& row = insert_bucket_;
  row.bind_all(series.key, level, n, bucket.count, bucket.nonfinite);
  bind_finite(row, 6, bucket.min);
  bind_finite(row, 7, bucket.max);
  bind_finite(row, 8, bucket.mean);
  bind_value(row, 9, 10, bucket.first);
  bind_value(row, 11, 12, bucket.last);
  const auto axes = [&](const Axes& from, int to) {
    row.bind(to, from.step).bind(to + 2, from.samples).bind(to + 4, from.epoch).bind(to + 6, from.gradients);
    row.bind(to + 8, from.rounds).bind(to + 10, from.bytes).bind(to + 12, from.active_s);
    row.bind(to + 14, from.elapsed_s).bind(to + 16, from.wall_s);
  };
  axes(bucket.first_axes, 13);
  axes(bucket.last_axes, 14);
  row.run();
}

void SeriesRows::make_chunk(Series& series) {
  Statement select = database_.prepare(fmt::format("SELECT {} FROM point WHERE series = ? AND n >= ? AND n < ? ORDER BY n", point_columns));
  select.bind_all(series.key, series.chunked, series.chunked + chunk_points);
  std::vector<Point> points;
  while (select.step()) points.push_back(read_point(select, 0));
  if (points.size() != static_cast<std::size_t>(chunk_points)) {
    throw WorkspaceError(fmt::format("{}: points of a series are missing; restore a copy of the workspace", database_.path()));
  }
  const std::vector<std::byte> data = encode_points(points);
  Statement insert =
      database_.prepare("INSERT INTO chunk (series, first_n, count, first_sequence, last_sequence, data) VALUES (?, ?, ?, ?, ?, ?)");
  insert.bind_all(series.key, series.chunked, static_cast<std::int64_t>(points.size()), points.front().sequence, points.back().sequence,
                  std::span<const std::byte>(data));
  insert.run();
  Statement remove = database_.prepare("DELETE FROM point WHERE series = ? AND n < ?");
  series.chunked += chunk_points;
  remove.bind_all(series.key, series.chunked).run();
}

void SeriesRows::set_unit(std::string_view name, std::string_view unit) {
  units_.insert_or_assign(std::string(name), std::string(unit));
  Statement update = database_.prepare("UPDATE series SET unit = ? WHERE run = ? AND name = ?");
  update.bind_all(unit, run_key_, name).run();
}

void SeriesRows::finish_batch() {
  for (Series* series : touched_) {
    for (std::size_t place = 0; place < series->open.size(); ++place) {
      const int level = first_level + level_step * static_cast<int>(place);
      if (place < series->full.size()) {
        for (const auto& [n, bucket] : series->full[place]) write_bucket(*series, level, n, bucket);
        series->full[place].clear();
      }
      if (series->open[place].count > 0) write_bucket(*series, level, series->count >> level, series->open[place]);
    }
    while (series->count - series->chunked >= 2 * chunk_points) make_chunk(*series);
    update_series_.bind_all(series->key, series->count, series->chunked).run();
    series->touched = false;
  }
  touched_.clear();
}

void SeriesRows::forget() {
  touched_.clear();
  series_.clear();
}

}  // namespace syncline
