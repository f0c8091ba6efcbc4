// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/chart_reading.h"

#include <QCoreApplication>
#include <QSet>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>

#include "ui/models/chart/rank_rates.h"
#include "ui/models/format.h"

namespace syncline::ui::chart {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double none = std::numeric_limits<double>::quiet_NaN();
constexpr int most_refined = 64;          // buckets whose samples are looked at one by one for what cannot be drawn
constexpr std::size_t event_runs = 1;     // marks of several runs on one edge cannot be told apart
constexpr std::size_t interval_tail = 9;  // newest samples from which the typical interval is taken

QString text(const char* words) { return QCoreApplication::translate("chart", words); }

bool over(const std::string& state) { return state == "finished" || state == "stopped" || state == "failed" || state == "lost"; }

Reading reading_of(const Point& point, XAxis axis, double shift, int attempt) {
  return {value_of(point.axes, axis) - shift, point.value, none, none, none, 1, attempt, point.axes};
}

// What of a view lies in from..to, with one neighbour on each side so that the line leaves the frame.
template <typename Item, typename First, typename Last>
std::span<const Item> within(const std::vector<Item>& items, double from, double to, First first_x, Last last_x) {
  auto first = std::partition_point(items.begin(), items.end(), [&](const Item& item) { return last_x(item) < from; });
  auto last = std::partition_point(first, items.end(), [&](const Item& item) { return first_x(item) <= to; });
  if (first != items.begin()) --first;
  if (last != items.end()) ++last;
  return {first, last};
}

// Feeds the part of a view that a frame shows to the reducer and collects its samples for reading off; only what lies in from..to counts.
// Buckets that hold something a line cannot show are looked at sample by sample, so that the mark says what it is.
void reduce_view(Reader& reader, std::int64_t series, const ViewCache& view, XAxis axis, double shift, const Frame& frame, int attempt,
                 double from, double to, Reducer& reducer, std::vector<Reading>* readings) {
  int refined = 0;
  const bool logarithmic = frame.logarithmic;
  const auto first_of = [axis](const SeriesBucket& bucket) { return value_of(bucket.first_axes, axis); };
  const auto last_of = [axis](const SeriesBucket& bucket) { return value_of(bucket.last_axes, axis); };
  const auto place_of = [axis](const Point& point) { return value_of(point.axes, axis); };
  const auto buckets = within(view.buckets(), frame.from + shift, frame.to + shift, first_of, last_of);
  const auto points = within(view.points(), frame.from + shift, frame.to + shift, place_of, place_of);
  if (readings != nullptr) readings->reserve(readings->size() + 2 * buckets.size() + points.size());
  const auto inside = [&](double x) { return x >= from && x <= to; };
  const auto take = [&](const Point& point) {
    const double x = value_of(point.axes, axis);
    if (!inside(x)) return;
    reducer.add(x - shift, point.value);
    if (readings != nullptr) readings->push_back(reading_of(point, axis, shift, attempt));
  };
  for (const SeriesBucket& bucket : buckets) {
    const double first_x = value_of(bucket.first_axes, axis), last_x = value_of(bucket.last_axes, axis);
    if (last_x < from || first_x > to) continue;
    const bool crosses = first_x < from || last_x > to;
    const bool odd = bucket.nonfinite > 0 || (logarithmic && bucket.min <= 0);
    if (crosses || (odd && refined < most_refined)) {
      refined += odd ? 1 : 0;
      // Neighbours of the stretch come along and belong to other buckets.
      for (const Point& point : reader.read(series, axis, first_x, last_x, 0).points) {
        const double x = value_of(point.axes, axis);
        if (x >= first_x && x <= last_x) take(point);
      }
      continue;
    }
    reducer.add(bucket, first_x - shift, last_x - shift);
    if (readings == nullptr) continue;
    readings->push_back({first_x - shift, bucket.first, none, none, none, 1, attempt, bucket.first_axes});
    if (bucket.count > 1) readings->push_back({last_x - shift, bucket.last, none, none, none, 1, attempt, bucket.last_axes});
  }
  for (const Point& point : points) take(point);
}

void count_marks(const Reduced& line, CurveData& curve) {
  for (const Mark& mark : line.marks) {
    if (mark.kind == MarkKind::not_positive) continue;
    curve.nonfinite += mark.count;
    if (!curve.first_nonfinite) curve.first_nonfinite = mark.x;
  }
}

// The slice of columns that a frame shows, one neighbour on each side.
std::pair<std::size_t, std::size_t> slice(const std::vector<double>& x, double from, double to) {
  auto first = std::lower_bound(x.begin(), x.end(), from), last = std::upper_bound(x.begin(), x.end(), to);
  if (first != x.begin()) --first;
  if (last != x.end()) ++last;
  return {static_cast<std::size_t>(first - x.begin()), static_cast<std::size_t>(last - x.begin())};
}

Reduced reduce_columns(const std::vector<double>& x, const std::vector<double>& y, double shift, const Frame& frame) {
  Reducer reducer(frame);
  const auto [first, last] = slice(x, frame.from + shift, frame.to + shift);
  for (std::size_t i = first; i < last; ++i) reducer.add(x[i] - shift, y[i]);
  return reducer.finish();
}

void find_best(CurveData& curve) {
  for (std::size_t i = 0; i < curve.line.y.size(); ++i) {
    const double y = curve.line.y[i];
    if (!std::isfinite(y)) continue;
    if (!curve.best_low || y < *curve.best_low) curve.best_low = y;
    if (!curve.best_high || y > *curve.best_high) curve.best_high = y;
  }
}

// Wall time between the newest samples, the middle one of the gaps; 0: there are too few.
double typical_interval(std::span<const Point> points) {
  std::vector<double> gaps;
  for (std::size_t i = points.size() > interval_tail ? points.size() - interval_tail : 1; i < points.size(); ++i) {
    gaps.push_back(points[i].axes.wall_s - points[i - 1].axes.wall_s);
  }
  if (gaps.empty()) return 0;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2), gaps.end());
  return gaps[gaps.size() / 2];
}

}  // namespace

