// SPDX-License-Identifier: GPL-3.0-or-later
// A tab of the Compare page. It is told what is compared and shows it; only the one that is visible works.
#pragma once

#include <QTableWidget>
#include <QWidget>
#include <memory>

#include "ui/models/compare_data.h"
#include "ui/widgets/series_chart.h"
#include "ui/widgets/split_chart.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

// What is on the page now: data, the items that are ticked, the baseline among them.
struct Comparison {
  std::shared_ptr<const ComparisonData> data;
  std::vector<ComparedItem> items;
  const ComparedItem* baseline = nullptr;  // into items; null: none
};

class CompareTab : public QWidget {
  Q_OBJECT

 public:
  CompareTab(Workbench& bench, QWidget* parent) : QWidget(parent), workbench_(bench) {}
  void show(std::shared_ptr<const Comparison>);  // draws now when visible, else when it becomes so
  virtual bool loaded() const { return true; }

 Q_SIGNALS:
  void loadedChanged();

 protected:
  virtual void draw(const Comparison&) = 0;
  void showEvent(QShowEvent*) override;
  void changeEvent(QEvent*) override;  // colours follow the theme
  Workbench& workbench() const { return workbench_; }
  const std::shared_ptr<const Comparison>& shown() const { return comparison_; }

 private:
  Workbench& workbench_;
  std::shared_ptr<const Comparison> comparison_;
  bool stale_ = false;
};

CompareTab* make_compare_charts(Workbench&, ChartGroup&, QWidget* parent);
CompareTab* make_compare_table(Workbench&, QWidget* parent);
CompareTab* make_compare_settings(Workbench&, QWidget* parent);
CompareTab* make_compare_communication(Workbench&, ChartGroup&, QWidget* parent);
CompareTab* make_compare_scaling(Workbench&, QWidget* parent);
CompareTab* make_compare_target(Workbench&, QWidget* parent);

// Where a step of each item goes, the mean over its runs; those without recorded steps are left out.
std::vector<SplitBar> split_bars_of(const std::vector<ComparedItem>&);

// A table that a tab fills by hand: read only, keyboard reachable, Ctrl+C copies the selection with tabs.
QTableWidget* make_plain_table(const QString& name, const QString& accessible, QWidget* parent);
void set_heads(QTableWidget&, const QStringList& heads, std::size_t rows);  // empties it
void fill_row(QTableWidget&, int row, const QStringList& cells);            // the first as text, the others as numbers

}  // namespace syncline::ui
