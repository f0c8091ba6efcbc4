// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/peer_issues.h"

#include <algorithm>
#include <cstring>

namespace syncline {
namespace {

struct Head {
  std::int64_t step = -1, count = 0;
  std::uint64_t first_sequence = 0;
};
struct Issue {
  double issued_s = 0, duration_s = 0;
};

Head head_of(std::span<const std::byte> part) {
  Head head;
  std::memcpy(static_cast<void*>(&head), part.data(), sizeof head);
  return head;
}
Issue issue_of(std::span<const std::byte> part, std::int64_t k) {
  Issue issue;
  std::memcpy(static_cast<void*>(&issue), part.data() + sizeof(Head) + static_cast<std::size_t>(k) * sizeof issue, sizeof issue);
  return issue;
}

}  // namespace

std::size_t peer_issue_bytes(std::size_t exchanges) { return sizeof(Head) + std::min(exchanges, most_peer_exchanges) * sizeof(Issue); }

void pack_issues(const StepTrace* trace, double offset_s, std::span<std::byte> to) {
  Head head;
  const std::size_t room = to.size() < sizeof head ? 0 : (to.size() - sizeof head) / sizeof(Issue);
  if (to.size() < sizeof head) return;
  if (trace != nullptr && trace->exchanges.size() <= room) {
    head.step = trace->step;
    head.count = static_cast<std::int64_t>(trace->exchanges.size());
    for (const ExchangeRecord& exchange : trace->exchanges)
      head.first_sequence = &exchange == &trace->exchanges.front() ? exchange.sequence : std::min(head.first_sequence, exchange.sequence);
    for (const ExchangeRecord& exchange : trace->exchanges) {
      const std::uint64_t place = exchange.sequence - head.first_sequence;
      if (place >= trace->exchanges.size()) {  // not in one row: messages beside collectives
        head = {};
        break;
      }
      const Issue issue{exchange.issued_s - offset_s, exchange.done_s - exchange.issued_s};
      std::memcpy(to.data() + sizeof head + place * sizeof issue, &issue, sizeof issue);
    }
  }
  std::memcpy(to.data(), &head, sizeof head);
}

std::optional<PeerIssues> combine_issues(std::span<const std::span<const std::byte>> parts, int rank, double offset_s, double bound_s) {
  const Head first = head_of(parts.front());
  for (const auto& part : parts) {
    const Head head = head_of(part);
    if (head.step < 0 || head.step != first.step || head.count != first.count || head.first_sequence != first.first_sequence)
      return std::nullopt;
  }
  PeerIssues result;
  result.step = first.step;
  double longest_wait_s = 0;
  LastIssues by_clock, by_duration;
  for (std::int64_t k = 0; k < first.count; ++k) {
    double last_s = 0, first_s = 0, shortest_s = 0;
    for (const auto& part : parts) {
      const Issue issue = issue_of(part, k);
      const bool begin = &part == &parts.front();
      last_s = begin ? issue.issued_s : std::max(last_s, issue.issued_s);
      first_s = begin ? issue.issued_s : std::min(first_s, issue.issued_s);
      shortest_s = begin ? issue.duration_s : std::min(shortest_s, issue.duration_s);
    }
    longest_wait_s = std::max(longest_wait_s, last_s - first_s);
    const Issue mine = issue_of(parts[static_cast<std::size_t>(rank)], k);
    const std::uint64_t sequence = first.first_sequence + static_cast<std::uint64_t>(k);
    by_clock[sequence] = last_s + offset_s;
    by_duration[sequence] = mine.issued_s + offset_s + mine.duration_s - shortest_s;
  }
  result.estimated = bound_s > longest_wait_s;
  result.last = result.estimated ? std::move(by_duration) : std::move(by_clock);
  return result;
}

}  // namespace syncline
