// SPDX-License-Identifier: Apache-2.0
// What ranks tell rank 0 of buckets that are ready, what it makes of that, and what it answers: the coordinator's side of both negotiated
// orchestrations (Bitvector allreduce, step 8, slow path).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/comm/communicator.h"

namespace syncline {

// No report and no reply is longer; what finds no room is told in the next cycle. So a receive can be posted before its message is known.
inline constexpr std::size_t most_told_bytes = 64 * 1024;

struct Told {  // one bucket in a report or a reply
  std::string_view name;
  std::int64_t count = 0;
  Op op = Op::sum;
};

struct Report {
  enum Flag : std::uint8_t { stop = 1, stalled = 2 };                // stalled: something here has waited for longer than the warning time
  static constexpr std::uint32_t too_long = std::uint32_t{1} << 31;  // with a number in `waiting`: longer than the warning time
  std::uint8_t flags = 0;
  std::vector<Told> requests;          // ready here, and not told before
  std::vector<std::uint32_t> waiting;  // numbers of known ones that are ready here
};
struct Reply {
  std::uint8_t flags = 0;
  std::string error, stalled;  // every rank throws the first; logs and remembers the second
  std::vector<Told> released;  // in the order in which all ranks start them
};
// Views into `bytes`. UsageError where it is no report or reply.
Report read_report(std::span<const std::byte> bytes);
Reply read_reply(std::span<const std::byte> bytes);
void write(const Reply&, ByteBuffer&);

class ReportWriter {  // into a buffer that is used again
 public:
  ReportWriter(ByteBuffer& into, std::uint8_t flags);
  bool add(const Told&);  // false: no room, told next time
  int requests() const { return requests_; }
  void close(std::span<const std::uint32_t> waiting);

 private:
  ByteBuffer& into_;
  int requests_ = 0;
};

class ReportTable {
 public:
  explicit ReportTable(int ranks) : ranks_(ranks) {}
  void take(int rank, const Report&, double now_s);
  // Buckets that every rank has reported, as many as a reply has room for; in the order of their first reports. The reply's names stay
  // until the next call.
  void answer(Reply&);
  bool left() const { return complete_ > 0; }  // complete ones that found no room
  // "'bucket 3' is ready on rank 0 and not on ranks 1 and 2; ..." of those first reported before `before_s`; empty: none.
  std::string missing(double before_s) const;
  const std::string& error() const { return error_; }  // ranks that differ in a bucket

 private:
  struct Row {
    std::string name;
    std::int64_t count = 0;
    Op op = Op::sum;
    std::vector<char> by;  // rank
    int reports = 0, first_rank = 0;
    double first_s = 0;
  };
  int ranks_, complete_ = 0;
  std::vector<Row> rows_, answered_;
  std::unordered_map<std::string, std::size_t> row_of_;  // looked up, never walked
  std::string error_;
};

// "'NAME' is ready on rank 0 and not on ranks 1 and 2"
std::string readiness_text(std::string_view name, const std::vector<char>& ready_on);

}  // namespace syncline