// The newest sample of a run. Where everything is in view that has been read with it, and costs nothing.
bool ChartReading::find_newest(Reader& reader, const ChartQuery& query, const Attempt& newest, RunPart& part, bool alone) {
  const SeriesInfo& series = *newest.series;
  std::span<const Point> tail;
  SeriesView end;
  if (alone && std::isnan(query.from) && std::isnan(query.to)) {
    ViewCache& view = part.views[series.key];
    view.update(reader, series, query.axis, -infinity, infinity, query.pixels);
    tail = view.points();
  } else if (!part.last || part.newest_series != series.key || part.newest_count != series.count) {
    // From a fifth of a second before; of slower series that is the last two samples, as the one before the range comes along.
    end = reader.read(series.key, query.axis, infinity, infinity, 0);
    if (!end.points.empty()) end = reader.read(series.key, XAxis::wall_s, end.points.back().axes.wall_s - 0.2, infinity, 0);
    tail = end.points;
  }
  if (!tail.empty()) {
    part.newest_series = series.key;
    part.newest_count = series.count;
    part.newest = tail.back();
    part.typical_interval_s = typical_interval(tail);
  } else if (part.newest_series != series.key) {
    return false;
  }
  part.last = reading_of(part.newest, query.axis, 0, newest.number);
  part.last_x = part.last->x;
  return true;
}

