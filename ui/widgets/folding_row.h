// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QBoxLayout;
class QHBoxLayout;

namespace syncline::ui {

// Two groups of controls at the ends of one row; where that is too narrow for both, one below the other.
class FoldingRow : public QWidget {
 public:
  explicit FoldingRow(QWidget* parent = nullptr);
  QHBoxLayout* left() const { return left_; }
  QHBoxLayout* right() const { return right_; }
  bool folded() const;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent*) override;

 private:
  void arrange();
  QBoxLayout* both_;
  QHBoxLayout *left_, *right_;
};

}  // namespace syncline::ui
