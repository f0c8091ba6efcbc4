// SPDX-License-Identifier: GPL-3.0-or-later
// A chart as a picture: light theme, title, units and notes written into it, vectors where the format has them.
#pragma once

#include <QImage>
#include <QSizeF>
#include <QString>
#include <functional>

#include "ui/widgets/chart_state.h"

class QCustomPlot;

namespace syncline::ui {

struct PictureSize {
  int width = 0, height = 0;  // logical pixels; 72 to the inch in PDF and SVG
};
inline constexpr int largest_scale = 4;                                    // of PNG; from 1
inline constexpr PictureSize one_column{252, 170}, two_columns{516, 260};  // 3.5 and 7.16 inches

// Paints a plot made for the purpose (light colours, title, legend, footer) at `size`. Takes the state as it is: GUI thread.
class ChartPicture {
 public:
  ChartPicture(const ChartState&, PictureSize, const QStringList& footer);
  ~ChartPicture();
  QImage image(double scale);
  // Each: empty, or what went wrong in one sentence. The format follows the ending: .pdf, .svg, .png.
  QString write(const QString& path, double png_scale = 2);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// A widget's own picture with the same three formats, for charts that draw themselves (split chart, heat map).
QString write_picture(const QString& path, PictureSize, double png_scale, const QString& title,
                      const std::function<void(QPainter&)>& paint);

}  // namespace syncline::ui
