// SPDX-License-Identifier: GPL-3.0-or-later
// The topology drawn: ranks and the link between every pair of them. Many ranks are drawn as a stack with a count, so that thousands stay
// one item. The table over the same model is the equal and accessible way.
#pragma once

#include <QGraphicsView>

#include "ui/models/editor/editor_tables.h"

namespace syncline::ui {

class TopologyDiagram : public QGraphicsView {
  Q_OBJECT

 public:
  TopologyDiagram(TopologyModel&, QWidget* parent = nullptr);
  QString description() const;  // what is drawn, in words

 Q_SIGNALS:
  void keyChosen(const QString& key);  // an item was activated: where its value is edited

 protected:
  void resizeEvent(QResizeEvent*) override;
  void changeEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;

 private:
  void draw();
  void choose(QGraphicsItem*);

  TopologyModel& model_;
  QGraphicsScene scene_;
};

}  // namespace syncline::ui
