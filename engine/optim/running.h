// SPDX-License-Identifier: Apache-2.0
// Which optimizer the calling thread is inside of, for a crash handler: a plugin's own bug then carries the plugin's name.
#pragma once

namespace syncline {

class Running {
 public:
  explicit Running(const char* label) noexcept;  // the text lives until the marker is gone
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  // "optimizer plugin lion (/.../liblion.so)", or null outside an optimizer. Safe in a signal handler: a read of one thread's variable.
  static const char* current() noexcept;

 private:
  const char* before_;
};

}  // namespace syncline
