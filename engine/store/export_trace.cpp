// SPDX-License-Identifier: Apache-2.0
// Traced steps in the Trace Event Format that chrome://tracing and Perfetto read: "X" events with microseconds, one process per rank.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/store/export.h"
#include "engine/store/export_file.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

// Rows of a rank. Exchanges that overlap each other go to further communication rows, since slices of one row must nest.
constexpr int compute_row = 0, first_communication_row = 1;

std::string_view name_of(SpanKind kind) {
  switch (kind) {
    case SpanKind::forward:
      return "forward";
    case SpanKind::backward:
      return "backward";
    case SpanKind::update:
      return "update";
    case SpanKind::encode:
      return "encode";
    case SpanKind::decode:
      return "decode";
    case SpanKind::exchange_queued:
      return "queued";
    case SpanKind::exchange:
      return "exchange";
    case SpanKind::wait:
      return "wait";
    case SpanKind::data_wait:
      return "input";
    case SpanKind::evaluation:
      return "evaluation";
    case SpanKind::checkpoint:
      return "checkpoint";
    case SpanKind::other:
      break;
  }
  return "other";
}

// To rank 0's clock, between two measurements by interpolation; the bound of the error is the largest of the run.
class Clocks {
 public:
  explicit Clocks(const std::vector<ClockRecord>& records) {
    for (const ClockRecord& record : records) {
      ClockOffset offset = record.offset;
      offset.at_s += offset.offset_s;  // when it was measured on the rank's own clock, which is what its times are given in
      offsets_[record.rank].push_back(offset);
      bound_s_ = std::max(bound_s_, record.offset.bound_s);
    }
  }
  double aligned(int rank, double time_s) const {
    const auto found = offsets_.find(rank);
    if (found == offsets_.end()) return time_s;
    const std::vector<ClockOffset>& offsets = found->second;
    std::size_t later = 0;
    while (later < offsets.size() && offsets[later].at_s < time_s) ++later;
    const ClockOffset& before = offsets[later == 0 ? 0 : later - 1];
    const ClockOffset& after = offsets[std::min(later, offsets.size() - 1)];
    return time_s - interpolate(before, after, time_s).offset_s;
  }
  double bound_s() const { return bound_s_; }

 private:
  std::map<int, std::vector<ClockOffset>> offsets_;
  double bound_s_ = 0;
};

class TraceFile {
 public:
  explicit TraceFile(const std::filesystem::path& output) : file_(output) { file_.write("{\"traceEvents\": [\n"); }
  void add(const Json& event) {
    file_.write((first_ ? "" : ",\n") + event.dump(-1, ' ', false, Json::error_handler_t::replace));
    first_ = false;
  }
  void finish(const Json& about) {
    file_.write("\n], \"displayTimeUnit\": \"ms\", \"otherData\": " + about.dump(-1, ' ', false, Json::error_handler_t::replace) + "}\n");
    file_.finish();
  }

 private:
  ExportFile file_;
  bool first_ = true;
};

Json metadata(const char* what, int rank, int row, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", rank}, {"tid", row}, {"args", {{"name", name}}}};
}

// The first communication row that is free when the exchange begins.
int free_row(std::vector<double>& busy_until, const ExchangeRecord& exchange) {
  std::size_t row = 0;
  while (row < busy_until.size() && busy_until[row] > exchange.issued_s) ++row;
  if (row == busy_until.size()) busy_until.push_back(0);
  busy_until[row] = exchange.done_s;
  return first_communication_row + static_cast<int>(row);
}

}  // namespace

void export_trace(Reader& reader, const RunInfo& run, const std::filesystem::path& output) {
  const Clocks clocks(reader.clocks(run.id));
  const std::vector<Reader::TraceInfo> traces = reader.traces(run.id);
  double origin = traces.empty() ? 0 : clocks.aligned(traces.front().rank, traces.front().start_s);
  for (const Reader::TraceInfo& info : traces) origin = std::min(origin, clocks.aligned(info.rank, info.start_s));
  TraceFile file(output);
  std::map<int, std::vector<double>> communication_rows;
  std::map<int, std::uint64_t> written_until;  // exchanges across a border are in two traces
  for (const Reader::TraceInfo& info : traces) {
    const std::optional<StepTrace> trace = reader.trace(run.id, info.step, info.rank);
    if (!trace) continue;
    const auto slice = [&](const std::string& name, const char* category, int row, double start, double end, Json arguments) {
      const double from = (clocks.aligned(info.rank, start) - origin) * 1e6;
      file.add({{"ph", "X"},
                {"name", name},
                {"cat", category},
                {"pid", info.rank},
                {"tid", row},
                {"ts", from},
                {"dur", (end - start) * 1e6},
                {"args", std::move(arguments)}});
    };
    for (const Span& span : trace->spans) {
      slice(fmt::format("{} {}", name_of(span.kind), span.id), is_compute(span.kind) ? "compute" : "wait", compute_row, span.start_s,
            span.end_s, {{"step", trace->step}});
    }
    std::vector<ExchangeRecord> exchanges = trace->exchanges;
    std::stable_sort(exchanges.begin(), exchanges.end(), [](const auto& a, const auto& b) { return a.issued_s < b.issued_s; });
    std::uint64_t& until = written_until[info.rank];
    std::uint64_t last = until;
    for (const ExchangeRecord& exchange : exchanges) {
      if (exchange.sequence < until) continue;
      last = std::max(last, exchange.sequence + 1);
      const std::string label = exchange.label[0] != 0 ? exchange.label : fmt::format("exchange {}", exchange.id);
      slice(label, "communication", free_row(communication_rows[info.rank], exchange), exchange.issued_s, exchange.done_s,
            {{"step", exchange.step},
             {"bucket", exchange.id},
             {"sequence", exchange.sequence},
             {"bytes", exchange.bytes},
             {"sent_bytes", exchange.sent_bytes},
             {"messages", exchange.messages},
             {"queued_s", exchange.issued_s - exchange.queued_s}});
    }
    until = last;
    communication_rows.try_emplace(info.rank);
  }
  for (const auto& [rank, rows] : communication_rows) {
    file.add(metadata("process_name", rank, 0, fmt::format("rank {}", rank)));
    file.add(metadata("thread_name", rank, compute_row, "compute"));
    for (std::size_t row = 0; row < std::max<std::size_t>(1, rows.size()); ++row) {
      const std::string name = row == 0 ? "communication" : fmt::format("communication {}", row + 1);
      file.add(metadata("thread_name", rank, first_communication_row + static_cast<int>(row), name));
    }
  }
  file.finish({{"run", run.id}, {"name", run.name}, {"tracing", run.tracing}, {"clock_bound_s", clocks.bound_s()}});
}

}  // namespace syncline
