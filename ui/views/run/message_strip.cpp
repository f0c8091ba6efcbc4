// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/message_strip.h"

#include <QEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/models/palette.h"

namespace syncline::ui {

MessageStrip::MessageStrip(Kind kind, const QString& name, QWidget* parent) : QFrame(parent), kind_(kind) {
  setObjectName(name);
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  icon_ = new QLabel(kind == information ? QStringLiteral("ℹ") : kind == warning ? QStringLiteral("⚠") : QStringLiteral("✕"), this);
  text_ = new QLabel(this);
  text_->setTextFormat(Qt::PlainText);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  text_->setAccessibleName(kind == error ? tr("Error") : kind == warning ? tr("Warning") : tr("Information"));
  fold_ = new QToolButton(this);
  fold_->setText(tr("&Details"));
  fold_->setCheckable(true);
  fold_->setChecked(true);
  fold_->hide();
  auto* close = new QToolButton(this);
  close->setText(QStringLiteral("✕"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close this message"));
  close->setToolTip(tr("Close this message"));
  close->setMinimumSize(24, 24);
  details_ = new QPlainTextEdit(this);
  details_->setReadOnly(true);
  details_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  details_->setLineWrapMode(QPlainTextEdit::NoWrap);
  details_->setMaximumHeight(details_->fontMetrics().lineSpacing() * 6 + 12);
  details_->setAccessibleName(tr("Last lines of the log"));
  details_->hide();
  row_ = new QHBoxLayout;
  row_->addWidget(icon_, 0, Qt::AlignTop);
  row_->addWidget(text_, 1);
  row_->addWidget(fold_);
  row_->addWidget(close);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 4, 4, 4);
  column->addLayout(row_);
  column->addWidget(details_);
  connect(close, &QToolButton::clicked, this, &MessageStrip::closed);
  connect(fold_, &QToolButton::toggled, details_, &QWidget::setVisible);
  recolour();
}

void MessageStrip::setText(const QString& text) {
  if (text_->text() != text) text_->setText(text);
}

void MessageStrip::setDetails(const QString& text) {
  if (details_->toPlainText() == text && fold_->isVisibleTo(this) == !text.isEmpty()) return;
  details_->setPlainText(text);
  details_->moveCursor(QTextCursor::End);
  fold_->setVisible(!text.isEmpty());
  details_->setVisible(!text.isEmpty() && fold_->isChecked());
}

void MessageStrip::offer(const QString& text, std::function<void()> act) {
  auto* button = new QPushButton(text, this);
  button->setObjectName(objectName() + (actions_ == 0 ? QStringLiteral(".action") : QStringLiteral(".action%1").arg(actions_ + 1)));
  connect(button, &QPushButton::clicked, this, [act = std::move(act)] { act(); });
  row_->insertWidget(2 + actions_++, button);
}

void MessageStrip::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange) recolour();
  QFrame::changeEvent(event);
}

void MessageStrip::recolour() {
  const QPalette& base = parentWidget() != nullptr ? parentWidget()->palette() : palette();
  const bool dark = palette::isDark(base);
  const QColor tint = palette::status(kind_ == error     ? palette::Status::bad
                                      : kind_ == warning ? palette::Status::attention
                                                         : palette::Status::good,
                                      dark);
  const QColor ground = base.color(QPalette::Window);
  const auto mixed = [&](double share) {
    return QColor::fromRgbF(float(ground.redF() + (tint.redF() - ground.redF()) * share),
                            float(ground.greenF() + (tint.greenF() - ground.greenF()) * share),
                            float(ground.blueF() + (tint.blueF() - ground.blueF()) * share));
  };
  QPalette mine = base;
  mine.setColor(QPalette::Window, mixed(0.12));
  if (mine.color(QPalette::Window) != palette().color(QPalette::Window)) setPalette(mine);
  QPalette icon = base;
  icon.setColor(QPalette::WindowText, tint);
  icon_->setPalette(icon);
}

}  // namespace syncline::ui
