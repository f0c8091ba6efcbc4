// SPDX-License-Identifier: GPL-3.0-or-later
// Four linked charts and the newest values.
#include <QComboBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/metrics/step_sums.h"
#include "ui/models/chart/rank_rates.h"
#include "ui/models/compare_data.h"
#include "ui/models/run_page_state.h"
#include "ui/models/settings.h"
#include "ui/views/run/split_feed.h"

namespace syncline::ui {

namespace {

const QString columns_key = QStringLiteral("run/overview-columns"), hidden_key = QStringLiteral("run/overview-hidden");
constexpr int least_chart_height = 190;

QString text_of(std::string_view name) { return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())); }

}  // namespace

class OverviewTab : public RunTab {
  Q_OBJECT

 public:
  OverviewTab(RunContext of, QWidget* parent) : RunTab(of, QStringLiteral("run.overview"), parent) {
    loss_ = new SeriesChart(of.charts, QStringLiteral("run.overview.loss"), tr("Loss"), this);
    accuracy_ = new SeriesChart(of.charts, QStringLiteral("run.overview.accuracy"), tr("Accuracy"), this);
    throughput_ = new SeriesChart(of.charts, QStringLiteral("run.overview.throughput"), tr("Throughput"), this);
    split_ = new SplitChart(of.charts, QStringLiteral("run.overview.split"), tr("Step split"), this);
    rate_ = new SeriesChart(of.charts, QStringLiteral("run.overview.learning-rate"), tr("Learning rate"), this);
    for (SeriesChart* chart : {loss_, accuracy_, throughput_, rate_}) {
      chart->setCompact(true);
      chart->setMinimumHeight(least_chart_height);
      connect(chart, &SeriesChart::loadedChanged, this, &RunTab::loadedChanged);
    }
    split_->setMinimumHeight(least_chart_height);
    feed_ = new SplitFeed(of, split_, this);
    connect(feed_, &SplitFeed::loadedChanged, this, &RunTab::loadedChanged);
    connect(split_, &SplitChart::barClicked, this, [this](double x) { Q_EMIT showInTimeline(feed_->stepAt(x), feed_->split().rank); });

    latest_ = new QLabel(this);
    latest_->setObjectName(QStringLiteral("run.overview.latest"));
    latest_->setAccessibleName(tr("Newest values"));
    latest_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    latest_->setWordWrap(true);  // two lines in a narrow window
    columns_ = new QComboBox(this);
    columns_->setObjectName(QStringLiteral("run.overview.columns"));
    columns_->setAccessibleName(tr("Columns of charts"));
    columns_->addItem(tr("One column"), 1);
    columns_->addItem(tr("Two columns"), 2);
    columns_->setCurrentIndex(of.workbench.settings().value(columns_key, 2).toInt() == 1 ? 0 : 1);
    auto* columns_label = new QLabel(tr("La&yout:"), this);
    columns_label->setBuddy(columns_);

    auto* shown = new QToolButton(this);
    shown->setObjectName(QStringLiteral("run.overview.charts"));
    shown->setText(tr("C&harts"));
    shown->setToolTip(tr("Choose which charts are shown"));
    shown->setPopupMode(QToolButton::InstantPopup);
    shown->setFocusPolicy(Qt::StrongFocus);
    auto* menu = new QMenu(shown);
    const QStringList hidden = of.workbench.settings().value(hidden_key, QStringList{rate_->objectName()}).toStringList();
    const std::pair<QWidget*, QString> charts[] = {{loss_, tr("&Loss")},
                                                   {accuracy_, tr("&Accuracy")},
                                                   {throughput_, tr("&Throughput")},
                                                   {split_, tr("&Step split")},
                                                   {rate_, tr("Learning &rate")}};
    for (const auto& [chart, text] : charts) {
      QAction* choice = menu->addAction(text);
      choice->setCheckable(true);
      choice->setChecked(!hidden.contains(chart->objectName()));
      choices_.emplace_back(chart, choice);
      connect(choice, &QAction::toggled, this, [this] {
        QStringList names;
        for (const auto& [widget, action] : choices_) {
          if (!action->isChecked()) names << widget->objectName();
        }
        context().workbench.settings().set(hidden_key, names);
        arrange();
        Q_EMIT loadedChanged();
      });
    }
    shown->setMenu(menu);

    auto* inside = new QWidget(this);
    grid_ = new QGridLayout(inside);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setSpacing(6);
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("run.overview.scroll"));
    scroll->setAccessibleName(tr("Charts"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(inside);
    auto* bottom = new QHBoxLayout;
    bottom->addWidget(latest_, 1);
    bottom->addWidget(shown);
    bottom->addWidget(columns_label);
    bottom->addWidget(columns_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->addWidget(scroll, 1);
    layout->addLayout(bottom);
    arrange();
    connect(columns_, &QComboBox::currentIndexChanged, this, [this] {
      context().workbench.settings().set(columns_key, columns_->currentData());
      arrange();
    });
    connect(&data(), &RunData::changed, this, &OverviewTab::update);
    connect(&data(), &RunData::summaryChanged, this, &OverviewTab::update);
  }

  bool loaded() const override {
    if (!data().known()) return false;
    for (const SeriesChart* chart : {loss_, accuracy_, throughput_, rate_}) {
      if (!chart->isHidden() && !chart->loaded()) return false;
    }
    return split_->isHidden() || feed_->loaded();
  }

 private:
  void arrange() {
    const int columns = columns_->currentData().toInt();
    int place = 0;
    for (const auto& [chart, action] : choices_) {
      grid_->removeWidget(chart);
      chart->setVisible(action->isChecked());
      if (!action->isChecked()) continue;
      grid_->addWidget(chart, place / columns, place % columns);
      ++place;
    }
    for (int column = 0; column < 2; ++column) grid_->setColumnStretch(column, column < columns ? 1 : 0);
  }

  CurveSpec curve(std::string_view series, const QString& name, int palette) const {
    const RunInfo& run = snapshot().run;
    CurveSpec spec;
    spec.id = QString::fromStdString(run.id) + u'/' + text_of(series);
    spec.name = name;
    spec.run_ids = {QString::fromStdString(run.id)};
    spec.series = text_of(series);
    spec.palette = palette;
    spec.prediction = run.kind == "prediction";
    return spec;
  }

  bool recorded(std::string_view name) const {
    return std::any_of(snapshot().series.begin(), snapshot().series.end(), [&](const SeriesInfo& info) { return info.name == name; });
  }

  void update() {
    const RunSnapshot& now = snapshot();
    latest_->setText(latest_text(now));
    latest_->setToolTip(latest_->text());
    const QString waiting = now.active()
                                ? tr("Waiting for the first step. Ranks report: %1 of %2.").arg(now.ranks_reporting).arg(now.run.workers)
                                : tr("The run ended before its first step.");
    std::vector<CurveSpec> losses{curve(series::train_loss, tr("training"), 0)};
    if (now.test_loss) losses.push_back(curve(series::test_loss, tr("evaluation"), 1));
    loss_->setCurves(losses);
    std::vector<CurveSpec> accuracies{curve(series::train_accuracy, tr("training"), 0)};
    if (now.test_accuracy) accuracies.push_back(curve(series::test_accuracy, evaluated_name(), 1));
    accuracy_->setCurves(accuracies);
    accuracy_->setTarget(now.run.target_accuracy);
    const bool old = now.position && !recorded("samples_per_s");
    std::vector<CurveSpec> rates{curve("samples_per_s", tr("all ranks, while training"), 0)};
    if (recorded("end_to_end_samples_per_s")) rates.push_back(curve("end_to_end_samples_per_s", tr("all stalls included"), 2));
    if (now.ranks.size() > 1 && recorded("samples_per_s")) {
      CurveSpec ranks = curve("samples_per_s", tr("sum of the ranks, by the slowest to the fastest"), 1);
      ranks.id += QStringLiteral("/ranks");
      ranks.rank = chart::every_rank;
      rates.push_back(ranks);
    }
    throughput_->setCurves(rates);
    rate_->setCurves({curve(series::learning_rate, tr("learning rate"), 0)});
    rate_->setWhenEmpty(waiting);
    throughput_->setWhenEmpty(old ? tr("This run does not record its throughput over time; its mean is in the summary.") : waiting);
    for (SeriesChart* chart : {loss_, accuracy_}) chart->setWhenEmpty(waiting);
    split_->setWhenEmpty(waiting);
    if (!feed_->loaded()) feed_->refresh();
  }

  QString evaluated_name() const { return tr("evaluation (%1)").arg(evaluated_parameters(snapshot().run.strategy)); }

  SeriesChart *loss_, *accuracy_, *throughput_, *rate_;
  SplitChart* split_;
  SplitFeed* feed_;
  QLabel* latest_;
  QComboBox* columns_;
  QGridLayout* grid_;
  std::vector<std::pair<QWidget*, QAction*>> choices_;
};

RunTab* make_overview_tab(RunContext context, QWidget* parent) { return new OverviewTab(context, parent); }

}  // namespace syncline::ui

#include "overview_tab.moc"
