// SPDX-License-Identifier: Apache-2.0
// Recursive halving and doubling (Rabenseifner): partners exchange halves of what they still own, log2 p times, then give the sums back the
// same way. The bytes of the ring in 2 log2 p messages. Where p is no power of two, each of the first 2(p - 2^k) ranks of odd number leaves
// its vector to its neighbour and gets the sum at the end.
#include <bit>

#include "engine/comm/schedules/flow.h"

namespace syncline {

using namespace schedule_detail;

namespace {

struct Folded {      // how the ranks form a power of two
  int core, folded;  // ranks that exchange; ranks that left their vector to a neighbour
  explicit Folded(int size) : core(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))), folded(size - core) {}
  int place(int rank) const { return rank < 2 * folded ? rank / 2 : rank - folded; }
  int rank(int place) const { return place < folded ? 2 * place : place + folded; }
};

class Exchange {
 public:
  explicit Exchange(const ScheduleRequest& request)
      : request_(request),
        whole_{0, request.count},
        per_phase_(chunk_count(whole_, request.chunk) + 1),
        flow_(request, chunk_window, std::min(request.chunk, request.count)) {}

  // Phases are numbered alike on both sides. What goes out and what comes in alternate, so that both directions are busy.
  void run(int phase, int peer, const Part& leaving, const Part& coming, bool adding) {
    const int out = chunk_count(leaving, request_.chunk), in = chunk_count(coming, request_.chunk);
    for (int c = 0; c < std::max(out, in); ++c) {
      const int channel = phase * per_phase_ + c;
      if (c < out) {
        const Chunk chunk = chunk_of(leaving, c, request_.chunk);
        flow_.send(peer, channel, chunk.offset, chunk.count);
      }
      if (c >= in) continue;
      const Chunk chunk = chunk_of(coming, c, request_.chunk);
      if (adding) {
        flow_.receive_add(peer, channel, chunk.offset, chunk.count);
      } else {
        flow_.receive(peer, channel, chunk.offset, chunk.count);
      }
    }
  }
  const Part& whole() const { return whole_; }
  CollectiveSchedule take() { return flow_.take(); }

 private:
  ScheduleRequest request_;
  Part whole_;
  int per_phase_;
  Flow flow_;
};

}  // namespace

CollectiveSchedule halving_doubling_allreduce(const ScheduleRequest& request) {
  const Folded folded(request.size);
  const int levels = std::countr_zero(static_cast<unsigned>(folded.core)), rank = request.rank;
  const int last_phase = 2 * levels + 1;
  Exchange exchange(request);
  const Part nothing{}, all = exchange.whole();
  const bool pairs = rank < 2 * folded.folded;
  if (pairs && rank % 2 == 1) {
    exchange.run(0, rank - 1, all, nothing, true);
    exchange.run(last_phase, rank - 1, nothing, all, false);
    return exchange.take();
  }
  if (pairs) exchange.run(0, rank + 1, nothing, all, true);
  const int place = folded.place(rank);
  std::vector<std::pair<Part, Part>> halves;  // kept and given, per level
  Part mine = all;
  for (int level = 0; level < levels; ++level) {
    const int distance = folded.core >> (level + 1);
    const std::int64_t middle = (mine.count + 1) / 2;
    const Part lower{mine.offset, middle}, upper{mine.offset + middle, mine.count - middle};
    const bool keeps_lower = (place & distance) == 0;
    halves.emplace_back(keeps_lower ? lower : upper, keeps_lower ? upper : lower);
    mine = halves.back().first;
    exchange.run(1 + level, folded.rank(place ^ distance), halves.back().second, mine, true);
  }
  for (int level = levels; level-- > 0;) {
    const auto& [kept, given] = halves[static_cast<std::size_t>(level)];
    exchange.run(2 * levels - level, folded.rank(place ^ (folded.core >> (level + 1))), kept, given, false);
  }
  if (pairs) exchange.run(last_phase, rank + 1, all, nothing, false);
  return exchange.take();
}

Traffic halving_doubling_traffic(const ScheduleRequest& request) {
  const Folded folded(request.size);
  const int levels = std::countr_zero(static_cast<unsigned>(folded.core)), rank = request.rank, place = folded.place(rank);
  const Part all{0, request.count};
  Traffic sent;
  if (rank < 2 * folded.folded) sent += traffic_of(all, request.chunk);  // the vector, or the sum given back
  if (rank < 2 * folded.folded && rank % 2 == 1) return sent;
  std::int64_t mine = request.count;
  for (int level = 0; level < levels; ++level) {
    const std::int64_t lower = (mine + 1) / 2, kept = (place & (folded.core >> (level + 1))) == 0 ? lower : mine - lower;
    sent += traffic_of({0, mine - kept}, request.chunk);
    sent += traffic_of({0, kept}, request.chunk);
    mine = kept;
  }
  return sent;
}

double halving_doubling_cost(const ScheduleCost& c) {
  if (c.size <= 1) return 0;
  const Folded folded(c.size);
  const double levels = std::countr_zero(static_cast<unsigned>(folded.core)), share = (folded.core - 1.0) / folded.core * c.bytes;
  const double exchange = 2 * levels * c.alpha_s + share * (2 * c.beta_s + c.gamma_s);
  return folded.folded == 0 ? exchange : exchange + 2 * (c.alpha_s + c.bytes * c.beta_s) + c.bytes * c.gamma_s;
}

}  // namespace syncline
