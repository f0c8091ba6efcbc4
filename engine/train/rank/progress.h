// SPDX-License-Identifier: Apache-2.0
// What a person sees while a run goes on: one line that is redrawn on a terminal, plain lines now and then otherwise, or lines for the
// supervisor to show.
#pragma once

#include <cstdio>
#include <optional>
#include <string>

namespace syncline {

struct ProgressState {
  double epoch = 0;
  std::int64_t step = 0, total_steps = 0;
  std::optional<double> loss, accuracy;
  double samples_per_s = 0, exposed_s = 0, step_s = 0;  // recent means of this rank
  double left_s = -1;                                   // of active time; -1: not known yet
};
std::string progress_text(const ProgressState&);  // "epoch 1.25  step 585/1407  loss 0.412  accuracy 0.871  ..."

class Progress {
 public:
  enum class Style { silent, terminal, plain, supervised };
  Progress(Style style, FILE* out) : style_(style), out_(out) {}
  void update(const ProgressState&, double now_s);  // as often as wanted; shows a few times a second, or every 10 s where plain
  void line(const std::string& text);               // an event: always a line of its own, also when silent nothing
  void warning(const std::string& text);            // a line that begins with "warning: " on standard error, also when silent
  void end();                                       // leaves the terminal on a fresh line
  void mute() { style_ = Style::silent; }           // nobody reads any more

 private:
  Style style_;
  FILE* out_;
  double shown_s_ = -1;
  std::size_t drawn_ = 0;  // characters of the line on the terminal
};

}  // namespace syncline
