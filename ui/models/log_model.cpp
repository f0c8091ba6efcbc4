// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/log_model.h"

#include <QPointer>
#include <algorithm>
#include <atomic>
#include <limits>

#include "ui/models/format.h"

namespace syncline::ui {

namespace {

constexpr std::int64_t piece_bytes = 4 << 20;  // so much between two looks at whether it is still wanted
constexpr int tail_lines = 200, follow_ms = 250;

}  // namespace

// Lives on the model's thread. One scanner at a time; a newer generation replaces it.
class LogModel::Worker : public QObject {
 public:
  std::atomic<std::uint64_t> wanted{0};

  void scan(std::uint64_t generation, const QString& path, const LogFilter& filter, LogModel* model) {
    if (generation != wanted) return;
    if (!scanner_ || scanner_generation_ != generation) {
      scanner_ = std::make_unique<LogScanner>(path, filter);
      scanner_generation_ = generation;
    }
    LogPiece piece;
    do {
      piece = scanner_->scan(piece_bytes);
      if (generation != wanted) return;
      QMetaObject::invokeMethod(
          model, [model, generation, piece] { model->take(generation, piece); }, Qt::QueuedConnection);
    } while (!piece.at_end());
  }

 private:
  std::unique_ptr<LogScanner> scanner_;
  std::uint64_t scanner_generation_ = 0;
};

LogModel::LogModel(QString path, QObject* parent) : QAbstractTableModel(parent), path_(std::move(path)), file_(path_) {
  worker_ = new Worker;
  worker_->moveToThread(&thread_);
  connect(&thread_, &QThread::finished, worker_, &QObject::deleteLater);
  thread_.start(QThread::LowPriority);
  timer_ = new QTimer(this);
  timer_->setInterval(follow_ms);
  connect(timer_, &QTimer::timeout, this, &LogModel::poll);
  restart();
}

LogModel::~LogModel() {
  worker_->wanted = 0;  // whatever is being scanned is not wanted any more
  thread_.quit();
  thread_.wait();
}

void LogModel::setFilter(const LogFilter& filter) {
  if (filter == filter_) return;
  filter_ = filter;
  restart();
}

void LogModel::restart() {
  beginResetModel();
  ++generation_;
  worker_->wanted = generation_;
  rows_.clear();
  rows_full_ = indexed_ = busy_ = false;
  index_ = {};
  blocks_.clear();
  shown_rows_ = 0;
  if (first_pass_) {
    tail_.clear();
    for (const QByteArray& raw : read_log_tail(path_, tail_lines)) tail_.push_back(parse_log_line(raw));
    shown_rows_ = static_cast<int>(tail_.size());
  }
  endResetModel();
  poll();
  Q_EMIT stateChanged();
}

void LogModel::setFollowing(bool following) {
  if (following == timer_->isActive()) return;
  if (following) {
    timer_->start();
    poll();
  } else {
    timer_->stop();
  }
}

void LogModel::poll() {
  if (busy_) return;
  busy_ = true;
  QMetaObject::invokeMethod(
      worker_,
      [worker = worker_, generation = generation_, path = path_, filter = filter_, this] { worker->scan(generation, path, filter, this); },
      Qt::QueuedConnection);
}

void LogModel::take(std::uint64_t generation, const LogPiece& piece) {
  if (generation != generation_) return;
  if (piece.restarted) {
    busy_ = false;
    first_pass_ = true;
    return restart();
  }
  blocks_.remove(index_.lines / log_stride);  // was read when it had fewer lines
  index_.offsets.insert(index_.offsets.end(), piece.offsets.begin(), piece.offsets.end());
  index_.lines = piece.lines;
  index_.bytes = piece.bytes;
  file_bytes_ = piece.file_bytes;
  rows_full_ = rows_full_ || piece.rows_full;
  rows_.insert(rows_.end(), piece.rows.begin(), piece.rows.end());
  for (const auto& [row, times] : piece.repeated) {
    if (row < rows_.size()) rows_[row].times = times;
  }
  const bool end = piece.at_end();
  if (end) busy_ = false;
  const bool pass_done = end && !indexed_;
  if (end) indexed_ = true;
  if (first_pass_ && pass_done) {
    beginResetModel();
    first_pass_ = false;
    tail_.clear();
    shown_rows_ = static_cast<int>(
        std::min<std::int64_t>(by_line() ? index_.lines : static_cast<std::int64_t>(rows_.size()), std::numeric_limits<int>::max()));
    endResetModel();
  } else if (!first_pass_) {
    const auto now = static_cast<int>(
        std::min<std::int64_t>(by_line() ? index_.lines : static_cast<std::int64_t>(rows_.size()), std::numeric_limits<int>::max()));
    if (now > shown_rows_) {
      beginInsertRows({}, shown_rows_, now - 1);
      shown_rows_ = now;
      endInsertRows();
    }
    for (const auto& repeated : piece.repeated) {
      const int row = static_cast<int>(repeated.first);
      if (row < shown_rows_) Q_EMIT dataChanged(index(row, text_column), index(row, text_column));
    }
  }
  Q_EMIT stateChanged();
}

bool LogModel::missing() const { return !QFile::exists(path_); }

double LogModel::progress() const {
  return file_bytes_ > 0 ? std::min(1.0, static_cast<double>(index_.bytes) / static_cast<double>(file_bytes_)) : 1;
}

int LogModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : shown_rows_; }
int LogModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

