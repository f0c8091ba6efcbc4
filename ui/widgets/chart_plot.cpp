// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_plot.h"

#include <algorithm>

namespace syncline::ui {

namespace {

constexpr std::size_t deepest_history = 50;
constexpr int rest_ms = 300;  // the pointer has to rest so long before the wheel zooms instead of scrolling the page
constexpr double wheel_step = 1.2, key_step = 1.5, key_pan = 0.1;
constexpr int drag_from_px = 3;
constexpr int many_graphs = 10, view_rests_ms = 250;  // fewer are drawn fine within a frame

}  // namespace

ChartPlot::ChartPlot(ChartState& state, QWidget* parent) : QCustomPlot(parent), state_(state), scene_(*this, state) {
  addLayer(QStringLiteral("crosshair"));
  layer(QStringLiteral("crosshair"))->setMode(QCPLayer::lmBuffered);
  overlay_ = new ChartOverlay(this, state_);
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(120, 80);
  setContextMenuPolicy(Qt::DefaultContextMenu);
  connect(this, &QCustomPlot::afterReplot, this, [this] { ++curve_replots_; });
  rested_.start();
  rest_.setSingleShot(true);
  rest_.setInterval(view_rests_ms);
  connect(&rest_, &QTimer::timeout, this, [this] {
    state_.hurried = false;
    replot(QCustomPlot::rpQueuedReplot);
  });
}

void ChartPlot::readsParts() { overlay_->parts = true; }

void ChartPlot::redrawOverlay() {
  ++overlay_replots_;
  layer(QStringLiteral("crosshair"))->replot();
}

void ChartPlot::remember() {
  history_.push_back(now());
  if (history_.size() > deepest_history) history_.erase(history_.begin());
}

void ChartPlot::setView(double lower, double upper, double y_lower, double y_upper, bool dragging) {
  if (std::isfinite(lower) && !(upper - lower > 1e-12 * std::max(1.0, std::abs(lower)))) return;  // no room left between two numbers
  state_.lower = lower;
  state_.upper = upper;
  state_.y_lower = y_lower;
  state_.y_upper = y_upper;
  hurry();
  scene_.forgetYRange();
  scene_.layOut();
  Q_EMIT viewChanged(dragging);
}

void ChartPlot::hurry() {
  if (graphCount() <= many_graphs) return;
  state_.hurried = true;
  rest_.start();
}

void ChartPlot::fit() {
  remember();
  scene_.forgetYRange();
  setView(nothing, nothing, nothing, nothing);
}

void ChartPlot::undoZoom() {
  if (history_.empty()) return;
  const View view = history_.back();
  history_.pop_back();
  setView(view.lower, view.upper, view.y_lower, view.y_upper);
}

void ChartPlot::zoomX(double factor, double about) {
  remember();
  const QCPRange range = xAxis->range();
  setView(about + (range.lower - about) * factor, about + (range.upper - about) * factor, state_.y_lower, state_.y_upper);
}

void ChartPlot::zoomY(double factor, double about) {
  remember();
  QCPRange range = yAxis->range();
  if (state_.logarithmic()) {
    range = QCPRange(about * std::pow(range.lower / about, factor), about * std::pow(range.upper / about, factor));
  } else {
    range = QCPRange(about + (range.lower - about) * factor, about + (range.upper - about) * factor);
  }
  const QCPRange x = xAxis->range();
  setView(state_.zoomed() ? x.lower : nothing, state_.zoomed() ? x.upper : nothing, range.lower, range.upper);
}

void ChartPlot::panBy(double share_x, double share_y) {
  remember();
  const QCPRange x = xAxis->range(), y = yAxis->range();
  double lower = state_.lower, upper = state_.upper;
  if (share_x != 0) {
    lower = x.lower + share_x * x.size();
    upper = x.upper + share_x * x.size();
  }
  if (share_y == 0) {
    setView(lower, upper, state_.y_lower, state_.y_upper);
  } else if (state_.logarithmic()) {
    const double by = std::pow(y.upper / y.lower, share_y);
    setView(lower, upper, y.lower * by, y.upper * by);
  } else {
    setView(lower, upper, y.lower + share_y * y.size(), y.upper + share_y * y.size());
  }
}

void ChartPlot::setCrosshair(double x) {
  if (x == state_.crosshair || (std::isnan(x) && std::isnan(state_.crosshair))) return;
  state_.crosshair = x;
  if (std::isfinite(x)) pointed_ = x;
  redrawOverlay();
}

double ChartPlot::pointedX() const {
  const double x = std::isfinite(state_.crosshair) ? state_.crosshair : pointed_;
  return xAxis->range().contains(x) ? x : nothing;
}

void ChartPlot::point(const QPointF& at) {
  overlay_->pointer = at;
  overlay_->tooltip = true;
  state_.reading.clear();
  const bool inside = axisRect()->rect().contains(at.toPoint());
  state_.crosshair = inside && state_.data ? xAxis->pixelToCoord(at.x()) : nothing;
  if (std::isfinite(state_.crosshair)) pointed_ = state_.crosshair;
  redrawOverlay();
  Q_EMIT crosshairMoved(state_.crosshair);
}

void ChartPlot::moveAlong(int samples) {
  const auto shown = state_.drawn();
  const chart::CurveData* curve = state_.dataOf(state_.reading);
  for (const CurveSpec* spec : shown) {
    if (curve != nullptr && !curve->readings.empty()) break;
    curve = state_.dataOf(spec->id);
    state_.reading = spec->id;
  }
  if (curve == nullptr || curve->readings.empty()) return;
  const auto& readings = curve->readings;
  const QCPRange view = xAxis->range();
  std::ptrdiff_t at = 0;
  const auto size = static_cast<std::ptrdiff_t>(readings.size());
  const auto index_of = [&](double x) {
    const chart::Reading* found = chart::reading_at(*curve, x);
    return found == nullptr ? std::ptrdiff_t{-1} : found - readings.data();
  };
  const std::ptrdiff_t first = std::clamp<std::ptrdiff_t>(index_of(std::nextafter(view.lower, -HUGE_VAL)) + 1, 0, size - 1);
  const std::ptrdiff_t last = std::clamp<std::ptrdiff_t>(index_of(view.upper), first, size - 1);
  if (samples == INT_MIN) {
    at = first;
  } else if (samples == INT_MAX || !std::isfinite(state_.crosshair)) {
    at = samples < 0 || samples == INT_MAX ? last : first;
  } else {
    at = std::clamp<std::ptrdiff_t>(index_of(state_.crosshair) + samples, first, last);
  }
  overlay_->tooltip = true;
  overlay_->pointer = QPointF(nothing, nothing);
  state_.crosshair = readings[static_cast<std::size_t>(at)].x;
  redrawOverlay();
  Q_EMIT crosshairMoved(state_.crosshair);
}

void ChartPlot::chooseCurve(int down) {
  const auto shown = state_.drawn();
  if (shown.empty()) return;
  std::ptrdiff_t at = -1;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (shown[i]->id == state_.reading) at = static_cast<std::ptrdiff_t>(i);
  }
  const auto size = static_cast<std::ptrdiff_t>(shown.size());
  at = at < 0 ? (down > 0 ? 0 : size - 1) : (at + down + size) % size;
  state_.reading = shown[static_cast<std::size_t>(at)]->id;
  moveAlong(0);
}

