// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "engine/base/random.h"
#include "engine/store/columns.h"
#include "engine/store/level_of_detail.h"
#include "engine/store/run_rows.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || a == b; }

bool same_axes(const Axes& a, const Axes& b) {
  for (int axis = 0; axis < x_axis_count; ++axis) {
    if (value_of(a, static_cast<XAxis>(axis)) != value_of(b, static_cast<XAxis>(axis))) return false;
  }
  return true;
}

TEST(Columns, ComeBackAsTheyWere) {
  RandomStream random(1, "columns");
  std::vector<std::int64_t> integers = {0, -1, 1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
  std::vector<double> reals = {0, -0.0, infinity, -infinity, 5e-324};
  for (int i = 0; i < 300; ++i) {
    integers.push_back(static_cast<std::int64_t>(random.bits()) << random.below(32));
    reals.push_back(random.normal());
  }
  ColumnWriter writer(integers.size());
  writer.integers(integers);
  writer.reals(reals);
  writer.integers(integers);
  const auto data = writer.finish();
  ColumnReader reader(data, integers.size());
  EXPECT_EQ(reader.integers(), integers);
  EXPECT_EQ(reader.reals(), reals);
  EXPECT_EQ(reader.integers(), integers);
  EXPECT_NO_THROW(reader.expect_end());
}

TEST(Columns, DamageIsAnError) {
  const std::vector<Point> points(100);
  const auto data = encode_points(points);
  EXPECT_EQ(decode_points(data, 100).size(), 100u);
  EXPECT_THROW(decode_points(data, 101), WorkspaceError);
  EXPECT_THROW(decode_points(data, 99), WorkspaceError);
  EXPECT_THROW(decode_points(data, -1), WorkspaceError);
  EXPECT_THROW(decode_points({}, 100), WorkspaceError);
  for (std::size_t byte = 0; byte < data.size(); ++byte) {
    auto broken = data;
    broken[byte] ^= std::byte{0x41};
    try {
      decode_points(broken, 100);
    } catch (const WorkspaceError&) {
    }
  }
  auto huge = data;
  huge[6] = std::byte{0xff};  // claims to hold petabytes
  EXPECT_THROW(decode_points(huge, 100), WorkspaceError);
}

TEST(TraceCodec, RoundTrip) {
  StepTrace trace;
  trace.rank = 3;
  trace.step = 1234567;
  trace.start_s = 1.5;
  trace.end_s = 2.5;
  trace.spans = {{1.5, 1.75, SpanKind::forward, 7, 9}, {1.75, 2, SpanKind::wait, 2, 9}};
  Exchange exchange;
  exchange.label = "bucket 2";
  exchange.sequence = 77;
  exchange.bytes = 1 << 20;
  trace.exchanges = {ExchangeRecord::of(exchange)};
  const auto data = encode_trace(trace);
  const StepTrace back = decode_trace(data);
  EXPECT_EQ(back.rank, 3);
  EXPECT_EQ(back.step, 1234567);
  ASSERT_EQ(back.spans.size(), 2u);
  EXPECT_EQ(back.spans[1].kind, SpanKind::wait);
  ASSERT_EQ(back.exchanges.size(), 1u);
  EXPECT_STREQ(back.exchanges[0].label, "bucket 2");
  EXPECT_EQ(back.exchanges[0].sequence, 77u);
  for (std::size_t length = 0; length < data.size(); length += 3) {
    EXPECT_THROW(decode_trace(std::span(data).first(length)), WorkspaceError);
  }
}

using SeriesTest = StoreTest;

TEST_F(SeriesTest, NonFiniteValuesSurviveRowsAndChunks) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  const std::vector<double> pattern = {1.5, nan, infinity, -infinity, -0.0, 5e-324, std::numeric_limits<double>::max()};
  RunWriter writer(made, id);
  for (int step = 0; step < 3000; ++step) {
    writer.position(axes_at(step));
    writer.scalar("loss", step, pattern[static_cast<std::size_t>(step) % pattern.size()]);
  }
  writer.unit("loss", "nats");
  writer.close();
  Reader reader(made);
  const auto series = reader.find_series(id, "loss");
  ASSERT_TRUE(series.has_value());
  EXPECT_EQ(series->count, 3000);
  EXPECT_EQ(series->unit, "nats");
  EXPECT_GT(reader.database().integer("SELECT count(*) FROM chunk"), 3);
  EXPECT_LT(reader.database().integer("SELECT count(*) FROM point"), 1024);
  const std::vector<Point> points = reader.points(series->key);
  ASSERT_EQ(points.size(), 3000u);
  for (int step = 0; step < 3000; ++step) {
    const Point& point = points[static_cast<std::size_t>(step)];
    ASSERT_TRUE(same(point.value, pattern[static_cast<std::size_t>(step) % pattern.size()])) << step;
    ASSERT_TRUE(same_axes(point.axes, stored_axes(axes_at(step)))) << step;
    ASSERT_EQ(point.sequence, step + 1);
  }
  // What has come since some point: the same, whether that lies within a chunk, between two or beyond all of them.
  for (const std::int64_t first :
       {std::int64_t{1}, chunk_points - 1, chunk_points, chunk_points + 1, std::int64_t{2999}, std::int64_t{3000}}) {
    const std::vector<Point> rest = reader.points(series->key, first);
    ASSERT_EQ(rest.size(), static_cast<std::size_t>(3000 - first));
    if (!rest.empty()) {
      EXPECT_EQ(rest.front().sequence, first + 1);
    }
  }
}

