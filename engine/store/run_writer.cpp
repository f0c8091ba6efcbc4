// SPDX-License-Identifier: Apache-2.0
#include "engine/store/run_writer.h"

#include <fmt/core.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "engine/metrics/clock.h"
#include "engine/store/reader.h"
#include "engine/store/run_rows.h"
#include "engine/store/summary.h"

namespace syncline {
namespace {

constexpr double heartbeat_every_s = 1, log_checkpoint_every_s = 10;
constexpr double log_restart_wait_s = 0.5;  // other writers of the workspace wait meanwhile; the training thread never does

struct ScalarItem {
  std::uint32_t name = 0;  // index into the names seen so far
  Axes axes;
  double value = 0;
};
struct DocumentItem {
  std::string name, text;
};
struct UnitItem {
  std::string series, unit;
};
struct AcknowledgeItem {
  std::int64_t request = 0;
  std::string stage;
  double at = 0;
};
using OtherItem = std::variant<StepTrace, EventRecord, CheckpointRecord, ClockRecord, DocumentItem, UnitItem, AcknowledgeItem>;

struct Batch {
  std::vector<ScalarItem> scalars;
  std::vector<StepSums> steps;
  std::vector<OtherItem> others;
  std::uint64_t dropped = 0;  // so far, when the batch was taken
  void reserve(const RunWriterOptions& options) {
    scalars.reserve(options.scalars);
    steps.reserve(options.steps);
    others.reserve(options.others);
  }
  bool empty() const { return scalars.empty() && steps.empty() && others.empty(); }
  void clear() {
    scalars.clear();
    steps.clear();
    others.clear();
  }
};

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

class RunWriter::Implementation {
 public:
  Implementation(const Workspace& workspace, std::string run_id, RunWriterOptions options)
      : workspace_(workspace),
        run_id_(std::move(run_id)),
        options_(std::move(options)),
        database_(workspace.path(), Database::Mode::write, static_cast<int>(options_.unavailable_s * 1000)),
        run_key_(run_key_of(database_, run_id_)),
        rows_(database_, run_key_) {
    sequence_ = rows_.stored_sequence();
    acknowledged_ = sequence_;
    filling_.reserve(options_);
    writing_.reserve(options_);
    const double now = monotonic_s();
    last_copy_s_ = last_log_checkpoint_s_ = now;
    thread_ = std::thread([this] { loop(); });
  }

  ~Implementation() {
    if (thread_.joinable()) stop_thread();
  }

  void position(const Axes& axes) {
    const std::lock_guard lock(mutex_);
    position_ = axes;
  }

  void scalar(std::string_view series, int rank, std::int64_t step, double value) {
    const std::lock_guard lock(mutex_);
    if (filling_.scalars.size() >= options_.scalars) return drop();
    ScalarItem item{name_of_series(series, rank), position_, value};
    item.axes.step = step;
    filling_.scalars.push_back(item);
  }

  void step(const StepSums& sums) {
    const std::lock_guard lock(mutex_);
    if (filling_.steps.size() >= options_.steps) return drop();
    filling_.steps.push_back(sums);
  }

  void event(EventRecord record, bool at_position) {
    const std::lock_guard lock(mutex_);
    if (at_position) {
      record.step = position_.step;
      record.active_s = position_.active_s;
    }
    if (record.wall_s == 0) record.wall_s = utc_s();
    add(std::move(record));
  }

  void other(OtherItem item) {
    const std::lock_guard lock(mutex_);
    add(std::move(item));
  }

  bool flush() {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable() || closing_) return false;
    const std::uint64_t ticket = ++wanted_;
    wake_.notify_one();
    attempted_changed_.wait(lock, [&] { return attempted_ >= ticket; });
    return last_attempt_succeeded_;
  }

  std::int64_t acknowledged() const { return acknowledged_; }
  std::uint64_t dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }
  std::optional<std::string> error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

