// SPDX-License-Identifier: Apache-2.0
#include "engine/store/step_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/store/columns.h"
#include "engine/store/level_of_detail.h"

namespace syncline {
namespace {

bool is_time(const StepField& field) { return field.unit == "s"; }
std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

[[noreturn]] void damaged() { throw WorkspaceError("the stored sums of a step are damaged; restore a copy of the workspace"); }

// A row: format byte count of reals, count of whole numbers, then axes, flags, reals, whole numbers, 8 bytes each. Counts let fields be
// added.
void put(std::vector<std::byte>& to, const auto& value) {
  static_assert(sizeof(value) == 8);
  const std::size_t place = to.size();
  to.resize(place + 8);
  std::memcpy(to.data() + place, &value, 8);
}

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> data) : data_(data) {}
  template <typename Value>
  Value get() {
    static_assert(sizeof(Value) == 8);
    if (data_.size() < 8) damaged();
    Value value;
    std::memcpy(&value, data_.data(), 8);
    data_ = data_.subspan(8);
    return value;
  }

 private:
  std::span<const std::byte> data_;
};

void put_axes(std::vector<std::byte>& to, const Axes& axes) {
  put(to, axes.step), put(to, axes.samples), put(to, axes.epoch), put(to, axes.gradients), put(to, axes.rounds), put(to, axes.bytes);
  put(to, axes.active_s), put(to, axes.elapsed_s), put(to, axes.wall_s);
}

Axes get_axes(Cursor& from) {
  Axes axes;
  axes.step = from.get<std::int64_t>();
  axes.samples = from.get<std::int64_t>();
  axes.epoch = from.get<double>();
  axes.gradients = from.get<std::int64_t>();
  axes.rounds = from.get<std::int64_t>();
  axes.bytes = from.get<std::int64_t>();
  axes.active_s = from.get<double>();
  axes.elapsed_s = from.get<double>();
  axes.wall_s = from.get<double>();
  return axes;
}

}  // namespace

StepSums stored_steps(StepSums sums) {
  for (const StepField& field : step_fields) {
    double& value = sums.*field.member;
    if (is_time(field)) value = std::abs(value) < 9e9 ? static_cast<double>(nanoseconds(value)) / 1e9 : 0;
  }
  sums.axes = stored_axes(sums.axes);
  return sums;
}

namespace {

// The columns of step sums, for one row as for a chunk.
void write_columns(ColumnWriter& writer, std::span<const StepRow> rows) {
  std::vector<std::int64_t> integers(rows.size());
  std::vector<double> reals(rows.size());
  const auto integer_column = [&](auto&& value) {
    for (std::size_t i = 0; i < rows.size(); ++i) integers[i] = value(rows[i]);
    writer.integers(integers);
  };
  const auto real_column = [&](auto&& value) {
    for (std::size_t i = 0; i < rows.size(); ++i) reals[i] = value(rows[i]);
    writer.reals(reals);
  };
  integer_column([](const StepRow& row) { return row.sequence; });
  integer_column([](const StepRow& row) { return static_cast<std::int64_t>(row.sums.flags); });
  integer_column([](const StepRow& row) { return row.sums.axes.step; });
  integer_column([](const StepRow& row) { return row.sums.axes.samples; });
  integer_column([](const StepRow& row) { return row.sums.axes.gradients; });
  integer_column([](const StepRow& row) { return row.sums.axes.rounds; });
  integer_column([](const StepRow& row) { return row.sums.axes.bytes; });
  integer_column([](const StepRow& row) { return std::llround(row.sums.axes.active_s * 1e6); });
  integer_column([](const StepRow& row) { return std::llround(row.sums.axes.elapsed_s * 1e6); });
  integer_column([](const StepRow& row) { return std::llround(row.sums.axes.wall_s * 1e6); });
  real_column([](const StepRow& row) { return row.sums.axes.epoch; });
  for (const StepField& field : step_fields) {
    if (is_time(field)) {
      integer_column([&](const StepRow& row) { return nanoseconds(row.sums.*field.member); });
    } else {
      real_column([&](const StepRow& row) { return row.sums.*field.member; });
    }
  }
  for (const StepCount& count : step_counts) integer_column([&](const StepRow& row) { return row.sums.*count.member; });
}

std::vector<StepRow> read_columns(ColumnReader& reader, std::size_t count, int rank) {
  std::vector<StepRow> rows(count);
  const auto integer_column = [&](auto&& assign) {
    const std::vector<std::int64_t> values = reader.integers();
    for (std::size_t i = 0; i < rows.size(); ++i) assign(rows[i], values[i]);
  };
  const auto real_column = [&](auto&& assign) {
    const std::vector<double> values = reader.reals();
    for (std::size_t i = 0; i < rows.size(); ++i) assign(rows[i], values[i]);
  };
  integer_column([](StepRow& row, std::int64_t v) { row.sequence = v; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.flags = static_cast<std::uint32_t>(v); });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.step = v; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.samples = v; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.gradients = v; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.rounds = v; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.bytes = v; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.active_s = static_cast<double>(v) / 1e6; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.elapsed_s = static_cast<double>(v) / 1e6; });
  integer_column([](StepRow& row, std::int64_t v) { row.sums.axes.wall_s = static_cast<double>(v) / 1e6; });
  real_column([](StepRow& row, double v) { row.sums.axes.epoch = v; });
  for (const StepField& field : step_fields) {
    if (is_time(field)) {
      integer_column([&](StepRow& row, std::int64_t v) { row.sums.*field.member = static_cast<double>(v) / 1e9; });
    } else {
      real_column([&](StepRow& row, double v) { row.sums.*field.member = v; });
    }
  }
  for (const StepCount& one : step_counts) integer_column([&](StepRow& row, std::int64_t v) { row.sums.*one.member = v; });
  reader.expect_end();
  for (StepRow& row : rows) row.sums.rank = rank;
  return rows;
}

}  // namespace

