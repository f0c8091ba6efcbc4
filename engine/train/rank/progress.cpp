// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/progress.h"

#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/launch/protocol.h"

namespace syncline {

std::string progress_text(const ProgressState& state) {
  std::string text = fmt::format("epoch {:.2f}  step {}/{}", state.epoch, state.step, state.total_steps);
  if (state.loss) text += fmt::format("  loss {:.4f}", *state.loss);
  if (state.accuracy) text += fmt::format("  accuracy {:.4f}", *state.accuracy);
  if (state.samples_per_s > 0) text += fmt::format("  {} samples/s", format_count(state.samples_per_s));
  if (state.step_s > 0) text += fmt::format("  exposed communication {}", format_duration(state.exposed_s));
  if (state.left_s >= 0) text += fmt::format("  {} left", format_duration(state.left_s));
  return text;
}

void Progress::update(const ProgressState& state, double now_s) {
  const double every_s = style_ == Style::plain ? 10 : 0.25;
  if (style_ == Style::silent || (shown_s_ >= 0 && now_s - shown_s_ < every_s)) return;
  if (shown_s_ < 0 && style_ == Style::plain) {  // the first plain line comes when there is something to say
    shown_s_ = now_s;
    return;
  }
  shown_s_ = now_s;
  const std::string text = progress_text(state);
  if (style_ == Style::terminal) {
    const std::size_t padding = drawn_ > text.size() ? drawn_ - text.size() : 0;
    fmt::print(out_, "\r{}{:{}}", text, "", padding);
    drawn_ = text.size();
  } else {
    fmt::print(out_, "{}{}\n", style_ == Style::supervised ? std::string(1, progress_mark) : std::string(), text);
  }
  std::fflush(out_);
}

void Progress::line(const std::string& text) {
  if (style_ == Style::silent) return;
  end();
  fmt::print(out_, "{}\n", text);
  std::fflush(out_);
}

void Progress::warning(const std::string& text) {
  end();
  fmt::print(stderr, "warning: {}\n", text);
  std::fflush(stderr);
}

void Progress::end() {
  if (style_ != Style::terminal || drawn_ == 0) return;
  fmt::print(out_, "\n");
  std::fflush(out_);
  drawn_ = 0;
}

}  // namespace syncline
