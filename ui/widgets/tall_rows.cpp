// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/tall_rows.h"

#include <QAbstractItemView>
#include <QStyledItemDelegate>

namespace syncline::ui {

namespace {

class TallRows : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QSize natural = QStyledItemDelegate::sizeHint(option, index);
    return {natural.width(), qMax(natural.height(), least_row_height)};
  }
};

}  // namespace

void make_rows_tall(QAbstractItemView& view) { view.setItemDelegate(new TallRows(&view)); }

}  // namespace syncline::ui
