// SPDX-License-Identifier: GPL-3.0-or-later
// Four linked charts: what was learned, and how fast.
#include <QScrollArea>

#include "ui/views/compare/compare_tab.h"

namespace syncline::ui {

namespace {

// The charts take what height there is, down to their least: the page scrolls below that, not where they would like to be higher. (A scroll
// area asks a layout whose height depends on its width for what it would like.)
class ChartGrid : public QGridLayout {
 public:
  using QGridLayout::QGridLayout;
  bool hasHeightForWidth() const override { return false; }
};

}  // namespace

class CompareCharts : public CompareTab {
  static constexpr int least_height = 260;  // of a chart, with its legend and notes
  static constexpr int two_from = 640;      // px of width for two charts beside each other

 public:
  CompareCharts(Workbench& bench, ChartGroup& group, QWidget* parent) : CompareTab(bench, parent), group_(group) {
    setObjectName(QStringLiteral("compare.charts"));
    note_ = new QLabel(this);
    note_->setObjectName(QStringLiteral("compare.charts.note"));
    note_->setWordWrap(true);
    use_samples_ = new QPushButton(tr("&Use Samples"), this);
    use_samples_->setObjectName(QStringLiteral("compare.charts.samples"));
    connect(use_samples_, &QPushButton::clicked, this, [this] { group_.setXAxis(XAxis::samples); });
    connect(&group_, &ChartGroup::xAxisChanged, this, &CompareCharts::updateNote);
    auto* inside = new QWidget(this);
    grid_ = new ChartGrid(inside);
    grid_->setContentsMargins(0, 0, 0, 0);
    struct What {
      const char *series, *title;
    };
    const std::array<What, 3> what = {{{"train_loss", QT_TR_NOOP("Training loss")},
                                       {"test_accuracy", QT_TR_NOOP("Test accuracy")},
                                       {"samples_per_s", QT_TR_NOOP("Throughput, samples/s")}}};
    for (std::size_t i = 0; i < what.size(); ++i) {
      const QString series = QString::fromUtf8(what[i].series);
      auto* chart = new SeriesChart(group_, QStringLiteral("compare.charts.") + series, tr(what[i].title), inside);
      chart->setCompact(true);
      chart->setMinimumHeight(least_height);
      chart->setWhenEmpty(tr("None of these runs records %1.").arg(series));
      connect(chart, &SeriesChart::loadedChanged, this, &CompareTab::loadedChanged);
      charts_.emplace_back(series, chart);
    }
    split_ = new SplitChart(group_, QStringLiteral("compare.charts.split"), tr("Share of the step"), inside);
    split_->setShare(true);
    split_->setMinimumHeight(least_height + 35);  // its legend has seven parts
    split_->setWhenEmpty(tr("None of these runs has recorded steps."));
    arrange(2);
    auto* row = new QHBoxLayout;
    row->addWidget(note_, 1);
    row->addWidget(use_samples_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addLayout(row);
    // In a small window the charts keep a height at which they can be read, and the page scrolls.
    auto* scroll = new QScrollArea(this);
    scroll->setObjectName(QStringLiteral("compare.charts.scroll"));
    scroll->setAccessibleName(tr("Charts"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(inside);
    // The tab's own background, as the other tabs have it.
    inside->setAutoFillBackground(false);
    scroll->viewport()->setAutoFillBackground(false);
    layout->addWidget(scroll, 1);
    note_->hide();
    use_samples_->hide();
  }

  bool loaded() const override {
    return std::all_of(charts_.begin(), charts_.end(), [](const auto& one) { return one.second->loaded(); });
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    CompareTab::resizeEvent(event);
    arrange(width() < two_from ? 1 : 2);
  }

  void draw(const Comparison& comparison) override {
    for (const auto& [series, chart] : charts_) {
      std::vector<CurveSpec> curves;
      for (const ComparedItem& item : comparison.items) {
        CurveSpec curve;
        curve.id = item.id;
        curve.name = item.name;
        curve.run_ids = item.runIds();
        curve.series = series;
        curve.palette = item.palette;
        curve.colour = item.colour;
        curve.prediction = item.prediction();
        curve.note = item.note;
        curves.push_back(std::move(curve));
      }
      chart->setCurves(curves);
    }
    split_->setNamedBars(split_bars_of(comparison.items));
    updateNote();
  }

 private:
  void arrange(int columns) {
    if (columns == columns_) return;
    columns_ = columns;
    std::vector<QWidget*> all;
    for (const auto& [series, chart] : charts_) all.push_back(chart);
    all.push_back(split_);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int place = static_cast<int>(i);
      grid_->removeWidget(all[i]);
      grid_->addWidget(all[i], place / columns, place % columns);
      grid_->setRowStretch(place, place < static_cast<int>(all.size()) / columns ? 1 : 0);
      if (place < 2) grid_->setColumnStretch(place, place < columns ? 1 : 0);
    }
  }

  void updateNote() {
    const bool misleading = shown() && !shown()->items.empty() && steps_differ(shown()->items) && group_.xAxis() == XAxis::step;
    note_->setVisible(misleading);
    use_samples_->setVisible(misleading);
    note_->setText(tr("A step is not the same thing for all of these: strategies or numbers of workers differ."));
  }
  ChartGroup& group_;
  ChartGrid* grid_ = nullptr;
  int columns_ = 0;
  QLabel* note_ = nullptr;
  QPushButton* use_samples_ = nullptr;
  std::vector<std::pair<QString, SeriesChart*>> charts_;
  SplitChart* split_ = nullptr;
};

CompareTab* make_compare_charts(Workbench& bench, ChartGroup& group, QWidget* parent) { return new CompareCharts(bench, group, parent); }

}  // namespace syncline::ui
