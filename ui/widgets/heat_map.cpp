// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/heat_map.h"

#include <QAbstractTableModel>
#include <QKeyEvent>
#include <QLabel>

#include "ui/models/chart/heat_cells.h"
#include "ui/models/chart/plain_table.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/chart_group.h"
#include "ui/widgets/chart_ticker.h"
#include "ui/widgets/plot_frame.h"

namespace syncline::ui {

namespace {

// All cells as they came, before any are put together.
class HeatTable : public QAbstractTableModel {
 public:
  HeatTable(const HeatMapData& cells, QObject* parent) : QAbstractTableModel(parent), cells_(cells) {}
  void refresh() {
    beginResetModel();
    endResetModel();
  }
  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(cells_.ranks.size()); }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(cells_.steps.size()); }
  QVariant data(const QModelIndex& index, int role) const override {
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | Qt::AlignRight));
    if (role != Qt::DisplayRole) return {};
    const double value =
        cells_.values[static_cast<std::size_t>(index.row()) * cells_.steps.size() + static_cast<std::size_t>(index.column())];
    if (std::isnan(value)) return format::missing;
    return cells_.name.endsWith(QStringLiteral("_s")) ? format::duration(value) : format::metric(value);
  }
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (role != Qt::DisplayRole) return {};
    const auto at = static_cast<std::size_t>(section);
    if (orientation == Qt::Vertical)
      return at < cells_.ranks.size() ? QCoreApplication::translate("HeatMap", "rank %1").arg(cells_.ranks[at]) : QString();
    return at < cells_.steps.size() ? format::count(cells_.steps[at]) : QString();
  }

  // One row a cell that has been recorded.
  QByteArray asText(chart::TableFormat kind) const {
    std::vector<QStringList> rows;
    for (std::size_t rank = 0; rank < cells_.ranks.size(); ++rank) {
      for (std::size_t step = 0; step < cells_.steps.size(); ++step) {
        const double value = cells_.values[rank * cells_.steps.size() + step];
        if (!std::isnan(value))
          rows.push_back({QString::number(cells_.ranks[rank]), QString::number(cells_.steps[step]), format::exact(value)});
      }
    }
    return chart::plain_table({QStringLiteral("rank"), QStringLiteral("step"), cells_.name}, rows, kind);
  }

 private:
  const HeatMapData& cells_;
};

QCPColorGradient cividis() {
  QCPColorGradient gradient;
  gradient.clearColorStops();
  const auto stops = palette::sequential();
  for (std::size_t i = 0; i < stops.size(); ++i) {
    gradient.setColorStopAt(static_cast<double>(i) / static_cast<double>(stops.size() - 1), stops[i]);
  }
  gradient.setNanHandling(QCPColorGradient::nhTransparent);
  return gradient;
}

}  // namespace

class HeatMap::Implementation : public QObject {
  Q_DECLARE_TR_FUNCTIONS(syncline::ui::HeatMap)

 public:
  Implementation(HeatMap& map, ActionRegistry& registry, const QString& name, const QString& title);
  void setData(HeatMapData);
  void recolour();
  void colour(const QPalette&, const QFont&);
  QString footer() const;
  QString savePicture(const QString& path, int scale);
  void show();
  void outline();
  void select(int row, int column);
  void choose() const;
  bool eventFilter(QObject*, QEvent*) override;

  HeatMap& map_;
  QString title_text_, when_empty_;
  HeatMapData data_;
  chart::HeatCells cells_;
  QCustomPlot* plot_;
  QCPColorMap* colours_;
  QCPColorScale* scale_;
  QCPItemRect *outline_, *cursor_;
  PlotFrame frame_;
  QLabel* reading_;
  HeatTable* model_;
  QSharedPointer<UnitTicker> scale_ticker_;
  int outlined_rank_ = -1, row_ = -1, column_ = -1;
};

