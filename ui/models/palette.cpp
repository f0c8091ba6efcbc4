// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/palette.h"

#include <QPainter>
#include <array>
#include <cmath>

namespace syncline::ui::palette {

namespace {

constexpr int families = 7;
constexpr std::array<QRgb, families> curves_light = {0xff0072b2, 0xffd55e00, 0xff894264, 0xff195931, 0xff2b2b2b, 0xff2c9f59, 0xff30349b};
constexpr std::array<QRgb, families> curves_dark = {0xff4da3ff, 0xffff8a3d, 0xffd53879, 0xff228780, 0xffe6e6e6, 0xff65f7a2, 0xff7c5fcd};
constexpr std::array<Qt::PenStyle, 3> dashes = {Qt::SolidLine, Qt::DashLine, Qt::DotLine};

constexpr std::array<QRgb, part_count> parts_light = {0xff0072b2, 0xff1caebc, 0xffd55e00, 0xff8c564b, 0xff6b1c49, 0xffe0ca2b, 0xffd7dbdf};
constexpr std::array<QRgb, part_count> parts_dark = {0xff2f86d6, 0xffa6f5fe, 0xffff7a2f, 0xffb5541c, 0xffd094b9, 0xffd1e5a2, 0xff565c62};
constexpr std::array<Qt::BrushStyle, part_count> patterns = {Qt::SolidPattern, Qt::BDiagPattern, Qt::FDiagPattern, Qt::DiagCrossPattern,
                                                             Qt::VerPattern,   Qt::HorPattern,   Qt::Dense6Pattern};

constexpr std::array<QRgb, 4> status_light = {0xff17703d, 0xffa04f00, 0xffb52b3a, 0xff6b7278};
constexpr std::array<QRgb, 4> status_dark = {0xff27ae60, 0xfff67400, 0xfff2707a, 0xffa1a9b1};

const QColor paper(0xff, 0xff, 0xff), night(0x1b, 0x1e, 0x20);

double linear(double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); }
double luminance(const QColor& colour) {
  return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) + 0.0722 * linear(colour.blueF());
}

QPalette make(bool dark) {
  const QColor window = dark ? QColor(0x2a, 0x2e, 0x32) : QColor(0xef, 0xf0, 0xf1);
  const QColor base = background(dark), text = dark ? QColor(0xfc, 0xfc, 0xfc) : QColor(0x23, 0x26, 0x29);
  const QColor muted = dark ? QColor(0x8a, 0x93, 0x9b) : QColor(0x8d, 0x93, 0x99);
  QPalette made(text, dark ? QColor(0x31, 0x36, 0x3b) : QColor(0xfc, 0xfc, 0xfc),
                dark ? QColor(0x4d, 0x53, 0x59) : QColor(0xff, 0xff, 0xff), dark ? QColor(0x15, 0x18, 0x1a) : QColor(0x88, 0x8e, 0x93),
                dark ? QColor(0x23, 0x27, 0x2a) : QColor(0xc4, 0xc8, 0xcc), text, text, base, window);
  made.setColor(QPalette::AlternateBase, dark ? QColor(0x23, 0x26, 0x29) : QColor(0xf7, 0xf7, 0xf8));
  made.setColor(QPalette::Midlight, dark ? QColor(0x3c, 0x42, 0x47) : QColor(0xf6, 0xf7, 0xf8));
  made.setColor(QPalette::Shadow, dark ? QColor(0x0b, 0x0c, 0x0d) : QColor(0x50, 0x55, 0x5a));
  made.setColor(QPalette::Highlight, dark ? QColor(0x1d, 0x6f, 0xa5) : QColor(0x1f, 0x6f, 0xb2));
  made.setColor(QPalette::HighlightedText, Qt::white);
  made.setColor(QPalette::Link, dark ? QColor(0x4d, 0xa3, 0xff) : QColor(0x00, 0x60, 0xa0));
  made.setColor(QPalette::LinkVisited, dark ? QColor(0xb3, 0x9d, 0xf0) : QColor(0x6a, 0x3a, 0x8a));
  made.setColor(QPalette::ToolTipBase, dark ? QColor(0x31, 0x36, 0x3b) : QColor(0xff, 0xff, 0xff));
  made.setColor(QPalette::ToolTipText, text);
  made.setColor(QPalette::PlaceholderText, status(Status::muted, dark));
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    made.setColor(QPalette::Disabled, role, muted);
  }
  made.setColor(QPalette::Disabled, QPalette::Highlight, dark ? QColor(0x3c, 0x42, 0x47) : QColor(0xc4, 0xc8, 0xcc));
  made.setColor(QPalette::Disabled, QPalette::HighlightedText, muted);
  return made;
}

}  // namespace

CurveStyle curve(int index, bool dark) {
  const int wrapped = ((index % curve_styles) + curve_styles) % curve_styles;
  const auto family = static_cast<std::size_t>(wrapped % families);
  const auto turn = static_cast<std::size_t>(wrapped / families);
  return {QColor::fromRgb(dark ? curves_dark[family] : curves_light[family]), dashes[turn], static_cast<Marker>(family), turn > 0};
}