void ChartPlot::setCursor(char which, double x) {
  (which == 'A' ? state_.cursor_a : state_.cursor_b) = x;
  redrawOverlay();
  Q_EMIT cursorsChanged();
}

void ChartPlot::clearCursors() {
  state_.cursor_a = nothing;
  setCursor('B', nothing);
}

QString ChartPlot::readingText() const {
  const auto rows = overlay_->rows();
  if (rows.empty()) return {};
  QStringList lines;
  for (std::size_t i = 0; i < std::min(ChartOverlay::most_rows, rows.size()); ++i) {
    lines.append(QString(state_.legendOf(*rows[i].spec) % QStringLiteral(": ") % overlay_->rowText(rows[i])));
  }
  if (rows.size() > ChartOverlay::most_rows) lines.append(tr("and %1 more").arg(rows.size() - ChartOverlay::most_rows));
  lines += overlay_->details(*rows.front().reading);
  return lines.join(u'\n');
}

bool ChartPlot::overYAxis(const QPointF& at) const { return at.x() < axisRect()->left(); }

void ChartPlot::mousePressEvent(QMouseEvent* event) {
  setFocus(Qt::MouseFocusReason);
  drag_from_ = event->position();
  drag_view_ = now();
  drag_x_ = xAxis->range();
  drag_y_ = yAxis->range();
  moved_ = false;
  if (event->button() == Qt::BackButton) {
    undoZoom();
  } else if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ControlModifier) != 0) {
    setCursor((event->modifiers() & Qt::ShiftModifier) != 0 ? 'B' : 'A', xAxis->pixelToCoord(event->position().x()));
  } else if (event->button() == Qt::LeftButton && (event->modifiers() & Qt::ShiftModifier) != 0) {
    drag_ = Drag::box;
  } else if (event->button() == Qt::LeftButton || event->button() == Qt::MiddleButton) {
    drag_ = Drag::pan;
  }
  event->accept();
}