HeatMap::Implementation::Implementation(HeatMap& map, ActionRegistry& registry, const QString& name, const QString& title)
    : map_(map),
      title_text_(title),
      when_empty_(tr("Nothing has been recorded yet.")),
      frame_(map, registry, name, title),
      scale_ticker_(new UnitTicker) {
  reading_ = frame_.addReading();
  plot_ = new QCustomPlot(&frame_.parentOfPlot());
  plot_->setAccessibleDescription(tr("Arrow keys move from cell to cell, Enter opens one"));
  plot_->setFocusPolicy(Qt::StrongFocus);
  plot_->setMouseTracking(true);
  colours_ = new QCPColorMap(plot_->xAxis, plot_->yAxis);
  colours_->setInterpolate(false);
  colours_->setTightBoundary(false);  // whole cells at the edges
  colours_->setAntialiased(false);
  scale_ = new QCPColorScale(plot_);
  scale_->setType(QCPAxis::atRight);
  scale_->axis()->setTicker(scale_ticker_);
  scale_->setBarWidth(12);
  plot_->plotLayout()->addElement(0, 1, scale_);
  colours_->setColorScale(scale_);
  colours_->setGradient(cividis());
  auto* group = new QCPMarginGroup(plot_);
  plot_->axisRect()->setMarginGroup(QCP::msBottom | QCP::msTop, group);
  scale_->setMarginGroup(QCP::msBottom | QCP::msTop, group);
  plot_->axisRect()->setupFullAxesBox();
  for (QCPAxis* edge : {plot_->xAxis2, plot_->yAxis2}) edge->setTicks(false);
  plot_->yAxis->setRangeReversed(true);
  outline_ = new QCPItemRect(plot_);
  cursor_ = new QCPItemRect(plot_);
  for (QCPItemRect* item : {outline_, cursor_}) {
    item->setVisible(false);
    item->setBrush(Qt::NoBrush);
    item->setSelectable(false);
  }
  model_ = new HeatTable(data_, &frame_.table());
  frame_.setContents(plot_, model_);
  frame_.addActions([this](const QString& path, int scale) { return savePicture(path, scale); },
                    [this](chart::TableFormat format) { return model_->asText(format); });
  plot_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(plot_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) { frame_.showMenu(plot_->mapToGlobal(at)); });
  connect(&frame_.table(), &QTableView::activated, this, [this](const QModelIndex& index) {
    Q_EMIT map_.cellClicked(data_.ranks[static_cast<std::size_t>(index.row())], data_.steps[static_cast<std::size_t>(index.column())]);
  });
  const auto cell_at = [this](const QPoint& at) {
    return std::pair(static_cast<int>(std::floor(plot_->yAxis->pixelToCoord(at.y()) + 0.5)),
                     static_cast<int>(std::floor(plot_->xAxis->pixelToCoord(at.x()) + 0.5)));
  };
  connect(plot_, &QCustomPlot::mouseMove, this, [this, cell_at](QMouseEvent* event) {
    const auto [row, column] = cell_at(event->pos());
    select(row, column);
  });
  connect(plot_, &QCustomPlot::mouseRelease, this, [this, cell_at](QMouseEvent* event) {
    const auto [row, column] = cell_at(event->pos());
    select(row, column);
    choose();
  });
  plot_->installEventFilter(this);
  map_.installEventFilter(this);
  recolour();
  show();
}

bool HeatMap::Implementation::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &map_ && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)) recolour();
  if (watched != plot_ || event->type() != QEvent::KeyPress || cells_.rows == 0) return false;
  const int key = static_cast<QKeyEvent*>(event)->key();
  const int row = std::max(0, row_), column = std::max(0, column_);
  switch (key) {
    case Qt::Key_Left:
      select(row, column - 1);
      return true;
    case Qt::Key_Right:
      select(row, column + (column_ < 0 ? 0 : 1));
      return true;
    case Qt::Key_Up:
      select(row - 1, column);
      return true;
    case Qt::Key_Down:
      select(row + (row_ < 0 ? 0 : 1), column);
      return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      choose();
      return true;
    default:
      return false;
  }
}

