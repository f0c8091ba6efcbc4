// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_line.h"

#include <QCoreApplication>

namespace syncline::ui {

namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// "2026-11-30T13:48:16.123Z ": taken off the front.
QString take_time(QByteArray& line) {
  if (line.size() < 20 || line[4] != '-' || line[10] != 'T' || line[13] != ':' || !digit(line[0])) return {};
  const qsizetype end = line.indexOf(' ');
  if (end < 20 || line[end - 1] != 'Z') return {};
  const QString time = QString::fromLatin1(line.left(end));
  line.remove(0, end + 1);
  return time;
}

// A number at `at`; -1: none. `at` moves behind it.
int take_number(const QByteArray& line, qsizetype& at) {
  const qsizetype begin = at;
  int number = 0;
  while (at < line.size() && digit(line[at]) && at - begin < 7) number = number * 10 + (line[at++] - '0');
  return at > begin ? number : -1;
}

// mpirun's "[1,3]<stderr>:", or "rank 3: " at the beginning: taken off; "rank 3 " inside a sentence says the rank and stays.
int take_rank(QByteArray& line) {
  if (line.startsWith("[1,")) {
    qsizetype at = 3;
    const int rank = take_number(line, at);
    const qsizetype colon = line.indexOf(':', at);
    if (rank >= 0 && line.mid(at, 2) == "]<" && colon > 0 && colon - at < 12) {
      line.remove(0, colon + 1);
      return rank;
    }
  }
  if (line.startsWith("rank ")) {
    qsizetype at = 5;
    const int rank = take_number(line, at);
    if (rank >= 0 && line.mid(at, 2) == ": ") line.remove(0, at + 2);
    if (rank >= 0) return rank;
  }
  return -1;
}

bool take_word(QByteArray& line, const char* word) {
  if (line.left(qsizetype(qstrlen(word))).compare(word, Qt::CaseInsensitive) != 0) return false;
  line.remove(0, qsizetype(qstrlen(word)));
  return true;
}

}  // namespace

QString name_of(LogLevel level) {
  switch (level) {
    case LogLevel::information:
      return QCoreApplication::translate("Log", "information");
    case LogLevel::warning:
      return QCoreApplication::translate("Log", "warning");
    case LogLevel::error:
      return QCoreApplication::translate("Log", "error");
  }
  return {};
}

QByteArray without_terminal_sequences(const QByteArray& raw) {
  if (!raw.contains('\x1b') && !raw.contains('\r')) return raw;
  QByteArray plain;
  plain.reserve(raw.size());
  for (qsizetype at = 0; at < raw.size(); ++at) {
    if (raw[at] == '\r') continue;
    if (raw[at] != '\x1b') {
      plain += raw[at];
      continue;
    }
    const char kind = at + 1 < raw.size() ? raw[at + 1] : '\0';
    if (kind == '[') {  // CSI: up to a letter
      for (at += 2; at < raw.size() && (raw[at] < '@' || raw[at] > '~');) ++at;
    } else if (kind == ']') {  // OSC: up to BEL or ESC backslash
      for (at += 2; at < raw.size() && raw[at] != '\x07' && raw[at] != '\x1b';) ++at;
      if (at + 1 < raw.size() && raw[at] == '\x1b') ++at;
    } else {
      ++at;
    }
  }
  return plain;
}

LogLine parse_log_line(const QByteArray& raw) {
  LogLine parsed;
  QByteArray line = without_terminal_sequences(raw);
  parsed.time = take_time(line);
  parsed.rank = take_rank(line);
  if (take_word(line, "error: ") || line.startsWith("terminate called")) {
    parsed.level = LogLevel::error;
  } else if (take_word(line, "warning: ")) {
    parsed.level = LogLevel::warning;
  }
  if (parsed.rank < 0) parsed.rank = take_rank(line);
  parsed.text = QString::fromUtf8(line);
  return parsed;
}

bool LogFilter::matches(const LogLine& line) const {
  return (rank < 0 || line.rank == rank) && line.level >= least && (text.isEmpty() || line.text.contains(text, Qt::CaseInsensitive));
}

}  // namespace syncline::ui
