// SPDX-License-Identifier: GPL-3.0-or-later
// A curve the size of a word, drawn into a pixmap that is kept while neither the data nor the palette changes.
#pragma once

#include <QHash>
#include <QPixmap>
#include <QPointF>
#include <QSize>
#include <QString>
#include <QWidget>
#include <vector>

namespace syncline::ui {

class Sparklines {
 public:
  // `key` and `revision` identify the data ("run id:series", its number of points). Points by rising x; a y that is not finite is a gap.
  QPixmap pixmap(const QString& key, quint64 revision, const std::vector<QPointF>&, const QSize&, int palette, const QPalette&,
                 double device_pixel_ratio);
  int drawn() const { return drawn_; }  // for tests

 private:
  struct Kept {
    quint64 revision = 0;
    QString look;
    QPixmap pixmap;
  };
  QHash<QString, Kept> kept_;
  int drawn_ = 0;
};

// The same as a widget, with title and last value in its accessible description.
class Sparkline : public QWidget {
 public:
  explicit Sparkline(const QString& title, QWidget* parent = nullptr);
  void setPoints(const QString& key, quint64 revision, std::vector<QPointF>, int palette, const QString& value_text);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent*) override;

 private:
  Sparklines pixmaps_;
  QString title_, key_, value_;
  quint64 revision_ = 0;
  int palette_ = 0;
  std::vector<QPointF> points_;
};

}  // namespace syncline::ui
