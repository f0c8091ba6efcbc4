// SPDX-License-Identifier: GPL-3.0-or-later
// Stands where the pages would be while a workspace is being opened, and when it cannot be: what is wrong, and what can be done.
#pragma once

#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace syncline::ui {

class OpenFailed : public QWidget {
  Q_OBJECT

 public:
  explicit OpenFailed(QWidget* parent = nullptr);
  void showOpening(const QString& workspace);
  void showFailure(const QString& workspace, const QString& message);

 Q_SIGNALS:
  void tryAgain();
  void openAnother();
  void showFolder();
  void verify();

 private:
  QLabel *heading_, *text_, *hint_;
  QWidget* buttons_;
};

}  // namespace syncline::ui