void ChartPlot::mouseMoveEvent(QMouseEvent* event) {
  const QPointF by = event->position() - drag_from_;
  if (drag_ != Drag::none && !moved_ && by.manhattanLength() < drag_from_px) return;
  if (drag_ == Drag::pan) {
    if (!std::exchange(moved_, true)) remember();
    state_.crosshair = nothing;
    const double width = axisRect()->width(), height = axisRect()->height();
    const double dx = -by.x() / width * drag_x_.size();
    // Up and down only once the y range is the person's own: else each pan would end the automatic range.
    double low = drag_view_.y_lower, high = drag_view_.y_upper;
    if (std::isfinite(low)) {
      if (state_.logarithmic()) {
        const double factor = std::pow(high / low, by.y() / height);
        low *= factor;
        high *= factor;
      } else {
        const double dy = by.y() / height * (high - low);
        low += dy;
        high += dy;
      }
    }
    setView(drag_x_.lower + dx, drag_x_.upper + dx, low, high, true);
  } else if (drag_ == Drag::box) {
    moved_ = true;
    overlay_->box = QRectF(drag_from_, event->position()).normalized();
    redrawOverlay();
  } else {
    point(event->position());
  }
}

void ChartPlot::mouseReleaseEvent(QMouseEvent* event) {
  const Drag drag = std::exchange(drag_, Drag::none);
  if (drag == Drag::pan && moved_) {
    Q_EMIT viewChanged(false);
  } else if (drag == Drag::pan && event->button() == Qt::LeftButton) {
    Q_EMIT clicked(xAxis->pixelToCoord(event->position().x()));
  } else if (drag == Drag::box) {
    const QRectF box = overlay_->box.intersected(axisRect()->rect());
    overlay_->box = {};
    if (moved_ && box.width() > 4 && box.height() > 4) {
      remember();
      setView(xAxis->pixelToCoord(box.left()), xAxis->pixelToCoord(box.right()), yAxis->pixelToCoord(box.bottom()),
              yAxis->pixelToCoord(box.top()));
    } else {
      redrawOverlay();
    }
  }
  event->accept();
}

void ChartPlot::mouseDoubleClickEvent(QMouseEvent* event) {
  drag_ = Drag::none;
  if (event->button() == Qt::LeftButton) fit();
}

void ChartPlot::wheelEvent(QWheelEvent* event) {
  if (!hasFocus() && rested_.elapsed() < rest_ms) {
    rested_.restart();
    event->ignore();  // the page is scrolling: it goes on
    return;
  }
  event->accept();
  wheel_ += event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
  const double steps = wheel_ / 120;
  if (std::abs(steps) < 0.25) return;
  wheel_ = 0;
  const double factor = std::pow(wheel_step, -steps);
  if (overYAxis(event->position()) || (event->modifiers() & Qt::ControlModifier) != 0)
    zoomY(factor, yAxis->pixelToCoord(event->position().y()));
  else
    zoomX(factor, xAxis->pixelToCoord(event->position().x()));
}

