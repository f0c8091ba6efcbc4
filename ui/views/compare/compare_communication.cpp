// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step goes and what each collective takes, run beside run.
#include <limits>

#include "ui/models/format.h"
#include "ui/models/runs_columns.h"
#include "ui/views/compare/compare_tab.h"

namespace syncline::ui {

namespace {

struct Part {
  const char* title;
  double StepSums::*member;
};
// In the order of StepPart, then the step itself.
constexpr std::array<Part, step_part_count + 1> step_parts = {
    {{QT_TRANSLATE_NOOP("CompareTab", "Compute"), &StepSums::compute_s},
     {QT_TRANSLATE_NOOP("CompareTab", "Hidden"), &StepSums::hidden_s},
     {QT_TRANSLATE_NOOP("CompareTab", "Exposed transfer"), &StepSums::exposed_transfer_s},
     {QT_TRANSLATE_NOOP("CompareTab", "Waiting"), &StepSums::waiting_s},
     {QT_TRANSLATE_NOOP("CompareTab", "Input"), &StepSums::input_s},
     {QT_TRANSLATE_NOOP("CompareTab", "Checkpoint, evaluation"), &StepSums::boundary_s},
     {QT_TRANSLATE_NOOP("CompareTab", "Idle"), &StepSums::idle_s},
     {QT_TRANSLATE_NOOP("CompareTab", "Step"), &StepSums::step_s}}};

SeedsSpread spread_of_part(const ComparedItem& item, const Part& part) {
  std::vector<std::pair<const RunInfo*, double>> values;
  for (const ComparedRun* run : item.runs) {
    if (run->split.step_s > 0) values.emplace_back(&run->info, run->split.*part.member);
  }
  return spread_over_seeds(values);
}

}  // namespace

std::vector<SplitBar> split_bars_of(const std::vector<ComparedItem>& items) {
  std::vector<SplitBar> bars;
  for (const ComparedItem& item : items) {
    SplitBar bar;
    bar.label = item.name;
    for (std::size_t i = 0; i < step_parts.size(); ++i) {
      const Spread spread = spread_of_part(item, step_parts[i]).spread;
      if (spread.n == 0) continue;
      (i < bar.parts_s.size() ? bar.parts_s[i] : bar.step_s) = spread.mean;
    }
    bar.parts_s[0] -= bar.parts_s[1];  // the bar's first part is computing without what hides communication
    if (bar.step_s > 0) bars.push_back(bar);
  }
  return bars;
}

class CompareCommunication : public CompareTab {
 public:
  CompareCommunication(Workbench& bench, ChartGroup& group, QWidget* parent) : CompareTab(bench, parent) {
    chart_ = new SplitChart(group, QStringLiteral("compare.communication.split"), tr("Where a step goes"), this);
    chart_->setToolTip(tr("Mean step after warm-up of the slowest worker"));
    chart_->setWhenEmpty(tr("None of these runs has recorded steps."));
    chart_->setMinimumHeight(220);
    table_ = make_plain_table(QStringLiteral("compare.communication"), tr("Parts of a step"), this);
    table_->setMaximumHeight(240);
    collectives_ = make_plain_table(QStringLiteral("compare.collectives"), tr("Collectives"), this);
    collectives_->setToolTip(
        tr("Of the newest traced steps of each run, the first seed where there are several: median time, hidden share, and "
           "under it the difference to the baseline"));
    none_traced_ = new QLabel(tr("No step of these runs was traced: there are no figures of single collectives."), this);
    none_traced_->setObjectName(QStringLiteral("compare.collectives.none"));
    none_traced_->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addWidget(chart_, 2);
    layout->addWidget(table_);
    layout->addWidget(none_traced_);
    layout->addWidget(collectives_, 1);
    collectives_->hide();
    none_traced_->hide();
  }
  bool loaded() const override { return !asking_; }

 protected:
  void draw(const Comparison& comparison) override {
    QStringList heads;
    for (const Part& part : step_parts) heads << tr(part.title);
    heads << tr("Sent per step") << tr("Messages per step");
    set_heads(*table_, QStringList{tr("Run")} + heads, comparison.items.size());
    for (std::size_t row = 0; row < comparison.items.size(); ++row) {
      const ComparedItem& item = comparison.items[row];
      QStringList cells = {item.name};
      for (const Part& part : step_parts) {
        cells << seeds_spread_text(SummaryMetric::duration, spread_of_part(item, part));
      }
      for (const char* key : {"bytes_sent_per_step_per_worker", "messages_per_step_per_worker"}) {
        cells << compare_cell(*summary_metric(key), item, nullptr).value;
      }
      fill_row(*table_, static_cast<int>(row), cells);
    }
    table_->resizeColumnsToContents();
    chart_->setNamedBars(split_bars_of(comparison.items));
    readCollectives();
  }

 private:
  void readCollectives() {
    std::vector<std::string> ids;
    for (const ComparedItem& item : shown()->items) ids.push_back(item.runs.front()->info.id);
    using Answer = std::vector<Collectives>;
    asking_ = true;
    workbench().store().read<Answer>(
        this, QStringLiteral("collectives"),
        [ids](Reader& reader) {
          Answer answer;
          for (const std::string& id : ids) answer.push_back(read_collectives(reader, id, 0, std::numeric_limits<std::int64_t>::max()));
          return answer;
        },
        [this](const Answer& answer) {
          asking_ = false;
          if (answer.size() == shown()->items.size()) fillCollectives(answer);
          Q_EMIT loadedChanged();
        },
        [this](const QString&) {
          asking_ = false;
          Q_EMIT loadedChanged();
        });
  }

  void fillCollectives(const std::vector<Collectives>& found) {
    const std::vector<ComparedCollective> rows = collectives_side_by_side(found);
    const auto baseline = static_cast<std::size_t>(shown()->baseline == nullptr ? 0 : shown()->baseline - shown()->items.data());
    QStringList heads = {tr("Collective")};
    for (const ComparedItem& item : shown()->items) heads << item.name;
    set_heads(*collectives_, heads, rows.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
      QStringList cells = {rows[row].name};
      for (std::size_t i = 0; i < rows[row].of.size(); ++i) {
        const auto &one = rows[row].of[i], &base = rows[row].of[baseline];
        QString cell = format::missing;
        if (one) cell = tr("%1, hidden %2").arg(format::duration(one->p50_s), format::orMissing(one->hidden_share, format::share));
        if (one && base && i != baseline && base->p50_s > 0) {
          const double difference = one->p50_s - base->p50_s;
          cell += u'\n' + (difference < 0 ? QStringLiteral("\u2212") : QStringLiteral("+")) + format::duration(std::abs(difference)) +
                  QStringLiteral("  ") + format::difference(one->p50_s, base->p50_s, true);
        }
        cells << cell;
      }
      fill_row(*collectives_, static_cast<int>(row), cells);
    }
    collectives_->resizeColumnsToContents();
    collectives_->resizeRowsToContents();
    collectives_->setVisible(!rows.empty());
    none_traced_->setVisible(rows.empty());
  }

  QTableWidget* collectives_ = nullptr;
  QLabel* none_traced_ = nullptr;
  bool asking_ = false;
  SplitChart* chart_ = nullptr;
  QTableWidget* table_ = nullptr;
};

CompareTab* make_compare_communication(Workbench& bench, ChartGroup& group, QWidget* parent) {
  return new CompareCommunication(bench, group, parent);
}

}  // namespace syncline::ui
