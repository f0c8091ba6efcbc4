// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icons.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

#include "ui/widgets/icon_shapes.h"

namespace syncline::ui {

namespace {

bool platform_icons = true;  // GUI thread only

class ThemedIcon : public QIconEngine {
 public:
  explicit ThemedIcon(QString name) : name_(std::move(name)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
    if (const QIcon theirs = platform(); !theirs.isNull()) return theirs.paint(painter, rect, Qt::AlignCenter, mode, state);
    const QPalette palette = QGuiApplication::palette();
    const QPalette::ColorGroup group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
    const QColor colour = palette.color(group, mode == QIcon::Selected ? QPalette::HighlightedText : QPalette::WindowText);
    const QByteArray svg = bundled_svg(name_, colour);
    if (svg.isEmpty()) return;
    QSvgRenderer renderer(svg);
    renderer.setAspectRatioMode(Qt::KeepAspectRatio);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    renderer.render(painter, rect);
    painter->restore();
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override { return scaledPixmap(size, mode, state, 1); }

  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state, qreal) override {
    QPixmap pixmap(size);  // in device pixels already
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
  }

  QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size; }
  QIconEngine* clone() const override { return new ThemedIcon(*this); }
  QString key() const override { return QStringLiteral("syncline-themed"); }
  QString iconName() override { return name_; }
  bool isNull() override { return platform().isNull() && bundled_shape(name_) == nullptr; }

 private:
  QIcon platform() const { return platform_icons && QIcon::hasThemeIcon(name_) ? QIcon::fromTheme(name_) : QIcon(); }
  QString name_;
};

}  // namespace

void set_platform_icons(bool use) { platform_icons = use; }

QIcon themed_icon(const QString& name) { return name.isEmpty() ? QIcon() : QIcon(new ThemedIcon(name)); }

QByteArray bundled_svg(const QString& name, const QColor& colour) {
  const char* shape = bundled_shape(name);
  if (shape == nullptr) return {};
  const QByteArray ink = colour.name().toLatin1();
  QByteArray svg =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><g fill='none' stroke='INK' stroke-width='1.4' "
      "stroke-linecap='round' stroke-linejoin='round' stroke-opacity='ALPHA' fill-opacity='ALPHA'>";
  svg += shape;
  svg += "</g></svg>";
  return svg.replace("INK", ink).replace("ALPHA", QByteArray::number(colour.alphaF()));
}

}  // namespace syncline::ui
