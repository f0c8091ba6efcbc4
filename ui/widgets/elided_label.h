// SPDX-License-Identifier: GPL-3.0-or-later
// A line of text that gives way: cut in the middle, so that both ends stay, and in full in the tooltip.
#pragma once

#include <QLabel>

namespace syncline::ui {

class ElidedLabel : public QLabel {
 public:
  ElidedLabel(const QString& text, QWidget* parent);
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;
};

}  // namespace syncline::ui
