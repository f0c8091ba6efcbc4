// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_legend.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

namespace syncline::ui {

namespace {

constexpr int swatch_width = 34;
constexpr int search_from = 8;  // curves, from which a search line is worth its room

class LegendDelegate : public QStyledItemDelegate {
 public:
  LegendDelegate(ChartState& state, LegendModel& model, QObject* parent) : QStyledItemDelegate(parent), state_(state), model_(model) {}

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
    return {120, std::max(24, option.fontMetrics.height() + 8)};
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const CurveSpec* curve = model_.curveAt(index.row());
    if (curve == nullptr) return;
    QStyleOptionViewItem shown = option;
    initStyleOption(&shown, index);
    shown.text.clear();
    QStyle* style = option.widget != nullptr ? option.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &shown, painter, option.widget);
    painter->save();
    const bool off = state_.hidden.contains(curve->id);
    const QRect area = option.rect.adjusted(6, 0, -6, 0);
    palette::CurveStyle look = state_.styleOf(*curve, state_.dark);
    if (off) look.colour = palette::status(palette::Status::muted, state_.dark);
    if (off) painter->setOpacity(0.5);
    draw_swatch(*painter, QRectF(area.left(), area.top(), swatch_width - 8, area.height()), look);
    painter->setOpacity(1);
    const bool selected = (option.state & QStyle::State_Selected) != 0;
    painter->setPen(option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
    QFont font = option.font;
    font.setBold(state_.pinned.contains(curve->id));
    font.setStrikeOut(off);
    painter->setFont(font);
    const QString last = model_.lastText(*curve);
    const int value_width = QFontMetrics(font).horizontalAdvance(last);
    const QRect name = area.adjusted(swatch_width, 0, -value_width - 8, 0);
    painter->drawText(name, Qt::AlignVCenter | Qt::AlignLeft,
                      QFontMetrics(font).elidedText(state_.legendOf(*curve), Qt::ElideMiddle, name.width()));
    font.setStrikeOut(false);
    painter->setFont(font);
    painter->drawText(area, Qt::AlignVCenter | Qt::AlignRight, last);
    painter->restore();
  }

 private:
  ChartState& state_;
  LegendModel& model_;
};

}  // namespace

void draw_swatch(QPainter& painter, const QRectF& area, const palette::CurveStyle& style) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(style.colour, 2, style.dash, Qt::FlatCap));
  const QPointF middle = area.center();
  painter.drawLine(QPointF(area.left(), middle.y()), QPointF(area.right(), middle.y()));
  painter.setPen(QPen(style.colour, 1.4));
  painter.setBrush(style.hollow ? QBrush(painter.background().color()) : QBrush(style.colour));
  const double r = 3.2;
  switch (style.marker) {
    case palette::Marker::circle:
      painter.drawEllipse(middle, r, r);
      break;
    case palette::Marker::square:
      painter.drawRect(QRectF(middle.x() - r, middle.y() - r, 2 * r, 2 * r));
      break;
    case palette::Marker::triangle:
      painter.drawPolygon(QPolygonF({middle + QPointF(-r, r), middle + QPointF(r, r), middle + QPointF(0, -r)}));
      break;
    case palette::Marker::diamond:
      painter.drawPolygon(QPolygonF({middle + QPointF(-r, 0), middle + QPointF(0, r), middle + QPointF(r, 0), middle + QPointF(0, -r)}));
      break;
    case palette::Marker::star:
    case palette::Marker::plus:
      painter.drawLine(middle + QPointF(-r - 1, 0), middle + QPointF(r + 1, 0));
      painter.drawLine(middle + QPointF(0, -r - 1), middle + QPointF(0, r + 1));
      if (style.marker == palette::Marker::plus) break;
      [[fallthrough]];
    case palette::Marker::cross:
      painter.drawLine(middle + QPointF(-r, -r), middle + QPointF(r, r));
      painter.drawLine(middle + QPointF(-r, r), middle + QPointF(r, -r));
      break;
  }
  painter.restore();
}

LegendModel::LegendModel(ChartState& state, QObject* parent) : QAbstractListModel(parent), state_(state) {}

QString LegendModel::lastText(const CurveSpec& spec) const {
  const chart::CurveData* curve = state_.dataOf(spec.id);
  if (curve == nullptr || !curve->last) return format::missing;
  return state_.valueText(curve->last->y);
}

