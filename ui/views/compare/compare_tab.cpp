// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/compare/compare_tab.h"

namespace syncline::ui {

void CompareTab::show(std::shared_ptr<const Comparison> comparison) {
  comparison_ = std::move(comparison);
  stale_ = !isVisible();
  if (!stale_ && comparison_) draw(*comparison_);
}

void CompareTab::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(stale_, false) && comparison_) draw(*comparison_);
}

void CompareTab::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && comparison_) show(comparison_);
}

QTableWidget* make_plain_table(const QString& name, const QString& accessible, QWidget* parent) {
  auto* table = new QTableWidget(parent);
  table->setObjectName(name);
  table->setAccessibleName(accessible);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table->setAlternatingRowColors(true);
  table->setTabKeyNavigation(false);
  table->setWordWrap(false);
  table->verticalHeader()->setVisible(false);
  table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  auto* copy = new QAction(table);
  copy->setShortcut(QKeySequence::Copy);
  copy->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(copy, &QAction::triggered, table, [table] {
    std::map<int, QStringList> rows;
    QModelIndexList indexes = table->selectionModel()->selectedIndexes();
    std::sort(indexes.begin(), indexes.end());
    for (const QModelIndex& index : indexes) rows[index.row()] << index.data().toString().replace(u'\n', u' ');
    QStringList lines;
    for (const auto& [row, cells] : rows) lines << cells.join(u'\t');
    QGuiApplication::clipboard()->setText(lines.join(u'\n'));
  });
  table->addAction(copy);
  return table;
}

void set_heads(QTableWidget& table, const QStringList& heads, std::size_t rows) {
  table.clear();
  table.setColumnCount(static_cast<int>(heads.size()));
  table.setRowCount(static_cast<int>(rows));
  table.setHorizontalHeaderLabels(heads);
}

void fill_row(QTableWidget& table, int row, const QStringList& cells) {
  for (int column = 0; column < cells.size(); ++column) {
    auto* item = new QTableWidgetItem(cells[column]);
    item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    table.setItem(row, column, item);
  }
}

}  // namespace syncline::ui
