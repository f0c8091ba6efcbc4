// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_export.h"

#include <QBuffer>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include "ui/widgets/chart_legend.h"
#include "ui/widgets/chart_scene.h"

namespace syncline::ui {

namespace {

constexpr int points_per_inch = 72;

QString save(const QString& path, const QByteArray& bytes) {
  QSaveFile file(path);
  if (file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() && file.commit()) return {};
  return QCoreApplication::translate("syncline::ui::SeriesChart", "%1 cannot be written: %2").arg(path, file.errorString());
}

}  // namespace

QString write_picture(const QString& path, PictureSize size, double png_scale, const QString& title,
                      const std::function<void(QPainter&)>& paint) {
  QByteArray bytes;
  QBuffer buffer(&bytes);
  buffer.open(QIODevice::WriteOnly);
  if (path.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) {
    QSvgGenerator svg;
    svg.setOutputDevice(&buffer);
    svg.setSize(QSize(size.width, size.height));
    svg.setViewBox(QRect(0, 0, size.width, size.height));
    svg.setResolution(points_per_inch);
    svg.setTitle(title);
    QCPPainter painter;
    painter.begin(&svg);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    paint(painter);
    painter.end();
  } else if (path.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive)) {
    QPdfWriter pdf(&buffer);
    pdf.setTitle(title);
    pdf.setCreator(QCoreApplication::applicationName());
    pdf.setPageSize(QPageSize(QSizeF(size.width, size.height), QPageSize::Point, QString(), QPageSize::ExactMatch));
    pdf.setPageMargins(QMarginsF());
    pdf.setResolution(1200);
    QCPPainter painter;
    painter.begin(&pdf);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    const double scale = 1200.0 / points_per_inch;
    painter.scale(scale, scale);
    paint(painter);
    painter.end();
  } else {
    QImage image((QSizeF(size.width, size.height) * png_scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.fill(palette::background(false));
    image.setDevicePixelRatio(png_scale);
    QCPPainter painter;
    painter.begin(&image);
    painter.setMode(QCPPainter::pmNoCaching);
    paint(painter);
    painter.end();
    image.save(&buffer, "PNG");
  }
  buffer.close();
  return save(path, bytes);
}

struct ChartPicture::Parts {
  ChartState state;
  PictureSize size;
  QStringList footer;
  std::unique_ptr<QCustomPlot> plot;
  std::unique_ptr<ChartScene> scene;
  QFont font;
  void paint(QPainter&);
};

ChartPicture::ChartPicture(const ChartState& shown, PictureSize size, const QStringList& footer) : parts_(std::make_unique<Parts>()) {
  Parts& parts = *parts_;
  parts.state = shown;
  parts.state.dark = false;
  parts.state.lifted.clear();
  parts.state.hurried = false;
  parts.state.crosshair = nothing;
  parts.size = size;
  parts.footer = footer;
  parts.font = QApplication::font();
  parts.font.setPixelSize(9);
  parts.plot = std::make_unique<QCustomPlot>();
  parts.plot->setAttribute(Qt::WA_DontShowOnScreen);
  parts.scene = std::make_unique<ChartScene>(*parts.plot, parts.state);
  parts.scene->setColours(palette::light(), parts.font);
  QFont ticks = parts.font;
  ticks.setPixelSize(8);
  for (QCPAxis* axis : {parts.plot->xAxis, parts.plot->yAxis}) {
    axis->setTickLabelFont(ticks);
    axis->setLabelFont(ticks);
  }
  parts.scene->layOut();
  // Laid out once before: where markers have room depends on the width.
  parts.plot->setViewport(QRect(0, 0, size.width, size.height));
  parts.plot->replot(QCustomPlot::rpImmediateRefresh);
  if (shown.data) parts.scene->drawCurves();
}

ChartPicture::~ChartPicture() = default;

void ChartPicture::Parts::paint(QPainter& painter) {
  const QPalette colours = palette::light();
  painter.fillRect(QRectF(0, 0, size.width, size.height), palette::background(false));
  QFont bold = font;
  bold.setBold(true);
  bold.setPixelSize(10);
  painter.setFont(bold);
  painter.setPen(colours.color(QPalette::WindowText));
  double top = 4;
  painter.drawText(QRectF(8, top, size.width - 16, 14), Qt::AlignLeft | Qt::AlignVCenter, state.title);
  top += 16;
  painter.setFont(font);
  painter.setBackground(palette::background(false));
  const QFontMetricsF metrics(font);
  const auto shown = state.drawn();
  double left = 8;
  for (const CurveSpec* curve : shown) {
    const QString name = metrics.elidedText(state.legendOf(*curve), Qt::ElideMiddle, size.width - 60);
    const double width = 30 + metrics.horizontalAdvance(name) + 12;
    if (left + width > size.width - 8 && left > 8) {
      left = 8;
      top += 12;
    }
    draw_swatch(painter, QRectF(left, top, 22, 12), state.styleOf(*curve, false));
    painter.setPen(colours.color(QPalette::WindowText));
    painter.drawText(QRectF(left + 27, top, width, 12), Qt::AlignLeft | Qt::AlignVCenter, name);
    left += width;
  }
  top += 14;
  const QString note = footer.join(QStringLiteral(" · "));
  const QRectF notes = note.isEmpty() ? QRectF() : painter.boundingRect(QRectF(8, 0, size.width - 16, 60), Qt::TextWordWrap, note);
  const int height = static_cast<int>(size.height - top - notes.height() - 4);
  if (!note.isEmpty()) {
    painter.setPen(palette::status(palette::Status::muted, false));
    painter.drawText(QRectF(8, size.height - notes.height() - 3, size.width - 16, notes.height()), Qt::TextWordWrap, note);
  }
  painter.save();
  painter.translate(0, top);
  plot->toPainter(static_cast<QCPPainter*>(&painter), size.width, std::max(40, height));
  painter.restore();
}

QString ChartPicture::write(const QString& path, double png_scale) {
  return write_picture(path, parts_->size, png_scale, parts_->state.title, [this](QPainter& painter) { parts_->paint(painter); });
}

QImage ChartPicture::image(double scale) {
  QImage image((QSizeF(parts_->size.width, parts_->size.height) * scale).toSize(), QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(scale);
  QCPPainter painter;
  painter.begin(&image);
  painter.setMode(QCPPainter::pmNoCaching);
  parts_->paint(painter);
  painter.end();
  return image;
}

}  // namespace syncline::ui
