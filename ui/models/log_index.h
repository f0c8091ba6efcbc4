// SPDX-License-Identifier: GPL-3.0-or-later
// Where the lines of a log begin: every 64th one is remembered, so that a log of 2 GB costs a few MiB. The scanner works through the file
// in pieces, on a thread of its own; it also finds the lines that a filter lets through.
#pragma once

#include <QFile>
#include <QString>
#include <cstdint>
#include <deque>
#include <vector>

#include "ui/models/log_line.h"

namespace syncline::ui {

inline constexpr int log_stride = 64;
inline constexpr std::size_t log_most_rows = 1'000'000;  // of a filtered or folded view

struct LogIndex {
  std::vector<std::int64_t> offsets;  // of the lines 0, 64, 128, ...
  std::int64_t lines = 0, bytes = 0;  // complete lines up to here
};

struct LogRow {
  std::int64_t line = 0;
  int times = 1;  // how many ranks said it
};

// What a piece of scanning found, to be added to what is known.
struct LogPiece {
  bool restarted = false;  // the file became shorter: everything before is void
  std::vector<std::int64_t> offsets;
  std::int64_t lines = 0, bytes = 0, file_bytes = 0;
  std::vector<LogRow> rows;                           // let through, with their counts so far
  std::vector<std::pair<std::size_t, int>> repeated;  // row (of all let through so far): its new count
  bool rows_full = false;                             // more match than are kept
  bool at_end() const { return bytes >= file_bytes; }
};

// Lines [first, first + count) as bytes without their ends; fewer where the index ends.
std::vector<QByteArray> read_log_lines(QFile&, const LogIndex&, std::int64_t first, int count);
// The last lines of a file that is not indexed yet, oldest first.
std::vector<QByteArray> read_log_tail(const QString& path, int count);

class LogScanner {  // one thread
 public:
  LogScanner(QString path, LogFilter);
  // The next at most `bytes` of the file. A last line without an end counts once it is complete.
  LogPiece scan(std::int64_t bytes);

 private:
  void line(const QByteArray& raw, LogPiece&);
  struct Recent {
    std::size_t row;
    QString text;
    std::vector<int> ranks;
  };
  QString path_;
  LogFilter filter_;
  QFile file_;
  std::int64_t lines_ = 0, bytes_ = 0;
  std::size_t rows_ = 0;
  std::deque<Recent> recent_;  // rows that a repetition may join
};

}  // namespace syncline::ui
