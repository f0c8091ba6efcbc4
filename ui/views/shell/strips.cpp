// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/strips.h"

#include <QAccessible>
#include <QAccessibleEvent>
#include <QApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/models/palette.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

Strip::Strip(StripKind kind, const QString& text, const std::vector<StripAction>& actions, int seconds, QWidget* parent)
    : QFrame(parent), kind_(kind), icon_(new QLabel(this)), label_(new QLabel(text, this)) {
  setObjectName(QStringLiteral("strip"));
  setFrameShape(QFrame::NoFrame);
  setAutoFillBackground(true);
  setAccessibleName(text);
  label_->setObjectName(QStringLiteral("strip.text"));
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 5, 6, 5);
  row->addWidget(icon_);
  row->addWidget(label_, 1);
  for (const StripAction& action : actions) {
    auto* button = new QPushButton(action.text, this);
    button->setObjectName(QStringLiteral("strip.action"));
    // The strip goes first: what the action does may put up another one of the same cause.
    connect(button, &QPushButton::clicked, this, [this, act = action.act] {
      Q_EMIT closed();
      if (act) act();
    });
    row->addWidget(button);
  }
  auto* close = new QToolButton(this);
  close->setObjectName(QStringLiteral("strip.close"));
  close->setAutoRaise(true);
  close->setIcon(themed_icon(QStringLiteral("window-close")));
  close->setAccessibleName(tr("Close message"));
  close->setToolTip(tr("Close message (Esc)"));
  close->setFocusPolicy(Qt::StrongFocus);
  connect(close, &QToolButton::clicked, this, &Strip::closed);
  row->addWidget(close);
  recolour();

  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &Strip::closed);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    const bool inside = now != nullptr && isAncestorOf(now);
    if (inside == focused_) return;
    focused_ = inside;
    hold();
  });
  if (seconds > 0) timer_.start(seconds * 1000);
  QAccessibleEvent alert(this, QAccessible::Alert);
  QAccessible::updateAccessibility(&alert);
}

QString Strip::text() const { return label_->text(); }

void Strip::hold() {
  if (held()) {
    if (timer_.isActive()) {
      left_ms_ = timer_.remainingTime();
      timer_.stop();
    }
  } else if (left_ms_ > 0) {
    timer_.start(std::max(left_ms_, 2000));  // long enough to see where the focus went
    left_ms_ = 0;
  }
}

void Strip::enterEvent(QEnterEvent* event) {
  hovered_ = true;
  hold();
  QFrame::enterEvent(event);
}

void Strip::leaveEvent(QEvent* event) {
  hovered_ = false;
  hold();
  QFrame::leaveEvent(event);
}

void Strip::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && !recolouring_) recolour();
  QFrame::changeEvent(event);
}

void Strip::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    Q_EMIT closed();
  } else {
    QFrame::keyPressEvent(event);
  }
}

void Strip::recolour() {
  const QPalette base = QApplication::palette();
  const bool dark = palette::isDark(base);
  const palette::Status status = kind_ == StripKind::error     ? palette::Status::bad
                                 : kind_ == StripKind::warning ? palette::Status::attention
                                                               : palette::Status::good;
  // A tint of the status colour over the window's own: text keeps its contrast.
  const QColor tint = kind_ == StripKind::information ? base.color(QPalette::Highlight) : palette::status(status, dark);
  const QColor ground = base.color(QPalette::Window);
  const auto mixed = [](int a, int b) { return (a * 15 + b * 85) / 100; };
  QPalette mine = base;
  mine.setColor(QPalette::Window,
                QColor(mixed(tint.red(), ground.red()), mixed(tint.green(), ground.green()), mixed(tint.blue(), ground.blue())));
  recolouring_ = true;
  setPalette(mine);
  recolouring_ = false;
  const char* name = kind_ == StripKind::error ? "dialog-error" : kind_ == StripKind::warning ? "dialog-warning" : "dialog-information";
  const int size = style()->pixelMetric(QStyle::PM_SmallIconSize);
  icon_->setPixmap(themed_icon(QLatin1String(name)).pixmap(size));
}

Strips::Strips(QWidget* parent) : QWidget(parent), layout_(new QVBoxLayout(this)) {
  setObjectName(QStringLiteral("window.strips"));
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(1);
}

Strip* Strips::show(const QString& cause, StripKind kind, const QString& text, const std::vector<StripAction>& actions, int seconds) {
  remove(cause);
  auto* strip = new Strip(kind, text, actions, seconds, this);
  strips_[cause] = strip;
  connect(strip, &Strip::closed, this, [this, cause, strip] {
    if (strips_.value(cause) == strip) remove(cause);
  });
  layout_->addWidget(strip);
  strip->show();
  return strip;
}

void Strips::remove(const QString& cause) {
  const QPointer<Strip> strip = strips_.take(cause);
  if (!strip) return;
  strip->hide();
  layout_->removeWidget(strip);
  strip->deleteLater();
}

Strip* Strips::find(const QString& cause) const { return strips_.value(cause); }

}  // namespace syncline::ui