// What the levels must hold, from the raw points alone.
std::vector<SeriesBucket> recomputed(const std::vector<Point>& points, int level) {
  std::vector<SeriesBucket> buckets;
  const std::size_t size = std::size_t{1} << level;
  for (std::size_t begin = 0; begin < points.size(); begin += size) {
    SeriesBucket bucket;
    bucket.min = bucket.max = bucket.mean = nan;
    bucket.first = points[begin].value;
    bucket.first_axes = points[begin].axes;
    long double sum = 0;
    for (std::size_t i = begin; i < std::min(points.size(), begin + size); ++i) {
      ++bucket.count;
      bucket.last = points[i].value;
      bucket.last_axes = points[i].axes;
      if (!std::isfinite(points[i].value)) {
        ++bucket.nonfinite;
        continue;
      }
      sum += points[i].value;
      bucket.min = std::isnan(bucket.min) ? points[i].value : std::min(bucket.min, points[i].value);
      bucket.max = std::isnan(bucket.max) ? points[i].value : std::max(bucket.max, points[i].value);
    }
    if (bucket.count > bucket.nonfinite) bucket.mean = static_cast<double>(sum / static_cast<long double>(bucket.count - bucket.nonfinite));
    buckets.push_back(bucket);
  }
  return buckets;
}

void expect_levels(Reader& reader, std::int64_t key, const std::vector<Point>& points) {
  Statement select = reader.database().prepare("SELECT DISTINCT level FROM bucket WHERE series = ? ORDER BY level");
  select.bind_all(key);
  std::vector<int> levels;
  while (select.step()) levels.push_back(static_cast<int>(select.integer(0)));
  std::vector<int> expected;
  for (int level = 4; level == 4 || (std::size_t{1} << (level - 2)) < points.size(); level += 2) expected.push_back(level);
  EXPECT_EQ(levels, expected);
  for (const int level : levels) {
    Statement rows =
        reader.database().prepare("SELECT n, " + std::string(bucket_columns) + " FROM bucket WHERE series = ? AND level = ? ORDER BY n");
    rows.bind_all(key, level);
    const auto wanted = recomputed(points, level);
    std::size_t n = 0;
    for (; rows.step(); ++n) {
      ASSERT_LT(n, wanted.size());
      ASSERT_EQ(rows.integer(0), static_cast<std::int64_t>(n));
      const SeriesBucket got = read_bucket(rows, 1);
      const SeriesBucket& want = wanted[n];
      ASSERT_EQ(got.count, want.count);
      ASSERT_EQ(got.nonfinite, want.nonfinite);
      ASSERT_TRUE(same(got.min, want.min) && same(got.max, want.max) && same(got.first, want.first) && same(got.last, want.last));
      if (!std::isnan(want.mean)) {
        ASSERT_NEAR(got.mean, want.mean, 1e-12 * (1 + std::abs(want.mean)));
      } else {
        ASSERT_TRUE(std::isnan(got.mean));
      }
      ASSERT_TRUE(same_axes(got.first_axes, want.first_axes) && same_axes(got.last_axes, want.last_axes));
    }
    EXPECT_EQ(n, wanted.size());
  }
}

