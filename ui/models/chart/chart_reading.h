// SPDX-License-Identifier: GPL-3.0-or-later
// Reads what one chart shows. One object per chart, used on the reader thread only; it remembers what it has read.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "ui/models/chart/chart_data.h"
#include "ui/models/chart/metric_axis.h"
#include "ui/models/chart/series_cache.h"

namespace syncline::ui::chart {

class ChartReading {
 public:
  std::shared_ptr<const ChartData> read(Reader&, const ChartQuery&);

 private:
  struct RunPart {  // of a curve: one of its runs, with all attempts
    std::vector<Attempt> attempts;
    std::map<std::int64_t, ViewCache> views;       // by series
    std::map<std::int64_t, ViewCache> superseded;  // what lies beyond the cutoff
    ColumnCache columns;
    MetricPairs pairs;
    double first_x = 0, last_x = 0;
    std::optional<Reading> last;
    double typical_interval_s = 0;
    Point newest;
    std::int64_t newest_series = -1, newest_count = 0;
    std::int64_t samples = 0;
  };
  struct Curve {
    CurveQuery query;
    std::map<QString, RunPart> runs;
    Aggregate mean;
    std::vector<double> mean_smoothed;
  };
  void look_up(Reader&, const ChartQuery&, Curve&, CurveData&);
  bool find_newest(Reader&, const ChartQuery&, const Attempt&, RunPart&, bool alone);
  void read_run(Reader&, const ChartQuery&, const ChartData&, RunPart&, double shift, CurveData&);
  void read_ranks(Reader&, const ChartQuery&, const ChartData&, const RunPart&, double shift, CurveData&);
  void read_mean(Reader&, const ChartQuery&, const ChartData&, Curve&, double shift, CurveData&);
  void read_events(Reader&, const ChartQuery&, ChartData&);
  void read_over_metric(Reader&, const ChartQuery&, Curve&, CurveData&);
  void list_metrics(Reader&, ChartData&);
  FirstPoints firsts_;
  std::map<QString, Curve> curves_;
  std::map<std::string, std::pair<std::int64_t, std::vector<EventRecord>>> events_;  // by run, with its number of records when read
};

}  // namespace syncline::ui::chart
