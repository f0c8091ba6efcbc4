// SPDX-License-Identifier: GPL-3.0-or-later
// Stacked bars of step parts in a QCustomPlot: on the screen with tiled hatches, in vectors with fill and pattern.
#pragma once

#include "ui/widgets/plot.h"
#include "ui/widgets/split_chart.h"

namespace syncline::ui {

struct SplitState {
  std::vector<SplitBar> bars;
  bool named = false, share = false, dark = false;
  double total(const SplitBar&) const;            // of the parts
  double shown(const SplitBar&, StepPart) const;  // seconds, or share of the step
  double bar_x(std::size_t index) const;          // named bars stand at 0, 1, 2, ...
  double bar_width(std::size_t index) const;
  double highest(double from, double to) const;  // of the bars in view
};

QString part_name(StepPart);
void draw_part_swatch(QPainter&, const QRectF&, StepPart, bool dark);

class SplitBars : public QCPLayerable {
 public:
  SplitBars(QCustomPlot*, const SplitState&);

 protected:
  void applyDefaultAntialiasingHint(QCPPainter*) const override;
  void draw(QCPPainter*) override;

 private:
  void drawBar(QCPPainter*, std::size_t index, const QRectF& area);
  void drawWarmUp(QCPPainter*, const QRectF& area);
  const SplitState& state_;
};

}  // namespace syncline::ui
