// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_index.h"

#include <algorithm>
#include <cstring>

namespace syncline::ui {

namespace {

constexpr std::int64_t longest_line = 1 << 20;  // what is longer is cut into several
constexpr std::size_t fold_window = 16;         // ranks write side by side: equal lines need not be neighbours

}  // namespace

std::vector<QByteArray> read_log_lines(QFile& file, const LogIndex& index, std::int64_t first, int count) {
  std::vector<QByteArray> lines;
  count = static_cast<int>(std::min<std::int64_t>(count, index.lines - first));
  if (first < 0 || count <= 0) return lines;
  const auto block = static_cast<std::size_t>(first / log_stride);
  if (block >= index.offsets.size() || !file.seek(index.offsets[block])) return lines;
  for (std::int64_t skip = first % log_stride; skip > 0; --skip) file.readLine(longest_line);
  lines.reserve(static_cast<std::size_t>(count));
  for (int n = 0; n < count; ++n) {
    QByteArray line = file.readLine(longest_line);
    if (line.isEmpty()) break;
    if (line.endsWith('\n')) line.chop(1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<QByteArray> read_log_tail(const QString& path, int count) {
  QFile file(path);
  if (count <= 0 || !file.open(QIODevice::ReadOnly)) return {};
  constexpr std::int64_t line_guess = 400;
  const std::int64_t size = file.size(), from = std::max<std::int64_t>(0, size - count * line_guess);
  if (!file.seek(from)) return {};
  QByteArray text = file.read(size - from);
  if (text.endsWith('\n')) text.chop(1);
  if (text.isEmpty()) return {};
  QList<QByteArray> lines = text.split('\n');
  if (from > 0 && lines.size() > 1) lines.removeFirst();  // cut in its middle
  if (lines.size() > count) lines.remove(0, lines.size() - count);
  return {lines.begin(), lines.end()};
}

LogScanner::LogScanner(QString path, LogFilter filter) : path_(std::move(path)), filter_(std::move(filter)), file_(path_) {}

LogPiece LogScanner::scan(std::int64_t bytes) {
  LogPiece piece;
  if (!file_.isOpen() && !file_.open(QIODevice::ReadOnly)) return piece;
  piece.file_bytes = file_.size();
  if (piece.file_bytes < bytes_) {
    piece.restarted = true;
    lines_ = bytes_ = 0;
    rows_ = 0;
    recent_.clear();
  }
  piece.lines = lines_;
  piece.bytes = bytes_;
  if (!file_.seek(bytes_)) return piece;
  const QByteArray text = file_.read(std::min(bytes, piece.file_bytes - bytes_));
  const bool all_pass = filter_.lets_all_through() && !filter_.fold;
  const char *at = text.constData(), *end = at + text.size();
  while (at < end) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    std::int64_t length = newline != nullptr ? newline - at : end - at;
    if (length > longest_line) {
      newline = nullptr;
      length = longest_line;
    } else if (newline == nullptr) {
      break;  // not complete
    }
    if (lines_ % log_stride == 0) piece.offsets.push_back(bytes_);
    if (!all_pass) line(QByteArray::fromRawData(at, static_cast<qsizetype>(length)), piece);
    ++lines_;
    const std::int64_t step = length + (newline != nullptr ? 1 : 0);
    at += step;
    bytes_ += step;
  }
  piece.lines = lines_;
  piece.bytes = bytes_;
  // A last line without its end: nothing more can be had now.
  if (static_cast<std::int64_t>(text.size()) < bytes && at < end) piece.file_bytes = bytes_;
  return piece;
}

void LogScanner::line(const QByteArray& raw, LogPiece& piece) {
  LogLine parsed = parse_log_line(raw);
  if (!filter_.matches(parsed)) return;
  if (filter_.fold) {
    for (std::size_t k = recent_.size(); k-- > 0;) {
      Recent& other = recent_[k];
      if (other.text != parsed.text || parsed.text.isEmpty()) continue;
      const bool neighbour = k + 1 == recent_.size();
      const bool other_rank = parsed.rank >= 0 && std::find(other.ranks.begin(), other.ranks.end(), parsed.rank) == other.ranks.end();
      if (!other_rank && !(parsed.rank < 0 && neighbour)) continue;
      other.ranks.push_back(parsed.rank);
      piece.repeated.emplace_back(other.row, static_cast<int>(other.ranks.size()));
      return;
    }
  }
  if (rows_ >= log_most_rows) {
    piece.rows_full = true;
    return;
  }
  piece.rows.push_back({lines_, 1});
  if (filter_.fold) {
    recent_.push_back({rows_, std::move(parsed.text), {parsed.rank}});
    if (recent_.size() > fold_window) recent_.pop_front();
  }
  ++rows_;
}

}  // namespace syncline::ui
