// SPDX-License-Identifier: GPL-3.0-or-later
// The inside of SeriesChart.
#pragma once

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QMenu>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

#include "ui/models/chart/chart_reading.h"
#include "ui/widgets/chart_group.h"
#include "ui/widgets/chart_legend.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/chart_table_model.h"

namespace syncline::ui {

class SeriesChart::Implementation : public QObject, public LinkedChart {
  Q_DECLARE_TR_FUNCTIONS(syncline::ui::SeriesChart)

 public:
  Implementation(SeriesChart& chart, ChartGroup& group, const QString& name, const QString& title);
  ~Implementation() override;

  void setCurves(const std::vector<CurveSpec>&);
  void invalidate(bool new_query);  // asks for data when it is visible
  void recolour();
  void showTitle();
  void showTexts();  // footer, delta strip, notes, empty sentence, legend
  bool loaded() const { return !asking_ && (!wanted_ || !onScreen()); }
  QString accessibleText() const;
  bool following() const { return following_; }

  static constexpr int settle_ms = 400;  // new data of less than a pixel is read and drawn together after so long

  // LinkedChart
  void shareXAxis() override;
  void shareRange(double from, double to) override;
  void shareCrosshair(double x) override;
  void shareMargins() override;
  void refreshData() override;
  bool onScreen() const override;
  double redrawMs() const override { return plot_->replotTime(true); }

  // Actions (series_chart_actions.cpp)
  void addActions();
  void updateActions();  // what is chosen, and what cannot be done now
  QAction* action(const char* id) const { return actions_.value(QLatin1String(id)); }
  void showMoment();
  void showNonFinite();
  void showFooter();
  static std::vector<double> smoothing_presets(double range);
  void smoothOther(chart::Smoothing::Kind);
  void pin();
  void setScale(YScale);
  void setIgnoringOutliers(bool);

  // Over another series (series_chart_metric.cpp)
  void chooseAxis(XAxis);
  void setMetricAxis(const QString& series);  // empty: the page's axis
  QStringList metrics() const;                // what there is to choose from
  void fillMetricMenu(QMenu&);
  void chooseMetric();
  chart::Smoothing smoothing() const { return x_series_.isEmpty() ? group_.shared().smoothing : chart::Smoothing{}; }

  // Menus and exports (series_chart_menus.cpp)
  void buildMenus();    // anew, each time one is opened
  void labelButtons();  // what is chosen
  void showMenu(const QPoint& global);
  void exportPicture();
  void exportData();
  void copyPicture();
  void copyData(bool visible_only);
  void copyValue();
  void renameRun(const QString& curve_id);
  void colourRun(const QString& curve_id);
  void showTable(bool on);
  void readTable();
  void setSmoothing(chart::Smoothing::Kind, double width);
  QString savePicture(const QString& path, int scale, int columns);
  void saveData(const QString& path, bool visible_only, std::function<void(const QString& error)> done);
  QString saveDrawn(const QString& path) const;
  chart::TableQuery tableQuery(bool visible_only) const;

  SeriesChart& chart_;
  ChartGroup& group_;
  QPointer<ChartGroup> group_alive_;
  QString name_, when_empty_;
  QString x_series_;  // in the place of the page's axis; empty: none
  ChartState state_;
  QHash<QString, QAction*> actions_;
  ChartPlot* plot_;
  ChartLegend* legend_;
  LegendStrip* strip_;
  QLabel *title_, *age_, *footer_, *delta_, *note_, *empty_, *table_note_;
  QToolButton *x_button_, *y_button_, *smooth_button_, *table_button_, *more_button_, *follow_chip_;
  QMenu *x_menu_ = nullptr, *y_menu_ = nullptr, *smooth_menu_ = nullptr, *more_menu_ = nullptr;
  QStackedWidget* stack_;
  QTableView* table_;
  ChartTableModel* table_model_;
  QWidget* table_page_;
  Counters counters_;
  chart::Band band_ = chart::Band::deviation;
  bool compact_ = false, legend_wanted_ = true, margin_busy_ = false, table_fitted_ = false;

 private:
  void build(const QString& title);
  void ask();
  void take(const std::shared_ptr<const chart::ChartData>&);
  void redraw();
  bool tooLittleToDraw() const;
  bool tooLittleToRead() const;
  void viewChanged(bool dragging);
  void setFollowing(bool);
  void chooseUnits();
  void lookAtAge();
  void placeHeader();
  bool eventFilter(QObject*, QEvent*) override;
  int columns() const;
  chart::ChartQuery query() const;

  std::shared_ptr<chart::ChartReading> reading_;  // used on the reader thread only
  bool wanted_ = false, asking_ = false, asked_again_ = false, following_ = true, fresh_query_ = true;
  bool redraw_waits_ = false, new_data_ = false;
  double follow_width_ = nothing;
  QTimer late_, throttle_, age_timer_, settle_;
  double drawn_last_x_ = nothing, read_last_x_ = nothing, growth_ = nothing;  // growth: of x, for each ms
  QElapsedTimer drawn_at_, read_at_;
  int left_margin_ = -1;
};

}  // namespace syncline::ui
