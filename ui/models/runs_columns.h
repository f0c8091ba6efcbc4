// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of the Runs table: a fixed set, plus any key of the summary ("summary:step_s") and any setting ("setting:train.epochs").
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>
#include <vector>

#include "engine/store/seeds.h"
#include "engine/store/summary.h"
#include "ui/models/runs_details.h"
#include "ui/models/runs_rows.h"

namespace syncline::ui {

struct RunsColumn {
  QString id, title, help;
  bool number = false;   // right-aligned; group rows show mean, spread and n
  bool details = false;  // needs the summary or the settings
  SummaryMetric::Quantity quantity = SummaryMetric::plain;
};

// One cell. number: what it is sorted by (NaN sorts as missing); where there is none, `text` is.
struct RunsCell {
  QString text, tip;
  std::optional<double> number;
  bool pending = false;  // not read yet: "…"
};

RunsColumn runs_column(const QString& id);  // of an unknown id: an empty id
QStringList frozen_run_columns();           // star, name, state: they do not scroll sideways
QStringList default_run_columns();          // those and what the table starts with
QStringList known_run_columns();            // every fixed one and every key of the summary; settings are too many to list

// What a column is sorted by, where that is a number; without making the text. Empty: missing, or not read yet.
bool sorts_by_number(const RunsColumn&);
std::optional<double> number_of(const RunsColumn&, const RunRow&, const RunDetails*);
std::optional<double> number_of_group(const RunsColumn&, const std::vector<RunRowPtr>&, const RunsDetails&);

RunsCell cell_of(const RunsColumn&, const RunRow&, const RunDetails*, double now_utc_s);
// Of a group: mean, spread and n of what its runs have; of texts what they have in common.
RunsCell cell_of_group(const RunsColumn&, const std::vector<RunRowPtr>&, const RunsDetails&, double now_utc_s);

// For the clipboard: tabs between columns, numbers in the C locale with every digit, times in UTC.
QString runs_as_table(const std::vector<RunsColumn>&, const std::vector<RunRowPtr>&, const RunsDetails&);

// In the quantity's unit, for the screen: "91.42 %", "12.4 k", "41.2 ms"; with spread "91.40 ± 0.20 % (n = 5)".
QString quantity_text(SummaryMetric::Quantity, double value);
QString spread_text(SummaryMetric::Quantity, double mean, double deviation, int n);
// As the spread is over seeds: the value alone, "91.40 ± 0.20 % (n = 5)", or "(4 runs)" where one seed was run so often.
QString seeds_spread_text(SummaryMetric::Quantity, const SeedsSpread&);
// "3 seeds", "3 seeds, 5 runs", "4 runs of one seed", "single run".
QString seeds_text(const std::vector<const RunInfo*>&);

}  // namespace syncline::ui
