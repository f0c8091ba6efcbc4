// SPDX-License-Identifier: GPL-3.0-or-later
// Scaling and time to target.
#include <set>

#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/models/runs_columns.h"
#include "ui/views/compare/compare_tab.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/file_dialog.h"

namespace syncline::ui {

class CompareScaling : public CompareTab {
 public:
  CompareScaling(Workbench& bench, QWidget* parent) : CompareTab(bench, parent) {
    kind_ = new QComboBox(this);
    kind_->setObjectName(QStringLiteral("compare.scaling.kind"));
    kind_->addItem(tr("strong: the same global batch"));
    kind_->addItem(tr("weak: the same batch per worker"));
    auto* label = new QLabel(tr("Sca&ling:"), this);
    label->setBuddy(kind_);
    note_ = new QLabel(this);
    note_->setObjectName(QStringLiteral("compare.scaling.note"));
    note_->setWordWrap(true);
    plot_ = new QCustomPlot(this);
    plot_->setObjectName(QStringLiteral("compare.scaling.plot"));
    plot_->setAccessibleName(tr("Speed-up against workers, with the ideal line; the table below has the numbers"));
    plot_->setMinimumHeight(200);
    table_ = make_plain_table(QStringLiteral("compare.scaling"), tr("Scaling"), this);
    connect(kind_, &QComboBox::currentIndexChanged, this, [this] {
      if (shown()) draw(*shown());
    });
    save_ = new QPushButton(tr("Save &Picture\u2026"), this);
    save_->setObjectName(QStringLiteral("compare.scaling.save"));
    connect(save_, &QPushButton::clicked, this, [this] {
      const QString path =
          FileDialog::saveFile(this, tr("Save Picture"), QStringLiteral("scaling.pdf"), tr("Pictures (*.pdf *.svg *.png)"));
      if (path.isEmpty()) return;
      const QString error = savePicture(path);
      workbench().notice(error.isEmpty() ? tr("Wrote %1.").arg(path) : error, {}, {}, error.isEmpty() ? 8 : 60);
    });
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(kind_);
    row->addWidget(note_, 1);
    row->addWidget(save_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addLayout(row);
    layout->addWidget(plot_, 2);
    layout->addWidget(table_, 1);
  }

 protected:
  void draw(const Comparison& comparison) override {
    const std::vector<ScalingCurve> curves = scaling_of(comparison.items, kind_->currentIndex() == 0);
    set_heads(*table_, {tr("Run"), tr("Workers"), tr("Samples/s"), tr("Speed-up"), tr("Efficiency"), tr("Reference"), tr("Note")}, 0);
    std::set<int> workers, sizes;
    for (const ScalingCurve& curve : curves) {
      for (const ScalingPoint& point : curve.points) {
        const int row = table_->rowCount();
        table_->setRowCount(row + 1);
        const bool counts = point.excluded.isEmpty();
        sizes.insert(point.workers);
        if (counts) workers.insert(point.workers);
        const SummaryMetric::Quantity quantity = summary_metric("samples_per_s")->quantity;
        fill_row(*table_, row,
                 {point.name, format::count(point.workers),
                  point.runs > 1 ? spread_text(quantity, point.throughput, point.deviation, point.runs)
                                 : quantity_text(quantity, point.throughput),
                  counts ? format::metric(point.speed_up) : format::missing, counts ? format::share(point.efficiency) : format::missing,
                  curve.reference, point.excluded});
      }
    }
    table_->resizeColumnsToContents();
    note_->setText(workers.size() >= 2 ? QString()
                   : sizes.size() == 1 ? tr("Nothing scales here: all runs have the same number of workers.")
                                       : tr("Scaling needs runs with different numbers of workers."));
    plot_->setVisible(workers.size() >= 2);
    save_->setVisible(workers.size() >= 2);
    if (workers.size() < 2) return;
    curves_ = curves;
    least_ = *workers.begin();
    most_ = *workers.rbegin();
    plot(*plot_, palette::isDark(palette()), palette().color(QPalette::WindowText));
    plot_->replot(QCustomPlot::rpQueuedReplot);
  }

 private:
  // In the light theme whatever the window has, as all pictures are.
  QString savePicture(const QString& path) {
    QCustomPlot picture;
    picture.setAttribute(Qt::WA_DontShowOnScreen);
    plot(picture, false, palette::light().color(QPalette::WindowText));
    return write_picture(path, two_columns, 2, tr("Scaling"), [&picture](QPainter& painter) {
      picture.toPainter(static_cast<QCPPainter*>(&painter), two_columns.width, two_columns.height);
    });
  }

  void plot(QCustomPlot& on, bool dark, const QColor& text) {
    const int least = least_, most = most_;
    on.clearGraphs();
    on.setBackground(palette::background(dark));
    for (QCPAxis* axis : {on.xAxis, on.yAxis}) {
      axis->setLabelColor(text);
      axis->setTickLabelColor(text);
      axis->setBasePen(QPen(text));
      axis->setTickPen(QPen(text));
      axis->setSubTickPen(QPen(text));
      axis->grid()->setPen(QPen(palette::grid(dark)));
    }
    on.xAxis->setLabel(tr("Workers"));
    on.yAxis->setLabel(tr("Speed-up"));
    QCPGraph* ideal = on.addGraph();
    ideal->setName(tr("ideal"));
    ideal->setPen(QPen(palette::status(palette::Status::muted, dark), 1, Qt::DashLine));
    ideal->setData({static_cast<double>(least), static_cast<double>(most)}, {1.0, static_cast<double>(most) / least});
    double highest = static_cast<double>(most) / least;
    for (const ScalingCurve& curve : curves_) {
      QVector<double> x, y;
      for (const ScalingPoint& point : curve.points) {
        if (!point.excluded.isEmpty()) continue;
        x << point.workers;
        y << point.speed_up;
        highest = std::max(highest, point.speed_up);
      }
      if (x.isEmpty()) continue;
      QCPGraph* graph = on.addGraph();
      const QColor colour = palette::curve(curve.points.front().item->palette, dark).colour;
      graph->setName(curve.name);
      graph->setPen(QPen(colour, palette::line_width));
      const bool hollow = curve.points.front().item->prediction();
      graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colour), hollow ? QBrush(Qt::NoBrush) : QBrush(colour), 7));
      graph->setData(x, y, true);
    }
    on.legend->setVisible(true);
    on.legend->setBrush(palette::background(dark));
    on.legend->setTextColor(text);
    on.axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignTop | Qt::AlignLeft);
    on.xAxis->setRange(least - 0.1 * (most - least), most + 0.1 * (most - least));
    on.yAxis->setRange(0, 1.1 * highest);
  }
  QComboBox* kind_ = nullptr;
  QLabel* note_ = nullptr;
  QPushButton* save_ = nullptr;
  std::vector<ScalingCurve> curves_;  // drawn, over so many workers; items are those of shown()
  int least_ = 0, most_ = 0;
  QCustomPlot* plot_ = nullptr;
  QTableWidget* table_ = nullptr;
};