void HeatMap::Implementation::select(int row, int column) {
  if (row < 0 || column < 0 || row >= static_cast<int>(cells_.rows) || column >= static_cast<int>(cells_.columns)) return;
  if (row == row_ && column == column_) return;
  row_ = row;
  column_ = column;
  const double value = cells_.values[static_cast<std::size_t>(row) * cells_.columns + static_cast<std::size_t>(column)];
  const int rank = data_.ranks[static_cast<std::size_t>(row) * cells_.rows_per_cell];
  const std::int64_t step = data_.steps[static_cast<std::size_t>(column) * cells_.columns_per_cell];
  const QString text = std::isnan(value)                           ? tr("not recorded")
                       : data_.name.endsWith(QStringLiteral("_s")) ? format::duration(value)
                                                                   : format::metric(value);
  reading_->setText(tr("rank %1 · step %2 · %3").arg(rank).arg(format::count(step), text));
  plot_->setAccessibleDescription(reading_->text());
  cursor_->topLeft->setCoords(column - 0.5, row - 0.5);
  cursor_->bottomRight->setCoords(column + 0.5, row + 0.5);
  cursor_->setVisible(true);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void HeatMap::Implementation::choose() const {
  if (row_ < 0 || column_ < 0) return;
  // Of a cell that stands for several, the one with the highest value.
  const std::size_t columns = data_.steps.size();
  std::size_t best_row = static_cast<std::size_t>(row_) * cells_.rows_per_cell,
              best_column = static_cast<std::size_t>(column_) * cells_.columns_per_cell;
  const std::size_t rows_end = std::min(data_.ranks.size(), best_row + cells_.rows_per_cell),
                    columns_end = std::min(columns, best_column + cells_.columns_per_cell);
  for (std::size_t row = best_row, first_column = best_column; row < rows_end; ++row) {
    for (std::size_t column = first_column; column < columns_end; ++column) {
      const double best = data_.values[best_row * columns + best_column];
      if (std::isnan(best) || data_.values[row * columns + column] > best) {
        best_row = row;
        best_column = column;
      }
    }
  }
  Q_EMIT map_.cellClicked(data_.ranks[best_row], data_.steps[best_column]);
}

void HeatMap::Implementation::recolour() {
  QFont smaller = map_.font();
  if (smaller.pointSizeF() > 2) smaller.setPointSizeF(smaller.pointSizeF() - 1);
  colour(map_.palette(), smaller);
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void HeatMap::Implementation::colour(const QPalette& colours, const QFont& font) {
  const bool dark = palette::isDark(colours);
  const QColor text = colours.color(QPalette::WindowText);
  plot_->setBackground(QBrush(palette::background(dark)));
  // Missing cells let the hatch below through.
  QColor hatch = palette::status(palette::Status::muted, dark);
  hatch.setAlphaF(0.6F);
  plot_->axisRect()->setBackground(QBrush(hatch, Qt::BDiagPattern));
  QColor line = text;
  line.setAlphaF(0.55F);
  for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis, plot_->xAxis2, plot_->yAxis2, scale_->axis()}) {
    axis->setBasePen(QPen(line, 1));
    axis->setTickPen(QPen(line, 1));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLabelColor(text);
    axis->setLabelColor(text);
    axis->setTickLabelFont(font);
    axis->setLabelFont(font);
    axis->grid()->setVisible(false);
  }
  cursor_->setPen(QPen(QColor(0xff, 0xff, 0xff), 2));
  outline_->setPen(QPen(palette::stepPart(2, dark).fill, 2));
}

// In light colours and without the cursor, whatever the window shows; the plot is put back afterwards.
QString HeatMap::Implementation::savePicture(const QString& path, int scale) {
  QFont font = QApplication::font(), bold = font;
  font.setPixelSize(8);
  bold.setPixelSize(10);
  bold.setBold(true);
  const bool cursor = cursor_->visible();
  cursor_->setVisible(false);
  colour(palette::light(), font);
  const QString error = write_picture(path, two_columns, scale, title_text_, [&](QPainter& painter) {
    painter.fillRect(QRectF(0, 0, two_columns.width, two_columns.height), palette::background(false));
    painter.setPen(palette::light().color(QPalette::WindowText));
    painter.setFont(bold);
    painter.drawText(QRectF(8, 3, two_columns.width - 16, 14), Qt::AlignLeft | Qt::AlignVCenter, title_text_);
    painter.setFont(font);
    painter.drawText(QRectF(8, two_columns.height - 14, two_columns.width - 16, 12), Qt::AlignLeft | Qt::AlignVCenter, footer());
    painter.save();
    painter.translate(0, 18);
    plot_->toPainter(static_cast<QCPPainter*>(&painter), two_columns.width, two_columns.height - 34);
    painter.restore();
  });
  cursor_->setVisible(cursor);
  recolour();
  return error;
}

void HeatMap::Implementation::outline() {
  outline_->setVisible(false);
  for (std::size_t row = 0; row < data_.ranks.size() && cells_.rows > 0; ++row) {
    if (data_.ranks[row] != outlined_rank_) continue;
    const auto cell = static_cast<double>(row / cells_.rows_per_cell);
    outline_->topLeft->setCoords(-0.5, cell - 0.5);
    outline_->bottomRight->setCoords(static_cast<double>(cells_.columns) - 0.5, cell + 0.5);
    outline_->setVisible(true);
  }
}

