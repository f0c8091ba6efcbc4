// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/hidden_chart.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/widgets/plot.h"

namespace syncline::ui {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

class PercentTicker : public QCPAxisTickerFixed {
 public:
  PercentTicker() {
    setTickStep(0.25);
    setScaleStrategy(ssMultiples);
  }

 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar, int) override {
    return locale.toString(std::lround(tick * 100)) + QStringLiteral(" %");
  }
};

}  // namespace

HiddenChart::HiddenChart(ChartGroup& group, const QString& name, const QString& title, QWidget* parent)
    : QWidget(parent), group_(group), title_(title), from_(none), to_(none) {
  setObjectName(name);
  setAccessibleName(title);
  auto* heading = new QLabel(title, this);
  QFont bold = heading->font();
  bold.setBold(true);
  heading->setFont(bold);
  plot_ = new QCustomPlot(this);
  graph_ = plot_->addGraph();
  graph_->setAdaptiveSampling(false);
  plot_->yAxis->setRange(0, 1.02);
  plot_->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new PercentTicker));
  plot_->axisRect()->setMarginGroup(QCP::msLeft, group_.shared().margins.get());
  plot_->setInteractions(QCP::Interactions());
  plot_->setFocusPolicy(Qt::NoFocus);
  empty_ = new QLabel(this);
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(heading);
  layout->addWidget(plot_, 1);
  layout->addWidget(empty_, 1);
  group_.shared().add(this);
  recolour();
  draw();
}

HiddenChart::~HiddenChart() {
  plot_->axisRect()->setMarginGroup(QCP::msLeft, nullptr);
  group_.shared().remove(this);
}

void HiddenChart::setBuckets(const std::vector<StepBucket>& buckets) {
  buckets_ = buckets;
  draw();
}

void HiddenChart::setWhenEmpty(const QString& sentence) { empty_->setText(sentence); }

void HiddenChart::shareXAxis() {
  from_ = to_ = none;
  draw();
}

void HiddenChart::shareRange(double from, double to) {
  from_ = from;
  to_ = to;
  draw();
}

void HiddenChart::shareMargins() { plot_->replot(QCustomPlot::rpQueuedReplot); }

void HiddenChart::draw() {
  const XAxis axis = group_.xAxis();
  QVector<double> x, y;
  bool any = false;
  double sum_hidden = 0, sum = 0;
  for (const StepBucket& bucket : buckets_) {
    const StepSums& sums = bucket.mean;
    x << (axis == XAxis::step ? static_cast<double>(bucket.first_step) : value_of(sums.axes, axis));
    y << (sums.comm_s > 0 ? sums.hidden_s / sums.comm_s : none);
    any = any || sums.comm_s > 0;
    sum_hidden += sums.hidden_s * static_cast<double>(bucket.count);
    sum += sums.comm_s * static_cast<double>(bucket.count);
  }
  empty_->setVisible(!any);
  plot_->setVisible(any);
  if (!any) return;
  graph_->setData(x, y, true);
  graph_->setScatterStyle(x.size() < 40 ? QCPScatterStyle(QCPScatterStyle::ssDisc, palette::marker_size) : QCPScatterStyle());
  if (std::isfinite(from_) && std::isfinite(to_) && to_ > from_)
    plot_->xAxis->setRange(from_, to_);
  else
    plot_->xAxis->setRange(x.front() - 0.5, std::max(x.back(), x.front() + 1) + 0.5);
  setAccessibleDescription(tr("%1 of all communication in the visible steps was hidden").arg(format::share(sum_hidden / sum)));
  setToolTip(accessibleDescription());
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void HiddenChart::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) recolour();
  QWidget::changeEvent(event);
}

void HiddenChart::recolour() {
  const bool dark = palette::isDark(palette());
  const QColor text = palette().color(QPalette::WindowText);
  plot_->setBackground(palette::background(dark));
  QFont small = font();
  small.setPointSizeF(small.pointSizeF() - 1);
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
    axis->setBasePen(QPen(text));
    axis->setTickPen(QPen(text));
    axis->setSubTickPen(QPen(text));
    axis->setTickLabelColor(text);
    axis->setTickLabelFont(small);
    axis->grid()->setPen(QPen(palette::grid(dark)));
    axis->grid()->setZeroLinePen(QPen(palette::grid(dark)));
  }
  QColor line = palette::stepPart(1, dark).fill;
  if (palette::contrast(line, palette::background(dark)) < 3) line = line.darker(140);
  graph_->setPen(QPen(line, palette::line_width));
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace syncline::ui
