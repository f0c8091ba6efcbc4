// SPDX-License-Identifier: GPL-3.0-or-later
// Where communication is hidden and where it costs time: per step, per rank, per collective.
#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/store/emulation.h"
#include "ui/models/format.h"
#include "ui/views/run/hidden_chart.h"
#include "ui/views/run/run_actions.h"
#include "ui/views/run/split_feed.h"
#include "ui/views/run/window_choice.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/heat_map.h"

namespace syncline::ui {

namespace {

constexpr int heat_columns = 400, heat_interval_ms = 1000;

}  // namespace

class CommunicationTab : public RunTab {
  Q_OBJECT

 public:
  CommunicationTab(RunContext of, QWidget* parent) : RunTab(of, QStringLiteral("run.communication"), parent) {
    rank_ = new QComboBox(this);
    rank_->setObjectName(QStringLiteral("run.communication.rank"));
    rank_->setAccessibleName(tr("Rank"));
    rank_->addItem(tr("slowest"), int(RankChoice::slowest));
    rank_->addItem(tr("median"), int(RankChoice::median));
    auto* rank_label = new QLabel(tr("&Rank:"), this);
    rank_label->setBuddy(rank_);
    window_ = new WindowChoice(of, this);
    auto* window_label = new QLabel(tr("W&indow:"), this);
    window_label->setBuddy(window_->box());
    strip_ = new QLabel(this);
    strip_->setObjectName(QStringLiteral("run.communication.strip"));
    strip_->setAccessibleName(tr("Figures of the overlap"));
    strip_->setWordWrap(true);
    strip_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    strip_->setToolTip(
        tr("Per worker and step: K is the union of the times in which it computes, C of those in which an exchange is in flight. Hidden is "
           "|C and K|, exposed |C without K|; blocked is the time in which the training thread waited for an exchange. Medians after "
           "warm-up of the worker with the largest median step, as the command line prints them."));
    compute_only_ = new QToolButton(this);
    compute_only_->setFocusPolicy(Qt::StrongFocus);
    compute_only_->setDefaultAction(of.actions->compute_only);

    split_ = new SplitChart(of.charts, QStringLiteral("run.communication.split"), tr("Step time split"), this);
    hidden_ = new HiddenChart(of.charts, QStringLiteral("run.communication.hidden"), tr("Hidden fraction"), this);
    heat_ = new HeatMap(of.charts, QStringLiteral("run.communication.heat"), tr("Rank × step: exposed time"), this);
    split_->setMinimumHeight(200);
    hidden_->setMinimumHeight(170);
    heat_->setMinimumHeight(150);
    feed_ = new SplitFeed(of, split_, this);
    model_ = new CollectivesTable(this);
    sorted_ = new QSortFilterProxyModel(this);
    sorted_->setSourceModel(model_);
    sorted_->setSortRole(Qt::UserRole);
    table_ = new QTableView(this);
    table_->setObjectName(QStringLiteral("run.communication.collectives"));
    table_->setAccessibleName(tr("Collectives in the traced steps"));
    table_->setModel(sorted_);
    table_->setSortingEnabled(true);
    table_->sortByColumn(CollectivesTable::name_column, Qt::AscendingOrder);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setTabKeyNavigation(false);
    table_->setAlternatingRowColors(true);
    table_->verticalHeader()->hide();
    table_->horizontalHeader()->setSectionResizeMode(CollectivesTable::name_column, QHeaderView::Stretch);
    table_->setMinimumHeight(140);
    table_note_ = new QLabel(this);
    table_note_->setObjectName(QStringLiteral("run.communication.collectives-note"));

    auto* top = new QHBoxLayout;
    top->addWidget(rank_label);
    top->addWidget(rank_);
    top->addWidget(window_label);
    top->addWidget(window_);
    top->addStretch(1);
    top->addWidget(compute_only_);
    auto* inside = new QWidget(this);
    auto* column = new QVBoxLayout(inside);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(split_, 4);
    column->addWidget(hidden_, 2);
    column->addWidget(heat_, 2);
    auto* collectives = new QLabel(tr("Collectives"), inside);
    QFont bold = collectives->font();
    bold.setBold(true);
    collectives->setFont(bold);
    auto* heading = new QHBoxLayout;
    heading->addWidget(collectives);
    heading->addStretch(1);
    heading->addWidget(table_note_);
    column->addLayout(heading);
    column->addWidget(table_, 2);
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("run.communication.scroll"));
    scroll->setAccessibleName(tr("Charts and collectives"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(inside);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->addLayout(top);
    layout->addWidget(strip_);
    layout->addWidget(scroll, 1);

    of.workbench.actions().add(this,
                               {QStringLiteral("run.rank-toggle"),
                                tr("Slowest or &Median Worker"),
                                tr("Change between the slowest and the median worker"),
                                {QKeySequence(Qt::Key_W)},
                                {}},
                               [this] { rank_->setCurrentIndex(rank_->currentIndex() == 0 ? 1 : 0); });
    connect(rank_, &QComboBox::currentIndexChanged, this, [this] {
      const int kind = rank_->currentData().toInt();
      feed_->setChoice(kind == int(RankChoice::slowest)  ? RankChoice{RankChoice::slowest, 0}
                       : kind == int(RankChoice::median) ? RankChoice{RankChoice::median, 0}
                                                         : RankChoice{RankChoice::one, kind - int(RankChoice::one)});
    });
    connect(feed_, &SplitFeed::loadedChanged, this, [this] {
      hidden_->setBuckets(feed_->split().buckets);
      Q_EMIT loadedChanged();
    });
    connect(feed_, &SplitFeed::stepsChanged, this, &CommunicationTab::readDetails);
    connect(split_, &SplitChart::barClicked, this, [this](double x) { Q_EMIT showInTimeline(feed_->stepAt(x), feed_->split().rank); });
    connect(heat_, &HeatMap::cellClicked, this, [this](int rank, qint64 step) { Q_EMIT showInTimeline(step, rank); });
    connect(&data(), &RunData::changed, this, &CommunicationTab::update);
    connect(&data(), &RunData::summaryChanged, this, &CommunicationTab::update);
    later_.setSingleShot(true);
    later_.setInterval(heat_interval_ms);
    connect(&later_, &QTimer::timeout, this, &CommunicationTab::readDetails);
    connect(&data(), &RunData::seriesGrew, this, [this] {
      if (!later_.isActive()) later_.start();
    });
  }

  bool loaded() const override { return data().known() && feed_->loaded() && details_loaded_; }

 protected:
  void showEvent(QShowEvent* event) override {
    RunTab::showEvent(event);
    if (data().known()) {
      update();
      readDetails();
    }
  }

 private:
  void update() {
    const RunSnapshot& now = snapshot();
    const QString empty = now.run.workers + now.run.servers == 1 ? tr("One rank does not communicate.")
                          : now.run.strategy == "none"
                              ? tr("The strategy “none” exchanges nothing.")
                              : tr("Waiting for the first step. Ranks report: %1 of %2.").arg(now.ranks_reporting).arg(now.run.workers);
    split_->setWhenEmpty(now.ranks.empty()
                             ? tr("Waiting for the first step. Ranks report: %1 of %2.").arg(now.ranks_reporting).arg(now.run.workers)
                             : empty);
    hidden_->setWhenEmpty(empty);
    heat_->setWhenEmpty(empty);
    for (const int rank : now.ranks) {
      const int value = int(RankChoice::one) + rank;
      if (rank_->findData(value) < 0) rank_->addItem(QString::number(rank), value);
    }
    const bool in_part = partial() && part_.has_value();
    const OverlapFigures figures = overlap_figures(in_part ? *part_ : data().summary());
    QStringList parts;
    if (in_part) {
      parts << tr("steps %1–%2").arg(format::count(part_from_), format::count(part_to_))
            << tr("step %1").arg(format::orMissing(part_->step_s, format::duration));
    } else if (data().summary().step_without_comm_s && data().summary().step_s) {
      parts << tr("step %1, without communication %2").arg(format::duration(*data().summary().step_s), figures.without_communication);
    }
    parts << tr("hidden %1").arg(figures.hidden) << tr("exposed %1").arg(figures.exposed) << tr("blocked %1").arg(figures.blocked);
    if (!in_part) parts << tr("inflation %1").arg(figures.inflation);
    QString text = parts.join(QStringLiteral(" · "));
    if (figures.disagree) text += QStringLiteral("  ⚠ ") + tr("exposed and blocked do not agree: trace or another stall");
    if (const auto why = times_withheld(data().summary())) text += QStringLiteral("  ⚠ ") + QString::fromStdString(*why);
    if (strip_->text() != text) strip_->setText(text);
    if (!feed_->loaded()) feed_->refresh();
  }

  bool partial() const { return feed_->fromStep() > 0 || feed_->toStep() < INT64_MAX; }

  // The figures of the strip for the steps that are visible, those of warm-up left out as in the whole run's.
  void readFigures() {
    if (!partial() || !data().slowestRank()) {
      part_.reset();
      return update();
    }
    const std::int64_t newest = snapshot().position ? snapshot().position->step : 0;
    const std::int64_t from = std::max(feed_->fromStep(), data().summary().warm_up_steps), to = std::min(feed_->toStep(), newest);
    data().store().read<Summary>(
        this, QStringLiteral("figures"),
        [id = data().id().toStdString(), rank = *data().slowestRank(), from, to](Reader& reader) {
          return summarise_steps(reader, id, rank, from, to);
        },
        [this, from, to](const Summary& summary) {
          part_ = summary;
          part_from_ = from;
          part_to_ = to;
          update();
        });
  }

  void readDetails() {
    if (!isVisible() || !data().known()) return;
    readFigures();
    data().store().read<ExposedMap>(
        this, QStringLiteral("heat"),
        [id = data().id().toStdString(), from = feed_->fromStep(), to = feed_->toStep()](Reader& reader) {
          return read_exposed_map(reader, id, from, to, heat_columns);
        },
        [this](const ExposedMap& map) {
          const QString note = map.steps_per_cell > 1 ? tr("largest of %1 steps per cell").arg(map.steps_per_cell) : QString();
          const bool worth_it = snapshot().run.workers > 1 && snapshot().run.strategy != "none";
          heat_->setData(worth_it ? HeatMapData{map.ranks, map.steps, map.exposed_s, QStringLiteral("exposed_s"), note} : HeatMapData{});
          heat_->setOutlinedRank(map.worst_rank);
        });
    data().store().read<Collectives>(
        this, QStringLiteral("collectives"),
        [id = data().id().toStdString(), from = feed_->fromStep(), to = feed_->toStep()](Reader& reader) {
          return read_collectives(reader, id, from, to);
        },
        [this](const Collectives& found) {
          model_->setRows(found.rows);
          for (int column = 1; column < CollectivesTable::column_count && !details_loaded_; ++column)
            table_->resizeColumnToContents(column);
          table_note_->setText(found.traced_steps == 0 ? tr("no step in this range was traced")
                                                       : tr("from the %1 newest of %2 traced steps in this range, all ranks")
                                                             .arg(found.traced_steps)
                                                             .arg(found.traced_steps_there));
          details_loaded_ = true;
          Q_EMIT loadedChanged();
        },
        [this](const QString& message) {
          table_note_->setText(tr("the traces cannot be read: %1").arg(message));
          details_loaded_ = true;
          Q_EMIT loadedChanged();
        });
  }

  QComboBox* rank_;
  QLabel *strip_, *table_note_;
  QToolButton* compute_only_;
  SplitChart* split_;
  HiddenChart* hidden_;
  HeatMap* heat_;
  SplitFeed* feed_;
  CollectivesTable* model_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
  WindowChoice* window_;
  QTimer later_;
  std::optional<Summary> part_;  // of the visible steps; none: everything is visible
  std::int64_t part_from_ = 0, part_to_ = 0;
  bool details_loaded_ = false;
};

RunTab* make_communication_tab(RunContext context, QWidget* parent) { return new CommunicationTab(context, parent); }

}  // namespace syncline::ui

#include "communication_tab.moc"
