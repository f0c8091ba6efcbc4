// SPDX-License-Identifier: Apache-2.0
#include "engine/store/records.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <random>

namespace syncline {
namespace {

constexpr std::array<std::string_view, x_axis_count> axis_names = {"step",  "samples",  "epoch",     "gradients", "rounds",
                                                                   "bytes", "active_s", "elapsed_s", "wall_s"};

}  // namespace

// RFC 9562, UUID version 7: 48 bits of milliseconds, then 12 bits that count within the millisecond, then 62 random bits.
std::string make_run_id() {
  static std::mutex mutex;
  static std::uint64_t last_time = 0;
  const std::lock_guard lock(mutex);
  std::random_device device;
  const auto random = [&] { return (static_cast<std::uint64_t>(device()) << 32) | device(); };
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  // Milliseconds and 1/4096 of one; never the same or an earlier one twice, also when the clock is set back.
  const auto time =
      std::max((static_cast<std::uint64_t>(now) / 1000 << 12) | (static_cast<std::uint64_t>(now) % 1000 * 4096 / 1000), last_time + 1);
  last_time = time;
  const std::uint64_t bits = random();
  return fmt::format("{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}", time >> 28, (time >> 12) & 0xffff, time & 0xfff,
                     0x8000 | ((bits >> 48) & 0x3fff), bits & 0xffffffffffff);
}

bool is_run_id(std::string_view text) {
  constexpr std::string_view form = "00000000-0000-0000-0000-000000000000";
  return std::ranges::equal(text, form,
                            [](char c, char at) { return at == '-' ? c == '-' : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

double value_of(const Axes& axes, XAxis axis) {
  switch (axis) {
    case XAxis::step:
      return static_cast<double>(axes.step);
    case XAxis::samples:
      return static_cast<double>(axes.samples);
    case XAxis::epoch:
      return axes.epoch;
    case XAxis::gradients:
      return static_cast<double>(axes.gradients);
    case XAxis::rounds:
      return static_cast<double>(axes.rounds);
    case XAxis::bytes:
      return static_cast<double>(axes.bytes);
    case XAxis::active_s:
      return axes.active_s;
    case XAxis::elapsed_s:
      return axes.elapsed_s;
    case XAxis::wall_s:
      break;
  }
  return axes.wall_s;
}

std::string_view name_of(XAxis axis) { return axis_names[static_cast<std::size_t>(axis)]; }

std::optional<XAxis> x_axis_named(std::string_view name) {
  for (std::size_t i = 0; i < axis_names.size(); ++i) {
    if (axis_names[i] == name) return static_cast<XAxis>(i);
  }
  return std::nullopt;
}

}  // namespace syncline