// Attempts, extent and newest sample of each run of a curve.
void ChartReading::look_up(Reader& reader, const ChartQuery& query, Curve& curve, CurveData& result) {
  QSet<QString> roots;
  result.first_x = infinity;
  result.last_x = -infinity;
  result.seeds_count = 0;
  std::map<QString, RunPart> kept;
  for (const QString& id : curve.query.run_ids) {
    std::vector<Attempt> attempts = attempts_of(reader, firsts_, id.toStdString(), curve.query.series.toStdString(),
                                                curve.query.rank == every_rank ? -1 : curve.query.rank, query.axis);
    if (attempts.empty()) continue;
    const QString root = QString::fromStdString(attempts.front().run_id);
    if (roots.contains(root)) continue;  // two attempts of one run are one seed
    roots.insert(root);
    RunPart& part = kept[root];
    if (const auto known = curve.runs.find(root); known != curve.runs.end()) part = std::move(known->second);
    part.attempts = std::move(attempts);
    part.samples = 0;
    const Attempt* newest = nullptr;
    part.first_x = infinity;
    for (const Attempt& attempt : part.attempts) {
      if (!attempt.series) continue;
      part.samples += attempt.series->count;
      newest = &attempt;
      if (const Point* first = firsts_.of(reader, attempt.series->key))
        part.first_x = std::min(part.first_x, value_of(first->axes, query.axis));
    }
    if (!over(part.attempts.back().state)) result.running = true;
    if (newest == nullptr) continue;
    if (!find_newest(reader, query, *newest, part, curve.query.run_ids.size() == 1)) continue;
    ++result.seeds_count;
    if (const std::string& state = part.attempts.back().state; state == "stopped" || state == "failed" || state == "lost") {
      ++result.seeds_stopped_early;
    }
    result.samples += part.samples;
    result.attempts = std::max(result.attempts, static_cast<int>(part.attempts.size()));
    result.typical_interval_s = std::max(result.typical_interval_s, part.typical_interval_s);
    result.first_x = std::min(result.first_x, part.first_x);
    result.last_x = std::max(result.last_x, part.last_x);
    if (!result.last || part.last->axes->wall_s > result.last->axes->wall_s) result.last = part.last;
  }
  curve.runs = std::move(kept);
  if (result.samples == 0) {
    result.why_missing = curve.runs.empty()
                             ? text(QT_TRANSLATE_NOOP("chart", "the run is not in this workspace"))
                             : text(QT_TRANSLATE_NOOP("chart", "%1 was not recorded")).arg(format::titleOf(curve.query.series));
  }
}

void ChartReading::read_run(Reader& reader, const ChartQuery& query, const ChartData& data, RunPart& part, double shift, CurveData& curve) {
  const Frame frame{data.from, data.to, query.pixels, query.logarithmic};
  const bool everything = std::isnan(query.from) && std::isnan(query.to);
  const double from = everything ? -infinity : data.from + shift, to = everything ? infinity : data.to + shift;
  Reducer line(frame), replaced(frame);
  for (const Attempt& attempt : part.attempts) {
    if (!attempt.series) continue;
    const std::int64_t key = attempt.series->key;
    if (attempt.cutoff_x > -infinity) {
      ViewCache& view = part.views[key];
      view.update(reader, *attempt.series, query.axis, from, to, query.pixels);
      reduce_view(reader, key, view, query.axis, shift, frame, attempt.number, -infinity, attempt.cutoff_x, line, &curve.readings);
    }
    if (attempt.cutoff_x < infinity && attempt.cutoff_x <= to) {
      ViewCache& view = part.superseded[key];
      view.update(reader, *attempt.series, query.axis, std::max(from, attempt.cutoff_x), to, query.pixels);
      reduce_view(reader, key, view, query.axis, shift, frame, attempt.number, attempt.cutoff_x, infinity, replaced, nullptr);
      replaced.add(view.points().empty() ? attempt.cutoff_x - shift : value_of(view.points().back().axes, query.axis) - shift, none);
    }
  }
  curve.line = line.finish();
  curve.superseded = replaced.finish();
  curve.superseded.marks.clear();  // they leave all statistics
  if (!query.smoothing.on()) return;
  part.columns.update(reader, part.attempts, query.axis);
  const std::vector<double>& smoothed = part.columns.smoothed(query.smoothing);
  curve.smoothed = reduce_columns(part.columns.x(), smoothed, shift, frame);
  curve.smoothed.marks.clear();  // those of the raw samples are shown
  for (Reading& reading : curve.readings) {
    if (const auto at = last_at_or_before(part.columns.x(), reading.x + shift)) reading.smoothed = smoothed[*at];
  }
}