  void close() {
    if (!thread_.joinable()) return;
    stop_thread();
    if (error_) throw WorkspaceError(*error_);
    if (!writing_.empty())
      throw WorkspaceError(fmt::format("{}: the last records could not be written; the workspace was in use", database_.path()));
    store_summary();
    database_.execute("PRAGMA busy_timeout=100");  // readers of others may stay: then the log is emptied by whoever comes last
    database_.checkpoint(true);
    if (!options_.copy_to.empty()) copy_database(workspace_.path(), options_.copy_to);
  }

 private:
  // With mutex_ held.
  void drop() { ++dropped_; }
  void add(OtherItem item) {
    if (filling_.others.size() >= options_.others) return drop();
    filling_.others.push_back(std::move(item));
  }
  std::uint32_t name_of_series(std::string_view series, int rank) {
    const auto known = names_index_.find(SeriesNameLess::View(series, rank));
    if (known != names_index_.end()) return known->second;
    const auto index = static_cast<std::uint32_t>(names_.size());
    const auto place = names_index_.emplace(std::pair(std::string(series), rank), index).first;
    names_.push_back(&place->first);  // map nodes do not move
    return index;
  }

  void stop_thread() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void loop() {
    std::unique_lock lock(mutex_);
    for (bool last = false; !last;) {
      const auto due = std::chrono::duration<double>(options_.flush_s);
      wake_.wait_for(lock, due, [&] { return closing_ || wanted_ > attempted_; });
      last = closing_;
      const std::uint64_t ticket = wanted_;
      const bool written = write_everything(lock);
      attempted_ = ticket;
      last_attempt_succeeded_ = written;
      attempted_changed_.notify_all();
      if (written && !last) after_flush(lock);
    }
    attempted_ = wanted_;
    attempted_changed_.notify_all();
  }

  // First what an earlier attempt left, then what has come since. Returns with the lock held.
  bool write_everything(std::unique_lock<std::mutex>& lock) {
    for (int round = 0; round < 2; ++round) {
      if (writing_.empty()) {
        std::swap(filling_, writing_);
        writing_.dropped = dropped_;
        // The names are read without the lock: those of this batch are all there, and a vector that grows would move them.
        batch_names_ = names_;
      }
      if (error_) {
        writing_.clear();
        return false;
      }
      lock.unlock();
      std::optional<std::string> fatal;
      const bool written = write_batch(fatal);
      lock.lock();
      if (fatal) error_ = fatal;
      if (!written) return false;
      if (filling_.empty()) break;
    }
    return true;
  }

  bool write_batch(std::optional<std::string>& fatal) {
    const double now = monotonic_s();
    const bool beat = now - last_beat_s_ >= heartbeat_every_s;
    if (writing_.empty() && !beat) return true;
    try {
      if (gone()) {
        throw WorkspaceError(
            fmt::format("{}: the workspace was removed or replaced by another file, and nothing more can be recorded; what the run has "
                        "saved is in {}",
                        database_.path(), workspace_.run_folder(run_id_).string()));
      }
      Transaction transaction(database_);
      std::int64_t sequence = sequence_;
      append(sequence);
      if (beat) write_heartbeat();
      if (sequence != sequence_) rows_.finish_batch(sequence, static_cast<std::int64_t>(writing_.dropped));
      transaction.commit();
      sequence_ = sequence;
    } catch (const WorkspaceBusy&) {
      rows_.forget();
      return false;
    } catch (const std::exception& error) {
      rows_.forget();
      fatal = error.what();
      return false;
    }
    reported_dropped_ = writing_.dropped;
    writing_.clear();
    if (beat) last_beat_s_ = now;
    acknowledged_ = sequence_;
    if (options_.on_flush) options_.on_flush(sequence_);
    return true;
  }

