// SPDX-License-Identifier: Apache-2.0
// What a rank measures. Spans are tagged when recorded, never recognised by name later. One ring per rank context, preallocated;
// recording takes no lock and allocates nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

enum class SpanKind : std::uint16_t {
  forward,
  backward,
  update,
  encode,
  decode,  // compute (K); id: layer, or group for update and codecs
  exchange_queued,
  exchange,  // communication (C): asked to issued, issued to done; id: group or collective
  wait,      // the training thread waits for a Work (W); id: group
  data_wait,
  evaluation,
  checkpoint,
  other
};
constexpr bool is_compute(SpanKind kind) { return kind <= SpanKind::decode; }

struct Span {
  double start_s = 0, end_s = 0;
  SpanKind kind = SpanKind::other;
  std::uint16_t id = 0;
  std::uint32_t step = 0;
};

// One finished exchange, recorded by the Traced communicator; times on this rank's clock.
struct Exchange {
  double queued_s = 0, issued_s = 0, first_byte_s = 0, done_s = 0;
  std::uint32_t step = 0;
  std::uint16_t id = 0;                    // group (bucket) or running number in the step
  std::uint64_t sequence = 0;              // position in the communicator's order: matches the same collective across ranks
  std::int64_t bytes = 0, sent_bytes = 0;  // payload of the operation; bytes this rank put on the wire
  std::int32_t messages = 0;
  std::string_view label;  // static or owned by the communicator
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void span(const Span&) = 0;          // training thread only
  virtual void exchange(const Exchange&) = 0;  // communication thread only
  virtual void scalar(std::string_view series, std::int64_t step, double value) = 0;
  virtual void event(std::string_view kind, std::string text) = 0;
};

class NullRecorder final : public Recorder {
 public:
  void span(const Span&) override {}
  void exchange(const Exchange&) override {}
  void scalar(std::string_view, std::int64_t, double) override {}
  void event(std::string_view, std::string) override {}
};

}  // namespace syncline
