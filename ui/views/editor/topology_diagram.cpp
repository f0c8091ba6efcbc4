// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/topology_diagram.h"

#include <QGraphicsPathItem>
#include <QGraphicsRectItem>
#include <QGraphicsSimpleTextItem>
#include <QKeyEvent>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <cmath>

#include "engine/launch/command.h"
#include "engine/launch/process.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"

namespace syncline::ui {

namespace {

constexpr int key_of_item = 0, name_of_item = 1;
constexpr std::int64_t most_drawn = 8;  // more are a stack with a count
constexpr double box_width = 104, box_height = 58, gap = 26, drop = 62;

// An item with a visible ring when it has the focus.
class Plate : public QGraphicsRectItem {
 public:
  using QGraphicsRectItem::QGraphicsRectItem;
  void paint(QPainter* painter, const QStyleOptionGraphicsItem* option, QWidget* widget) override {
    QStyleOptionGraphicsItem plain = *option;
    plain.state &= ~(QStyle::State_HasFocus | QStyle::State_Selected);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(pen());
    painter->setBrush(brush());
    painter->drawRoundedRect(rect(), 5, 5);
    if (hasFocus() && widget != nullptr) {
      painter->setPen(QPen(widget->palette().color(QPalette::Highlight), 2));
      painter->setBrush(Qt::NoBrush);
      painter->drawRoundedRect(rect().adjusted(-4, -4, 4, 4), 7, 7);
    }
  }
  QRectF boundingRect() const override { return rect().adjusted(-6, -6, 6, 6); }
};

void label(QGraphicsScene& scene, QGraphicsItem* parent, const QString& text, const QPointF& centre, const QColor& colour, bool bold) {
  auto* item = scene.addSimpleText(text);
  QFont font = item->font();
  font.setBold(bold);
  item->setFont(font);
  item->setBrush(colour);
  const QRectF area = item->boundingRect();
  item->setPos(centre.x() - area.width() / 2, centre.y() - area.height() / 2);
  if (parent != nullptr) item->setParentItem(parent);
}

// 1.5 px for what is not limited or slow, more for faster links; a decade is about one pixel.
double thickness(double bandwidth_bytes_per_s) {
  if (bandwidth_bytes_per_s <= 0) return 2;
  return std::clamp(1.5 + std::log10(bandwidth_bytes_per_s / 12.5e6), 1.5, 6.0);
}

}  // namespace

TopologyDiagram::TopologyDiagram(TopologyModel& model, QWidget* parent) : QGraphicsView(parent), model_(model) {
  setObjectName(QStringLiteral("editor.topology.diagram"));
  setAccessibleName(tr("Topology diagram"));
  setScene(&scene_);
  setRenderHint(QPainter::Antialiasing);
  scene_.setItemIndexMethod(QGraphicsScene::NoIndex);
  setMinimumHeight(150);
  connect(&model_, &TopologyModel::shapeChanged, this, &TopologyDiagram::draw);
  draw();
}

QString TopologyDiagram::description() const {
  const TopologyModel::Shape& shape = model_.shape();
  if (shape.workers == 1) return tr("One rank on this computer; it does not communicate");
  return tr("%1 ranks on this computer; every pair is linked: %2").arg(format::count(shape.workers), model_.linkText());
}

void TopologyDiagram::draw() {
  scene_.clear();
  const TopologyModel::Shape& shape = model_.shape();
  const bool dark = palette::isDark(palette());
  const QColor ink = palette().color(QPalette::WindowText), fill = palette().color(QPalette::Window);
  const QColor muted = palette::status(palette::Status::muted, dark);
  const int cores = core_count();
  const int threads = resolve_threads(static_cast<int>(shape.threads), static_cast<int>(shape.workers), cores);
  const bool stacked = shape.workers > most_drawn;
  const std::int64_t drawn = stacked ? 2 : shape.workers;
  const double width = static_cast<double>(drawn) * (box_width + gap) - gap;
  const QString speed = threads == 1 ? tr("1 thread") : tr("%1 threads").arg(format::count(threads));

  const double bus = box_height + drop;
  const double link_width = std::max(width, 300.0), link_left = (width - link_width) / 2;
  auto* link = new Plate(QRectF(link_left, bus, link_width, 34));
  const QColor link_colour = palette::curve(0, dark).colour;
  link->setPen(QPen(link_colour, thickness(shape.bandwidth_bytes_per_s), shape.emulate ? Qt::DashLine : Qt::SolidLine));
  link->setBrush(fill);
  link->setFlags(QGraphicsItem::ItemIsFocusable | QGraphicsItem::ItemIsSelectable);
  link->setData(key_of_item, QStringLiteral("cluster.link.bandwidth"));
  link->setData(name_of_item, tr("Link between every pair of ranks: %1").arg(model_.linkText()));
  link->setToolTip(link->data(name_of_item).toString());
  if (shape.workers > 1) {
    scene_.addItem(link);
    label(scene_, link, tr("every pair: %1").arg(model_.linkText()), link->rect().center(), ink, false);
  } else {
    delete link;
  }

  for (std::int64_t i = 0; i < drawn; ++i) {
    const double left = static_cast<double>(i) * (box_width + gap);
    if (shape.workers > 1) {
      auto* wire = scene_.addLine(left + box_width / 2, box_height, left + box_width / 2, bus,
                                  QPen(link_colour, thickness(shape.bandwidth_bytes_per_s), shape.emulate ? Qt::DashLine : Qt::SolidLine));
      wire->setZValue(-1);
    }
    const bool stack = stacked && i == 1;
    if (stack) {
      for (int shadow = 3; shadow >= 1; --shadow) {
        auto* behind = scene_.addRect(left + 4.0 * shadow, -4.0 * shadow, box_width, box_height, QPen(muted), fill);
        behind->setZValue(-2 - shadow);
      }
    }
    auto* box = new Plate(QRectF(left, 0, box_width, box_height));
    box->setPen(QPen(ink, 1.5));
    box->setBrush(palette().color(QPalette::Base));
    box->setFlags(QGraphicsItem::ItemIsFocusable | QGraphicsItem::ItemIsSelectable);
    box->setData(key_of_item, QStringLiteral("cluster.workers"));
    const QString title = stack ? tr("rank 1 … %1").arg(format::count(shape.workers - 1)) : tr("rank %1").arg(i);
    box->setData(name_of_item, QStringLiteral("%1, %2").arg(title, speed));
    box->setToolTip(box->data(name_of_item).toString());
    scene_.addItem(box);
    label(scene_, box, title, {left + box_width / 2, box_height * 0.34}, ink, true);
    label(scene_, box, stack ? QStringLiteral("× %1 · %2").arg(format::count(shape.workers - 1), speed) : speed,
          {left + box_width / 2, box_height * 0.68}, muted, false);
  }
  scene_.setSceneRect(scene_.itemsBoundingRect().adjusted(-14, -10, 14, 10));
  resizeEvent(nullptr);
  setAccessibleDescription(description());
}

void TopologyDiagram::resizeEvent(QResizeEvent* event) {
  if (event != nullptr) QGraphicsView::resizeEvent(event);
  // As large as drawn, smaller when there is no room.
  const QSizeF room = viewport()->size();
  const double scale = std::min({1.0, room.width() / scene_.sceneRect().width(), room.height() / scene_.sceneRect().height()});
  setTransform(QTransform::fromScale(scale, scale));
}

void TopologyDiagram::choose(QGraphicsItem* item) {
  while (item != nullptr && !item->data(key_of_item).isValid()) item = item->parentItem();
  if (item != nullptr) Q_EMIT keyChosen(item->data(key_of_item).toString());
}

void TopologyDiagram::keyPressEvent(QKeyEvent* event) {
  QList<QGraphicsItem*> items;
  for (QGraphicsItem* item : scene_.items(Qt::AscendingOrder)) {
    if ((item->flags() & QGraphicsItem::ItemIsFocusable) != 0) items << item;
  }
  std::stable_sort(items.begin(), items.end(), [](const QGraphicsItem* a, const QGraphicsItem* b) {
    return std::pair(a->sceneBoundingRect().top() > box_height, a->sceneBoundingRect().left()) <
           std::pair(b->sceneBoundingRect().top() > box_height, b->sceneBoundingRect().left());
  });
  const bool forward = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
  const bool backward = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
  if ((forward || backward) && !items.isEmpty()) {
    const qsizetype at = items.indexOf(scene_.focusItem());
    const qsizetype next = at < 0 ? 0 : std::clamp<qsizetype>(at + (forward ? 1 : -1), 0, items.size() - 1);
    scene_.setFocusItem(items[next]);
    setAccessibleDescription(description() + QStringLiteral("; ") + items[next]->data(name_of_item).toString());
    return;
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && scene_.focusItem() != nullptr) {
    choose(scene_.focusItem());
    return;
  }
  QGraphicsView::keyPressEvent(event);
}

void TopologyDiagram::mouseDoubleClickEvent(QMouseEvent* event) {
  choose(itemAt(event->pos()));
  QGraphicsView::mouseDoubleClickEvent(event);
}

void TopologyDiagram::changeEvent(QEvent* event) {
  QGraphicsView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) draw();
}

}  // namespace syncline::ui