  // Whether the file under the workspace's name is no longer the one that is open: what is written goes into a file without a name then.
  bool gone() const {
    int moved = 0;
    return sqlite3_file_control(database_.handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
  }

  void append(std::int64_t& sequence) {
    for (const ScalarItem& item : writing_.scalars) {
      const auto& [name, rank] = *batch_names_[item.name];
      rows_.series().append(name, rank, {++sequence, item.axes, item.value});
    }
    for (const StepSums& sums : writing_.steps) {
      rows_.steps().append({++sequence, sums});
      last_step_ = std::max(last_step_, sums.axes.step);
    }
    for (const OtherItem& item : writing_.others) append_other(sequence, item);
    if (writing_.dropped > reported_dropped_) {
      EventRecord event;
      event.sequence = ++sequence;
      event.wall_s = utc_s();
      event.step = last_step_;
      event.kind = "dropped";
      event.text =
          fmt::format("the workspace could not be written for a time: {} records were dropped", writing_.dropped - reported_dropped_);
      rows_.event(event);
    }
  }

  void append_other(std::int64_t& sequence, const OtherItem& item) {
    std::visit(Overloaded{
                   [&](const StepTrace& trace) { rows_.trace(++sequence, trace); },
                   [&](const EventRecord& given) {
                     EventRecord event = given;
                     event.sequence = ++sequence;
                     rows_.event(event);
                   },
                   [&](const CheckpointRecord& given) {
                     CheckpointRecord record = given;
                     record.sequence = ++sequence;
                     rows_.checkpoint(record);
                   },
                   [&](const ClockRecord& given) {
                     ClockRecord record = given;
                     record.sequence = ++sequence;
                     rows_.clock(record);
                   },
                   [&](const DocumentItem& document) { rows_.document(++sequence, document.name, document.text); },
                   [&](const UnitItem& unit) { rows_.series().set_unit(unit.series, unit.unit); },
                   [&](const AcknowledgeItem& answer) {
                     Statement update = database_.prepare("UPDATE request SET stage = ?2, acknowledged_at = ?3 WHERE id = ?1");
                     update.bind_all(answer.request, answer.stage, answer.at).run();
                   },
               },
               item);
  }

  void write_heartbeat() {
    Statement update = database_.prepare(
        "INSERT INTO heartbeat (run, rank0_at, beats, step) VALUES (?1, ?2, 1, ?3) "
        "ON CONFLICT (run) DO UPDATE SET rank0_at = ?2, beats = beats + 1, step = ?3");
    update.bind_all(run_key_, utc_s(), last_step_).run();
  }

  void after_flush(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    std::optional<std::string> fatal;
    try {
      read_requests();
      const double now = monotonic_s();
      // Checkpoints also run by themselves after 1,000 pages; this one catches what a reader of an old snapshot held back. Never TRUNCATE
      // here: it would hold the writers' lock while it waits for readers.
      if (now - last_log_checkpoint_s_ >= log_checkpoint_every_s) {
        last_log_checkpoint_s_ = now;
        database_.checkpoint(false);
      }
      if (now - last_log_restart_s_ >= options_.log_restart_every_s && database_.log_file_bytes() > options_.log_limit_bytes) {
        if (database_.checkpoint(false) > options_.log_limit_bytes) database_.restart_log(log_restart_wait_s);
        last_log_restart_s_ = monotonic_s();
      }
      if (!options_.copy_to.empty() && now - last_copy_s_ >= options_.copy_every_s) {
        last_copy_s_ = now;
        copy_database(workspace_.path(), options_.copy_to);
      }
    } catch (const WorkspaceBusy&) {
      // The next round asks again.
    } catch (const std::exception& error) {
      fatal = error.what();
    }
    lock.lock();
    if (fatal) error_ = fatal;
  }

  void read_requests() {
    if (!options_.on_request) return;
    std::vector<Request> fresh;
    {
      Statement select = database_.prepare(
          "SELECT id, kind, asked_by, stage, note, asked_at FROM request "
          "WHERE run = ? AND id > ? AND stage NOT IN ('done', 'refused') ORDER BY id");
      select.bind_all(run_key_, last_request_);
      while (select.step()) {
        fresh.push_back({select.integer(0), run_id_, select.text(1), select.text(2), select.text(3), select.text(4), select.real(5), {}});
      }
    }
    for (const Request& request : fresh) {
      last_request_ = request.id;
      options_.on_request(request);
    }
  }

  void store_summary() {
    Reader reader(workspace_);
    const std::string text = to_json(summarise_alone(reader, reader.run(run_id_))).dump();
    Statement insert = database_.prepare(
        "INSERT INTO summary (run, sequence, version, json) VALUES (?1,?2,?3,?4) "
        "ON CONFLICT (run) DO UPDATE SET sequence = ?2, version = ?3, json = ?4");
    insert.bind_all(run_key_, sequence_, summary_version, text).run();
  }

  const Workspace workspace_;
  const std::string run_id_;
  const RunWriterOptions options_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_, attempted_changed_;
  Batch filling_;
  Axes position_;
  std::map<std::pair<std::string, int>, std::uint32_t, SeriesNameLess> names_index_;
  std::vector<const std::pair<std::string, int>*> names_;
  std::uint64_t dropped_ = 0, wanted_ = 0, attempted_ = 0;
  bool closing_ = false, last_attempt_succeeded_ = false;
  std::optional<std::string> error_;
  std::atomic<std::int64_t> acknowledged_{0};

  // The writer's thread only (the constructor before it starts, close() after it has ended).
  Database database_;
  std::int64_t run_key_;
  RunRows rows_;
  Batch writing_;
  std::vector<const std::pair<std::string, int>*> batch_names_;
  std::int64_t sequence_ = 0, last_step_ = 0, last_request_ = 0;
  std::uint64_t reported_dropped_ = 0;
  double last_beat_s_ = 0, last_copy_s_ = 0, last_log_checkpoint_s_ = 0, last_log_restart_s_ = 0;
  std::thread thread_;
};

RunWriter::RunWriter(const Workspace& workspace, std::string run_id, RunWriterOptions options)
    : implementation_(std::make_unique<Implementation>(workspace, std::move(run_id), std::move(options))) {}
RunWriter::~RunWriter() {
  try {
    close();
  } catch (const std::exception&) {
    // Whoever wants to know calls close().
  }
}

void RunWriter::position(const Axes& axes) { implementation_->position(axes); }
void RunWriter::scalar(std::string_view series, std::int64_t step, double value) { implementation_->scalar(series, -1, step, value); }
void RunWriter::rank_scalar(std::string_view series, int rank, std::int64_t step, double value) {
  implementation_->scalar(series, rank, step, value);
}
void RunWriter::step(const StepSums& sums) { implementation_->step(sums); }
void RunWriter::trace(const StepTrace& trace) { implementation_->other(trace); }
void RunWriter::event(std::string_view kind, std::string text) {
  EventRecord record;
  record.kind = kind;
  record.text = std::move(text);
  implementation_->event(std::move(record), true);
}
void RunWriter::event(const EventRecord& record) { implementation_->event(record, false); }
void RunWriter::checkpoint(const CheckpointRecord& record) { implementation_->other(record); }
void RunWriter::clock(int rank, const ClockOffset& offset) {
  if (!std::isfinite(offset.offset_s) || !std::isfinite(offset.bound_s) || !std::isfinite(offset.at_s)) return;
  implementation_->other(ClockRecord{0, rank, offset});
}
void RunWriter::document(std::string_view name, std::string text) {
  implementation_->other(DocumentItem{std::string(name), std::move(text)});
}
void RunWriter::unit(std::string_view series, std::string_view unit) {
  implementation_->other(UnitItem{std::string(series), std::string(unit)});
}
void RunWriter::acknowledge(std::int64_t request_id, std::string stage) {
  implementation_->other(AcknowledgeItem{request_id, std::move(stage), utc_s()});
}
bool RunWriter::flush() { return implementation_->flush(); }
std::int64_t RunWriter::acknowledged() const { return implementation_->acknowledged(); }
std::uint64_t RunWriter::dropped() const { return implementation_->dropped(); }
std::optional<std::string> RunWriter::error() const { return implementation_->error(); }
void RunWriter::close() { implementation_->close(); }

}  // namespace syncline
