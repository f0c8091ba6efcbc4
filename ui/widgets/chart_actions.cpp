// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_actions.h"

#include <QCoreApplication>
#include <array>

#include "ui/models/chart/chart_data.h"
#include "ui/widgets/chart_plot.h"

namespace syncline::ui {

namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(syncline::ui::ChartActions)
};

struct Row {
  const char *id, *text, *help, *keys, *icon;
};

constexpr std::array rows = {
    Row{"chart.fit", QT_TR_NOOP("&Zoom to Fit"), QT_TR_NOOP("Show all data of the chart."), "0", "zoom-fit-best"},
    Row{"chart.undo-zoom", QT_TR_NOOP("&Undo Zoom"), QT_TR_NOOP("Show what the chart showed before the last zoom or pan."), "Backspace",
        ""},
    Row{"chart.follow", QT_TR_NOOP("Follo&w Live Data"), QT_TR_NOOP("Keep the newest data in view while a run goes on."), "F", ""},
    Row{"chart.cursor-a", QT_TR_NOOP("Set Cursor &A"),
        QT_TR_NOOP("Put cursor A where the crosshair stands, or in the middle; Esc takes it away."), "A", ""},
    Row{"chart.cursor-b", QT_TR_NOOP("Set Cursor &B"),
        QT_TR_NOOP("Put cursor B where the crosshair stands, or in the middle; Esc takes it away."), "B", ""},
    Row{"chart.clear-cursors", QT_TR_NOOP("Ta&ke Cursors Away"), QT_TR_NOOP("Remove the cursors A and B."), "", ""},
    Row{"chart.timeline", QT_TR_NOOP("Show in &Timeline"), QT_TR_NOOP("Show the step under the crosshair in the timeline."), "T", ""},
    Row{"chart.non-finite", QT_TR_NOOP("Go to the First &Non-Finite Value"), QT_TR_NOOP("Show where a curve is NaN or infinite first."), "",
        ""},
    Row{"chart.link", QT_TR_NOOP("&Link with Other Charts"), QT_TR_NOOP("Zoom, pan and crosshair move all charts of the page."), "", ""},
    Row{"chart.legend", QT_TR_NOOP("Show Le&gend"), QT_TR_NOOP("Show the list of curves beside the chart."), "", ""},
    Row{"chart.pin", QT_TR_NOOP("Pin Curve &1"), QT_TR_NOOP("Draw the curve that is read or chosen in the legend always, and first."), "",
        ""},
    Row{"chart.table", QT_TR_NOOP("S&how as Table"), QT_TR_NOOP("Show the numbers behind the chart."), "", "view-table"},
    Row{"chart.share", QT_TR_NOOP("Share of &Step"), QT_TR_NOOP("Show shares of the step instead of time."), "", ""},
    Row{"chart.align", QT_TR_NOOP("Al&ign Starts"), QT_TR_NOOP("Draw each curve from its own start."), "", ""},
    Row{"chart.y-log", QT_TR_NOOP("Logarithmic &Y Axis"), QT_TR_NOOP("Change between a linear y axis and log 10."), "", ""},
    Row{"chart.outliers", QT_TR_NOOP("Ignore &Outliers"), QT_TR_NOOP("Choose the y range without the outermost half percent of samples."),
        "", ""},
    Row{"chart.copy-value", QT_TR_NOOP("C&opy Value"), QT_TR_NOOP("Copy the value under the crosshair in full precision."), "Ctrl+C", ""},
    Row{"chart.copy-visible", QT_TR_NOOP("Copy &Visible Range"), QT_TR_NOOP("Copy the samples in view, with tabs between their cells."),
        "Ctrl+Shift+C", ""},
    Row{"chart.copy-data", QT_TR_NOOP("Copy &Data"), QT_TR_NOOP("Copy all samples, with tabs between their cells."), "", "edit-copy"},
    Row{"chart.copy-picture", QT_TR_NOOP("Copy P&icture"), QT_TR_NOOP("Copy the chart as a picture in light colours."), "", ""},
    Row{"chart.export-picture", QT_TR_NOOP("Export &Picture…"), QT_TR_NOOP("Save the chart as PDF, SVG or PNG."), "", "document-save"},
    Row{"chart.export-data", QT_TR_NOOP("&Export Data…"), QT_TR_NOOP("Save the numbers as CSV, TSV or JSON."), "", "document-save"},
    Row{"chart.smoothing-off", QT_TR_NOOP("No S&moothing"), QT_TR_NOOP("Draw the samples as they were recorded."), "", ""},
    Row{"chart.smoothing-light", QT_TR_NOOP("&Light Smoothing"),
        QT_TR_NOOP("Half-life of about 0.2 % of the x range; raw data stays behind."), "", ""},
    Row{"chart.smoothing-medium", QT_TR_NOOP("M&edium Smoothing"),
        QT_TR_NOOP("Half-life of about 1 % of the x range; raw data stays behind."), "", ""},
    Row{"chart.smoothing-strong", QT_TR_NOOP("&Strong Smoothing"),
        QT_TR_NOOP("Half-life of about 5 % of the x range; raw data stays behind."), "", ""},
    Row{"chart.smoothing-other", QT_TR_NOOP("O&ther Half-Life…"), QT_TR_NOOP("Type the half-life in units of the x axis."), "", ""},
    Row{"chart.x-step", QT_TR_NOOP("X Axis: &Step"), "", "", ""},
    Row{"chart.x-samples", QT_TR_NOOP("X Axis: S&amples"), "", "", ""},
    Row{"chart.x-epoch", QT_TR_NOOP("X Axis: &Epoch"), "", "", ""},
    Row{"chart.x-gradients", QT_TR_NOOP("X Axis: &Gradient Evaluations"), "", "", ""},
    Row{"chart.x-rounds", QT_TR_NOOP("X Axis: Communication &Rounds"), "", "", ""},
    Row{"chart.x-bytes", QT_TR_NOOP("X Axis: &Bytes Sent per Rank"), "", "", ""},
    Row{"chart.x-active_s", QT_TR_NOOP("X Axis: Active &Time"), "", "", ""},
    Row{"chart.x-elapsed_s", QT_TR_NOOP("X Axis: E&lapsed Time"), "", "", ""},
    Row{"chart.x-wall_s", QT_TR_NOOP("X Axis: &Wall Clock"), "", "", ""},
    Row{"chart.x-metric", QT_TR_NOOP("X Axis: Another &Metric…"),
        QT_TR_NOOP("Draw this chart alone over another recorded series, such as loss over throughput."), "", ""},
};

}  // namespace

