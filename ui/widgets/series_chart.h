// SPDX-License-Identifier: GPL-3.0-or-later
// The chart of every page: curves of recorded series over a chosen x axis, with crosshair, zoom, smoothing, legend, table and export. It
// reads what it draws through the StoreService, reduced for its width in pixels, and only while it is visible.
#pragma once

#include <QColor>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/store/records.h"
#include "ui/models/store_service.h"

namespace syncline::ui {

class ActionRegistry;
class Settings;

// A curve: one series of one run, or the mean of the same series over the runs of a group (its seeds).
struct CurveSpec {
  QString id;           // stable; pins and hiding go by it
  QString name;         // for the legend
  QStringList run_ids;  // more than one: aggregated (mean line and band)
  QString series;       // stored name: "train_loss"
  int rank = -1;
  int palette = 0;          // the run's stored index
  QColor colour;            // the user's own; invalid: the palette's
  bool prediction = false;  // dash-dot, hollow marks, SIM in the name
  QString note;             // "1 stopped early"
  bool operator==(const CurveSpec&) const = default;
};

// What the charts of one page share: x axis, x range, crosshair, smoothing, following of live data.
class ChartGroup : public QObject {
  Q_OBJECT

 public:
  ChartGroup(StoreService&, Settings&, const QString& page_kind, QObject* parent = nullptr);  // page_kind: remembers the choice of x axis
  ~ChartGroup() override;
  XAxis xAxis() const;
  void setXAxis(XAxis);
  bool alignStarts() const;
  void setAlignStarts(bool);
  double halfLife() const;  // of the smoothing, in x units; 0: off
  void setHalfLife(double);
  void zoomToFit();
  // Where the charts offer what can be done with them (ids: chart_actions.h). Before any is made; without it they have one of their own.
  void setActions(ActionRegistry&);
  // Called when the workspace changed; charts that are visible fetch again, at most 10 times a second.
  void refresh();

 Q_SIGNALS:
  void xAxisChanged();
  void rangeChanged(double from, double to);
  void crosshairMoved(double x);
  // "Show in Timeline": the moment under the crosshair.
  void momentChosen(const QString& run_id, std::int64_t step);

 public:
  struct Shared;
  Shared& shared() { return *shared_; }

 private:
  std::unique_ptr<Shared> shared_;
};

class SeriesChart : public QWidget {
  Q_OBJECT

 public:
  // `name`: objectName and stem of exported files ("run.overview.loss").
  SeriesChart(ChartGroup&, const QString& name, const QString& title, QWidget* parent = nullptr);
  ~SeriesChart() override;

  void setTitle(const QString&);
  // Sets what is drawn; unchanged curves keep their data and zoom. All curves share the y axis, whose unit comes from the stored names.
  void setCurves(const std::vector<CurveSpec>&);
  void setLogarithmic(bool);
  void setTarget(std::optional<double> y);     // a line with a flag ("target 90 %")
  void setWhenEmpty(const QString& sentence);  // "Waiting for the first step."
  void setShownMost(int curves);               // 20
  void setCompact(bool);                       // no legend list beside the plot
  bool loaded() const;                         // everything asked for has arrived and is drawn

  // Counters for tests: what work was done.
  struct Counters {
    int requests = 0, curve_replots = 0, overlay_replots = 0;
    std::int64_t vertices = 0;
  };
  const Counters& counters() const;

  // What the menu does, for pages and tests. Errors come as one sentence; empty: it went well.
  QString savePicture(const QString& path, int scale = 2, int paper_columns = 2);                         // .pdf, .svg or .png; light theme
  void saveData(const QString& path, bool visible_only, std::function<void(const QString& error)> done);  // .csv, .tsv or .json
  QString saveDrawn(const QString& path) const;  // the vertices in view instead of the samples: reduced, smoothed, averaged
  void showTable(bool);
  bool following() const;  // live data moves the view

 Q_SIGNALS:
  void loadedChanged();

 private:
  class Implementation;
  friend class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace syncline::ui
