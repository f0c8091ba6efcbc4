// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/series_chart_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include "ui/widgets/chart_plot.h"

namespace syncline::ui {

namespace {

class AccessiblePlot : public QAccessibleWidget {
 public:
  explicit AccessiblePlot(ChartPlot* plot) : QAccessibleWidget(plot, QAccessible::Chart), plot_(*plot) {}

  QString text(QAccessible::Text kind) const override {
    if (kind == QAccessible::Value) return plot_.readingText();
    return QAccessibleWidget::text(kind);
  }

 private:
  ChartPlot& plot_;
};

QAccessibleInterface* make_interface(const QString&, QObject* object) {
  auto* plot = qobject_cast<ChartPlot*>(object);
  return plot != nullptr ? new AccessiblePlot(plot) : nullptr;
}

}  // namespace

void install_chart_accessibility() {
  static const bool installed = [] {
    QAccessible::installFactory(make_interface);
    return true;
  }();
  Q_UNUSED(installed);
}

}  // namespace syncline::ui