TEST_F(SeriesTest, LevelsEqualRecomputationFromRawData) {
  const Workspace made = workspace();
  RandomStream random(5, "levels");
  Database database = made.connect();
  for (const int total : {1, 15, 16, 17, 64, 65, 1023, 1024, 5000}) {
    const std::string id = RunRegistry(made).create(new_run());
    std::vector<Point> points;
    // Batches of random length, and sometimes a new writer, as after a restart.
    auto rows = std::make_unique<RunRows>(database, run_key_of(database, id));
    while (static_cast<int>(points.size()) < total) {
      Transaction transaction(database);
      for (std::uint32_t i = 1 + random.below(300); i > 0 && static_cast<int>(points.size()) < total; --i) {
        const std::uint32_t dice = random.below(40);
        const double value = dice == 0   ? nan
                             : dice == 1 ? infinity
                             : dice == 2 ? -infinity
                                         : random.normal() * std::exp(random.normal() * 3);
        const auto step = static_cast<std::int64_t>(points.size());
        points.push_back({step + 1, stored_axes(axes_at(step)), value});
        rows->series().append("s", -1, {step + 1, axes_at(step), value});
      }
      rows->finish_batch(static_cast<std::int64_t>(points.size()), 0);
      transaction.commit();
      if (random.below(3) == 0) rows = std::make_unique<RunRows>(database, run_key_of(database, id));
    }
    Reader reader(made);
    expect_levels(reader, reader.find_series(id, "s")->key, points);
  }
}

TEST_F(SeriesTest, ARolledBackBatchLeavesNoTrace) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  Database database = made.connect();
  RunRows rows(database, run_key_of(database, id));
  std::vector<Point> points;
  for (int batch = 0; batch < 8; ++batch) {
    Transaction transaction(database);
    const std::size_t before = points.size();
    for (int i = 0; i < 37; ++i) {
      const auto step = static_cast<std::int64_t>(points.size());
      points.push_back({step + 1, stored_axes(axes_at(step)), static_cast<double>(step * step)});
      rows.series().append("s", -1, points.back());
      rows.steps().append({step + 1, sums_at(step)});
    }
    rows.finish_batch(static_cast<std::int64_t>(points.size()), 0);
    if (batch % 2 == 0) {
      transaction.commit();
    } else {
      rows.forget();
      points.resize(before);
    }
  }
  Reader reader(made);
  const std::int64_t key = reader.find_series(id, "s")->key;
  expect_levels(reader, key, points);
  EXPECT_EQ(reader.points(key).size(), points.size());
  EXPECT_EQ(reader.steps(id, 0).size(), points.size());
}

