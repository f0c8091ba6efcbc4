// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/open_failed.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace syncline::ui {

OpenFailed::OpenFailed(QWidget* parent)
    : QWidget(parent), heading_(new QLabel(this)), text_(new QLabel(this)), hint_(new QLabel(this)), buttons_(new QWidget(this)) {
  setObjectName(QStringLiteral("open-failed"));
  heading_->setObjectName(QStringLiteral("open-failed.heading"));
  QFont font = heading_->font();
  font.setPointSizeF(font.pointSizeF() * 1.3);
  font.setBold(true);
  heading_->setFont(font);
  text_->setObjectName(QStringLiteral("open-failed.text"));
  for (QLabel* label : {heading_, text_, hint_}) {
    label->setWordWrap(true);
    label->setMinimumWidth(300);
    label->setMaximumWidth(640);
  }
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* row = new QHBoxLayout(buttons_);
  row->setContentsMargins(0, 8, 0, 0);
  const auto add = [this, row](const QString& text, const char* name, void (OpenFailed::*signal)()) {
    auto* button = new QPushButton(text, buttons_);
    button->setObjectName(QLatin1String(name));
    connect(button, &QPushButton::clicked, this, signal);
    row->addWidget(button);
  };
  add(tr("&Try Again"), "open-failed.again", &OpenFailed::tryAgain);
  add(tr("&Open Another Workspace…"), "open-failed.another", &OpenFailed::openAnother);
  add(tr("Show &Folder"), "open-failed.folder", &OpenFailed::showFolder);
  add(tr("&Verify Workspace"), "open-failed.verify", &OpenFailed::verify);
  row->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(40, 40, 40, 40);
  column->addWidget(heading_);
  column->addWidget(text_);
  column->addWidget(hint_);
  column->addWidget(buttons_);
  column->addStretch(1);
}

void OpenFailed::showOpening(const QString& workspace) {
  heading_->setText(tr("Opening the workspace"));
  text_->setText(workspace);
  hint_->hide();
  buttons_->hide();
}

void OpenFailed::showFailure(const QString& workspace, const QString& message) {
  heading_->setText(tr("This workspace cannot be opened"));
  text_->setText(message.contains(workspace) ? message : tr("%1: %2").arg(workspace, message));
  hint_->setText(tr("Nothing in it has been changed. Runs that are going on record further on their own."));
  hint_->show();
  buttons_->show();
}

}  // namespace syncline::ui
