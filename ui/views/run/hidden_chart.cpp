// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/hidden_chart.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <cmath>
#include <limits>

#include "ui/models/chart/plain_table.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/series_chart_accessible.h"

namespace syncline::ui {

namespace {

const QStringList& columns() {
  static const QStringList names = {QStringLiteral("first_step"), QStringLiteral("last_step"), QStringLiteral("comm_s"),
                                    QStringLiteral("hidden_s"), QStringLiteral("hidden_comm_fraction")};
  return names;
}

}  // namespace

void HiddenTable::setRows(std::vector<QStringList> rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

QByteArray HiddenTable::asText(chart::TableFormat format) const { return chart::plain_table(columns(), rows_, format); }

int HiddenTable::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int HiddenTable::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(columns().size()); }

QVariant HiddenTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | Qt::AlignRight));
  if (role != Qt::DisplayRole) return {};
  const QString& cell = rows_[static_cast<std::size_t>(index.row())][index.column()];
  return cell.isEmpty() ? format::missing : cell;
}

QVariant HiddenTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Horizontal && role == Qt::TextAlignmentRole)
    return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | Qt::AlignRight));
  if (role != Qt::DisplayRole || orientation != Qt::Horizontal) return {};
  return columns().value(section);
}

HiddenChart::HiddenChart(ChartGroup& group, const QString& name, const QString& title, QWidget* parent)
    : QWidget(parent),
      group_(group),
      group_alive_(&group),
      frame_(*this, group.shared().actions(), name, title),
      plot_(new ChartPlot(state_, &frame_.parentOfPlot())),
      numbers_(new HiddenTable(&frame_.table())) {
  install_chart_accessibility();
  setObjectName(name);
  setAccessibleName(title);
  state_.title = title;
  frame_.table().verticalHeader()->hide();
  frame_.setContents(plot_, numbers_);
  add_plot_actions(group.shared().actions(), this, *plot_);
  for (QAction* one : actions()) {
    if (!ActionRegistry::idOf(one).startsWith(QStringLiteral("chart.cursor"))) frame_.menu().addAction(one);
  }
  frame_.add("chart.copy-value", [this] { QGuiApplication::clipboard()->setText(plot_->readingText()); });
  frame_.addActions([this](const QString& path, int scale) { return savePicture(path, scale); },
                    [this](chart::TableFormat format) { return numbers_->asText(format); });
  connect(plot_, &ChartPlot::menuWanted, this, [this](const QPoint& at) { frame_.showMenu(at); });
  connect(plot_, &ChartPlot::viewChanged, this, [this](bool dragging) {
    place();
    plot_->replot(QCustomPlot::rpQueuedReplot);
    group_.shared().moveRange(this, state_.lower, state_.upper, dragging);
  });
  connect(plot_, &ChartPlot::crosshairMoved, this, [this](double x) {
    group_.shared().moveCrosshair(this, x);
    plot_->setAccessibleDescription(plot_->readingText());
  });
  group_.shared().add(this);
  state_.lower = group_.shared().lower;
  state_.upper = group_.shared().upper;
  plot_->axisRect()->setMarginGroup(QCP::msLeft, group_.shared().margins.get());
  recolour();
}

HiddenChart::~HiddenChart() {
  if (!group_alive_) return;
  group_.shared().remove(this);
  plot_->axisRect()->setMarginGroup(QCP::msLeft, nullptr);
}

void HiddenChart::setBuckets(const std::vector<StepBucket>& buckets) {
  buckets_ = buckets;
  fill();
}

void HiddenChart::setWhenEmpty(const QString& sentence) {
  when_empty_ = sentence;
  fill();
}

void HiddenChart::shareXAxis() {
  state_.lower = state_.upper = state_.crosshair = nothing;
  fill();
}

