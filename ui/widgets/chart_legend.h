// SPDX-License-Identifier: GPL-3.0-or-later
// The curves of a chart as a list beside it: searched, sorted, hidden, pinned, all with the keyboard too.
#pragma once

#include <QAbstractListModel>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QStyledItemDelegate>
#include <QToolButton>

#include "ui/widgets/chart_state.h"

namespace syncline::ui {

class LegendModel : public QAbstractListModel {
  Q_OBJECT

 public:
  enum class Sort { given, name, last, best };
  LegendModel(ChartState&, QObject* parent);
  void refresh();  // after curves, data or what is hidden changed
  void setSearch(const QString&);
  void setSort(Sort);
  Sort sort() const { return sort_; }
  const CurveSpec* curveAt(int row) const;
  QString lastText(const CurveSpec&) const;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex&, int role) const override;

 private:
  std::vector<std::size_t> order() const;
  ChartState& state_;
  QString search_;
  Sort sort_ = Sort::given;
  std::vector<std::size_t> rows_;
};

// A line with the curve's dash and marker: legends, table heads and tooltips draw the same one.
void draw_swatch(QPainter&, const QRectF&, const palette::CurveStyle&);

class LegendList : public QListView {
  Q_OBJECT

 public:
  LegendList(ChartState&, LegendModel&, QWidget* parent);

 Q_SIGNALS:
  void hideToggled(const QString& id);
  void onlyWanted(const QString& id);
  void lifted(const QString& id);  // empty: none
  void menuWanted(const QString& id, const QPoint& global);

 protected:
  void keyPressEvent(QKeyEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;

 private:
  QString idAt(const QPoint&) const;
  ChartState& state_;
  LegendModel& model_;
};

class ChartLegend : public QWidget {
  Q_OBJECT

 public:
  ChartLegend(ChartState&, const QString& name, QWidget* parent);
  void refresh();
  LegendList& list() { return *list_; }
  LegendModel& model() { return *model_; }
  void toggleHidden(const QString& id);

 Q_SIGNALS:
  void changed();  // hidden or pinned curves: fetch and draw anew
  void liftChanged();
  void renameWanted(const QString& id);
  void colourWanted(const QString& id);

 private:
  void only(const QString& id);
  void menu(const QString& id, const QPoint& global);
  ChartState& state_;
  LegendModel* model_;
  LegendList* list_;
  QLineEdit* search_;
  QLabel* count_;
};

// For charts without room: the names under the title, in rows; behind them a button that says how many more there are and lists all.
class LegendStrip : public QWidget {
  Q_OBJECT

 public:
  LegendStrip(ChartState&, const QString& name, QWidget* parent);
  QSize sizeHint() const override { return {200, heightForWidth(std::max(200, width()))}; }
  QSize minimumSizeHint() const override { return {40, line()}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  void curvesChanged();  // perhaps others are drawn, or under other names

 Q_SIGNALS:
  void hideToggled(const QString& id);

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;

 private:
  struct Entry {
    const CurveSpec* curve;
    QString name;
    int left, row;
  };
  struct Layout {
    std::vector<Entry> entries;
    std::size_t left_out = 0;  // of all curves: those without room and those that are not drawn
    int more_left = 0, more_row = 0;
  };
  Layout layOut(int width) const;  // three rows at most
  Layout layOut(int width, int more_width) const;
  QString moreText(std::size_t left_out) const;
  int line() const;
  void placeMore();
  void fillList();

  ChartState& state_;
  QToolButton* more_;
  std::vector<std::pair<CurveSpec, QString>> told_;  // what was drawn when it changed last: new data alone changes nothing here
  std::size_t told_all_ = 0;
  bool told_dark_ = false;
  QFont told_font_;
};

}  // namespace syncline::ui
