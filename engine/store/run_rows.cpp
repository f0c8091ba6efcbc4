// SPDX-License-Identifier: Apache-2.0
#include "engine/store/run_rows.h"

#include <fmt/core.h>

#include <cstring>

#include "engine/store/columns.h"

namespace syncline {
namespace {

// Traces of one step are at most some ten thousand spans of 32 bytes.
constexpr std::size_t trace_limit = std::size_t{256} << 20;

struct TraceHeader {
  std::int64_t step = 0;
  double start_s = 0, end_s = 0;
  std::int32_t rank = 0;
  std::uint32_t span_size = 0, exchange_size = 0, reserved = 0;
  std::uint64_t spans = 0, exchanges = 0;
};
static_assert(sizeof(TraceHeader) == 56 && sizeof(Span) == 24 && sizeof(ExchangeRecord) == 96);

[[noreturn]] void damaged() { throw WorkspaceError("the stored trace of a step is damaged; restore a copy of the workspace"); }

}  // namespace

std::vector<std::byte> encode_trace(const StepTrace& trace) {
  TraceHeader header;
  header.step = trace.step;
  header.start_s = trace.start_s;
  header.end_s = trace.end_s;
  header.rank = trace.rank;
  header.span_size = sizeof(Span);
  header.exchange_size = sizeof(ExchangeRecord);
  header.spans = trace.spans.size();
  header.exchanges = trace.exchanges.size();
  const auto spans = std::as_bytes(std::span(trace.spans));
  std::vector<std::byte> raw(sizeof header + spans.size() + trace.exchanges.size() * sizeof(ExchangeRecord));
  std::memcpy(raw.data(), &header, sizeof header);
  if (!spans.empty()) std::memcpy(raw.data() + sizeof header, spans.data(), spans.size());
  std::size_t place = sizeof header + spans.size();
  for (const ExchangeRecord& exchange : trace.exchanges) {
    std::memcpy(raw.data() + place, &exchange, sizeof exchange);
    place += sizeof exchange;
  }
  return pack(raw);
}

StepTrace decode_trace(std::span<const std::byte> data) {
  const std::vector<std::byte> raw = unpack(data, trace_limit);
  TraceHeader header;
  if (raw.size() < sizeof header) damaged();
  std::memcpy(&header, raw.data(), sizeof header);
  const std::size_t room = raw.size() - sizeof header;
  if (header.span_size != sizeof(Span) || header.exchange_size != sizeof(ExchangeRecord) || header.spans > room / sizeof(Span) ||
      header.exchanges > room / sizeof(ExchangeRecord) || header.spans * sizeof(Span) + header.exchanges * sizeof(ExchangeRecord) != room) {
    damaged();
  }
  StepTrace trace;
  trace.rank = header.rank;
  trace.step = header.step;
  trace.start_s = header.start_s;
  trace.end_s = header.end_s;
  trace.spans.resize(header.spans);
  trace.exchanges.resize(header.exchanges);
  if (!trace.spans.empty()) std::memcpy(trace.spans.data(), raw.data() + sizeof header, header.spans * sizeof(Span));
  const std::byte* from = raw.data() + sizeof header + header.spans * sizeof(Span);
  for (ExchangeRecord& exchange : trace.exchanges) {
    std::memcpy(&exchange, from, sizeof exchange);
    exchange.label[sizeof exchange.label - 1] = 0;
    from += sizeof exchange;
  }
  return trace;
}

RunRows::RunRows(Database& database, std::int64_t run_key)
    : database_(database), run_key_(run_key), series_(database, run_key), steps_(database, run_key) {}

void RunRows::trace(std::int64_t sequence, const StepTrace& trace) {
  Statement remove = database_.prepare("DELETE FROM trace WHERE run = ? AND step = ? AND rank = ?");
  remove.bind_all(run_key_, trace.step, trace.rank).run();
  Statement insert =
      database_.prepare("INSERT INTO trace (run, sequence, step, rank, start_s, end_s, spans, exchanges) VALUES (?,?,?,?,?,?,?,?)");
  insert.bind_all(run_key_, sequence, trace.step, trace.rank, trace.start_s, trace.end_s, static_cast<std::int64_t>(trace.spans.size()),
                  static_cast<std::int64_t>(trace.exchanges.size()));
  insert.run();
  const std::vector<std::byte> data = encode_trace(trace);
  Statement insert_data = database_.prepare("INSERT INTO trace_data (trace, data) VALUES (?, ?)");
  insert_data.bind_all(database_.last_row_id(), std::span<const std::byte>(data)).run();
}

void RunRows::event(const EventRecord& event) {
  Statement insert =
      database_.prepare("INSERT INTO event (run, sequence, wall_s, active_s, step, rank, kind, text) VALUES (?,?,?,?,?,?,?,?)");
  insert.bind_all(run_key_, event.sequence, event.wall_s, event.active_s, event.step, event.rank, event.kind, event.text).run();
}

void RunRows::checkpoint(const CheckpointRecord& record) {
  Statement insert =
      database_.prepare("INSERT INTO checkpoint (run, sequence, step, wall_s, path, bytes, verified) VALUES (?,?,?,?,?,?,?)");
  insert.bind_all(run_key_, record.sequence, record.step, record.wall_s, record.path, record.bytes, record.verified ? 1 : 0).run();
}

void RunRows::clock(const ClockRecord& record) {
  Statement insert = database_.prepare("INSERT INTO clock (run, sequence, rank, at_s, offset_s, bound_s) VALUES (?,?,?,?,?,?)");
  insert.bind_all(run_key_, record.sequence, record.rank, record.offset.at_s, record.offset.offset_s, record.offset.bound_s).run();
}

void RunRows::document(std::int64_t sequence, std::string_view name, std::string_view text) {
  Statement insert = database_.prepare(
      "INSERT INTO document (run, sequence, name, text) VALUES (?1,?2,?3,?4) ON CONFLICT (run, name) DO UPDATE SET sequence = ?2, text = "
      "?4");
  insert.bind_all(run_key_, sequence, name, text).run();
}

void RunRows::finish_batch(std::int64_t sequence, std::int64_t dropped) {
  series_.finish_batch();
  steps_.finish_batch();
  Statement update = database_.prepare(
      "INSERT INTO progress (run, sequence, dropped) VALUES (?1,?2,?3) ON CONFLICT (run) DO UPDATE SET sequence = ?2, dropped = ?3");
  update.bind_all(run_key_, sequence, dropped).run();
}

void RunRows::forget() {
  series_.forget();
  steps_.forget();
}

std::int64_t RunRows::stored_sequence() {
  Statement select = database_.prepare("SELECT sequence FROM progress WHERE run = ?");
  select.bind_all(run_key_);
  return select.step() ? select.integer(0) : 0;
}

std::int64_t run_key_of(Database& database, std::string_view run_id) {
  Statement select = database.prepare("SELECT key FROM run WHERE id = ?");
  select.bind_all(run_id);
  if (!select.step()) throw WorkspaceError(fmt::format("{}: there is no run {}", database.path(), run_id));
  return select.integer(0);
}

}  // namespace syncline
