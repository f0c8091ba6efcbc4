// SPDX-License-Identifier: GPL-3.0-or-later
// What split chart and heat map have around their plots: title, buttons, the table behind, the sentence when there is nothing, a footer,
// and the actions of the table and the exports.
#pragma once

#include <QMenu>
#include <QObject>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <functional>

#include "ui/models/chart/chart_table.h"

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace syncline::ui {

class ActionRegistry;

class PlotFrame : public QObject {
  Q_OBJECT

 public:
  // `name`: objectName of the widget, stem of the names of its parts and of exported files.
  PlotFrame(QWidget& widget, ActionRegistry&, const QString& name, const QString& title);

  QLabel* addReading();  // beside the title
  QToolButton* addButton(const QString& part, const QString& text, const QString& accessible);
  void addAbove(QWidget*);  // between the header and the plot
  void setContents(QWidget* plot, QAbstractItemModel* numbers);
  QWidget& parentOfPlot() const { return *stack_; }
  QTableView& table() const { return *table_; }

  // `picture` writes .pdf, .svg or .png; `numbers` gives all of them as a text. Both say in one sentence what went wrong.
  using Picture = std::function<QString(const QString& path, int scale)>;
  using Numbers = std::function<QByteArray(chart::TableFormat)>;
  void addActions(Picture, Numbers);
  QAction* add(const char* id, const std::function<void()>&);  // to the registry and to the menu
  QMenu& menu() { return *menu_; }
  void showMenu(const QPoint& global) { menu_->popup(global); }
  QString saveData(const QString& path) const;

  void show(bool any, const QString& when_empty, const QString& footer);

 private:
  void exportTo(bool picture);
  QWidget& widget_;
  ActionRegistry& registry_;
  QString name_, title_, when_empty_, footer_text_;
  bool any_ = false;
  QVBoxLayout* outer_;
  QHBoxLayout* header_;
  QStackedWidget* stack_;
  QWidget* plot_ = nullptr;
  QTableView* table_;
  QLabel *empty_, *footer_;
  QToolButton *table_button_, *more_button_;
  QMenu* menu_;
  Picture picture_;
  Numbers numbers_;
};

}  // namespace syncline::ui
