// SPDX-License-Identifier: Apache-2.0
// Brings what the other ranks measured to rank 0: bytes in messages of at most 128 KiB over a communicator of its own, sent in the
// background a few times a second. A step never waits for it: while a message is under way the next one fills up, and what finds no room is
// counted and left out.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "engine/comm/communicator.h"
#include "engine/metrics/accounting.h"
#include "engine/train/rank/resources.h"

namespace syncline {

enum class RecordKind : std::uint32_t { step = 1, trace = 2, memory = 3, dropped = 4, end = 5, resources = 6 };

// Numbers and texts of one record as bytes; readers throw UsageError when a record is shorter than it says.
void append_record(ByteBuffer& to, RecordKind kind, std::span<const std::byte> content);
ByteBuffer pack_step(const StepSums&);
ByteBuffer pack_trace(const StepTrace&);
ByteBuffer pack_resources(std::int64_t step, const ResourceSample&);
StepSums unpack_step(std::span<const std::byte>);
StepTrace unpack_trace(std::span<const std::byte>);
std::pair<std::int64_t, ResourceSample> unpack_resources(std::span<const std::byte>);
// Calls `visit` for each record of a message.
void for_each_record(std::span<const std::byte> message, const std::function<void(RecordKind, std::span<const std::byte>)>& visit);

class RecordSender {
 public:
  RecordSender(Communicator& records, double every_s);
  void step(const StepSums& sums) { add(RecordKind::step, pack_step(sums)); }
  void trace(const StepTrace& trace) { add(RecordKind::trace, pack_trace(trace)); }
  void memory(std::int64_t step, double peak_bytes);
  void resources(std::int64_t step, const ResourceSample&);
  void pump(double now_s);  // sends when it is time and the last message has left
  void finish();            // blocking: everything, then the end mark

 private:
  void add(RecordKind, const ByteBuffer& content);
  void send();
  Communicator& comm_;
  double every_s_, last_s_ = 0;
  ByteBuffer waiting_;
  View message_;
  Work work_;
  std::int64_t dropped_ = 0;
};

class RecordReceiver {
 public:
  using Take = std::function<void(int rank, RecordKind, std::span<const std::byte>)>;
  RecordReceiver(Communicator& records, Take take);
  void poll();                  // takes what is there
  void finish(double limit_s);  // until every other rank has sent its end mark; throws TimeLimit

 private:
  void take(const Message&);
  Communicator& comm_;
  Take take_;
  std::unique_ptr<Mailbox> mailbox_;
  int ended_ = 0;
};

}  // namespace syncline