void HeatMap::Implementation::setData(HeatMapData cells) {
  data_ = std::move(cells);
  cells_ = chart::heat_cells(data_.values, data_.ranks.size(), data_.steps.size());
  row_ = column_ = -1;
  cursor_->setVisible(false);
  reading_->clear();
  const int columns = static_cast<int>(cells_.columns), rows = static_cast<int>(cells_.rows);
  if (rows > 0) {
    colours_->data()->setSize(columns, rows);
    colours_->data()->setRange(QCPRange(0, std::max(1, columns - 1)), QCPRange(0, std::max(1, rows - 1)));
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < columns; ++column) {
        colours_->data()->setCell(column, row,
                                  cells_.values[static_cast<std::size_t>(row) * cells_.columns + static_cast<std::size_t>(column)]);
      }
    }
    const format::Unit unit = format::unitFor(data_.name, cells_.most);
    scale_ticker_->setUnit(unit);
    scale_->axis()->setLabel(format::axisTitle(format::titleOf(data_.name), unit));
    colours_->setDataRange(QCPRange(std::min(0.0, cells_.least), cells_.most > 0 ? cells_.most : 1));
    plot_->xAxis->setRange(-0.5, columns - 0.5);
    plot_->yAxis->setRange(-0.5, rows - 0.5);
    const auto ticks = [](int count, int wanted, const std::function<QString(int)>& label) {
      const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
      const int every = std::max(1, (count + wanted - 1) / wanted);
      for (int i = 0; i < count; i += every) ticker->addTick(i, label(i));
      return ticker;
    };
    plot_->xAxis->setTicker(
        ticks(columns, 8, [this](int i) { return format::count(data_.steps[static_cast<std::size_t>(i) * cells_.columns_per_cell]); }));
    plot_->yAxis->setTicker(
        ticks(rows, 8, [this](int i) { return QString::number(data_.ranks[static_cast<std::size_t>(i) * cells_.rows_per_cell]); }));
    plot_->xAxis->setLabel(tr("step"));
    plot_->yAxis->setLabel(tr("rank"));
  }
  outline();
  model_->refresh();
  show();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

QString HeatMap::Implementation::footer() const {
  QStringList parts;
  if (!data_.note.isEmpty()) parts.append(data_.note);
  if (cells_.columns_per_cell > 1) parts.append(tr("each cell the most of %1 columns").arg(cells_.columns_per_cell));
  if (cells_.rows_per_cell > 1) parts.append(tr("each cell the most of %1 ranks").arg(cells_.rows_per_cell));
  if (outline_->visible()) parts.append(tr("outlined: rank %1").arg(outlined_rank_));
  return parts.join(QStringLiteral(" · "));
}

void HeatMap::Implementation::show() {
  const bool any = cells_.rows > 0;
  frame_.show(any, when_empty_, footer());
  map_.setAccessibleDescription(
      any ? tr("%1, %2 ranks, %3 columns, at most %4")
                .arg(title_text_)
                .arg(data_.ranks.size())
                .arg(data_.steps.size())
                .arg(data_.name.endsWith(QStringLiteral("_s")) ? format::duration(std::max(0.0, cells_.most)) : format::metric(cells_.most))
          : when_empty_);
}

HeatMap::HeatMap(ChartGroup& group, const QString& name, const QString& title, QWidget* parent) : QWidget(parent) {
  setObjectName(name);
  setAccessibleName(title);
  implementation_ = std::make_unique<Implementation>(*this, group.shared().actions(), name, title);
}

HeatMap::~HeatMap() { implementation_.reset(); }

void HeatMap::setData(HeatMapData cells) { implementation_->setData(std::move(cells)); }
void HeatMap::setWhenEmpty(const QString& sentence) {
  implementation_->when_empty_ = sentence;
  implementation_->show();
}
QString HeatMap::savePicture(const QString& path, int scale) { return implementation_->savePicture(path, scale); }
QString HeatMap::saveData(const QString& path) const { return implementation_->frame_.saveData(path); }
void HeatMap::setOutlinedRank(int rank) {
  implementation_->outlined_rank_ = rank;
  implementation_->outline();
  implementation_->show();
  implementation_->plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace syncline::ui
