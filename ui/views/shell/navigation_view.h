// SPDX-License-Identifier: GPL-3.0-or-later
// The tree at the left: places with their counts, open pages with a cross; icons only where the window is narrow.
#pragma once

#include <QTreeView>

namespace syncline::ui {

class NavigationModel;

class NavigationView : public QTreeView {
  Q_OBJECT

 public:
  explicit NavigationView(NavigationModel&, QWidget* parent = nullptr);
  void setIconsOnly(bool);
  bool iconsOnly() const { return icons_only_; }
  void select(const QModelIndex&);              // without telling that it was chosen
  QRect closeButton(const QModelIndex&) const;  // empty: the row has none
  QSize sizeHint() const override;

 Q_SIGNALS:
  void placeChosen(const QString& name);
  void pageChosen(int id);
  void closeAsked(int id);

 protected:
  void mousePressEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
  void rowsInserted(const QModelIndex& parent, int first, int last) override;

 private:
  void choose(const QModelIndex&);
  void move_current(int by);
  NavigationModel& model_;
  bool icons_only_ = false, selecting_ = false;
  QPersistentModelIndex hovered_, pressed_cross_;
  friend class NavigationDelegate;
};

}  // namespace syncline::ui
