// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/record_channel.h"

#include <cstring>

#include "engine/base/error.h"

namespace syncline {
namespace {

constexpr std::int64_t message_elements = 32 * 1024;  // 128 KiB
constexpr std::size_t message_bytes = message_elements * 4, most_waiting_bytes = 4 * message_bytes;
constexpr int tag = 1, mailbox_depth = 8;

struct RecordHead {
  std::uint32_t kind, bytes;
};

void append_bytes(ByteBuffer& to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  const std::size_t at = to.size();
  to.resize(at + bytes);
  std::memcpy(to.data() + at, from, bytes);
}
template <class T>
void append(ByteBuffer& to, const T& value) {
  append_bytes(to, &value, sizeof value);
}
template <class T>
void append_all(ByteBuffer& to, const std::vector<T>& values) {
  append(to, static_cast<std::uint64_t>(values.size()));
  append_bytes(to, values.data(), values.size() * sizeof(T));
}

class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    T value;
    std::memcpy(static_cast<void*>(&value), next(sizeof value).data(), sizeof value);
    return value;
  }
  template <class T>
  std::vector<T> take_all() {
    const auto count = take<std::uint64_t>();
    if (count > bytes_.size() / sizeof(T)) throw UsageError("a record is shorter than it says");
    std::vector<T> values(static_cast<std::size_t>(count));
    const auto bytes = next(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(values.data()), bytes.data(), bytes.size());
    return values;
  }

 private:
  std::span<const std::byte> next(std::size_t count) {
    if (count > bytes_.size()) throw UsageError("a record is shorter than it says");
    const auto result = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return result;
  }
  std::span<const std::byte> bytes_;
};

std::size_t padded(std::size_t bytes) { return (bytes + 3) / 4 * 4; }  // messages are made of 4-byte elements

}  // namespace

void append_record(ByteBuffer& to, RecordKind kind, std::span<const std::byte> content) {
  append(to, RecordHead{static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(content.size())});
  append_bytes(to, content.data(), content.size());
  to.resize(padded(to.size()));
}

void for_each_record(std::span<const std::byte> message, const std::function<void(RecordKind, std::span<const std::byte>)>& visit) {
  while (!message.empty()) {
    RecordHead head{};
    if (message.size() < sizeof head) throw UsageError("a record is shorter than it says");
    std::memcpy(&head, message.data(), sizeof head);
    message = message.subspan(sizeof head);
    if (padded(head.bytes) > message.size()) throw UsageError("a record is shorter than it says");
    visit(static_cast<RecordKind>(head.kind), message.first(head.bytes));
    message = message.subspan(padded(head.bytes));
  }
}

ByteBuffer pack_step(const StepSums& sums) {
  ByteBuffer bytes;
  append(bytes, sums);
  return bytes;
}
StepSums unpack_step(std::span<const std::byte> bytes) { return RecordReader(bytes).take<StepSums>(); }

ByteBuffer pack_trace(const StepTrace& trace) {
  ByteBuffer bytes;
  append(bytes, trace.rank);
  append(bytes, trace.step);
  append(bytes, trace.start_s);
  append(bytes, trace.end_s);
  append_all(bytes, trace.spans);
  append_all(bytes, trace.exchanges);
  return bytes;
}

StepTrace unpack_trace(std::span<const std::byte> bytes) {
  RecordReader reader(bytes);
  StepTrace trace;
  trace.rank = reader.take<decltype(trace.rank)>();
  trace.step = reader.take<decltype(trace.step)>();
  trace.start_s = reader.take<double>();
  trace.end_s = reader.take<double>();
  trace.spans = reader.take_all<Span>();
  trace.exchanges = reader.take_all<ExchangeRecord>();
  return trace;
}

ByteBuffer pack_resources(std::int64_t step, const ResourceSample& sample) {
  ByteBuffer bytes;
  append(bytes, step);
  append(bytes, sample);
  return bytes;
}

std::pair<std::int64_t, ResourceSample> unpack_resources(std::span<const std::byte> bytes) {
  RecordReader reader(bytes);
  const auto step = reader.take<std::int64_t>();
  return {step, reader.take<ResourceSample>()};
}

RecordSender::RecordSender(Communicator& records, double every_s)
    : comm_(records), every_s_(every_s), message_(View::host(message_elements)) {
  waiting_.reserve(most_waiting_bytes);
}

void RecordSender::memory(std::int64_t step, double peak_bytes) {
  ByteBuffer bytes;
  append(bytes, step);
  append(bytes, peak_bytes);
  add(RecordKind::memory, bytes);
}

void RecordSender::resources(std::int64_t step, const ResourceSample& sample) { add(RecordKind::resources, pack_resources(step, sample)); }

void RecordSender::add(RecordKind kind, const ByteBuffer& content) {
  const std::size_t bytes = sizeof(RecordHead) + padded(content.size());
  if (bytes > message_bytes || waiting_.size() + bytes > most_waiting_bytes)
    ++dropped_;
  else
    append_record(waiting_, kind, content);
}

void RecordSender::pump(double now_s) {
  if (waiting_.empty() || now_s - last_s_ < every_s_ || !work_.done()) return;
  last_s_ = now_s;
  send();
}

// As many whole records as fit in one message.
void RecordSender::send() {
  work_.wait();  // done already, except in finish()
  std::size_t bytes = 0;
  for_each_record(waiting_, [&](RecordKind, std::span<const std::byte> content) {
    const std::size_t end = static_cast<std::size_t>(content.data() + padded(content.size()) - waiting_.data());
    if (end <= message_bytes) bytes = end;
  });
  std::memcpy(message_.data(), waiting_.data(), bytes);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(bytes));
  work_ = comm_.send(message_.part(0, static_cast<std::int64_t>(bytes / 4)), 0, tag);
}

void RecordSender::finish() {
  if (dropped_ > 0) {
    ByteBuffer bytes;
    append(bytes, dropped_);
    append_record(waiting_, RecordKind::dropped, bytes);
  }
  append_record(waiting_, RecordKind::end, {});
  while (!waiting_.empty()) send();
  work_.wait();
}

RecordReceiver::RecordReceiver(Communicator& records, Take take)
    : comm_(records), take_(std::move(take)), mailbox_(records.mailbox(tag, message_elements, mailbox_depth)) {}

void RecordReceiver::poll() {
  while (const auto message = mailbox_->poll()) take(*message);
}

void RecordReceiver::finish(double limit_s) {
  while (ended_ < comm_.size() - 1) take(mailbox_->wait(limit_s));
}

void RecordReceiver::take(const Message& message) {
  for_each_record(std::as_bytes(message.data.floats()), [&](RecordKind kind, std::span<const std::byte> content) {
    if (kind == RecordKind::end)
      ++ended_;
    else
      take_(message.source, kind, content);
  });
}

}  // namespace syncline