class CompareTarget : public CompareTab {
 public:
  CompareTarget(Workbench& bench, QWidget* parent) : CompareTab(bench, parent) {
    metric_ = new QComboBox(this);
    metric_->setObjectName(QStringLiteral("compare.target.metric"));
    metric_->addItem(tr("test accuracy \u2265"), QStringLiteral("test_accuracy"));
    metric_->addItem(tr("test loss \u2264"), QStringLiteral("test_loss"));
    metric_->addItem(tr("training loss \u2264"), QStringLiteral("train_loss"));
    threshold_ = new QDoubleSpinBox(this);
    threshold_->setObjectName(QStringLiteral("compare.target.threshold"));
    threshold_->setAccessibleName(tr("Threshold"));
    threshold_->setDecimals(4);
    threshold_->setRange(0, 1e6);
    threshold_->setSingleStep(0.01);
    threshold_->setValue(0.9);
    threshold_->setToolTip(tr("Accuracies as a share: 0.9 is 90 %"));
    kept_ = new QSpinBox(this);
    kept_->setObjectName(QStringLiteral("compare.target.kept"));
    kept_->setRange(1, 1000);
    auto* metric_label = new QLabel(tr("Q&uantity:"), this);
    metric_label->setBuddy(metric_);
    auto* kept_label = new QLabel(tr("&kept for evaluations:"), this);
    kept_label->setBuddy(kept_);
    table_ = make_plain_table(QStringLiteral("compare.target"), tr("Time to target"), this);
    connect(metric_, &QComboBox::currentIndexChanged, this, &CompareTarget::ask);
    connect(threshold_, &QDoubleSpinBox::valueChanged, this, &CompareTarget::ask);
    connect(kept_, &QSpinBox::valueChanged, this, &CompareTarget::ask);
    auto* row = new QHBoxLayout;
    row->addWidget(metric_label);
    row->addWidget(metric_);
    row->addWidget(threshold_);
    row->addWidget(kept_label);
    row->addWidget(kept_);
    row->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->addLayout(row);
    layout->addWidget(table_, 1);
  }
  bool loaded() const override { return !asking_; }

