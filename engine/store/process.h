// SPDX-License-Identifier: Apache-2.0
// Which process on which host: evidence for whether a run that left no exit record is still alive.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace syncline {

struct ProcessIdentity {
  std::string host, boot_id;  // boot_id: /proc/sys/kernel/random/boot_id, another one after each boot
  std::int64_t pid = 0;
  std::int64_t start_ticks = 0;  // since boot (field 22 of /proc/PID/stat): tells apart processes that got the same pid
  bool known() const { return pid > 0; }
  bool operator==(const ProcessIdentity&) const = default;
};

std::string host_name();
std::string boot_id();
ProcessIdentity this_process();
// nullopt: no process of this pid here.
std::optional<ProcessIdentity> process_of(std::int64_t pid);
// True or false only for processes of this host and boot; nullopt: cannot be asked here. A zombie counts as gone.
std::optional<bool> process_exists(const ProcessIdentity&);

}  // namespace syncline
