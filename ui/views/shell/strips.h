// SPDX-License-Identifier: GPL-3.0-or-later
// Messages in the layout above a page, never over data: at most one per cause, closable, with actions. A timed one ("Undo" for 20 s) stays
// while the pointer or the focus is on it.
#pragma once

#include <QFrame>
#include <QMap>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace syncline::ui {

enum class StripKind { information, warning, error };

struct StripAction {
  QString text;  // with mnemonic
  std::function<void()> act;
};

class Strip : public QFrame {
  Q_OBJECT

 public:
  Strip(StripKind, const QString& text, const std::vector<StripAction>&, int seconds, QWidget* parent = nullptr);
  QString text() const;
  bool held() const { return hovered_ || focused_; }

 Q_SIGNALS:
  void closed();

 protected:
  void enterEvent(QEnterEvent*) override;
  void leaveEvent(QEvent*) override;
  void changeEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;

 private:
  void hold();
  void recolour();
  StripKind kind_;
  QLabel *icon_, *label_;
  QTimer timer_;
  int left_ms_ = 0;  // of the time, while held
  bool hovered_ = false, focused_ = false, recolouring_ = false;
};

class Strips : public QWidget {
  Q_OBJECT

 public:
  explicit Strips(QWidget* parent = nullptr);
  // Replaces the strip of the same cause. seconds = 0: until closed.
  Strip* show(const QString& cause, StripKind, const QString& text, const std::vector<StripAction>& = {}, int seconds = 0);
  void remove(const QString& cause);
  Strip* find(const QString& cause) const;

 private:
  QVBoxLayout* layout_;
  QMap<QString, QPointer<Strip>> strips_;
};

}  // namespace syncline::ui