const LogLine* LogModel::line_at(std::int64_t line) const {
  const std::int64_t block = line / log_stride;
  std::vector<LogLine>* lines = blocks_.object(block);
  if (lines == nullptr) {
    if (!file_.isOpen() && !file_.open(QIODevice::ReadOnly)) return nullptr;
    auto read = std::make_unique<std::vector<LogLine>>();
    for (const QByteArray& raw : read_log_lines(file_, index_, block * log_stride, log_stride)) read->push_back(parse_log_line(raw));
    lines = read.get();
    blocks_.insert(block, read.release());
  }
  const auto at = static_cast<std::size_t>(line % log_stride);
  return at < lines->size() ? &(*lines)[at] : nullptr;
}

const LogLine* LogModel::shown(int row) const {
  if (first_pass_) return static_cast<std::size_t>(row) < tail_.size() ? &tail_[static_cast<std::size_t>(row)] : nullptr;
  if (by_line()) return line_at(row);
  return static_cast<std::size_t>(row) < rows_.size() ? line_at(rows_[static_cast<std::size_t>(row)].line) : nullptr;
}

QString LogModel::plainText(int row) const {
  const LogLine* line = shown(row);
  return line != nullptr ? line->text : QString();
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= shown_rows_) return {};
  if (role != Qt::DisplayRole && role != level_role && role != full_text_role && role != line_role && role != Qt::ToolTipRole) return {};
  const LogLine* line = shown(index.row());
  if (line == nullptr) return {};
  if (role == level_role) return static_cast<int>(line->level);
  if (role == full_text_role) return line->text;
  if (role == line_role) return by_line() || first_pass_ ? qint64(index.row()) : qint64(rows_[static_cast<std::size_t>(index.row())].line);
  if (role == Qt::ToolTipRole) return index.column() == text_column && line->text.size() > 120 ? line->text.left(2000) : QVariant();
  switch (index.column()) {
    case time_column:
      return line->time.isEmpty() ? format::missing : line->time.mid(11, 12);
    case rank_column:
      return line->rank < 0 ? format::missing : QString::number(line->rank);
    case level_column:
      return name_of(line->level);
    case text_column: {
      const int times = first_pass_ || by_line() ? 1 : rows_[static_cast<std::size_t>(index.row())].times;
      return times > 1 ? QString(line->text + QStringLiteral("  (×%1)").arg(times)) : line->text;
    }
    default:
      return {};
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case time_column:
      return tr("Time (UTC)");
    case rank_column:
      return tr("Rank");
    case level_column:
      return tr("Level");
    case text_column:
      return tr("Text");
    default:
      return {};
  }
}

}  // namespace syncline::ui