TEST_F(SeriesTest, ReadGivesWhatThePixelsNeed) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  RunWriter writer(made, id);
  constexpr int total = 20000;
  for (int step = 0; step < total; ++step) {
    writer.position(axes_at(step));
    writer.scalar("s", step, step == 12345 ? 1000 : std::sin(step * 0.01));
  }
  writer.close();
  Reader reader(made);
  const std::int64_t key = reader.find_series(id, "s")->key;

  const SeriesView raw = reader.read(key, XAxis::step, 100, 199, 100);
  EXPECT_EQ(raw.level, 0);
  ASSERT_EQ(raw.points.size(), 102u);  // 100 inside and one neighbour on each side
  EXPECT_EQ(raw.points.front().axes.step, 99);
  EXPECT_EQ(raw.points.back().axes.step, 200);

  for (const int pixels : {50, 200, 1000}) {
    const SeriesView view = reader.read(key, XAxis::step, 0, total, pixels);
    ASSERT_GT(view.level, 0);
    EXPECT_GE(view.buckets.size(), static_cast<std::size_t>(pixels));
    EXPECT_LE(view.buckets.size(), 4u * static_cast<std::size_t>(pixels) + 2);
    std::int64_t count = 0;
    double highest = 0;
    for (const SeriesBucket& bucket : view.buckets) {
      count += bucket.count;
      highest = std::max(highest, bucket.max);
    }
    EXPECT_EQ(count, total);
    EXPECT_EQ(highest, 1000);  // a spike of one sample is never lost
  }
  // Every axis finds the same points.
  for (int axis = 0; axis < x_axis_count; ++axis) {
    const auto x = static_cast<XAxis>(axis);
    const Axes from = stored_axes(axes_at(7000)), to = stored_axes(axes_at(7010));
    const SeriesView view = reader.read(key, x, value_of(from, x), value_of(to, x), 100);
    ASSERT_EQ(view.points.size(), 13u) << name_of(x);
    EXPECT_EQ(view.points.front().axes.step, 6999);
    EXPECT_EQ(x_axis_named(name_of(x)), x);
  }
  EXPECT_EQ(reader.read(key, XAxis::step, 5.25, 5.75, 100).points.size(), 2u);  // a gap: its neighbours
  EXPECT_EQ(reader.read(key, XAxis::step, 1e9, 2e9, 100).points.size(), 1u);
  EXPECT_EQ(reader.read(key, XAxis::step, -10, -5, 100).points.size(), 1u);
  EXPECT_EQ(reader.read(key, XAxis::step, 0, total, 0).points.size(), static_cast<std::size_t>(total));
}

TEST_F(SeriesTest, StepSumsComeBackFromRowsChunksAndBuckets) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  RandomStream random(9, "steps");
  std::vector<StepSums> given;
  RunWriter writer(made, id);
  for (int step = 0; step < 1500; ++step) {
    StepSums sums = sums_at(step, 1);
    for (const StepField& field : step_fields) sums.*field.member = random.uniform();
    for (const StepCount& count : step_counts) sums.*count.member = random.below(1000);
    sums.flags = random.below(64);
    if (step == 700) sums.loss_sum = nan;
    given.push_back(stored_steps(sums));
    writer.step(sums);
  }
  writer.close();
  Reader reader(made);
  EXPECT_EQ(reader.ranks(id), std::vector<int>{1});
  const std::vector<StepSums> back = reader.steps(id, 1);
  ASSERT_EQ(back.size(), given.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    for (const StepField& field : step_fields) ASSERT_TRUE(same(back[i].*field.member, given[i].*field.member)) << i << field.name;
    for (const StepCount& count : step_counts) ASSERT_EQ(back[i].*count.member, given[i].*count.member);
    ASSERT_TRUE(same_axes(back[i].axes, given[i].axes));
    ASSERT_EQ(back[i].flags, given[i].flags);
    ASSERT_EQ(back[i].rank, 1);
  }
  EXPECT_EQ(reader.steps(id, 1, 300, 309).size(), 10u);
  EXPECT_EQ(reader.step_buckets(id, 1, 300, 309, 100).size(), 10u);
  const auto buckets = reader.step_buckets(id, 1, 0, 1499, 100);
  ASSERT_EQ(buckets.size(), 94u);
  std::int64_t steps = 0;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    double exposed = 0, worst = 0;
    for (std::int64_t i = steps; i < steps + buckets[b].count; ++i) {
      exposed += given[static_cast<std::size_t>(i)].exposed_s;
      worst = std::max(worst, given[static_cast<std::size_t>(i)].exposed_s);
    }
    EXPECT_NEAR(buckets[b].mean.exposed_s, exposed / static_cast<double>(buckets[b].count), 1e-12);
    EXPECT_EQ(buckets[b].max_exposed_s, worst);
    steps += buckets[b].count;
  }
  EXPECT_EQ(steps, 1500);
}

}  // namespace
}  // namespace syncline
