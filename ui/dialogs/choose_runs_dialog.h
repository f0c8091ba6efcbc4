// SPDX-License-Identifier: GPL-3.0-or-later
// Runs of the workspace to choose from, found by a part of their name.
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>

#include "ui/models/store_service.h"

namespace syncline::ui {

class ChooseRunsDialog : public QDialog {
  Q_OBJECT

 public:
  // name: stem of the object names; without: ids of runs that are not offered.
  ChooseRunsDialog(StoreService&, const QString& name, const QString& title, const QString& accept, const QStringList& without,
                   QWidget* parent);
  QStringList chosen() const;  // ids of newest attempts

 private:
  void enable();
  QLineEdit* search_ = nullptr;
  QListWidget* found_ = nullptr;
  QPushButton* accept_ = nullptr;
};

}  // namespace syncline::ui