std::vector<std::size_t> LegendModel::order() const {
  std::vector<std::size_t> rows(state_.curves.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::erase_if(rows, [&](std::size_t i) { return !search_.isEmpty() && !state_.curves[i].name.contains(search_, Qt::CaseInsensitive); });
  const bool rising_is_better =
      state_.storedName().endsWith(QStringLiteral("accuracy")) || state_.storedName().endsWith(QStringLiteral("_per_s"));
  const auto key = [&](std::size_t i) -> std::optional<double> {
    const chart::CurveData* curve = state_.dataOf(state_.curves[i].id);
    if (curve == nullptr || !curve->last) return std::nullopt;
    if (sort_ == Sort::last) return curve->last->y;
    return rising_is_better ? curve->best_high : curve->best_low;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
    if (sort_ == Sort::name) return state_.curves[a].name.localeAwareCompare(state_.curves[b].name) < 0;
    if (sort_ == Sort::given) return false;
    const auto one = key(a), other = key(b);
    if (!one || !other) return one.has_value() && !other.has_value();  // without a value last
    return rising_is_better ? *one > *other : *one < *other;
  });
  return rows;
}

void LegendModel::refresh() {
  const std::vector<std::size_t> rows = order();
  if (rows == rows_) {
    if (!rows_.empty()) Q_EMIT dataChanged(index(0), index(static_cast<int>(rows_.size()) - 1));
    return;
  }
  beginResetModel();
  rows_ = rows;
  endResetModel();
}

void LegendModel::setSearch(const QString& text) {
  search_ = text;
  refresh();
}

void LegendModel::setSort(Sort sort) {
  sort_ = sort;
  refresh();
}

const CurveSpec* LegendModel::curveAt(int row) const {
  const auto at = static_cast<std::size_t>(row);
  return row >= 0 && at < rows_.size() && rows_[at] < state_.curves.size() ? &state_.curves[rows_[at]] : nullptr;
}

int LegendModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }

QVariant LegendModel::data(const QModelIndex& index, int role) const {
  const CurveSpec* curve = curveAt(index.row());
  if (curve == nullptr) return {};
  if (role == Qt::DisplayRole) return state_.legendOf(*curve);
  if (role == Qt::ToolTipRole) return QString(state_.legendOf(*curve) % QStringLiteral("\n") % tr("last value %1").arg(lastText(*curve)));
  if (role == Qt::AccessibleTextRole) {
    QStringList parts = {state_.legendOf(*curve), tr("last value %1").arg(lastText(*curve))};
    if (state_.hidden.contains(curve->id)) parts.append(tr("hidden"));
    if (state_.pinned.contains(curve->id)) parts.append(tr("pinned"));
    return parts.join(QStringLiteral(", "));
  }
  if (role == Qt::UserRole) return curve->id;
  return {};
}

