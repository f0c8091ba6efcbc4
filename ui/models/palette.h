// SPDX-License-Identifier: GPL-3.0-or-later
// Every colour that means something: curves, parts of a step, states, scales. Each comes with what tells it apart without colour (dash and
// marker, hatch). Light values are meant for #FFFFFF, dark ones for #1B1E20.
#pragma once

#include <QBrush>
#include <QColor>
#include <QImage>
#include <QPalette>
#include <span>

namespace syncline::ui::palette {

enum class Marker { circle, square, triangle, diamond, cross, star, plus };
struct CurveStyle {
  QColor colour;
  Qt::PenStyle dash = Qt::SolidLine;
  Marker marker = Marker::circle;
  bool hollow = false;
};
inline constexpr int curve_styles = 21;                                           // indices beyond wrap
CurveStyle curve(int index, bool dark);                                           // index: the run's stored palette index
CurveStyle predictionCurve(int index, bool dark);                                 // dash-dot, hollow marks, the colour of its experiment
QColor band(const QColor& curve, bool dark);                                      // the curve's colour at 20 % (light) or 28 % (dark)
inline constexpr double line_width = 1.5, raw_line_width = 1.0, marker_size = 5;  // logical pixels

// Parts of a step in the order of StepPart: compute, hidden, exposed, waiting, input, checkpoint and evaluation, idle.
struct PartStyle {
  QColor fill;
  Qt::BrushStyle pattern = Qt::SolidPattern;  // drawn over the fill
  QColor ink;                                 // of the pattern
  bool outlined = false;                      // a fill too close to the background gets a line in the text colour
};
inline constexpr int part_count = 7;
PartStyle stepPart(int part, bool dark);
QImage stepPartTile(int part, bool dark, double device_pixel_ratio = 1);  // fill and hatch, repeats seamlessly
QBrush stepPartBrush(int part, bool dark, double device_pixel_ratio = 1);

enum class Status { good, attention, bad, muted };
QColor status(Status, bool dark);

// Scales from the lowest to the highest value.
std::span<const QColor> sequential();          // cividis
std::span<const QColor> diverging(bool dark);  // zero is the middle one
QColor grid(bool dark);

// Light or dark by what is drawn on what.
bool isDark(const QPalette&);
const QPalette& light();  // complete palettes for the Fusion style
const QPalette& dark();
QColor background(bool dark);  // of plots: #FFFFFF, #1B1E20

double contrast(const QColor&, const QColor&);  // WCAG ratio, 1..21

}  // namespace syncline::ui::palette
