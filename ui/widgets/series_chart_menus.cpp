// SPDX-License-Identifier: GPL-3.0-or-later
// The choices of a SeriesChart: axis, scale, smoothing, bands, table, exports.
#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QColorDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QSaveFile>

#include "ui/models/chart/drawn_table.h"
#include "ui/models/chart/plain_table.h"
#include "ui/models/settings.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/series_chart_p.h"

namespace syncline::ui {

namespace {

constexpr std::size_t most_copied = 200000;  // rows; more belong into a file

QAction* choice(QMenu* menu, QActionGroup* group, const QString& text, bool checked, const std::function<void()>& chosen) {
  QAction* action = menu->addAction(text);
  action->setCheckable(true);
  action->setChecked(checked);
  group->addAction(action);
  QObject::connect(action, &QAction::triggered, menu, [chosen] { chosen(); });
  return action;
}

}  // namespace

void SeriesChart::Implementation::buildMenus() {
  ChartGroup::Shared& shared = group_.shared();
  if (x_menu_ == nullptr) {
    const auto make = [this](QToolButton* button, const QString& title) {
      auto* menu = new QMenu(title, &chart_);
      menu->setToolTipsVisible(true);
      button->setMenu(menu);
      button->setPopupMode(QToolButton::InstantPopup);
      return menu;
    };
    x_menu_ = make(x_button_, tr("&X Axis"));
    y_menu_ = make(y_button_, tr("&Y Scale"));
    smooth_menu_ = make(smooth_button_, tr("S&moothing"));
    more_menu_ = new QMenu(tr("More"), &chart_);
    more_menu_->setToolTipsVisible(true);
    connect(more_button_, &QToolButton::clicked, this,
            [this] { more_menu_->popup(more_button_->mapToGlobal(more_button_->rect().bottomLeft())); });
    more_menu_->setObjectName(QString(name_ % QStringLiteral(".menu")));
    connect(more_menu_, &QMenu::aboutToShow, this, [this] { buildMenus(); });
    for (QMenu* menu : {x_menu_, y_menu_, smooth_menu_}) {
      // As a part of the large menu it is up to date already, and must not pull that away.
      connect(menu, &QMenu::aboutToShow, this, [this] {
        if (!more_menu_->isVisible()) buildMenus();
      });
    }
  }
  for (QMenu* menu : {x_menu_, y_menu_, smooth_menu_, more_menu_}) {
    menu->clear();
    qDeleteAll(menu->findChildren<QActionGroup*>(Qt::FindDirectChildrenOnly));
  }
  for (QMenu* menu : {x_menu_, more_menu_}) qDeleteAll(menu->findChildren<QMenu*>(Qt::FindDirectChildrenOnly));

  auto* axes = new QActionGroup(x_menu_);
  for (int i = 0; i < x_axis_count; ++i) {
    const auto axis = static_cast<XAxis>(i);
    QString label = chart::axis_label(axis);
    QAction* action = choice(x_menu_, axes, label, axis == shared.axis && x_series_.isEmpty(), [this, axis] { chooseAxis(axis); });
    const QString reason = state_.data ? state_.data->axis_reasons[static_cast<std::size_t>(i)] : QString();
    action->setEnabled(reason.isEmpty());
    action->setToolTip(reason.isEmpty() ? label : reason);
    if (!reason.isEmpty()) action->setText(QString(label % QStringLiteral(" – ") % reason));
  }
  x_menu_->addSeparator();
  fillMetricMenu(*x_menu_->addMenu(tr("Another &Metric, This Chart Alone")));
  x_menu_->addAction(action("chart.align"));

  auto* scales = new QActionGroup(y_menu_);
  const auto scale = [&](const QString& text, YScale wanted) {
    choice(y_menu_, scales, text, state_.scale == wanted, [this, wanted] { setScale(wanted); });
  };
  scale(tr("&Linear"), YScale::linear);
  scale(tr("Log &10"), YScale::log10);
  scale(tr("Log &2"), YScale::log2);
  y_menu_->addSeparator();
  y_menu_->addAction(action("chart.outliers"));

  auto* smoothings = new QActionGroup(smooth_menu_);
  using Kind = chart::Smoothing::Kind;
  choice(smooth_menu_, smoothings, tr("&Off"), !smoothing().on(), [this] { setSmoothing(Kind::off, 0); });
  const double range = state_.data ? state_.data->last_x - state_.data->first_x : 1000;
  const auto group_of = [&](const QString& text, Kind kind) {
    smooth_menu_->addSection(text);
    for (const double width : smoothing_presets(range)) {
      const chart::Smoothing offered{kind, width};
      choice(smooth_menu_, smoothings, chart::counted(width, shared.axis), shared.smoothing == offered,
             [this, kind, width] { setSmoothing(kind, width); });
    }
    choice(smooth_menu_, smoothings, tr("Other…"), false, [this, kind] { smoothOther(kind); });
  };
  group_of(tr("Half-life"), Kind::half_life);
  group_of(tr("Running median"), Kind::running_median);
  group_of(tr("Running mean"), Kind::running_mean);

  more_menu_->addMenu(x_menu_);
  more_menu_->addMenu(y_menu_);
  more_menu_->addMenu(smooth_menu_);
  QMenu* bands = more_menu_->addMenu(tr("&Band over Seeds"));
  auto* band_group = new QActionGroup(bands);
  for (const auto& [text, band] :
       {std::pair(tr("&Standard Deviation"), chart::Band::deviation),
        std::pair(tr("&95 % Confidence of the Mean"), chart::Band::confidence), std::pair(tr("&Minimum to Maximum"), chart::Band::range),
        std::pair(tr("Single &Lines"), chart::Band::lines), std::pair(tr("&None"), chart::Band::none)}) {
    choice(bands, band_group, text, band_ == band, [this, wanted = band] {
      band_ = wanted;
      invalidate(true);
    });
  }
  more_menu_->addSeparator();
  updateActions();
  const auto put = [this](std::initializer_list<const char*> ids) {
    for (const char* id : ids) more_menu_->addAction(action(id));
    more_menu_->addSeparator();
  };
  put({"chart.fit", "chart.undo-zoom", "chart.follow", "chart.link", "chart.legend"});
  if (static_cast<int>(state_.curves.size()) > state_.shown_most) {
    more_menu_->addAction(tr("Show &All %1 Curves").arg(state_.curves.size()), this, [this] {
      state_.shown_most = static_cast<int>(state_.curves.size());
      invalidate(true);
    });
  }
  put({"chart.cursor-a", "chart.cursor-b", "chart.clear-cursors", "chart.pin"});
  put({"chart.timeline", "chart.non-finite", "chart.table"});
  put({"chart.copy-value", "chart.copy-visible", "chart.copy-data", "chart.copy-picture", "chart.export-picture", "chart.export-data"});
}

void SeriesChart::Implementation::labelButtons() {
  const ChartGroup::Shared& shared = group_.shared();
  x_button_->setText(tr("x: %1").arg(x_series_.isEmpty() ? chart::axis_label(shared.axis) : chart::metric_label(x_series_)));
  y_button_->setText(tr("y: %1").arg(state_.scale == YScale::linear  ? tr("linear")
                                     : state_.scale == YScale::log10 ? tr("log 10")
                                                                     : tr("log 2")));
  smooth_button_->setText(smoothing().on() ? tr("smooth: %1").arg(chart::counted(shared.smoothing.width, shared.axis)) : tr("smooth: off"));
}

void SeriesChart::Implementation::showMenu(const QPoint& global) { more_menu_->popup(global); }

void SeriesChart::Implementation::setSmoothing(chart::Smoothing::Kind kind, double width) {
  group_.shared().setSmoothing(kind == chart::Smoothing::Kind::off ? chart::Smoothing{} : chart::Smoothing{kind, width});
}

chart::TableQuery SeriesChart::Implementation::tableQuery(bool visible_only) const {
  chart::TableQuery query;
  query.chart.axis = group_.shared().axis;
  query.chart.align_starts = group_.shared().align_starts;
  query.chart.x_series = x_series_;
  query.chart.smoothing = smoothing();
  query.chart.band = band_;
  query.chart.from = visible_only && state_.zoomed() ? state_.lower : nothing;
  query.chart.to = visible_only && state_.zoomed() ? state_.upper : nothing;
  for (const CurveSpec* spec : state_.drawn()) {
    query.chart.curves.push_back({spec->id, spec->run_ids, spec->series, spec->rank});
    query.names.push_back(spec->name);
  }
  return query;
}

void SeriesChart::Implementation::showTable(bool on) {
  if (table_button_->isChecked() != on) {
    table_button_->setChecked(on);  // comes back here
    return;
  }
  if (on) readTable();
  showTexts();
}

void SeriesChart::Implementation::readTable() {
  using Answer = std::shared_ptr<const ChartRows>;
  const chart::TableQuery query = tableQuery(true);
  group_.shared().store.read<Answer>(
      this, QStringLiteral("table"), [query](Reader& reader) { return std::make_shared<const ChartRows>(read_rows(reader, query)); },
      [this](const Answer& rows) {
        std::vector<chart::EventMark> events;
        const double from = rows->query.chart.from, to = rows->query.chart.to;
        for (const chart::EventMark& event : state_.data ? state_.data->events : events) {
          if (!(event.x < from || event.x > to)) events.push_back(event);
        }
        table_model_->setRows(rows, std::move(events));
        for (int column = 0; column < table_model_->columnCount(); ++column) table_->setColumnHidden(column, !table_model_->tells(column));
        // Once: afterwards the widths are the person's own.
        if (!rows->rows.empty() && !std::exchange(table_fitted_, true)) table_->resizeColumnsToContents();
        // What one looks for first: the place on the chart's axis, then the value.
        QHeaderView* heads = table_->horizontalHeader();
        const QStringList names = chart::table_columns(rows->query);
        const auto forward = [&](const QString& name, int place) {
          if (const auto at = names.indexOf(name); at >= 0) heads->moveSection(heads->visualIndex(static_cast<int>(at)), place);
        };
        forward(QStringLiteral("value"), 1);
        forward(rows->query.chart.x_series.isEmpty() ? chart::axis_stored_name(rows->query.chart.axis) : rows->query.chart.x_series, 1);
        table_note_->setText(
            rows->complete
                ? tr("%1 rows, visible range").arg(format::count(static_cast<std::int64_t>(rows->rows.size())))
                : tr("the first %1 rows; Export Data has all of them").arg(format::count(static_cast<std::int64_t>(rows->rows.size()))));
      });
}

QString SeriesChart::Implementation::savePicture(const QString& path, int scale, int columns) {
  ChartPicture picture(state_, columns == 1 ? one_column : two_columns,
                       state_.derivations(plot_->xAxis->range().lower, plot_->xAxis->range().upper));
  return picture.write(path, scale);
}

void SeriesChart::Implementation::saveData(const QString& path, bool visible_only, std::function<void(const QString&)> done) {
  const chart::TableQuery query = tableQuery(visible_only);
  group_.shared().store.read<QString>(
      this, {},
      [path, query](Reader& reader) -> QString {
        QSaveFile file(path);
        bool good = file.open(QIODevice::WriteOnly);
        if (good) {
          chart::write_table(reader, query, chart::table_format_of(path),
                             [&](const QByteArray& piece) { return good = file.write(piece) == piece.size(); });
        }
        if (good && file.commit()) return {};
        return tr("%1 cannot be written: %2").arg(path, file.errorString());
      },
      [done](const QString& error) { done(error); }, [done](const QString& error) { done(error); });
}

void SeriesChart::Implementation::exportPicture() {
  QString filter;
  const QString pdf = tr("PDF, two paper columns wide (*.pdf)"), narrow_pdf = tr("PDF, one paper column wide (*.pdf)");
  const QString svg = tr("SVG, two paper columns wide (*.svg)"), narrow_svg = tr("SVG, one paper column wide (*.svg)");
  QStringList filters = {pdf, narrow_pdf, svg, narrow_svg};
  const qsizetype vectors = filters.size();
  for (int scale = 1; scale <= largest_scale; ++scale) filters.append(tr("PNG, scale %1 (*.png)").arg(scale));
  QString path = FileDialog::saveFile(&chart_, tr("Export Picture"), QString(name_ % QStringLiteral(".pdf")),
                                      filters.join(QStringLiteral(";;")), &filter);
  if (path.isEmpty()) return;
  const qsizetype chosen = std::max<qsizetype>(0, filters.indexOf(filter));
  if (!path.contains(QRegularExpression(QStringLiteral("\\.(pdf|svg|png)$"), QRegularExpression::CaseInsensitiveOption)))
    path += filters[chosen].section(u'*', 1).chopped(1);
  const QString error =
      savePicture(path, chosen < vectors ? 2 : static_cast<int>(chosen - vectors) + 1, chosen == 1 || chosen == 3 ? 1 : 2);
  if (!error.isEmpty()) QMessageBox::warning(&chart_, tr("Export Picture"), error);
}

QString SeriesChart::Implementation::saveDrawn(const QString& path) const {
  std::vector<std::pair<QString, QString>> curves;
  for (const CurveSpec* spec : state_.drawn()) curves.emplace_back(spec->id, spec->name);
  const chart::ChartData none;
  const bool zoomed = state_.zoomed();
  const QByteArray bytes = chart::drawn_table(state_.data ? *state_.data : none, curves, zoomed ? state_.lower : nothing,
                                              zoomed ? state_.upper : nothing, chart::table_format_of(path));
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
  return tr("%1 cannot be written: %2").arg(path, file.errorString());
}

void SeriesChart::Implementation::exportData() {
  QString filter;
  QStringList filters;
  for (const QString& format : {QStringLiteral("CSV"), QStringLiteral("TSV"), QStringLiteral("JSON")}) {
    const QString ending = format.toLower();
    filters += {tr("%1, all samples (*.%2)").arg(format, ending), tr("%1, samples of the visible range only (*.%2)").arg(format, ending),
                tr("%1, as drawn (*.%2)").arg(format, ending)};
  }
  constexpr qsizetype extents = 3, visible = 1, drawn = 2;
  QString path = FileDialog::saveFile(&chart_, tr("Export Data"), QString(name_ % QStringLiteral(".csv")),
                                      filters.join(QStringLiteral(";;")), &filter);
  if (path.isEmpty()) return;
  const qsizetype chosen = std::max<qsizetype>(0, filters.indexOf(filter));
  if (!path.contains(QRegularExpression(QStringLiteral("\\.(csv|tsv|json)$"), QRegularExpression::CaseInsensitiveOption)))
    path += filters[chosen].section(u'*', 1).chopped(1);
  const auto told = [this](const QString& error) {
    if (!error.isEmpty()) QMessageBox::warning(&chart_, tr("Export Data"), error);
  };
  if (chosen % extents == drawn)
    told(saveDrawn(path));
  else
    saveData(path, chosen % extents == visible, told);
}

void SeriesChart::Implementation::copyPicture() {
  ChartPicture picture(state_, two_columns, state_.derivations(plot_->xAxis->range().lower, plot_->xAxis->range().upper));
  QGuiApplication::clipboard()->setImage(picture.image(3));
}

void SeriesChart::Implementation::copyData(bool visible_only) {
  const chart::TableQuery query = tableQuery(visible_only);
  group_.shared().store.read<QByteArray>(
      this, QStringLiteral("copy"),
      [query](Reader& reader) {
        QByteArray text;
        std::size_t rows = 0;
        chart::write_table(reader, query, chart::TableFormat::tsv, [&](const QByteArray& piece) {
          text += piece;
          rows += static_cast<std::size_t>(piece.count('\n'));
          return rows < most_copied;
        });
        return text;
      },
      [](const QByteArray& text) { QGuiApplication::clipboard()->setText(QString::fromUtf8(text)); });
}

void SeriesChart::Implementation::copyValue() {
  for (const CurveSpec* spec : state_.drawn()) {
    if (!state_.reading.isEmpty() && spec->id != state_.reading) continue;
    const chart::CurveData* curve = state_.dataOf(spec->id);
    const chart::Reading* reading =
        curve == nullptr || !std::isfinite(state_.crosshair) ? nullptr : chart::reading_at(*curve, state_.crosshair);
    if (reading == nullptr) continue;
    QGuiApplication::clipboard()->setText(format::exact(reading->y));
    return;
  }
}

void SeriesChart::Implementation::renameRun(const QString& curve_id) {
  for (CurveSpec& spec : state_.curves) {
    if (spec.id != curve_id || spec.run_ids.isEmpty()) continue;
    bool chosen = false;
    const QString name = QInputDialog::getText(&chart_, tr("Rename Run"), tr("Name:"), QLineEdit::Normal, spec.name, &chosen).trimmed();
    if (!chosen || name.isEmpty()) return;
    group_.shared().store.write(this, [id = spec.run_ids.front().toStdString(), text = name.toStdString()](StoreService::Writer& writer) {
      Annotations(writer.workspace).rename(id, text);
    });
    spec.name = name;
    showTexts();
    return;
  }
}

void SeriesChart::Implementation::colourRun(const QString& curve_id) {
  for (CurveSpec& spec : state_.curves) {
    if (spec.id != curve_id || spec.run_ids.isEmpty()) continue;
    const QColor colour = QColorDialog::getColor(state_.styleOf(spec, state_.dark).colour, &chart_, tr("Colour of %1").arg(spec.name));
    if (!colour.isValid()) return;
    group_.shared().store.write(this, [id = spec.run_ids.front().toStdString(), text = colour.name().toStdString()](
                                          StoreService::Writer& writer) { Annotations(writer.workspace).set_colour(id, text); });
    spec.colour = colour;
    plot_->scene().drawCurves();
    plot_->replot(QCustomPlot::rpQueuedReplot);
    showTexts();
    return;
  }
}

QString SeriesChart::savePicture(const QString& path, int scale, int paper_columns) {
  return implementation_->savePicture(path, scale, paper_columns);
}

void SeriesChart::saveData(const QString& path, bool visible_only, std::function<void(const QString&)> done) {
  implementation_->saveData(path, visible_only, std::move(done));
}

QString SeriesChart::saveDrawn(const QString& path) const { return implementation_->saveDrawn(path); }

void SeriesChart::showTable(bool on) { implementation_->showTable(on); }

bool SeriesChart::following() const { return implementation_->following(); }

}  // namespace syncline::ui
