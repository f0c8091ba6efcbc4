// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/split_chart.h"

namespace syncline::ui {

class SplitChart::Implementation {
 public:
  std::vector<SplitBar> bars;
};

SplitChart::SplitChart(ChartGroup&, const QString& name, const QString& title, QWidget* parent)
    : QWidget(parent), implementation_(std::make_unique<Implementation>()) {
  setObjectName(name);
  setAccessibleName(title);
}
SplitChart::~SplitChart() = default;
void SplitChart::setBars(std::vector<SplitBar> bars, const QString&) { implementation_->bars = std::move(bars); }
void SplitChart::setNamedBars(std::vector<SplitBar> bars) { implementation_->bars = std::move(bars); }
void SplitChart::setShare(bool) {}
void SplitChart::setWhenEmpty(const QString&) {}
int SplitChart::barsWanted() const { return 100; }

}  // namespace syncline::ui
