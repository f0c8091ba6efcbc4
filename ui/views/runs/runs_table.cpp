// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs/runs_table.h"

#include "ui/models/palette.h"
#include "ui/models/settings.h"

namespace syncline::ui {

namespace {

// Single letters are commands here, so looking for a row by typing starts with an apostrophe.
class Tree : public QTreeView {
 public:
  using QTreeView::QTreeView;

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (event->text() == u"'") {
      searching_ = true;
      event->accept();
      return;
    }
    if (event->text().isEmpty() || event->key() == Qt::Key_Escape) searching_ = false;
    QTreeView::keyPressEvent(event);
  }
  void keyboardSearch(const QString& text) override {
    if (searching_) QTreeView::keyboardSearch(text);
  }

 private:
  bool searching_ = false;
};

class CellDelegate : public QStyledItemDelegate {
 public:
  CellDelegate(std::function<void(bool)> editing, QObject* parent) : QStyledItemDelegate(parent), editing_(std::move(editing)) {}
  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex&) const override {
    auto* editor = new QLineEdit(parent);
    editor->setObjectName(QStringLiteral("runs.table.editor"));
    editor->setAccessibleName(QCoreApplication::translate("Runs", "New value"));
    editing_(true);
    return editor;
  }
  void destroyEditor(QWidget* editor, const QModelIndex& index) const override {
    QStyledItemDelegate::destroyEditor(editor, index);
    editing_(false);
  }
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->decorationSize = QSize(10, 10);
    const bool number = (option->displayAlignment & Qt::AlignRight) != 0;
    option->textElideMode = number ? Qt::ElideRight : Qt::ElideMiddle;  // long names differ at both ends
    if (number) option->text.append(QChar(0x2002));                     // a gap to the left-aligned column that follows
    if (index.data(RunsModel::pending_role).toBool()) option->font.setItalic(true);
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(24, option.fontMetrics.height() + 8));
    return size;
  }

 private:
  std::function<void(bool)> editing_;
};

int default_width(const QString& id, const QFontMetrics& font) {
  const int letter = font.averageCharWidth();
  if (id == u"star") return std::max(28, 4 * letter);
  if (id == u"name") return 36 * letter;
  if (id == u"state") return 22 * letter;  // "✓ Finished, emulated"
  if (id == u"target" || id == u"created") return 15 * letter;
  if (id == u"strategy" || id == u"tags") return 18 * letter;
  if (id == u"note") return 28 * letter;
  if (id == u"ranks") return 8 * letter;
  return 24 * letter;  // "0.0265 ± 0.0008 (n = 5)"
}

void arrange_view(QTreeView* view, RunsModel& model, const QString& name, const QString& accessible) {
  view->setObjectName(name);
  view->setAccessibleName(accessible);
  view->setModel(&model);
  view->setUniformRowHeights(true);
  view->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view->setAlternatingRowColors(true);
  view->setAllColumnsShowFocus(true);
  view->setExpandsOnDoubleClick(false);
  view->setFrameShape(QFrame::NoFrame);
  view->setAnimated(false);
  view->setContextMenuPolicy(Qt::NoContextMenu);  // the page's
  view->header()->setSectionsClickable(true);
  view->header()->setSortIndicatorShown(true);
  view->header()->setStretchLastSection(false);
  view->header()->setSectionsMovable(true);
  view->header()->setTextElideMode(Qt::ElideRight);
}

}  // namespace

RunsTable::RunsTable(RunsModel& model, Settings& settings, QWidget* parent) : QWidget(parent), model_(model), settings_(settings) {
  setObjectName(QStringLiteral("runs.table"));
  left_ = new Tree(this);
  right_ = new Tree(this);
  arrange_view(left_, model, QStringLiteral("runs.table.names"), tr("Runs: star, name and state"));
  arrange_view(right_, model, QStringLiteral("runs.table.values"), tr("Runs: values"));
  auto* selection = right_->selectionModel();
  right_->setSelectionModel(left_->selectionModel());
  delete selection;
  right_->setRootIsDecorated(false);
  right_->setIndentation(0);
  left_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  left_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  right_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  left_->header()->setSectionsMovable(false);
  for (QTreeView* view : {left_, right_}) view->setItemDelegate(new CellDelegate([this](bool on) { Q_EMIT editing(on); }, view));

  under_left_ = new QWidget(this);
  auto* column = new QVBoxLayout;
  column->setSpacing(0);
  column->addWidget(left_, 1);
  column->addWidget(under_left_);
  auto* line = new QFrame(this);
  line->setFrameShape(QFrame::VLine);
  line->setForegroundRole(QPalette::Mid);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addLayout(column);
  layout->addWidget(line);
  layout->addWidget(right_, 1);
  setFocusProxy(left_);

  connect(left_->verticalScrollBar(), &QScrollBar::valueChanged, right_->verticalScrollBar(), &QScrollBar::setValue);
  connect(right_->verticalScrollBar(), &QScrollBar::valueChanged, left_->verticalScrollBar(), &QScrollBar::setValue);
  connect(right_->horizontalScrollBar(), &QScrollBar::rangeChanged, this, [this] { fitFrozen(); });
  connect(left_, &QTreeView::expanded, right_, &QTreeView::expand);
  connect(left_, &QTreeView::collapsed, right_, &QTreeView::collapse);
  connect(right_, &QTreeView::expanded, left_, &QTreeView::expand);
  connect(right_, &QTreeView::collapsed, left_, &QTreeView::collapse);
  for (QTreeView* view : {left_, right_}) {
    connect(view, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
      if (model_.columns()[static_cast<std::size_t>(index.column())].id != u"star") Q_EMIT opened(index);
    });
    connect(view->header(), &QHeaderView::sectionClicked, this, [this](int section) {
      const RunsColumn& chosen = model_.columns()[static_cast<std::size_t>(section)];
      setSort(chosen.id, chosen.id == sort_column_ ? !sort_descending_ : chosen.number);
    });
    connect(view->header(), &QHeaderView::sectionResized, this, [this] {
      fitFrozen();
      if (!restoring_) store_later_.start();
    });
    connect(view->header(), &QHeaderView::sectionMoved, this, [this] {
      if (!restoring_) store_later_.start();
    });
  }
  store_later_.setSingleShot(true);
  store_later_.setInterval(2000);
  connect(&store_later_, &QTimer::timeout, this, &RunsTable::storeWidths);
  connect(left_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsTable::selectionChanged);
  connect(&model_, &QAbstractItemModel::modelReset, this, &RunsTable::splitColumns);
  splitColumns();
}