 protected:
  void draw(const Comparison& comparison) override {
    // The experiment's own target, unless a person has chosen another.
    if (!touched_ && comparison.baseline != nullptr && comparison.baseline->runs.front()->info.target_accuracy) {
      const QSignalBlocker blocker(threshold_);
      threshold_->setValue(*comparison.baseline->runs.front()->info.target_accuracy);
    }
    read();
  }

 private:
  void ask() {
    touched_ = true;
    read();
  }

  void read() {
    if (!shown()) return;
    TargetQuestion question;
    question.series = metric_->currentData().toString();
    question.threshold = threshold_->value();
    question.at_least = metric_->currentIndex() == 0;
    question.kept = kept_->value();
    std::vector<std::string> ids;
    for (const ComparedItem& item : shown()->items) {
      for (const ComparedRun* run : item.runs) ids.push_back(run->info.id);
    }
    using Answers = std::map<std::string, TargetAnswer>;
    asking_ = true;
    workbench().store().read<Answers>(
        this, QStringLiteral("target"), [ids, question](Reader& reader) { return read_targets(reader, ids, question); },
        [this](const Answers& answers) {
          asking_ = false;
          fill(answers);
          Q_EMIT loadedChanged();
        },
        [this](const QString&) { asking_ = false; });
  }

  void fill(const std::map<std::string, TargetAnswer>& answers) {
    using M = SummaryMetric;
    struct Column {
      QString title;
      std::optional<double> TargetAnswer::*member;
      M::Quantity quantity;
    };
    const std::array<Column, 4> columns = {{{tr("Active time"), &TargetAnswer::active_s, M::duration},
                                            {tr("Elapsed time"), &TargetAnswer::elapsed_s, M::duration},
                                            {tr("Samples"), &TargetAnswer::samples, M::count},
                                            {tr("Bytes sent by rank 0"), &TargetAnswer::bytes, M::bytes}}};
    QStringList heads = {tr("Run"), tr("Reached")};
    for (const Column& column : columns) heads << column.title;
    set_heads(*table_, heads, shown()->items.size());
    for (std::size_t row = 0; row < shown()->items.size(); ++row) {
      const ComparedItem& item = shown()->items[row];
      QStringList cells = {item.name};
      std::size_t reached = 0;
      for (const Column& column : columns) {
        std::vector<std::optional<double>> values;
        for (const ComparedRun* run : item.runs) {
          const auto found = answers.find(run->info.id);
          values.push_back(found == answers.end() ? std::nullopt : found->second.*column.member);
        }
        reached =
            static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](const auto& value) { return value.has_value(); }));
        cells << target_text(column.quantity, values);
      }
      cells.insert(1, tr("%1 of %2").arg(reached).arg(item.runs.size()));
      fill_row(*table_, static_cast<int>(row), cells);
      for (int column = 2; column < cells.size(); ++column) {
        if (reached > 0 && reached < item.runs.size()) {
          table_->item(static_cast<int>(row), column)
              ->setToolTip(tr("from the fastest to the slowest of those that reached it; the others never did"));
        }
      }
    }
    table_->resizeColumnsToContents();
  }

  QComboBox* metric_ = nullptr;
  QDoubleSpinBox* threshold_ = nullptr;
  QSpinBox* kept_ = nullptr;
  QTableWidget* table_ = nullptr;
  bool asking_ = false, touched_ = false;
};

CompareTab* make_compare_scaling(Workbench& bench, QWidget* parent) { return new CompareScaling(bench, parent); }
CompareTab* make_compare_target(Workbench& bench, QWidget* parent) { return new CompareTarget(bench, parent); }

}  // namespace syncline::ui