std::vector<std::byte> encode_step(const StepRow& row) {
  ColumnWriter writer(1);
  write_columns(writer, {&row, 1});
  return writer.finish_uncompressed();
}

StepRow decode_step(std::span<const std::byte> data, int rank) {
  ColumnReader reader(data, 1, ColumnReader::Form::uncompressed);
  return read_columns(reader, 1, rank).front();
}

std::vector<std::byte> encode_steps(std::span<const StepRow> rows) {
  ColumnWriter writer(rows.size());
  write_columns(writer, rows);
  return writer.finish();
}

std::vector<StepRow> decode_steps(std::span<const std::byte> data, std::int64_t count, int rank) {
  if (count < 0 || count > 4096) damaged();
  ColumnReader reader(data, static_cast<std::size_t>(count));
  return read_columns(reader, static_cast<std::size_t>(count), rank);
}

void StepAggregate::add(const StepSums& sums) {
  if (count == 0) {
    first_step = sums.axes.step;
    min_exposed_s = max_exposed_s = sums.exposed_s;
    min_step_s = max_step_s = sums.step_s;
  }
  ++count;
  last_step = sums.axes.step;
  last_axes = sums.axes;
  flags |= sums.flags;
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i] += sums.*step_fields[i].member;
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += static_cast<double>(sums.*step_counts[i].member);
  min_exposed_s = std::min(min_exposed_s, sums.exposed_s);
  max_exposed_s = std::max(max_exposed_s, sums.exposed_s);
  min_step_s = std::min(min_step_s, sums.step_s);
  max_step_s = std::max(max_step_s, sums.step_s);
}

void StepAggregate::merge(const StepAggregate& later) {
  if (later.count == 0) return;
  if (count == 0) {
    *this = later;
    return;
  }
  count += later.count;
  last_step = later.last_step;
  last_axes = later.last_axes;
  flags |= later.flags;
  for (std::size_t i = 0; i < fields.size(); ++i) fields[i] += later.fields[i];
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += later.counts[i];
  min_exposed_s = std::min(min_exposed_s, later.min_exposed_s);
  max_exposed_s = std::max(max_exposed_s, later.max_exposed_s);
  min_step_s = std::min(min_step_s, later.min_step_s);
  max_step_s = std::max(max_step_s, later.max_step_s);
}

