// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/orchestrations/response_cache.h"

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace syncline {

ResponseCache::Found ResponseCache::find(std::string_view name, std::int64_t count, Op op, int& id) const {
  const auto found = id_of_.find(name);
  if (found == id_of_.end()) return Found::miss;
  id = found->second;
  const Entry& known = entry(id);
  return known.count == count && known.op == op ? Found::hit : Found::invalid;
}

bool ResponseCache::insert(std::string_view name, std::int64_t count, Op op) {
  if (capacity_ <= 0) return false;
  Entry entry{std::string(name), count, op, ++uses_};
  if (static_cast<std::int64_t>(entries_.size()) < capacity_) {
    id_of_[entry.name] = size();
    entries_.push_back(std::move(entry));
    return false;
  }
  const auto oldest = std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.used < b.used; });
  id_of_.erase(oldest->name);
  id_of_[entry.name] = static_cast<int>(oldest - entries_.begin());
  *oldest = std::move(entry);
  return true;
}

void ResponseCache::erase(const std::vector<int>& ids) {
  for (std::size_t k = ids.size(); k-- > 0;) {
    const auto at = entries_.begin() + ids[k];
    id_of_.erase(at->name);
    entries_.erase(at);
  }
  if (!ids.empty()) number(static_cast<std::size_t>(ids.front()));
}

void ResponseCache::number(std::size_t from) {
  for (std::size_t id = from; id < entries_.size(); ++id) id_of_[entries_[id].name] = static_cast<int>(id);
}

std::uint64_t ResponseCache::hash() const {
  std::uint64_t hash = entries_.size();
  for (const Entry& each : entries_) {
    hash = XXH3_64bits_withSeed(each.name.data(), each.name.size(), hash);
    const std::uint64_t numbers[] = {static_cast<std::uint64_t>(each.count), static_cast<std::uint64_t>(each.op), each.used};
    hash = XXH3_64bits_withSeed(numbers, sizeof numbers, hash);
  }
  return hash;
}

}  // namespace syncline