// The sum over the ranks as a line, all at the pace of the slowest to all at that of the fastest as its band.
void ChartReading::read_ranks(Reader& reader, const ChartQuery& query, const ChartData& data, const RunPart& part, double shift,
                              CurveData& curve) {
  constexpr int pixels_per_stretch = 2;
  const Frame frame{data.from, data.to, query.pixels, query.logarithmic};
  const bool everything = std::isnan(query.from) && std::isnan(query.to);
  RankRates rates = read_rank_rates(reader, part.attempts, query.axis, everything ? -infinity : data.from + shift,
                                    everything ? infinity : data.to + shift, std::max(16, query.pixels / pixels_per_stretch));
  for (double& x : rates.x) x -= shift;
  Reducer line(frame);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    line.add(rates.x[i], rates.sum[i]);
    curve.readings.push_back(
        {rates.x[i], rates.sum[i], none, rates.lower[i], rates.upper[i], rates.ranks[i], rates.attempt[i], rates.axes[i]});
  }
  curve.line = line.finish();
  curve.band = reduce_band(rates.x, rates.lower, rates.upper, frame);
  curve.last = curve.readings.empty() ? std::nullopt : std::optional(curve.readings.back());
}

void ChartReading::read_mean(Reader& reader, const ChartQuery& query, const ChartData& data, Curve& curve, double shift,
                             CurveData& result) {
  const Frame frame{data.from, data.to, query.pixels, query.logarithmic};
  std::vector<SeedSamples> seeds;
  std::vector<std::vector<double>> shifted;  // each seed starts at 0 when starts are aligned
  for (auto& [id, part] : curve.runs) {
    part.columns.update(reader, part.attempts, query.axis);
    if (part.columns.x().empty()) continue;
    if (shift == 0 && !query.align_starts) {
      seeds.push_back({part.columns.x(), part.columns.y()});
      continue;
    }
    std::vector<double> x = part.columns.x();
    for (double& at : x) at -= part.first_x;
    shifted.push_back(std::move(x));
    seeds.push_back({{}, part.columns.y()});
  }
  for (std::size_t i = 0; i < shifted.size(); ++i) seeds[i].x = shifted[i];
  const Aggregate mean = aggregate(seeds, query.band);
  const int most = mean.n.empty() ? 0 : *std::max_element(mean.n.begin(), mean.n.end());
  Reducer whole(frame), partial(frame);
  const auto [first, last] = slice(mean.x, frame.from, frame.to);
  std::vector<double> smoothed;
  if (query.smoothing.on()) smoothed = smooth(mean.x, mean.mean, query.smoothing);
  bool left = false, joined = false;
  int before = 0;
  for (std::size_t i = 0; i < mean.x.size(); ++i) {
    // Seeds that have not begun yet are no loss; those that have ended are.
    if (mean.n[i] < before) {
      left = true;
      result.seeds_left.emplace_back(mean.x[i], mean.n[i]);
    }
    if (i >= first && i < last) {
      if (!left) whole.add(mean.x[i], mean.mean[i]);
      if (left) {
        // The dashed part begins where the whole one ended, without a hole between them.
        if (!std::exchange(joined, true) && i > 0) partial.add(mean.x[i - 1], mean.mean[i - 1]);
        partial.add(mean.x[i], mean.mean[i]);
      }
      result.readings.push_back(
          {mean.x[i], mean.mean[i], smoothed.empty() ? none : smoothed[i], mean.lower[i], mean.upper[i], mean.n[i], 1, {}});
    }
    before = mean.n[i];
  }
  result.line = whole.finish();
  result.partial = partial.finish();
  if (query.smoothing.on()) {
    result.smoothed = reduce_columns(mean.x, smoothed, 0, frame);
    result.smoothed.marks.clear();
  }
  if (most > 1 && query.band != Band::none && query.band != Band::lines) {
    const auto part_of = [&, f = first, l = last](const std::vector<double>& all) {
      return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(f), all.begin() + static_cast<std::ptrdiff_t>(l));
    };
    result.band = reduce_band(part_of(mean.x), part_of(mean.lower), part_of(mean.upper), frame);
  }
  for (const SeedSamples& seed : seeds) {
    Reducer line(frame);
    for (std::size_t i = 0; i < seed.x.size(); ++i) {
      if (seed.x[i] >= frame.from && seed.x[i] <= frame.to) line.add(seed.x[i], seed.y[i]);
    }
    Reduced reduced = line.finish();
    result.line.marks.insert(result.line.marks.end(), reduced.marks.begin(), reduced.marks.end());
    reduced.marks.clear();
    if (query.band == Band::lines) result.seeds.push_back(std::move(reduced));
  }
  // The newest of the mean, not of one seed.
  if (result.last) {
    for (std::size_t i = mean.x.size(); i-- > 0;) {
      if (mean.n[i] == 0) continue;
      const double wall = result.last->axes->wall_s;
      result.last = Reading{mean.x[i], mean.mean[i], smoothed.empty() ? none : smoothed[i], mean.lower[i], mean.upper[i], mean.n[i], 1, {}};
      result.last->axes = Axes{};
      result.last->axes->wall_s = wall;
      break;
    }
  }
}