StepBucket StepAggregate::bucket(int rank) const {
  StepBucket bucket;
  bucket.count = count;
  bucket.first_step = first_step;
  bucket.mean.rank = rank;
  bucket.mean.flags = flags;
  bucket.mean.axes = last_axes;
  const double steps = static_cast<double>(std::max<std::int64_t>(1, count));
  for (std::size_t i = 0; i < fields.size(); ++i) bucket.mean.*step_fields[i].member = fields[i] / steps;
  for (std::size_t i = 0; i < counts.size(); ++i) bucket.mean.*step_counts[i].member = std::llround(counts[i] / steps);
  bucket.min_exposed_s = min_exposed_s;
  bucket.max_exposed_s = max_exposed_s;
  bucket.min_step_s = min_step_s;
  bucket.max_step_s = max_step_s;
  return bucket;
}

std::vector<std::byte> encode_aggregate(const StepAggregate& sums) {
  std::vector<std::byte> data;
  put(data, static_cast<std::uint64_t>(sums.fields.size()));
  put(data, static_cast<std::uint64_t>(sums.counts.size()));
  put(data, sums.count), put(data, sums.first_step), put(data, sums.last_step), put(data, static_cast<std::uint64_t>(sums.flags));
  put_axes(data, sums.last_axes);
  put(data, sums.min_exposed_s), put(data, sums.max_exposed_s), put(data, sums.min_step_s), put(data, sums.max_step_s);
  for (const double value : sums.fields) put(data, value);
  for (const double value : sums.counts) put(data, value);
  return data;
}

StepAggregate decode_aggregate(std::span<const std::byte> data) {
  Cursor from(data);
  const auto reals = from.get<std::uint64_t>(), integers = from.get<std::uint64_t>();
  StepAggregate sums;
  sums.count = from.get<std::int64_t>();
  sums.first_step = from.get<std::int64_t>();
  sums.last_step = from.get<std::int64_t>();
  sums.flags = static_cast<std::uint32_t>(from.get<std::uint64_t>());
  sums.last_axes = get_axes(from);
  sums.min_exposed_s = from.get<double>();
  sums.max_exposed_s = from.get<double>();
  sums.min_step_s = from.get<double>();
  sums.max_step_s = from.get<double>();
  for (std::uint64_t i = 0; i < reals; ++i) {
    const double value = from.get<double>();
    if (i < sums.fields.size()) sums.fields[i] = value;
  }
  for (std::uint64_t i = 0; i < integers; ++i) {
    const double value = from.get<double>();
    if (i < sums.counts.size()) sums.counts[i] = value;
  }
  return sums;
}

StepRows::StepRows(Database& database, std::int64_t run_key) : database_(database), run_key_(run_key) {
  insert_ =
      database.prepare("INSERT INTO step (lane, n, sequence, step, step_s, compute_s, comm_s, exposed_s, data) VALUES (?,?,?,?,?,?,?,?,?)");
  insert_bucket_ = database.prepare(
      "INSERT INTO step_bucket (lane, level, n, first_step, last_step, data) VALUES (?1,?2,?3,?4,?5,?6) ON CONFLICT (lane, level, n) "
      "DO UPDATE SET first_step = ?4, last_step = ?5, data = ?6");
  update_lane_ = database.prepare("UPDATE step_lane SET count = ?2, chunked = ?3 WHERE key = ?1");
}

StepRows::Lane& StepRows::open(int rank) {
  const auto known = lanes_.find(rank);
  if (known != lanes_.end()) return known->second;
  Lane lane;
  Statement find = database_.prepare("SELECT key, count, chunked FROM step_lane WHERE run = ? AND rank = ?");
  find.bind_all(run_key_, rank);
  if (find.step()) {
    lane.key = find.integer(0);
    lane.count = find.integer(1);
    lane.chunked = find.integer(2);
    for (int level = first_level; level <= last_level && level_exists(level, lane.count); level += level_step) {
      const std::int64_t size = std::int64_t{1} << level;
      lane.open.push_back(lane.count % size == 0 ? StepAggregate{} : stored_bucket(lane, level, lane.count / size));
    }
  } else {
    Statement insert = database_.prepare("INSERT INTO step_lane (run, rank) VALUES (?, ?)");
    insert.bind_all(run_key_, rank).run();
    lane.key = database_.last_row_id();
  }
  return lanes_.emplace(rank, std::move(lane)).first->second;
}

