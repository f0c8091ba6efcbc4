// SPDX-License-Identifier: GPL-3.0-or-later
// What the Compare page shows, as values: runs with their summaries, seeds of one experiment together, differences to a baseline. Numbers
// are the engine's (summarise, spread_of, within_spread); this only lays them side by side.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/store/seeds.h"
#include "engine/store/summary.h"
#include "ui/models/run_page_communication.h"

namespace syncline::ui {

struct ComparedRun {
  RunInfo info;
  Summary summary;
  StepSums split;  // mean step of the slowest worker after warm-up; step_s 0: nothing recorded
  QString damage;  // why it cannot be read; empty: it can
};

struct ComparisonData {
  std::vector<ComparedRun> runs;  // in the order asked for
  QStringList missing;            // ids that the workspace does not have (any more)
};
ComparisonData read_comparison(Reader&, const QStringList& run_ids);

// A row of the comparison: the seeds of one experiment, or one run.
struct ComparedItem {
  QString id, name;  // id: stable ("g:KEY" or "r:ID")
  std::vector<const ComparedRun*> runs;
  int palette = 0;
  QColor colour;  // the user's own; may be invalid
  QString note;   // "1 stopped early"

  bool prediction() const { return runs.front()->info.kind != "measured"; }
  int workers() const { return runs.front()->info.workers; }
  QStringList runIds() const;
  std::vector<const RunInfo*> infos() const;
  // Over its seeds; runs without the value are left out.
  SeedsSpread seedsSpreadOf(std::string_view key) const;
  Spread spreadOf(std::string_view key) const { return seedsSpreadOf(key).spread; }
};
// Pointers into `data`, which must outlive the items. Predictions never share an item with measured runs.
std::vector<ComparedItem> compared_items(const ComparisonData& data, bool aggregate);

// The difference of one value to the baseline's.
struct ComparedCell {
  QString value;       // "12.4 k ± 0.3 k (n = 5)"; missing: an en dash
  QString difference;  // "+4.5 k  +57 % ▲"; empty for the baseline itself
  QString words;       // "57 % better than the baseline", for the tooltip and screen readers
  enum Verdict { none, better, worse, within } verdict = none;
};
ComparedCell compare_cell(const SummaryMetric&, const ComparedItem&, const ComparedItem* baseline);
// The rule by which a difference is called noise, in words.
QString within_spread_rule();

// Which parameters an evaluation of this strategy is about ("common parameters").
QString evaluated_parameters(const std::string& strategy);
// Why these runs may not be comparable: one sentence each ("the data differ: cifar10, fashion-mnist"). Nothing is forbidden by it. axis: of
// the charts.
QStringList comparison_warnings(const std::vector<ComparedItem>&, XAxis axis = XAxis::samples);
// A step is not the same thing for all of them: another strategy or number of workers.
bool steps_differ(const std::vector<ComparedItem>&);

// C locale, full precision: name, runs, then for each metric mean, deviation, n, difference and relative difference to the baseline.
QByteArray comparison_csv(const std::vector<ComparedItem>&, const ComparedItem* baseline);

// One setting over all items; equal: the same in each.
struct ComparedSetting {
  QString key;
  QStringList values;  // empty text: the experiment does not have the key
  bool equal = true;
};
std::vector<ComparedSetting> compare_settings(const std::vector<ComparedItem>&);

// "plan wfbp · workers 4": names of what differs alone, by the last word of each key; four at most, then "and 2 more". Items whose settings
// are all equal keep their names. The seed counts only where items are single runs.
void name_by_difference(std::vector<ComparedItem>&);

// The name with what its times are, where no machine has worked that long: "(SIM)", "(PACED)", "(EMULATED)". In legends and tables.
QString with_mark(const QString& name, const ComparedItem&);

// The collectives of several runs by their names: those of the first run, then what only others have.
struct ComparedCollective {
  QString name;
  std::vector<std::optional<CollectiveRow>> of;  // by run
};
std::vector<ComparedCollective> collectives_side_by_side(const std::vector<Collectives>&);

struct DiffLine {
  char kind = ' ';  // ' ' both, '-' only before, '+' only after
  QString text;
};
std::vector<DiffLine> diff_lines(const QString& before, const QString& after);

// Throughput against workers, per strategy, from the items with the fewest workers on. Items of one size are one point: the mean of their
// seeds.
struct ScalingPoint {
  const ComparedItem* item = nullptr;  // the first of them
  QString name;                        // of all items of this size
  int workers = 0;
  double throughput = 0, speed_up = 0, efficiency = 0;  // efficiency: speed-up / (workers / reference's workers)
  double deviation = 0;                                 // of the throughput, over so many seeds
  int runs = 0;
  QString excluded;  // why it does not belong to this kind of scaling, or why nothing scales; empty: it does
};
struct ScalingCurve {
  QString name;                      // of the strategy
  QString reference;                 // the item that the others are divided by
  std::vector<ScalingPoint> points;  // by workers
};
// strong: the same work in all (global batch); weak: the same work for each worker (batch per worker).
std::vector<ScalingCurve> scaling_of(const std::vector<ComparedItem>&, bool strong);

// Time to target: when a series reached a threshold and kept it for `kept` evaluations in a row.
struct TargetQuestion {
  QString series = QStringLiteral("test_accuracy");
  double threshold = 0.9;
  bool at_least = true;  // false: at most (losses)
  int kept = 1;
};
std::optional<Axes> reached_at(const std::vector<Point>&, const TargetQuestion&);
struct TargetAnswer {
  std::optional<double> active_s, elapsed_s, samples, bytes;  // empty: not reached
};
std::map<std::string, TargetAnswer> read_targets(Reader&, const std::vector<std::string>& run_ids, const TargetQuestion&);
// Over the seeds of an item: the mean and spread where all of them reached it, else the range of those that did.
QString target_text(SummaryMetric::Quantity, const std::vector<std::optional<double>>&);

}  // namespace syncline::ui
