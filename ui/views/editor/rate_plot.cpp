// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/rate_plot.h"

#include <QVBoxLayout>

#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/widgets/plot.h"

namespace syncline::ui {

RatePlot::RatePlot(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot(this)), words_(new QLabel(this)) {
  plot_->setObjectName(QStringLiteral("editor.optimizer.rate"));
  plot_->setAccessibleName(tr("Learning rate over the run"));
  plot_->setMinimumHeight(150);
  plot_->setMaximumHeight(230);
  plot_->addGraph();
  plot_->graph(0)->setAdaptiveSampling(false);
  plot_->xAxis->setLabel(tr("step"));
  plot_->yAxis->setLabel(tr("learning rate"));
  plot_->xAxis->setNumberPrecision(3);
  plot_->yAxis->setNumberPrecision(3);
  words_->setObjectName(QStringLiteral("editor.optimizer.rate.words"));
  words_->setWordWrap(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(plot_);
  column->addWidget(words_);
  recolour();
}

void RatePlot::setRate(const LearningRate& rate, std::optional<std::int64_t> global_batch) {
  plot_->setVisible(rate.note.isEmpty() && !rate.rates.empty());
  if (!rate.note.isEmpty() || rate.rates.empty()) {
    words_->setText(rate.note.isEmpty() ? tr("The curve is drawn once the experiment is valid.") : rate.note);
    return;
  }
  plot_->graph(0)->setData(QVector<double>(rate.steps.begin(), rate.steps.end()), QVector<double>(rate.rates.begin(), rate.rates.end()),
                           true);
  plot_->xAxis->setRange(0, std::max(1.0, rate.steps.back()));
  plot_->yAxis->setRange(0, rate.most > 0 ? rate.most * 1.08 : 1);
  plot_->replot(QCustomPlot::rpQueuedReplot);
  const QString count = format::count(static_cast<std::int64_t>(rate.steps.back()) + 1);
  const bool constant = rate.first == rate.most && rate.last == rate.most;
  QString text = constant ? tr("%1 in all %2 steps").arg(format::metric(rate.first), count)
                          : tr("From %1 at the first step, at most %2, to %3 at the last of %4 steps")
                                .arg(format::metric(rate.first), format::metric(rate.most), format::metric(rate.last), count);
  if (global_batch) text += tr("; effective at a global batch of %1 samples").arg(format::count(*global_batch));
  words_->setText(text);
  plot_->setAccessibleDescription(text);
}

void RatePlot::recolour() {
  const bool dark = palette::isDark(palette());
  const QColor ink = palette().color(QPalette::WindowText);
  plot_->setBackground(QBrush(palette::background(dark)));
  plot_->graph(0)->setPen(QPen(palette::curve(0, dark).colour, palette::line_width));
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
    axis->setBasePen(QPen(ink));
    axis->setTickPen(QPen(ink));
    axis->setSubTickPen(QPen(ink));
    axis->setTickLabelColor(ink);
    axis->setLabelColor(ink);
    axis->grid()->setPen(QPen(palette::grid(dark), 1));
  }
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void RatePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) recolour();
}

}  // namespace syncline::ui
