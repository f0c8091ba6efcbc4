// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/navigation_view.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include "ui/models/format.h"
#include "ui/models/navigation_model.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

constexpr int icon_size = 16, row_height = 28, heading_height = 30, margin = 10, cross_size = 24, narrow_width = 44, wide_width = 210;

}  // namespace

class NavigationDelegate : public QStyledItemDelegate {
 public:
  explicit NavigationDelegate(NavigationView& view) : QStyledItemDelegate(&view), view_(view) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& at) const override {
    const int text = option.fontMetrics.height() + 10;
    const bool heading = at.data(NavigationModel::heading_role).toBool();
    if (heading && view_.iconsOnly()) return {narrow_width, 10};
    return {view_.iconsOnly() ? narrow_width : wide_width, std::max(text, heading ? heading_height : row_height)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& at) const override {
    painter->save();
    if (at.data(NavigationModel::heading_role).toBool()) {
      heading(painter, option, at);
    } else {
      row(painter, option, at);
    }
    painter->restore();
  }

 private:
  void heading(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& at) const {
    if (view_.iconsOnly()) {
      painter->setPen(option.palette.color(QPalette::Mid));
      const int y = option.rect.center().y();
      painter->drawLine(option.rect.left() + margin, y, option.rect.right() - margin, y);
      return;
    }
    QFont font = option.font;
    font.setBold(true);
    if (font.pointSizeF() > 0) font.setPointSizeF(font.pointSizeF() * 0.88);
    painter->setFont(font);
    painter->setPen(option.palette.color(QPalette::Disabled, QPalette::WindowText));
    painter->drawText(option.rect.adjusted(margin, 0, -margin, -4), Qt::AlignLeft | Qt::AlignBottom, at.data().toString());
  }

  void row(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& at) const {
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    QStyleOptionViewItem panel = option;
    panel.text.clear();
    const QWidget* widget = option.widget;
    const QStyle* style = widget != nullptr ? widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &panel, painter, widget);
    const QIcon icon = themed_icon(at.data(NavigationModel::icon_role).toString());
    const int x = view_.iconsOnly() ? narrow_width / 2 - icon_size / 2 : option.rect.left() + margin;
    const QRect icon_rect(x, option.rect.center().y() - icon_size / 2 + 1, icon_size, icon_size);
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    icon.paint(painter, icon_rect, Qt::AlignCenter, !enabled ? QIcon::Disabled : selected ? QIcon::Selected : QIcon::Normal);
    if (view_.iconsOnly()) {
      if (at.data(NavigationModel::unsaved_role).toBool())
        painter->drawText(icon_rect.translated(12, -6), Qt::AlignCenter, QStringLiteral("*"));
      return focus(painter, option, style, widget);
    }
    const QPalette::ColorGroup group = enabled ? QPalette::Active : QPalette::Disabled;
    const QColor ink = option.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text);
    painter->setPen(ink);
    QRect text = option.rect.adjusted(margin + icon_size + 8, 0, -margin, 0);
    if (const QRect cross = view_.closeButton(at); !cross.isEmpty()) {
      text.setRight(cross.left() - 2);
      if (selected || view_.hovered_ == at) {
        themed_icon(QStringLiteral("window-close"))
            .paint(painter, cross.adjusted(6, 6, -6, -6), Qt::AlignCenter, selected ? QIcon::Selected : QIcon::Normal);
      }
    }
    if (const QVariant count = at.data(NavigationModel::count_role); count.isValid()) {
      const QString number = format::count(count.toLongLong());
      QColor soft = ink;
      soft.setAlphaF(0.75F);
      painter->setPen(soft);
      painter->drawText(text, Qt::AlignRight | Qt::AlignVCenter, number);
      text.setRight(text.right() - option.fontMetrics.horizontalAdvance(number) - 6);
      painter->setPen(ink);
    }
    painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(at.data().toString(), Qt::ElideMiddle, text.width()));
    focus(painter, option, style, widget);
  }

  static void focus(QPainter* painter, const QStyleOptionViewItem& option, const QStyle*, const QWidget*) {
    if (!option.state.testFlag(QStyle::State_HasFocus)) return;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(
        QPen(option.palette.color(option.state.testFlag(QStyle::State_Selected) ? QPalette::HighlightedText : QPalette::Highlight), 2));
    painter->drawRect(QRectF(option.rect).adjusted(2, 2, -2, -2));
  }

  NavigationView& view_;
};

NavigationView::NavigationView(NavigationModel& model, QWidget* parent) : QTreeView(parent), model_(model) {
  setObjectName(QStringLiteral("window.navigation"));
  setAccessibleName(tr("Navigation"));
  setModel(&model);
  setItemDelegate(new NavigationDelegate(*this));
  setHeaderHidden(true);
  setRootIsDecorated(false);
  setItemsExpandable(false);
  setIndentation(0);
  setExpandsOnDoubleClick(false);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setDragDropMode(QAbstractItemView::InternalMove);
  setDefaultDropAction(Qt::MoveAction);
  setMouseTracking(true);
  setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  header()->setStretchLastSection(false);
  header()->setMinimumSectionSize(narrow_width);
  expandAll();
  setIconsOnly(false);
}

