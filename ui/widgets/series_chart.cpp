// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/series_chart.h"

#include "ui/widgets/chart_group.h"

namespace syncline::ui {

class SeriesChart::Implementation {
 public:
  std::vector<CurveSpec> curves;
  Counters counters;
};

SeriesChart::SeriesChart(ChartGroup&, const QString& name, const QString& title, QWidget* parent)
    : QWidget(parent), implementation_(std::make_unique<Implementation>()) {
  setObjectName(name);
  setAccessibleName(title);
}
SeriesChart::~SeriesChart() = default;
void SeriesChart::setTitle(const QString& title) { setAccessibleName(title); }
void SeriesChart::setCurves(const std::vector<CurveSpec>& curves) { implementation_->curves = curves; }
void SeriesChart::setLogarithmic(bool) {}
void SeriesChart::setTarget(std::optional<double>) {}
void SeriesChart::setWhenEmpty(const QString&) {}
void SeriesChart::setShownMost(int) {}
void SeriesChart::setCompact(bool) {}
bool SeriesChart::loaded() const { return true; }
const SeriesChart::Counters& SeriesChart::counters() const { return implementation_->counters; }

}  // namespace syncline::ui