void RunsTable::splitColumns() {
  const auto frozen = static_cast<int>(frozen_run_columns().size());
  for (int column = 0; column < model_.columnCount(); ++column) {
    left_->setColumnHidden(column, column >= frozen);
    right_->setColumnHidden(column, column < frozen);
  }
  left_->setTreePosition(model_.columnOf(QStringLiteral("name")));
  restoreWidths();
  fitFrozen();
}

void RunsTable::restoreWidths() {
  restoring_ = true;
  const auto& columns = model_.columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const int width = settings_.value(QStringLiteral("runs/width/") + columns[i].id, default_width(columns[i].id, fontMetrics())).toInt();
    for (QTreeView* view : {left_, right_}) view->setColumnWidth(static_cast<int>(i), std::clamp(width, 20, 1000));
  }
  restoring_ = false;
}

void RunsTable::storeWidths() {
  const auto& columns = model_.columns();
  const auto frozen = frozen_run_columns().size();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const QTreeView* view = static_cast<qsizetype>(i) < frozen ? left_ : right_;
    settings_.set(QStringLiteral("runs/width/") + columns[i].id, view->columnWidth(static_cast<int>(i)));
  }
  QStringList order;
  for (int visual = static_cast<int>(frozen); visual < right_->header()->count(); ++visual) {
    order << columns[static_cast<std::size_t>(right_->header()->logicalIndex(visual))].id;
  }
  settings_.set(QStringLiteral("runs/columns"), order);
}

void RunsTable::fitFrozen() {
  left_->setFixedWidth(left_->header()->length());
  const bool scrolls = right_->horizontalScrollBar()->maximum() > right_->horizontalScrollBar()->minimum();
  under_left_->setFixedHeight(scrolls ? right_->horizontalScrollBar()->sizeHint().height() : 0);
}

QModelIndexList RunsTable::selectedRows() const { return left_->selectionModel()->selectedRows(); }
std::vector<RunRowPtr> RunsTable::selectedRuns() const { return model_.runsAt(selectedRows()); }
QModelIndex RunsTable::current() const { return left_->currentIndex(); }

void RunsTable::select(const QStringList& row_ids) {
  QItemSelection chosen;
  QModelIndex first;
  for (const QString& id : row_ids) {
    const QModelIndex index = model_.indexOf(id);
    if (!index.isValid()) continue;
    if (!first.isValid()) first = index;
    chosen.select(index, index.siblingAtColumn(model_.columnCount() - 1));
  }
  if (first.isValid())
    left_->selectionModel()->setCurrentIndex(first.siblingAtColumn(left_->treePosition()), QItemSelectionModel::NoUpdate);
  left_->selectionModel()->select(chosen, QItemSelectionModel::ClearAndSelect);
}

void RunsTable::edit(const QString& column) {
  const int number = model_.columnOf(column);
  const QModelIndex at = current();
  if (number < 0 || !at.isValid()) return;
  const QModelIndex index = at.siblingAtColumn(number);
  QTreeView* view = left_->isColumnHidden(number) ? right_ : left_;
  view->scrollTo(index);
  view->edit(index);
}

void RunsTable::setSort(const QString& column, bool descending) {
  sort_column_ = column;
  sort_descending_ = descending;
  const int section = model_.columnOf(column);
  const Qt::SortOrder order = descending ? Qt::DescendingOrder : Qt::AscendingOrder;
  for (QTreeView* view : {left_, right_}) {
    const QSignalBlocker blocker(view->header());
    view->header()->setSortIndicator(section, order);
    view->header()->viewport()->update();
  }
  model_.sort(section, order);
  settings_.set(QStringLiteral("runs/sort"), column);
  settings_.set(QStringLiteral("runs/descending"), descending);
  Q_EMIT sortChanged();
}

void RunsTable::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange)
    model_.setDark(palette::isDark(palette()));
}

void RunsTable::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  model_.setDark(palette::isDark(palette()));
  fitFrozen();
}

}  // namespace syncline::ui
