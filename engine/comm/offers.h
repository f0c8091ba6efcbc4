// SPDX-License-Identifier: Apache-2.0
// Bytes that the receiver itself reads out of the sender's memory (process_vm_readv), for ranks on one machine. The sender offers memory
// and goes to sleep; the receiver copies whenever it likes and marks the offer; nobody has to be woken or to look again and again
// meanwhile, as a message through a library that moves only inside its calls would ask for. The kernel must allow one process of the user
// to read another's memory: usable() finds out.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

class Offers {
 public:
  static std::size_t shared_bytes(int size);
  Offers(void* zeroed_memory, int size);

  // Has to come before usable() on every rank, with a barrier between the two.
  void publish(int rank);
  bool usable() const;  // what every other rank published can be read from here

  static constexpr int none = -1;
  int make(int from, int to);  // the number of an offer that only its sender may end; none: too many are open
  // By the receiver: copies and marks; false when the sender has withdrawn it. PeerLost when the sender's memory is gone.
  bool read(int from, int to, int offer, std::uint64_t address, void* into, std::int64_t bytes);
  // By the sender: true once it was read, and the number is free again.
  bool taken(int from, int to, int offer);
  void withdraw(int from, int to, int offer);  // afterwards nobody reads that memory

  // The sender sleeps until read() marks something of its own: it says so, looks once more, and sleeps. The receiver rings if it was said.
  void want(int from) { at(from).wanted.store(1, std::memory_order_seq_cst); }
  bool wanted(int from) { return at(from).wanted.load(std::memory_order_seq_cst) != 0 && at(from).wanted.exchange(0) != 0; }

 private:
  static constexpr int most = 256;  // open at a time from one rank to another
  enum State : std::uint32_t { free, open, reading, taken_, withdrawn };
  struct PerRank {
    std::atomic<std::uint32_t> wanted;
    std::int32_t process;
    std::uint64_t token_address, token;
  };
  struct PerPair {
    std::atomic<std::uint32_t> states[most];
  };
  PerRank& at(int rank) const { return ranks_[rank]; }
  std::atomic<std::uint32_t>& state(int from, int to, int offer) const { return pairs_[from * size_ + to].states[offer]; }

  int size_;
  PerRank* ranks_ = nullptr;
  PerPair* pairs_ = nullptr;
  std::vector<int> next_;  // where to look for a free number first, of each pair
  std::uint64_t token_ = 0;
};

}  // namespace syncline