void HiddenChart::shareRange(double from, double to) {
  if (from == state_.lower && to == state_.upper) return;
  state_.lower = from;
  state_.upper = to;
  place();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void HiddenChart::shareCrosshair(double x) {
  if (onScreen()) plot_->setCrosshair(x);
}

void HiddenChart::shareMargins() {
  if (onScreen()) plot_->replot(QCustomPlot::rpQueuedReplot);
}

void HiddenChart::fill() {
  const XAxis axis = group_.xAxis();
  auto filled = std::make_shared<chart::ChartData>();
  filled->query.axis = axis;
  chart::CurveData& curve = filled->curves.emplace_back();
  curve.id = QStringLiteral("hidden");
  curve.samples = static_cast<std::int64_t>(buckets_.size());
  std::vector<QStringList> rows;
  bool any = false;
  double sum_hidden = 0, sum = 0;
  for (const StepBucket& bucket : buckets_) {
    const StepSums& sums = bucket.mean;
    const bool known = sums.comm_s > 0;
    const double x = axis == XAxis::step ? static_cast<double>(bucket.first_step) : value_of(sums.axes, axis),
                 y = known ? sums.hidden_s / sums.comm_s : nothing;
    curve.line.x.push_back(x);
    curve.line.y.push_back(y);
    if (known) curve.readings.push_back({x, y, nothing, nothing, nothing, 1, 1, {}});
    rows.push_back({QString::number(bucket.first_step), QString::number(sums.axes.step), format::exact(sums.comm_s),
                    format::exact(sums.hidden_s), known ? format::exact(y) : QString()});
    any = any || known;
    sum_hidden += sums.hidden_s * static_cast<double>(bucket.count);
    sum += sums.comm_s * static_cast<double>(bucket.count);
  }
  chart::find_dots(curve.line);
  if (!curve.line.x.empty()) {
    filled->first_x = curve.first_x = curve.line.x.front();
    filled->last_x = curve.last_x = curve.line.x.back();
  }
  state_.data = filled;
  state_.x_unit = state_.onClock() ? format::Unit{} : format::unitFor(state_.xStoredName(), filled->last_x, state_.x_unit);
  state_.y_unit = {QStringLiteral("%"), 0.01};
  numbers_->setRows(std::move(rows));
  const QString words =
      any ? tr("%1 of all communication in the visible steps was hidden").arg(format::share(sum_hidden / sum)) : QString();
  setAccessibleDescription(any ? words : when_empty_);
  frame_.show(any, when_empty_, words);
  plot_->scene().drawCurves();
  place();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

// All of it, from nothing hidden to everything, with room for the line at both ends.
void HiddenChart::place() {
  plot_->scene().layOut();
  constexpr double room = 0.04;
  if (!std::isfinite(state_.y_lower)) plot_->yAxis->setRange(-room, 1 + room);
  plot_->scene().setYTitle(tr("hidden (%)"), QStringLiteral("%"));
}

void HiddenChart::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) recolour();
  QWidget::changeEvent(event);
}

void HiddenChart::recolour() {
  state_.dark = palette::isDark(palette());
  CurveSpec spec;
  spec.id = QStringLiteral("hidden");
  spec.name = tr("hidden");
  spec.series = QStringLiteral("part_share");
  spec.colour = palette::stepPart(1, state_.dark).fill;
  if (palette::contrast(spec.colour, palette::background(state_.dark)) < 3) spec.colour = spec.colour.darker(140);
  state_.curves = {spec};
  plot_->scene().setColours(palette(), font());
  fill();
}

QString HiddenChart::savePicture(const QString& path, int scale) {
  ChartState shown = state_;
  const QCPRange y = plot_->yAxis->range();
  shown.y_lower = y.lower;
  shown.y_upper = y.upper;
  const QColor light = palette::stepPart(1, false).fill;
  shown.curves.front().colour = palette::contrast(light, palette::background(false)) < 3 ? light.darker(140) : light;
  return ChartPicture(shown, two_columns, {accessibleDescription()}).write(path, scale);
}

}  // namespace syncline::ui
