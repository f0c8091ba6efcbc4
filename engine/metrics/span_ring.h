// SPDX-License-Identifier: Apache-2.0
// The recorder of one rank context: spans (training thread) and exchanges (communication thread) go into two preallocated rings; scalars
// and events go on to `next`, the run's writer on rank 0, or nowhere. StepAccountant empties the rings at the end of each step.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/metrics/recorder.h"
#include "engine/metrics/ring.h"

namespace syncline {

// An Exchange with its label inside, so that it can be kept and shipped to another rank as bytes.
struct ExchangeRecord {
  double queued_s = 0, issued_s = 0, first_byte_s = 0, done_s = 0;
  std::uint64_t sequence = 0;
  std::int64_t bytes = 0, sent_bytes = 0;
  std::uint32_t step = 0;
  std::int32_t messages = 0;
  std::uint16_t id = 0;
  char label[30] = {};  // cut to 29 characters, zero-terminated
  static ExchangeRecord of(const Exchange&);
};

class SpanRing final : public Recorder {
 public:
  // Capacities: what one step may record; a full ring drops the newest (dropped() counts them, and the step is flagged `incomplete`).
  // `next` outlives this object; nullptr: scalars and events are discarded.
  explicit SpanRing(std::size_t spans = 8192, std::size_t exchanges = 2048, Recorder* next = nullptr);

  void span(const Span&) override;          // training thread; about 5 ns
  void exchange(const Exchange&) override;  // communication thread; call it before the Work is marked done
  void scalar(std::string_view series, std::int64_t step, double value) override;
  void event(std::string_view kind, std::string text) override;

  SpscRing<Span>& spans() { return spans_; }  // for the one consumer, the training thread
  SpscRing<ExchangeRecord>& exchanges() { return exchanges_; }
  std::uint64_t dropped() const { return spans_.dropped() + exchanges_.dropped(); }

 private:
  SpscRing<Span> spans_;
  SpscRing<ExchangeRecord> exchanges_;
  Recorder* next_;
};

// Records one span from construction to destruction. now_s() of the real clock is CLOCK_MONOTONIC.
class Clock;
class SpanScope {
 public:
  SpanScope(Recorder& recorder, const Clock& clock, SpanKind kind, std::uint16_t id, std::uint32_t step);
  ~SpanScope();
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

 private:
  Recorder& recorder_;
  const Clock& clock_;
  Span span_;
};

}  // namespace syncline