LegendList::LegendList(ChartState& state, LegendModel& model, QWidget* parent) : QListView(parent), state_(state), model_(model) {
  setModel(&model);
  setItemDelegate(new LegendDelegate(state, model, this));
  setUniformItemSizes(true);
  setMouseTracking(true);
  setFrameShape(QFrame::NoFrame);
  setEditTriggers(NoEditTriggers);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

QString LegendList::idAt(const QPoint& at) const { return indexAt(at).data(Qt::UserRole).toString(); }

void LegendList::keyPressEvent(QKeyEvent* event) {
  const QString id = currentIndex().data(Qt::UserRole).toString();
  if (!id.isEmpty() && event->key() == Qt::Key_Space) {
    if ((event->modifiers() & Qt::ShiftModifier) != 0)
      Q_EMIT onlyWanted(id);
    else
      Q_EMIT hideToggled(id);
  } else if (!id.isEmpty() &&
             (event->key() == Qt::Key_Menu || (event->key() == Qt::Key_F10 && (event->modifiers() & Qt::ShiftModifier) != 0))) {
    Q_EMIT menuWanted(id, viewport()->mapToGlobal(visualRect(currentIndex()).center()));
  } else {
    QListView::keyPressEvent(event);
  }
}

void LegendList::mousePressEvent(QMouseEvent* event) {
  const QString id = idAt(event->pos());
  if (event->button() == Qt::LeftButton && !id.isEmpty() && event->pos().x() < swatch_width) {
    setCurrentIndex(indexAt(event->pos()));
    Q_EMIT hideToggled(id);
    return;
  }
  QListView::mousePressEvent(event);
}

void LegendList::mouseDoubleClickEvent(QMouseEvent* event) {
  const QString id = idAt(event->pos());
  if (!id.isEmpty() && event->pos().x() >= swatch_width) Q_EMIT onlyWanted(id);
}

void LegendList::mouseMoveEvent(QMouseEvent* event) {
  Q_EMIT lifted(idAt(event->pos()));
  QListView::mouseMoveEvent(event);
}

void LegendList::leaveEvent(QEvent* event) {
  Q_EMIT lifted({});
  QListView::leaveEvent(event);
}

void LegendList::contextMenuEvent(QContextMenuEvent* event) {
  if (const QString id = idAt(event->pos()); !id.isEmpty()) Q_EMIT menuWanted(id, event->globalPos());
}

ChartLegend::ChartLegend(ChartState& state, const QString& name, QWidget* parent)
    : QWidget(parent), state_(state), model_(new LegendModel(state, this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  search_ = new QLineEdit(this);
  search_->setObjectName(QString(name % QStringLiteral(".legend.search")));
  search_->setPlaceholderText(tr("Find curve"));
  search_->setAccessibleName(tr("Find curve"));
  search_->setClearButtonEnabled(true);
  list_ = new LegendList(state_, *model_, this);
  list_->setObjectName(QString(name % QStringLiteral(".legend")));
  list_->setAccessibleName(tr("Curves"));
  list_->setAccessibleDescription(tr("Space hides or shows a curve, Shift+Space shows only it, the Menu key opens its menu"));
  count_ = new QLabel(this);
  count_->setForegroundRole(QPalette::PlaceholderText);
  layout->addWidget(search_);
  layout->addWidget(list_, 1);
  layout->addWidget(count_);
  connect(search_, &QLineEdit::textChanged, model_, &LegendModel::setSearch);
  connect(list_, &LegendList::hideToggled, this, &ChartLegend::toggleHidden);
  connect(list_, &LegendList::onlyWanted, this, &ChartLegend::only);
  connect(list_, &LegendList::menuWanted, this, &ChartLegend::menu);
  connect(list_, &LegendList::lifted, this, [this](const QString& id) {
    if (state_.lifted == id) return;
    state_.lifted = id;
    Q_EMIT liftChanged();
  });
}

void ChartLegend::refresh() {
  model_->refresh();
  search_->setVisible(static_cast<int>(state_.curves.size()) >= search_from);
  const auto shown = state_.drawn().size();
  count_->setText(tr("%1 of %2 shown").arg(shown).arg(state_.curves.size()));
  count_->setVisible(shown < state_.curves.size());
}

void ChartLegend::toggleHidden(const QString& id) {
  if (!state_.hidden.remove(id)) state_.hidden.insert(id);
  refresh();
  Q_EMIT changed();
}

void ChartLegend::only(const QString& id) {
  QSet<QString> others;
  for (const CurveSpec& curve : state_.curves) {
    if (curve.id != id) others.insert(curve.id);
  }
  state_.hidden = state_.hidden == others ? QSet<QString>() : others;  // once more: all again
  refresh();
  Q_EMIT changed();
}

void ChartLegend::menu(const QString& id, const QPoint& global) {
  auto* menu = new QMenu(this);
  menu->setObjectName(QString(objectName() % QStringLiteral("legend.menu")));
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->addAction(state_.hidden.contains(id) ? tr("&Show Curve") : tr("&Hide Curve"), this, [this, id] { toggleHidden(id); });
  menu->addAction(tr("Show &Only This"), this, [this, id] { only(id); });
  menu->addAction(tr("Show &All"), this, [this] {
    state_.hidden.clear();
    refresh();
    Q_EMIT changed();
  });
  menu->addAction(state_.pinned.contains(id) ? tr("Un&pin") : tr("&Pin"), this, [this, id] {
    if (!state_.pinned.remove(id)) state_.pinned.insert(id);
    refresh();
    Q_EMIT changed();
  });
  menu->addSeparator();
  const CurveSpec* spec = nullptr;
  for (const CurveSpec& curve : state_.curves) {
    if (curve.id == id) spec = &curve;
  }
  // A name and a colour belong to a run, the same everywhere.
  const bool one_run = spec != nullptr && spec->run_ids.size() == 1;
  menu->addAction(tr("&Rename Run…"), this, [this, id] { Q_EMIT renameWanted(id); })->setEnabled(one_run);
  menu->addAction(tr("Choose &Colour…"), this, [this, id] { Q_EMIT colourWanted(id); })->setEnabled(one_run);
  menu->addSeparator();
  const auto sort = [&](const QString& text, LegendModel::Sort by) {
    QAction* action = menu->addAction(text, this, [this, by] { model_->setSort(by); });
    action->setCheckable(true);
    action->setChecked(model_->sort() == by);
  };
  sort(tr("Sort as &Given"), LegendModel::Sort::given);
  sort(tr("Sort by &Name"), LegendModel::Sort::name);
  sort(tr("Sort by &Last Value"), LegendModel::Sort::last);
  sort(tr("Sort by &Best Value"), LegendModel::Sort::best);
  menu->popup(global);
}

LegendStrip::LegendStrip(ChartState& state, const QString& name, QWidget* parent)
    : QWidget(parent), state_(state), more_(new QToolButton(this)) {
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  more_->setObjectName(QString(name % QStringLiteral(".strip.more")));
  more_->setAutoRaise(true);
  more_->setToolTip(tr("List all curves"));
  more_->setFocusPolicy(Qt::TabFocus);
  more_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(more_);
  more_->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, &LegendStrip::fillList);
  more_->hide();
}

int LegendStrip::line() const { return fontMetrics().height() + 4; }

int LegendStrip::heightForWidth(int width) const {
  const Layout shown = layOut(width);
  int last = shown.entries.empty() ? 0 : shown.entries.back().row;
  if (shown.left_out > 0) last = std::max(last, shown.more_row);
  return line() * (last + 1);
}

void LegendStrip::curvesChanged() {
  std::vector<std::pair<CurveSpec, QString>> now;
  for (const CurveSpec* curve : state_.drawn()) now.emplace_back(*curve, state_.legendOf(*curve));
  if (now == told_ && state_.curves.size() == told_all_ && state_.dark == told_dark_ && font() == told_font_) return;
  told_ = std::move(now);
  told_all_ = state_.curves.size();
  told_dark_ = state_.dark;
  told_font_ = font();
  if (heightForWidth(width()) != height()) updateGeometry();
  placeMore();
  update();
}

void LegendStrip::resizeEvent(QResizeEvent*) { placeMore(); }

QString LegendStrip::moreText(std::size_t left_out) const { return tr("+%1 more").arg(left_out); }

LegendStrip::Layout LegendStrip::layOut(int width) const {
  const Layout all = layOut(width, 0);
  if (all.left_out == 0) return all;
  constexpr int frame = 28;  // of the button, with its arrow
  return layOut(width, fontMetrics().horizontalAdvance(moreText(state_.curves.size())) + frame);
}

// With `more_width` the last row keeps so much room free.
LegendStrip::Layout LegendStrip::layOut(int width, int more_width) const {
  constexpr int margin = 8, swatch = 30, gap = 16, rows = 3, least_name = 40;
  Layout made;
  int left = margin, row = 0;
  for (const CurveSpec* curve : state_.drawn()) {
    const QString name = state_.legendOf(*curve);
    const int wanted = swatch + fontMetrics().horizontalAdvance(name);
    const auto room_of = [&](int in_row) { return width - (in_row + 1 == rows ? more_width : 0); };
    if (left > margin && left + wanted > room_of(row)) {
      if (row + 1 == rows) break;
      left = margin;
      ++row;
    }
    const int room = room_of(row) - left - swatch;
    if (room < least_name) break;
    const QString shown = fontMetrics().elidedText(name, Qt::ElideMiddle, room);
    made.entries.push_back({curve, shown, left, row});
    left += swatch + fontMetrics().horizontalAdvance(shown) + gap;
  }
  made.left_out = state_.curves.size() - made.entries.size();
  const bool next = left > margin && left + more_width > width && row + 1 < rows;
  made.more_row = next ? row + 1 : row;
  made.more_left = std::max(0, std::min(next ? margin : left, width - more_width));
  return made;
}

void LegendStrip::placeMore() {
  const Layout shown = layOut(width());
  more_->setVisible(shown.left_out > 0);
  if (shown.left_out == 0) return;
  const QString text = moreText(shown.left_out);
  more_->setText(text);
  more_->setAccessibleName(tr("%1: list all curves").arg(text));
  more_->setGeometry(shown.more_left, shown.more_row * line(), std::min(more_->sizeHint().width(), width() - shown.more_left), line());
}

void LegendStrip::fillList() {
  QMenu* menu = more_->menu();
  menu->clear();
  const auto drawn = state_.drawn();
  for (const CurveSpec& curve : state_.curves) {
    QPixmap picture(24, 16);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    draw_swatch(painter, QRectF(0, 0, 24, 16), state_.styleOf(curve, state_.dark));
    painter.end();
    const bool shown = std::find(drawn.begin(), drawn.end(), &curve) != drawn.end();
    QString text = shown ? state_.legendOf(curve) : tr("%1 (not drawn)").arg(state_.legendOf(curve));
    text.replace(u'&', QStringLiteral("&&"));
    QAction* action = menu->addAction(QIcon(picture), text, this, [this, id = curve.id] { Q_EMIT hideToggled(id); });
    action->setCheckable(true);
    action->setChecked(!state_.hidden.contains(curve.id));
  }
}

void LegendStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(QPalette::WindowText));
  painter.setBackground(palette().color(QPalette::Window));
  for (const Entry& entry : layOut(width()).entries) {
    const QRect area(entry.left, entry.row * line(), width() - entry.left, line());
    draw_swatch(painter, QRectF(area.left(), area.top(), 24, area.height()), state_.styleOf(*entry.curve, state_.dark));
    painter.drawText(area.adjusted(30, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, entry.name);
  }
}

}  // namespace syncline::ui
