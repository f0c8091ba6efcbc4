// SPDX-License-Identifier: Apache-2.0
// What every rank knows of the tensors that were agreed on before, under the same numbers everywhere. All changes come in the same order
// on all ranks (from lists that were broadcast, and from common bits in ascending order), so the caches stay alike without a message.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/comm/communicator.h"

namespace syncline {

class ResponseCache {
 public:
  struct Entry {
    std::string name;
    std::int64_t count = 0;
    Op op = Op::sum;
    std::uint64_t used = 0;  // larger: more recently
  };
  enum class Found : std::uint8_t { miss, hit, invalid };  // invalid: the name is known with another count or op

  explicit ResponseCache(std::int64_t capacity) : capacity_(capacity) {}
  Found find(std::string_view name, std::int64_t count, Op op, int& id) const;
  const Entry& entry(int id) const { return entries_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(entries_.size()); }
  void touch(int id) { entries_[static_cast<std::size_t>(id)].used = ++uses_; }
  // As the most recently used. A full cache gives the number of the least recently used one to the new one; true when it did.
  bool insert(std::string_view name, std::int64_t count, Op op);
  void erase(const std::vector<int>& ids);  // ascending; the others close the gaps in their order
  std::uint64_t hash() const;               // of entries, numbers and the order of use

 private:
  void number(std::size_t from);
  std::int64_t capacity_;
  std::uint64_t uses_ = 0;
  std::vector<Entry> entries_;  // by id
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_map<std::string, int, TextHash, std::equal_to<>> id_of_;  // looked up, never walked: its order differs between ranks
};

}  // namespace syncline