StepAggregate StepRows::stored_bucket(const Lane& lane, int level, std::int64_t n) {
  Statement find = database_.prepare("SELECT data FROM step_bucket WHERE lane = ? AND level = ? AND n = ?");
  find.bind_all(lane.key, level, n);
  return find.step() ? decode_aggregate(find.blob(0)) : StepAggregate{};
}

void StepRows::append(const StepRow& given) {
  const StepRow row{given.sequence, stored_steps(given.sums)};
  Lane& lane = open(row.sums.rank);
  const std::vector<std::byte> data = encode_step(row);
  insert_.bind_all(lane.key, lane.count, row.sequence, row.sums.axes.step, row.sums.step_s, row.sums.compute_s, row.sums.comm_s,
                   row.sums.exposed_s, std::span<const std::byte>(data));
  insert_.run();
  lane.touched = true;
  ++lane.count;
  for (int level = first_level, index = 0; level <= last_level && level_exists(level, lane.count); level += level_step, ++index) {
    const auto place = static_cast<std::size_t>(index);
    if (lane.full.size() <= place) lane.full.resize(place + 1);
    if (lane.open.size() <= place) {
      const bool below = place > 0 && !lane.full[place - 1].empty();
      lane.open.push_back(place == 0 ? StepAggregate{}
                          : below    ? lane.full[place - 1].front().second
                                     : stored_bucket(lane, level - level_step, 0));
    }
    lane.open[place].add(row.sums);
    if (lane.open[place].count == std::int64_t{1} << level) {
      lane.full[place].emplace_back((lane.count - 1) >> level, lane.open[place]);
      lane.open[place] = StepAggregate{};
    }
  }
}

void StepRows::write_bucket(const Lane& lane, int level, std::int64_t n, const StepAggregate& sums) {
  const std::vector<std::byte> data = encode_aggregate(sums);
  insert_bucket_.bind_all(lane.key, level, n, sums.first_step, sums.last_step, std::span<const std::byte>(data));
  insert_bucket_.run();
}

void StepRows::make_chunk(Lane& lane, int rank) {
  Statement select = database_.prepare("SELECT data FROM step WHERE lane = ? AND n >= ? AND n < ? ORDER BY n");
  select.bind_all(lane.key, lane.chunked, lane.chunked + chunk_steps);
  std::vector<StepRow> rows;
  std::int64_t first_step = 0, last_step = 0;
  while (select.step()) {
    rows.push_back(decode_step(select.blob(0), rank));
    const std::int64_t step = rows.back().sums.axes.step;
    first_step = rows.size() == 1 ? step : std::min(first_step, step);
    last_step = rows.size() == 1 ? step : std::max(last_step, step);
  }
  if (rows.size() != static_cast<std::size_t>(chunk_steps)) damaged();
  const std::vector<std::byte> data = encode_steps(rows);
  Statement insert = database_.prepare(
      "INSERT INTO step_chunk (lane, first_n, count, first_step, last_step, first_sequence, last_sequence, data) VALUES (?,?,?,?,?,?,?,?)");
  insert.bind_all(lane.key, lane.chunked, static_cast<std::int64_t>(rows.size()), first_step, last_step, rows.front().sequence,
                  rows.back().sequence, std::span<const std::byte>(data));
  insert.run();
  lane.chunked += chunk_steps;
  Statement remove = database_.prepare("DELETE FROM step WHERE lane = ? AND n < ?");
  remove.bind_all(lane.key, lane.chunked).run();
}

void StepRows::finish_batch() {
  for (auto& [rank, lane] : lanes_) {
    if (!lane.touched) continue;
    for (std::size_t place = 0; place < lane.open.size(); ++place) {
      const int level = first_level + level_step * static_cast<int>(place);
      if (place < lane.full.size()) {
        for (const auto& [n, sums] : lane.full[place]) write_bucket(lane, level, n, sums);
        lane.full[place].clear();
      }
      if (lane.open[place].count > 0) write_bucket(lane, level, lane.count >> level, lane.open[place]);
    }
    while (lane.count - lane.chunked >= 2 * chunk_steps) make_chunk(lane, rank);
    update_lane_.bind_all(lane.key, lane.count, lane.chunked).run();
    lane.touched = false;
  }
}

}  // namespace syncline