void ChartReading::read_events(Reader& reader, const ChartQuery& query, ChartData& data) {
  std::map<std::string, const Attempt*> runs;
  std::set<std::string> roots;
  double shift = 0;
  for (const auto& [id, curve] : curves_) {
    for (const auto& [root, part] : curve.runs) {
      roots.insert(root.toStdString());
      if (query.align_starts) shift = part.first_x;
      for (const Attempt& attempt : part.attempts) runs[attempt.run_id] = &attempt;
    }
  }
  if (roots.size() > event_runs) return;
  for (const auto& [run_id, attempt] : runs) {
    Statement newest = reader.database().prepare("SELECT count(*) FROM event WHERE run = (SELECT key FROM run WHERE id = ?)");
    newest.bind_all(run_id);
    const std::int64_t count = newest.step() ? newest.integer(0) : 0;
    auto& [known, events] = events_[run_id];
    if (known != count) {
      events = reader.events(run_id);
      known = count;
    }
    std::optional<Point> place;
    for (const EventRecord& event : events) {
      EventMark mark{
          static_cast<double>(event.step), event.step, event.wall_s, QString::fromStdString(event.kind), QString::fromStdString(event.text),
          QString::fromStdString(run_id)};
      if (query.axis == XAxis::active_s) {
        mark.x = event.active_s;
      } else if (query.axis == XAxis::wall_s) {
        mark.x = event.wall_s;
      } else if (query.axis != XAxis::step) {
        // Where the series stood at that step.
        if (!attempt->series) continue;
        const double step = static_cast<double>(event.step);
        if (!place || place->axes.step != event.step) {
          place.reset();
          for (const Point& point : reader.read(attempt->series->key, XAxis::step, step, step, 0).points) {
            if (point.axes.step <= event.step || !place) place = point;
          }
        }
        if (!place) continue;
        mark.x = value_of(place->axes, query.axis);
      }
      mark.x -= shift;
      data.events.push_back(std::move(mark));
    }
    if (attempt->number > 1 && attempt->series) {
      if (const Point* first = firsts_.of(reader, attempt->series->key)) {
        const Axes& axes = first->axes;
        data.events.push_back({value_of(axes, query.axis) - shift, axes.step, axes.wall_s, QStringLiteral("attempt"),
                               text(QT_TRANSLATE_NOOP("chart", "attempt %1 began")).arg(attempt->number), QString::fromStdString(run_id)});
      }
    }
  }
}

// Over another series: every run for itself, as a mean needs an axis that only rises.
void ChartReading::read_over_metric(Reader& reader, const ChartQuery& query, Curve& curve, CurveData& result) {
  for (auto& [root, part] : curve.runs) {
    if (part.samples == 0) continue;
    part.pairs.update(reader, firsts_, root.toStdString(), part.attempts, query.x_series, std::max(-1, curve.query.rank));
    add_pairs(part.pairs, query.logarithmic, result);
  }
  finish_pairs(query.x_series, result);
}

