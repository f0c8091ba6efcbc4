// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/orchestrations/report_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "engine/base/error.h"
#include "engine/comm/ranks_text.h"

namespace syncline {

namespace {

template <class T>
void put(ByteBuffer& into, T value) {
  const std::size_t at = into.size();
  into.resize(at + sizeof value);
  std::memcpy(into.data() + at, &value, sizeof value);
}

void put_text(ByteBuffer& into, std::string_view text) {
  put(into, static_cast<std::uint32_t>(text.size()));
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  into.insert(into.end(), bytes, bytes + text.size());
}

std::size_t size_of(const Told& told) { return sizeof(std::uint32_t) + told.name.size() + sizeof told.count + 1; }

void put_told(ByteBuffer& into, const Told& told) {
  put_text(into, told.name);
  put(into, told.count);
  put(into, static_cast<std::uint8_t>(told.op));
}

class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : left_(bytes) {}
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() {
    const auto bytes = take(get<std::uint32_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  Told told() {
    Told told;
    told.name = text();
    told.count = get<std::int64_t>();
    told.op = static_cast<Op>(get<std::uint8_t>());
    return told;
  }

 private:
  std::span<const std::byte> take(std::size_t count) {
    if (count > left_.size()) throw UsageError("internal error: a control message is shorter than it says");
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  std::span<const std::byte> left_;
};

constexpr std::size_t count_at = 1;                                      // of the number of requests, behind the flags
constexpr std::size_t most_text_bytes = 4096;                            // of an error or a stall in a reply
constexpr std::size_t most_request_bytes = most_told_bytes - 16 * 1024;  // leaves room for the waiting of a report, the texts of a reply
constexpr std::size_t most_waiting = 4000;

}  // namespace

std::string readiness_text(std::string_view name, const std::vector<char>& ready_on) {
  std::vector<int> ready, missing;
  for (std::size_t rank = 0; rank < ready_on.size(); ++rank) (ready_on[rank] != 0 ? ready : missing).push_back(static_cast<int>(rank));
  return fmt::format("'{}' is ready on {} and not on {}", name, ranks_text(ready), ranks_text(missing));
}

ReportWriter::ReportWriter(ByteBuffer& into, std::uint8_t flags) : into_(into) {
  into_.clear();
  put(into_, flags);
  put(into_, std::uint32_t{0});
}

bool ReportWriter::add(const Told& told) {
  if (into_.size() + size_of(told) > most_request_bytes) return false;
  put_told(into_, told);
  ++requests_;
  return true;
}

void ReportWriter::close(std::span<const std::uint32_t> waiting) {
  const auto count = static_cast<std::uint32_t>(requests_);
  std::memcpy(into_.data() + count_at, &count, sizeof count);
  waiting = waiting.first(std::min(waiting.size(), most_waiting - 1));
  put(into_, static_cast<std::uint32_t>(waiting.size()));
  for (const std::uint32_t id : waiting) put(into_, id);
}

Report read_report(std::span<const std::byte> bytes) {
  Cursor cursor(bytes);
  Report report;
  report.flags = cursor.get<std::uint8_t>();
  for (auto left = cursor.get<std::uint32_t>(); left > 0; --left) report.requests.push_back(cursor.told());
  for (auto left = cursor.get<std::uint32_t>(); left > 0; --left) report.waiting.push_back(cursor.get<std::uint32_t>());
  return report;
}

Reply read_reply(std::span<const std::byte> bytes) {
  Cursor cursor(bytes);
  Reply reply;
  reply.flags = cursor.get<std::uint8_t>();
  reply.error = cursor.text();
  reply.stalled = cursor.text();
  for (auto left = cursor.get<std::uint32_t>(); left > 0; --left) reply.released.push_back(cursor.told());
  return reply;
}

void write(const Reply& reply, ByteBuffer& into) {
  into.clear();
  put(into, reply.flags);
  put_text(into, std::string_view(reply.error).substr(0, most_text_bytes));
  put_text(into, std::string_view(reply.stalled).substr(0, most_text_bytes));
  put(into, static_cast<std::uint32_t>(reply.released.size()));
  for (const Told& told : reply.released) put_told(into, told);
}

void ReportTable::take(int rank, const Report& report, double now_s) {
  for (const Told& told : report.requests) {
    const auto [found, is_new] = row_of_.try_emplace(std::string(told.name), rows_.size());
    if (is_new) {
      rows_.push_back({std::string(told.name), told.count, told.op, std::vector<char>(static_cast<std::size_t>(ranks_)), 0, rank, now_s});
    }
    Row& row = rows_[found->second];
    if ((row.count != told.count || row.op != told.op) && error_.empty()) {
      error_ = fmt::format("rank {} has '{}' with {} elements and rank {} with {}{}: what is added up has to be alike on all ranks", rank,
                           told.name, told.count, row.first_rank, row.count, row.op != told.op ? " and another operation" : "");
    }
    if (row.by[static_cast<std::size_t>(rank)] != 0)
      throw UsageError(fmt::format("internal error: rank {} reported '{}' twice", rank, told.name));
    row.by[static_cast<std::size_t>(rank)] = 1;
    if (++row.reports == ranks_) ++complete_;
  }
}

void ReportTable::answer(Reply& reply) {
  std::size_t bytes = 0, kept = 0;
  answered_.clear();
  if (complete_ == 0) return;
  row_of_.clear();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    Row& row = rows_[k];
    if (row.reports == ranks_ && bytes + size_of({row.name, 0, Op::sum}) <= most_request_bytes) {
      bytes += size_of({row.name, 0, Op::sum});
      --complete_;
      answered_.push_back(std::move(row));
      continue;
    }
    if (kept != k) rows_[kept] = std::move(row);
    row_of_[rows_[kept].name] = kept;
    ++kept;
  }
  rows_.resize(kept);
  for (const Row& row : answered_) reply.released.push_back({row.name, row.count, row.op});
}

std::string ReportTable::missing(double before_s) const {
  std::string text;
  for (const Row& row : rows_) {
    if (row.reports == ranks_ || row.first_s > before_s || text.size() > most_text_bytes) continue;
    text += (text.empty() ? "" : "; ") + readiness_text(row.name, row.by);
  }
  return text;
}

}  // namespace syncline
