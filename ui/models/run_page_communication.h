// SPDX-License-Identifier: GPL-3.0-or-later
// What the Communication tab reads: the split of the steps of one rank, exposed time over ranks and steps, and each collective's figures
// from the traced steps.
#pragma once

#include <QAbstractTableModel>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/reader.h"
#include "engine/store/summary.h"
#include "ui/models/timeline.h"

namespace syncline::ui {

struct RankChoice {
  enum Kind { slowest, median, one } kind = slowest;
  int rank = 0;  // of `one`
  bool operator==(const RankChoice&) const = default;
};

struct StepSplit {
  int rank = -1;  // that was chosen
  std::vector<StepBucket> buckets;
  bool bucketed = false;  // a bar stands for several steps
  bool waiting_separated = true, waiting_estimated = false;
  bool no_communication = true;
};
// slowest: the summary's; where it is not known yet, the rank with the largest mean step in the range.
StepSplit read_split(Reader&, const std::string& run_id, const RankChoice&, std::optional<int> slowest, std::int64_t from_step,
                     std::int64_t to_step, int most_bars);

struct ExposedMap {
  std::vector<int> ranks;
  std::vector<std::int64_t> steps;
  std::vector<double> exposed_s;  // [rank][step], NaN: not recorded; of a bucket its largest
  int worst_rank = -1;
  std::int64_t steps_per_cell = 1;
};
ExposedMap read_exposed_map(Reader&, const std::string& run_id, std::int64_t from_step, std::int64_t to_step, int most_columns);

struct CollectiveRow {
  QString name, kind;  // kind: "allreduce"; empty where it is not known
  std::int64_t n = 0, bytes = 0, sent_bytes = 0;
  double p50_s = 0, p99_s = 0;
  std::optional<double> skew_s;  // median over its collectives of latest minus earliest issue; needs all ranks
  double algorithm_bytes_per_s = 0;
  std::optional<double> bus_bytes_per_s;
  std::optional<double> hidden_share;
};
struct Collectives {
  std::vector<CollectiveRow> rows;
  int traced_steps = 0, traced_steps_there = 0;  // looked at; in the range
};
std::vector<CollectiveRow> collectives_of(const Timeline&);
Collectives read_collectives(Reader&, const std::string& run_id, std::int64_t from_step, std::int64_t to_step, int most_steps = 40);

class CollectivesTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    name_column,
    kind_column,
    n_column,
    bytes_column,
    median_column,
    tail_column,
    skew_column,
    algorithm_column,
    bus_column,
    hidden_column,
    column_count
  };
  using QAbstractTableModel::QAbstractTableModel;
  void setRows(std::vector<CollectiveRow>);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;  // Qt::UserRole: the number, for sorting
  QVariant headerData(int section, Qt::Orientation, int role) const override;

 private:
  std::vector<CollectiveRow> rows_;
};

// The strip above the charts: "exposed 2.6 ms (6.4 %)", ... and whether the two ways of measuring lost time agree.
struct OverlapFigures {
  QString hidden, exposed, blocked, inflation, without_communication;
  bool disagree = false;  // exposed and blocked are further apart than 10 % and 0.2 ms
};
OverlapFigures overlap_figures(const Summary&);

// The compute-only counterpart of a complete experiment: strategy "none" without the keys that belong to an exchange.
std::string compute_only_experiment(const std::string& complete, const std::string& name);

}  // namespace syncline::ui
