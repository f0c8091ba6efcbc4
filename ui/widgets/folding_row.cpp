// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/folding_row.h"

#include <QEvent>
#include <QHBoxLayout>
#include <algorithm>

namespace syncline::ui {

FoldingRow::FoldingRow(QWidget* parent)
    : QWidget(parent), both_(new QBoxLayout(QBoxLayout::LeftToRight, this)), left_(new QHBoxLayout), right_(new QHBoxLayout) {
  both_->setContentsMargins(0, 0, 0, 0);
  both_->setSpacing(4);
  both_->addLayout(left_);
  both_->addStretch(1);
  both_->addLayout(right_);
  for (QHBoxLayout* one : {left_, right_}) one->setSpacing(4);
}

bool FoldingRow::folded() const { return both_->direction() == QBoxLayout::TopToBottom; }

QSize FoldingRow::minimumSizeHint() const {
  return {std::max(left_->minimumSize().width(), right_->minimumSize().width()), both_->minimumSize().height()};
}

void FoldingRow::arrange() {
  const bool narrow = left_->sizeHint().width() + both_->spacing() + right_->sizeHint().width() > width();
  if (narrow == folded()) return;
  both_->setDirection(narrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  // Below each other both begin at the left.
  both_->setAlignment(left_, narrow ? Qt::AlignLeft : Qt::Alignment());
  both_->setAlignment(right_, narrow ? Qt::AlignLeft : Qt::Alignment());
  updateGeometry();
}

bool FoldingRow::event(QEvent* event) {
  if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) arrange();
  return QWidget::event(event);
}

}  // namespace syncline::ui
