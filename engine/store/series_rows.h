// SPDX-License-Identifier: Apache-2.0
// Scalar series of one run as rows, chunks and buckets. All calls inside the caller's transaction; after a rollback call forget().
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/store/database.h"
#include "engine/store/level_of_detail.h"
#include "engine/store/records.h"

namespace syncline {

inline constexpr std::int64_t chunk_points = 512;  // rows of a series beyond twice this become a chunk

std::vector<std::byte> encode_points(std::span<const Point>);
std::vector<Point> decode_points(std::span<const std::byte>, std::int64_t count);

// Orders (name, rank); finds without making a string.
struct SeriesNameLess {
  using is_transparent = void;
  using View = std::pair<std::string_view, int>;
  static View view(const View& key) { return key; }
  static View view(const std::pair<std::string, int>& key) { return {key.first, key.second}; }
  bool operator()(const auto& a, const auto& b) const { return view(a) < view(b); }
};

class SeriesRows {
 public:
  SeriesRows(Database&, std::int64_t run_key);
  void append(std::string_view name, int rank, const Point&);
  void set_unit(std::string_view name, std::string_view unit);
  void finish_batch();  // before the commit: writes the touched buckets and counts, makes chunks
  void forget();        // what was appended since the last commit is gone

 private:
  struct Series {
    std::int64_t key = 0, count = 0, chunked = 0;
    std::vector<SeriesBucket> open;                                        // the last bucket of each level, from first_level on
    std::vector<std::vector<std::pair<std::int64_t, SeriesBucket>>> full;  // per level: completed in this batch
    bool touched = false;
  };
  Series& open(std::string_view name, int rank);
  void load(Series&);
  SeriesBucket first_bucket(const Series&, int level);
  void write_bucket(const Series&, int level, std::int64_t n, const SeriesBucket&);
  void make_chunk(Series&);

  Database& database_;
  std::int64_t run_key_;
  std::map<std::pair<std::string, int>, Series, SeriesNameLess> series_;
  std::map<std::string, std::string, std::less<>> units_;
  std::vector<Series*> touched_;
  Statement insert_point_, insert_bucket_, update_series_;
};

// Columns of table bucket from `count` on, in order; used by writer and reader.
inline constexpr std::string_view bucket_columns =
    "count, nonfinite, min, max, mean, first, first_kind, last, last_kind, first_step, last_step, first_samples, last_samples, "
    "first_epoch, "
    "last_epoch, first_gradients, last_gradients, first_rounds, last_rounds, first_bytes, last_bytes, first_active_s, last_active_s, "
    "first_elapsed_s, last_elapsed_s, first_wall_s, last_wall_s";
SeriesBucket read_bucket(const Statement&, int first_column);
// Columns of table point likewise.
inline constexpr std::string_view point_columns =
    "sequence, step, samples, epoch, gradients, rounds, bytes, active_s, elapsed_s, wall_s, value, kind";
Point read_point(const Statement&, int first_column);

}  // namespace syncline