CurveStyle predictionCurve(int index, bool dark) {
  CurveStyle style = curve(index, dark);
  style.dash = Qt::DashDotLine;
  style.hollow = true;
  return style;
}

QColor band(const QColor& curve, bool dark) {
  QColor colour = curve;
  colour.setAlphaF(dark ? 0.28F : 0.20F);
  return colour;
}

PartStyle stepPart(int part, bool dark) {
  const auto index = static_cast<std::size_t>(part);
  PartStyle style;
  style.fill = QColor::fromRgb(dark ? parts_dark.at(index) : parts_light.at(index));
  style.pattern = patterns.at(index);
  // Whatever reads best on the fill, thinned so that the fill's colour stays the stronger one.
  style.ink = contrast(style.fill, Qt::white) > contrast(style.fill, Qt::black) ? QColor(255, 255, 255, 150) : QColor(0, 0, 0, 120);
  style.outlined = contrast(style.fill, background(dark)) < 3;
  return style;
}

QImage stepPartTile(int part, bool dark, double device_pixel_ratio) {
  const PartStyle style = stepPart(part, dark);
  const int size = static_cast<int>(std::ceil(8 * device_pixel_ratio));
  QImage tile(size, size, QImage::Format_ARGB32_Premultiplied);
  tile.setDevicePixelRatio(size / 8.0);
  tile.fill(style.fill);
  QPainter painter(&tile);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(style.ink, 1.2));
  switch (style.pattern) {
    case Qt::BDiagPattern:
    case Qt::FDiagPattern:
    case Qt::DiagCrossPattern:
      // Drawn beyond the edges on both sides, so that neighbouring tiles meet.
      for (const double shift : {-8.0, 0.0, 8.0}) {
        if (style.pattern != Qt::FDiagPattern) painter.drawLine(QPointF(shift - 1, 9), QPointF(shift + 9, -1));
        if (style.pattern != Qt::BDiagPattern) painter.drawLine(QPointF(shift - 1, -1), QPointF(shift + 9, 9));
      }
      break;
    case Qt::VerPattern:
      painter.drawLine(QPointF(2, 0), QPointF(2, 8));
      painter.drawLine(QPointF(6, 0), QPointF(6, 8));
      break;
    case Qt::HorPattern:
      painter.drawLine(QPointF(0, 2), QPointF(8, 2));
      painter.drawLine(QPointF(0, 6), QPointF(8, 6));
      break;
    case Qt::Dense6Pattern:
      painter.setPen(Qt::NoPen);
      painter.setBrush(style.ink);
      painter.drawEllipse(QPointF(2, 2), 0.8, 0.8);
      painter.drawEllipse(QPointF(6, 6), 0.8, 0.8);
      break;
    default:
      break;
  }
  return tile;
}

QBrush stepPartBrush(int part, bool dark, double device_pixel_ratio) {
  const PartStyle style = stepPart(part, dark);
  if (style.pattern == Qt::SolidPattern) return QBrush(style.fill);
  return QBrush(stepPartTile(part, dark, device_pixel_ratio));
}

QColor status(Status status, bool dark) {
  const auto index = static_cast<std::size_t>(status);
  return QColor::fromRgb(dark ? status_dark[index] : status_light[index]);
}

std::span<const QColor> sequential() {
  static const std::array<QColor, 5> stops = {QColor::fromRgb(0xff00224e), QColor::fromRgb(0xff434e6c), QColor::fromRgb(0xff7d7c78),
                                              QColor::fromRgb(0xffbcaf6f), QColor::fromRgb(0xfffee838)};
  return stops;
}

std::span<const QColor> diverging(bool dark) {
  static const std::array<QColor, 5> on_light = {QColor::fromRgb(0xff1f5b8e), QColor::fromRgb(0xff8fb4d6), QColor::fromRgb(0xfff2f2f2),
                                                 QColor::fromRgb(0xffe8a878), QColor::fromRgb(0xffa8480b)};
  static const std::array<QColor, 5> on_dark = {QColor::fromRgb(0xff6fb6ff), QColor::fromRgb(0xff3b6a96), QColor::fromRgb(0xff3a3f44),
                                                QColor::fromRgb(0xff96603b), QColor::fromRgb(0xffff9c5a)};
  return dark ? on_dark : on_light;
}

QColor grid(bool dark) { return dark ? QColor(0x3a, 0x3f, 0x44) : QColor(0xdc, 0xdf, 0xe2); }

bool isDark(const QPalette& palette) {
  return palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
}

const QPalette& light() {
  static const QPalette made = make(false);
  return made;
}

const QPalette& dark() {
  static const QPalette made = make(true);
  return made;
}

QColor background(bool dark) { return dark ? night : paper; }

double contrast(const QColor& one, const QColor& other) {
  const double first = luminance(one), second = luminance(other);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

}  // namespace syncline::ui::palette