bool ChartPlot::keyMoves(QKeyEvent* event) {
  const bool shift = (event->modifiers() & Qt::ShiftModifier) != 0, alt = (event->modifiers() & Qt::AltModifier) != 0;
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
      const int sign = event->key() == Qt::Key_Right ? 1 : -1;
      if (alt)
        panBy(sign * key_pan, 0);
      else
        moveAlong(sign * (shift ? 10 : 1));
      return true;
    }
    case Qt::Key_Up:
    case Qt::Key_Down:
      if (alt)
        panBy(0, event->key() == Qt::Key_Up ? key_pan : -key_pan);
      else
        chooseCurve(event->key() == Qt::Key_Down ? 1 : -1);
      return true;
    case Qt::Key_Home:
      moveAlong(INT_MIN);
      return true;
    case Qt::Key_End:
      moveAlong(INT_MAX);
      return true;
    default:
      return false;
  }
}

bool ChartPlot::keyZooms(QKeyEvent* event) {
  const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
  switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus: {
      const double factor = event->key() == Qt::Key_Minus ? key_step : 1 / key_step;
      if (control) {
        const QCPRange y = yAxis->range();
        zoomY(factor, state_.logarithmic() ? std::sqrt(y.lower * y.upper) : y.center());
      } else {
        zoomX(factor,
              std::isfinite(state_.crosshair) && xAxis->range().contains(state_.crosshair) ? state_.crosshair : xAxis->range().center());
      }
      return true;
    }
    default:
      return false;
  }
}

void ChartPlot::keyPressEvent(QKeyEvent* event) {
  const Qt::KeyboardModifiers plain = event->modifiers() & ~Qt::KeypadModifier;
  if (keyMoves(event) || keyZooms(event)) {
    event->accept();
  } else if (event->key() == Qt::Key_Escape && (std::isfinite(state_.cursor_a) || std::isfinite(state_.cursor_b))) {
    clearCursors();
  } else if (event->key() == Qt::Key_Menu || (event->key() == Qt::Key_F10 && plain == Qt::ShiftModifier)) {
    Q_EMIT menuWanted(mapToGlobal(rect().center()));
  } else {
    QCustomPlot::keyPressEvent(event);
  }
}

void ChartPlot::enterEvent(QEnterEvent* event) {
  rested_.restart();
  QCustomPlot::enterEvent(event);
}

void ChartPlot::leaveEvent(QEvent* event) {
  overlay_->tooltip = false;
  setCrosshair(nothing);
  Q_EMIT crosshairMoved(nothing);
  QCustomPlot::leaveEvent(event);
}

void ChartPlot::focusInEvent(QFocusEvent* event) {
  QCustomPlot::focusInEvent(event);
  update();
}

void ChartPlot::focusOutEvent(QFocusEvent* event) {
  overlay_->tooltip = false;
  QCustomPlot::focusOutEvent(event);
  update();
}

void ChartPlot::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT menuWanted(event->globalPos());
  event->accept();
}

void ChartPlot::paintEvent(QPaintEvent* event) {
  QCustomPlot::paintEvent(event);
  if (hasFocus()) {
    QPainter painter(this);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
  }
  Q_EMIT becameVisible();
}

bool ChartPlot::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    QToolTip::showText(help->globalPos(), scene_.markText(help->pos()), this);
    return true;
  }
  // Keys that move within the chart before shortcuts of the window that use the same ones.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool alone = (key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == 0;
    const bool arrow = key->key() >= Qt::Key_Left && key->key() <= Qt::Key_Down && (key->modifiers() & Qt::AltModifier) != 0;
    const QString own = QStringLiteral("+-=");
    if (arrow || (alone && !key->text().isEmpty() && own.contains(key->text().toUpper()))) {
      event->accept();
      return true;
    }
  }
  return QCustomPlot::event(event);
}

}  // namespace syncline::ui
