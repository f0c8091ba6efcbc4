// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/clock_sync.h"

#include <cstring>

#include "engine/metrics/clock.h"
#include "engine/train/exchange.h"

namespace syncline {
namespace {

constexpr int ping_tag = 11, pong_tag = 12;
constexpr double resolution_s = 1e-9;

void answer(Communicator& comm, int exchanges) {
  const View message = View::host(2);
  for (int k = 0; k < exchanges; ++k) {
    comm.receive(message, 0, ping_tag).wait();
    const double now_s = monotonic_s();
    std::memcpy(message.data(), &now_s, sizeof now_s);
    comm.send(message, 0, pong_tag).wait();
  }
}

ClockOffset ask(Communicator& comm, int rank, int exchanges) {
  const View message = View::host(2);
  std::vector<PingPong> samples;
  for (int k = 0; k < exchanges; ++k) {
    PingPong sample;
    sample.sent_s = monotonic_s();
    comm.send(message, rank, ping_tag).wait();
    comm.receive(message, rank, pong_tag).wait();
    sample.received_s = monotonic_s();
    std::memcpy(&sample.remote_s, message.data(), sizeof sample.remote_s);
    samples.push_back(sample);
  }
  return estimate_offset(samples).value_or(
      ClockOffset{.offset_s = 0, .bound_s = samples.empty() ? 1e9 : samples.back().received_s - samples.front().sent_s});
}

}  // namespace

std::vector<ClockOffset> measure_clocks(Communicator& comm, const std::vector<std::string>& boots, int exchanges, bool always) {
  const auto shared = [&](int rank) { return !always && boots[static_cast<std::size_t>(rank)] == boots[0]; };
  std::vector<ClockOffset> offsets(static_cast<std::size_t>(comm.size()));
  if (comm.rank() != 0) {
    if (!shared(comm.rank())) answer(comm, exchanges);
  } else {
    offsets[0].at_s = monotonic_s();
    for (int rank = 1; rank < comm.size(); ++rank)
      offsets[static_cast<std::size_t>(rank)] =
          shared(rank) ? ClockOffset{.offset_s = 0, .bound_s = resolution_s, .at_s = monotonic_s()} : ask(comm, rank, exchanges);
  }
  ByteBuffer bytes(offsets.size() * sizeof(ClockOffset));
  std::memcpy(bytes.data(), offsets.data(), bytes.size());
  bytes = told_by(comm, std::move(bytes));
  std::memcpy(static_cast<void*>(offsets.data()), bytes.data(), bytes.size());
  return offsets;
}

}  // namespace syncline
