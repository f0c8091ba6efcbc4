// SPDX-License-Identifier: Apache-2.0
#include "engine/data/resident_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "engine/base/error.h"
#include "engine/comm/communicator.h"

namespace syncline {

std::vector<std::int32_t> slot_permutation(std::int64_t slots, std::uint64_t seed) {
  const auto next = [&seed] {
    std::uint64_t z = seed += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  };
  std::vector<std::int32_t> order(static_cast<std::size_t>(slots));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[next() % (i + 1)]);
  return order;
}

ResidentSet::ResidentSet(const Dataset& source)
    : info_{.shape = source.shape(),
            .classes = source.classes(),
            .class_names = source.class_names(),
            .mean = source.default_mean(),
            .stddev = source.default_stddev()},
      label_bytes_(source.classes() <= 256 ? 1 : 4),
      pixel_bytes_(static_cast<std::size_t>(source.shape().elements())),
      place_(static_cast<std::size_t>(source.size()), -1) {}

void ResidentSet::drop() {
  records_.clear();
  std::fill(place_.begin(), place_.end(), -1);
}

void ResidentSet::place(std::span<const std::int32_t> ids) {
  std::fill(place_.begin(), place_.end(), -1);
  for (std::size_t at = 0; at < ids.size(); ++at) place_[static_cast<std::size_t>(ids[at])] = static_cast<std::int32_t>(at);
}

void ResidentSet::read_from(const Dataset& source, std::span<const std::int32_t> ids, const std::atomic<bool>& cancel) {
  drop();
  std::vector<std::byte> records(ids.size() * record_bytes());
  std::vector<std::uint8_t> pixels(pixel_bytes_);
  std::byte* at = records.data();
  for (const std::int32_t id : ids) {
    if (cancel.load(std::memory_order_relaxed)) return;
    const std::int32_t label = source.label(id);  // little-endian, like every machine this runs on
    std::memcpy(at, &label, label_bytes_);
    source.read(id, pixels);
    std::memcpy(at + label_bytes_, pixels.data(), pixel_bytes_);
    at += record_bytes();
  }
  records_ = std::move(records);
  place(ids);
}

Loader::Exchanged ResidentSet::exchange(const SlotsView& before, const SlotsView& after, Communicator& members) {
  const int me = members.rank(), size = members.size();
  std::vector<std::int32_t> owner(place_.size(), -1);
  for (int member = 0; member < size; ++member)
    for (const std::int32_t id : before.of(member)) owner[static_cast<std::size_t>(id)] = member;

  Loader::Exchanged sent;
  std::vector<ByteBuffer> out(static_cast<std::size_t>(size)), in;
  for (int to = 0; to < size; ++to) {
    if (to == me) continue;
    ByteBuffer& bytes = out[static_cast<std::size_t>(to)];
    const auto mine = [&](std::int32_t id) { return owner[static_cast<std::size_t>(id)] == me; };
    bytes.reserve(static_cast<std::size_t>(std::count_if(after.of(to).begin(), after.of(to).end(), mine)) * record_bytes());
    for (const std::int32_t id : after.of(to)) {
      if (!mine(id)) continue;
      const std::byte* from = held(id);
      bytes.insert(bytes.end(), from, from + record_bytes());
      ++sent.samples;
    }
    sent.bytes += static_cast<std::int64_t>(bytes.size());
  }
  members.alltoall_bytes(std::move(out), in).wait();

  const auto ids = after.of(me);
  std::vector<std::byte> records(ids.size() * record_bytes());
  std::vector<std::size_t> taken(static_cast<std::size_t>(size), 0);
  std::byte* at = records.data();
  for (const std::int32_t id : ids) {
    const auto from = static_cast<std::size_t>(owner[static_cast<std::size_t>(id)]);
    if (from != static_cast<std::size_t>(me) && taken[from] + record_bytes() <= in[from].size())
      std::memcpy(at, in[from].data() + taken[from], record_bytes());
    else if (from == static_cast<std::size_t>(me))
      std::memcpy(at, held(id), record_bytes());
    taken[from] += record_bytes();
    at += record_bytes();
  }
  for (std::size_t from = 0; from < in.size(); ++from) {
    if (from != static_cast<std::size_t>(me) && taken[from] != in[from].size())
      throw TrainingError(fmt::format("of rank {} came {} bytes of samples and {} were due; all ranks must hold the same set", from,
                                      in[from].size(), taken[from]));
  }
  records_ = std::move(records);
  place(ids);
  return sent;
}

const std::byte* ResidentSet::held(std::int64_t id) const {
  const std::int32_t place = place_[static_cast<std::size_t>(id)];
  if (place < 0) throw UsageError(fmt::format("sample {} is not in the memory of this rank", id));
  return records_.data() + static_cast<std::size_t>(place) * record_bytes();
}

std::int32_t ResidentSet::label(std::int64_t id) const {
  std::int32_t label = 0;
  std::memcpy(&label, held(id), label_bytes_);
  return label;
}

void ResidentSet::read(std::int64_t id, std::span<std::uint8_t> out) const {
  std::memcpy(out.data(), held(id) + label_bytes_, std::min(out.size(), pixel_bytes_));
}

}  // namespace syncline
