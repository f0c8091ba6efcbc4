// SPDX-License-Identifier: GPL-3.0-or-later
// A message in the page above what it is about: what is wrong, one or two actions, folded details that can be copied. Closable.
#pragma once

#include <QFrame>
#include <functional>

class QLabel;
class QPlainTextEdit;
class QHBoxLayout;
class QToolButton;

namespace syncline::ui {

class MessageStrip : public QFrame {
  Q_OBJECT

 public:
  enum Kind { information, warning, error };
  MessageStrip(Kind, const QString& name, QWidget* parent = nullptr);
  void setText(const QString&);
  void setDetails(const QString&);  // empty: none; shown at once, foldable
  void offer(const QString& text, std::function<void()> act);

 Q_SIGNALS:
  void closed();

 protected:
  void changeEvent(QEvent*) override;

 private:
  void recolour();
  Kind kind_;
  QLabel *icon_, *text_;
  QToolButton* fold_;
  QPlainTextEdit* details_;
  QHBoxLayout* row_;
  int actions_ = 0;
};

}  // namespace syncline::ui