void ChartReading::list_metrics(Reader& reader, ChartData& data) {
  constexpr std::size_t most_runs = 8;  // of hundreds of runs the first ones tell what is recorded
  QSet<QString> seen;
  std::size_t looked_at = 0;
  for (const auto& [id, curve] : curves_) {
    for (const auto& [root, part] : curve.runs) {
      if (seen.contains(root) || looked_at == most_runs) continue;
      seen.insert(root);
      ++looked_at;
      for (const Attempt& attempt : part.attempts) data.metrics += metrics_of(reader, attempt.run_id);
    }
  }
  data.metrics.removeDuplicates();
  data.metrics.sort();
}

std::shared_ptr<const ChartData> ChartReading::read(Reader& reader, const ChartQuery& query) {
  auto data = std::make_shared<ChartData>();
  data->query = query;
  data->first_x = infinity;
  data->last_x = -infinity;
  std::map<QString, Curve> kept;
  std::set<std::pair<std::string, int>> kinds;
  for (const CurveQuery& wanted : query.curves) {
    Curve& curve = kept[wanted.id];
    if (const auto known = curves_.find(wanted.id); known != curves_.end() && known->second.query == wanted)
      curve = std::move(known->second);
    curve.query = wanted;
    CurveData& result = data->curves.emplace_back();
    result.id = wanted.id;
    look_up(reader, query, curve, result);
    if (result.samples == 0) continue;
    for (const auto& [id, part] : curve.runs) kinds.insert({part.attempts.back().strategy, part.attempts.back().workers});
    const double shift = query.align_starts ? result.first_x : 0;
    data->first_x = std::min(data->first_x, result.first_x - shift);
    data->last_x = std::max(data->last_x, result.last_x - shift);
  }
  curves_ = std::move(kept);
  data->steps_differ = kinds.size() > 1;
  if (data->first_x > data->last_x) data->first_x = data->last_x = 0;
  data->from = std::isnan(query.from) ? data->first_x : query.from;
  data->to = std::isnan(query.to) ? data->last_x : query.to;
  for (int i = 0; i < x_axis_count; ++i) {
    const auto axis = static_cast<XAxis>(i);
    const bool known = std::any_of(data->curves.begin(), data->curves.end(), [axis](const CurveData& curve) {
      return curve.last && curve.last->axes && (value_of(*curve.last->axes, axis) != 0 || curve.samples <= 1);
    });
    if (!known && data->any() && axis != XAxis::step) {
      data->axis_reasons[static_cast<std::size_t>(i)] = text(QT_TRANSLATE_NOOP("chart", "these curves have no %1")).arg(axis_label(axis));
    }
  }
  for (CurveData& result : data->curves) {
    if (result.samples == 0) continue;
    Curve& curve = curves_[result.id];
    if (!query.x_series.isEmpty()) {
      read_over_metric(reader, query, curve, result);
      count_marks(result.line, result);
      find_best(result);
      continue;
    }
    const double shift = query.align_starts ? result.first_x : 0;
    if (curve.query.rank == every_rank) {
      for (auto& [id, part] : curve.runs) {
        if (part.samples > 0) read_ranks(reader, query, *data, part, shift, result);
      }
    } else if (curve.query.run_ids.size() > 1 && curve.runs.size() > 1) {
      read_mean(reader, query, *data, curve, shift, result);
    } else {
      for (auto& [id, part] : curve.runs) {
        if (part.samples > 0) read_run(reader, query, *data, part, shift, result);
      }
      if (result.last) result.last->x -= shift;
    }
    count_marks(result.line, result);
    find_best(result);
    result.first_x -= shift;
    result.last_x -= shift;
  }
  list_metrics(reader, *data);
  if (query.x_series.isEmpty()) {
    if (query.events && data->any()) read_events(reader, query, *data);
    return data;
  }
  data->first_x = infinity;
  data->last_x = -infinity;
  for (const CurveData& result : data->curves) {
    if (result.samples == 0) continue;
    data->first_x = std::min(data->first_x, result.first_x);
    data->last_x = std::max(data->last_x, result.last_x);
  }
  if (data->first_x > data->last_x) data->first_x = data->last_x = 0;
  data->from = data->first_x;
  data->to = data->last_x;
  return data;
}

}  // namespace syncline::ui::chart