ActionText chart_action_text(const QString& id) {
  for (const Row& row : rows) {
    if (id != QLatin1String(row.id)) continue;
    const QString help = *row.help != '\0' ? Texts::tr(row.help) : Texts::tr("What all charts of the page are drawn over.");
    QList<QKeySequence> keys;
    if (*row.keys != '\0') keys << QKeySequence(QLatin1String(row.keys));
    return {id, Texts::tr(row.text), help, keys, QLatin1String(row.icon)};
  }
  return {id, id, {}, {}, {}};
}

QString chart_axis_action(XAxis axis) { return QString(QStringLiteral("chart.x-") % chart::axis_stored_name(axis)); }

QString chart_axis_menu_text(const QString& id) { return chart_action_text(id).text.section(QStringLiteral(": "), 1); }

void add_plot_actions(ActionRegistry& registry, QWidget* owner, ChartPlot& plot) {
  const auto add = [&](const char* id, const std::function<void()>& act) {
    registry.add(owner, chart_action_text(QLatin1String(id)), act);
  };
  add("chart.fit", [&plot] { plot.fit(); });
  add("chart.undo-zoom", [&plot] { plot.undoZoom(); });
  for (const auto& [id, which] : {std::pair("chart.cursor-a", 'A'), std::pair("chart.cursor-b", 'B')}) {
    add(id, [&plot, letter = which] {
      const double pointed = plot.pointedX();
      plot.setCursor(letter, std::isfinite(pointed) ? pointed : plot.xAxis->range().center());
    });
  }
}

}  // namespace syncline::ui
