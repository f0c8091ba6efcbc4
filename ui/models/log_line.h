// SPDX-License-Identifier: GPL-3.0-or-later
// One line of a run's merged log taken apart: when, which rank, how serious, what. Colours and other terminal sequences are removed.
#pragma once

#include <QByteArray>
#include <QString>

namespace syncline::ui {

enum class LogLevel { information, warning, error };
QString name_of(LogLevel);

struct LogLine {
  QString time;   // as written, ISO 8601; empty: the line has none
  int rank = -1;  // -1: the job as a whole, or not said
  LogLevel level = LogLevel::information;
  QString text;
};
LogLine parse_log_line(const QByteArray& raw);
QByteArray without_terminal_sequences(const QByteArray&);

struct LogFilter {
  int rank = -1;  // -1: all
  LogLevel least = LogLevel::information;
  QString text;      // anywhere in the text, in either case; empty: all
  bool fold = true;  // lines that several ranks repeat become one with a count
  bool lets_all_through() const { return rank < 0 && least == LogLevel::information && text.isEmpty(); }
  bool matches(const LogLine&) const;
  bool operator==(const LogFilter&) const = default;
};

}  // namespace syncline::ui
