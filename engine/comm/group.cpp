// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/group.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

#include "engine/metrics/clock.h"

namespace syncline {

GroupOptions with_environment(GroupOptions options) {
  if (const char* text = std::getenv("SYNCLINE_CHECK_COLLECTIVES")) options.check = std::strcmp(text, "0") != 0;
  return options;
}

std::string_view CommGroup::intern(std::string_view label) {
  if (label.empty()) return {};
  const std::scoped_lock lock(labels_mutex_);
  auto found = labels_.find(label);
  if (found == labels_.end()) found = labels_.emplace(label).first;
  return *found;
}

void GroupOperation::describe_to(std::string& text) const {
  const std::string_view quote = label.empty() ? "" : "'", space = label.empty() ? "" : " ";
  fmt::format_to(std::back_inserter(text), "{}{}{}{}{} (number {} of '{}', step {})", kind, space, quote, label, quote,
                 sequence.load(std::memory_order_relaxed), group ? std::string_view(group->purpose) : std::string_view(), step_number);
}

Operation::Progress GroupOperation::progress(Transport& transport) {
  const Progress progress = step(transport);
  if (progress != Progress::finished) return progress;
  Recorder* recorder = group->recorder.load(std::memory_order_acquire);
  if (recorder == nullptr || payload_bytes == 0) return progress;
  const double now = monotonic_s();
  Exchange exchange;
  exchange.queued_s = times.queued_s;
  exchange.issued_s = times.issued_s;
  exchange.first_byte_s = times.first_byte_s == 0 ? now : times.first_byte_s;
  exchange.done_s = now;
  exchange.step = static_cast<std::uint32_t>(step_number);
  exchange.id = static_cast<std::uint16_t>(id >= 0 ? static_cast<std::uint64_t>(id) : sequence.load(std::memory_order_relaxed));
  exchange.sequence = sequence.load(std::memory_order_relaxed);
  exchange.bytes = payload_bytes;
  exchange.sent_bytes = sent_bytes;
  exchange.messages = messages;
  exchange.label = label.empty() ? kind : label;
  recorder->exchange(exchange);
  return progress;
}

}  // namespace syncline
