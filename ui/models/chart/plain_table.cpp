// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/chart/plain_table.h"

#include <cmath>

namespace syncline::ui::chart {

namespace {

QByteArray json_cell(const QString& cell, bool text) {
  if (cell.isEmpty()) return "null";
  bool number = false;
  const double value = text ? 0 : cell.toDouble(&number);
  // JSON has no number for NaN and the infinities.
  return number && std::isfinite(value) ? cell.toLatin1() : quoted_cell(cell, TableFormat::json);
}

}  // namespace

QByteArray plain_table(const QStringList& columns, const std::vector<QStringList>& rows, TableFormat format, int text_columns) {
  const bool json = format == TableFormat::json;
  const char separator = format == TableFormat::tsv ? '\t' : ',';
  const auto line = [&](const QStringList& cells, bool texts) {
    QByteArray text;
    for (qsizetype i = 0; i < cells.size(); ++i) {
      if (i > 0) text += separator;
      text += json ? json_cell(cells[i], texts || i < text_columns) : quoted_cell(cells[i], format);
    }
    return text;
  };
  QByteArray text = json ? QByteArray("{\"columns\":[") : QByteArray();
  text += line(columns, true);
  text += json ? "],\"rows\":[" : "\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (json) text += i > 0 ? ",\n[" : "\n[";
    text += line(rows[i], false);
    text += json ? "]" : "\n";
  }
  if (json) text += "\n]}\n";
  return text;
}

TableFormat table_format_of(const QString& path) {
  if (path.endsWith(QStringLiteral(".tsv"), Qt::CaseInsensitive)) return TableFormat::tsv;
  if (path.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive)) return TableFormat::json;
  return TableFormat::csv;
}

}  // namespace syncline::ui::chart
