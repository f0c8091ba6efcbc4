// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/orchestrations/policy.h"

#include <fmt/core.h>

#include <algorithm>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/error.h"

namespace syncline {

void ReleasePolicy::submit(const ReleaseRequest& request) {
  if (pending(request.name) != nullptr)
    throw UsageError(fmt::format("internal error: '{}' was submitted again before it had been released", request.name));
  pending_.push_back({request});
}

const ReleasePolicy::Pending* ReleasePolicy::pending(std::string_view name) const {
  const auto found = std::find_if(pending_.begin(), pending_.end(), [&](const Pending& each) { return each.request.name == name; });
  return found == pending_.end() ? nullptr : &*found;
}

void ReleasePolicy::note_stall(const std::string& text) {
  if (text.empty()) return;
  stalled_ = text;
  if (setup_.rank == 0) warnings_.push_back(fmt::format("buckets have waited for more than {:g} s: {}", setup_.stall_warning_s, text));
}

void ReleasePolicy::release(std::span<const std::string_view> names) {
  double bytes = 0;
  Op op = Op::sum;
  bool open = false;  // the last message takes more
  for (const std::string_view name : names) {
    const Pending* at = pending(name);
    if (at == nullptr)
      throw UsageError(fmt::format("internal error: rank {} was told to start '{}', which is not ready here", setup_.rank, name));
    const double more = 4.0 * static_cast<double>(at->request.count);
    const bool joins = open && !setup_.separate_groups && op == at->request.op && bytes + more <= setup_.fusion_threshold_bytes;
    if (!joins) {
      bytes = 0;
      op = at->request.op;
      open = true;
    }
    bytes += more;
    released_.push_back({.handle = at->request.handle, .begins = !joins});
    sequence_hash_ = XXH3_64bits_withSeed(name.data(), name.size(), 2 * sequence_hash_ + (joins ? 1 : 0));
    pending_.erase(pending_.begin() + (at - pending_.data()));
  }
}

}  // namespace syncline