void NavigationView::setIconsOnly(bool only) {
  icons_only_ = only;
  if (only) {
    setFixedWidth(narrow_width + 2);
  } else {
    setMinimumWidth(150);
    setMaximumWidth(420);
  }
  scheduleDelayedItemsLayout();
}

QSize NavigationView::sizeHint() const { return {icons_only_ ? narrow_width + 2 : wide_width, 300}; }

void NavigationView::select(const QModelIndex& at) {
  selecting_ = true;
  setCurrentIndex(at);
  if (!at.isValid()) clearSelection();
  selecting_ = false;
}

QRect NavigationView::closeButton(const QModelIndex& at) const {
  if (icons_only_ || at.data(NavigationModel::id_role).toInt() < 0) return {};
  const QRect row = visualRect(at);
  return {row.right() - cross_size - 2, row.center().y() - cross_size / 2, cross_size, cross_size};
}

void NavigationView::choose(const QModelIndex& at) {
  if (selecting_ || !at.isValid()) return;
  const QString place = at.data(NavigationModel::place_role).toString();
  if (!place.isEmpty()) Q_EMIT placeChosen(place);
  if (const int id = at.data(NavigationModel::id_role).toInt(); id >= 0) Q_EMIT pageChosen(id);
}

void NavigationView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  choose(current);
}

void NavigationView::rowsInserted(const QModelIndex& parent, int first, int last) {
  QTreeView::rowsInserted(parent, first, last);
  if (parent.isValid()) expand(parent);  // a section that was empty is not expanded yet
}

void NavigationView::mousePressEvent(QMouseEvent* event) {
  const QModelIndex at = indexAt(event->position().toPoint());
  const int id = at.isValid() ? at.data(NavigationModel::id_role).toInt() : -1;
  pressed_cross_ = QPersistentModelIndex();
  if (event->button() == Qt::MiddleButton) {
    if (id >= 0) Q_EMIT closeAsked(id);
    return;
  }
  if (event->button() == Qt::LeftButton && closeButton(at).contains(event->position().toPoint())) {
    pressed_cross_ = at;
    return;
  }
  if (event->button() == Qt::RightButton) return;  // the menu follows; nothing is chosen by it
  QTreeView::mousePressEvent(event);
}

void NavigationView::mouseReleaseEvent(QMouseEvent* event) {
  if (pressed_cross_.isValid()) {
    const QModelIndex at = pressed_cross_;
    pressed_cross_ = QPersistentModelIndex();
    if (closeButton(at).contains(event->position().toPoint())) Q_EMIT closeAsked(at.data(NavigationModel::id_role).toInt());
    return;
  }
  QTreeView::mouseReleaseEvent(event);
}

void NavigationView::mouseMoveEvent(QMouseEvent* event) {
  const QModelIndex at = indexAt(event->position().toPoint());
  if (hovered_ != at) {
    hovered_ = at;
    viewport()->update();
  }
  QTreeView::mouseMoveEvent(event);
}

void NavigationView::leaveEvent(QEvent* event) {
  hovered_ = QPersistentModelIndex();
  viewport()->update();
  QTreeView::leaveEvent(event);
}

void NavigationView::move_current(int by) {
  const int row = model_.rowOfOpen(currentIndex().data(NavigationModel::id_role).toInt());
  if (row >= 0) model_.moveOpen(row, row + by);
}

void NavigationView::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  header()->resizeSection(0, viewport()->width());  // a hidden header stretches nothing
}

void NavigationView::keyPressEvent(QKeyEvent* event) {
  const int id = currentIndex().isValid() ? currentIndex().data(NavigationModel::id_role).toInt() : -1;
  if (id >= 0 && event->key() == Qt::Key_Delete) {
    Q_EMIT closeAsked(id);
  } else if (id >= 0 && event->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier) && event->key() == Qt::Key_Up) {
    move_current(-1);
  } else if (id >= 0 && event->modifiers() == (Qt::ControlModifier | Qt::ShiftModifier) && event->key() == Qt::Key_Down) {
    move_current(+1);
  } else {
    QTreeView::keyPressEvent(event);
  }
}

void NavigationView::contextMenuEvent(QContextMenuEvent* event) {
  const QModelIndex at = event->reason() == QContextMenuEvent::Keyboard ? currentIndex() : indexAt(event->pos());
  const int id = at.isValid() ? at.data(NavigationModel::id_role).toInt() : -1;
  if (id < 0) return;
  const int row = model_.rowOfOpen(id);
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(tr("&Close"), this, [this, id] { Q_EMIT closeAsked(id); });
  menu->addAction(tr("Close &Others"), this, [this, id] {
    std::vector<int> others;
    for (int i = 0; i < model_.openCount(); ++i) {
      if (model_.openAt(i) != id) others.push_back(model_.openAt(i));
    }
    for (const int other : others) Q_EMIT closeAsked(other);
  });
  menu->addSeparator();
  menu->addAction(tr("Move &Up"), this, [this, row] { model_.moveOpen(row, row - 1); })->setEnabled(row > 0);
  menu->addAction(tr("Move &Down"), this, [this, row] { model_.moveOpen(row, row + 1); })->setEnabled(row + 1 < model_.openCount());
  menu->popup(event->reason() == QContextMenuEvent::Keyboard ? viewport()->mapToGlobal(visualRect(at).center()) : event->globalPos());
}

}  // namespace syncline::ui
