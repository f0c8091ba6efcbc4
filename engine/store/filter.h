// SPDX-License-Identifier: Apache-2.0
// The filter of `runs --filter` and of the window's search line: `state:running strategy:easgd loss<0.5 or tag:"fig 3" not old`.
//
//   expression := alternative { "or" alternative }
//   alternative := { ["not"] term }                      words side by side must all hold
//   term := "(" expression ")" | key op value | word     a bare word is looked for in name, notes and tags, in either case
//   op := ":" "=" "!=" "<" "<=" ">" ">="                  ":" finds a part of a text, "=" the whole of it
//   value := word | "quoted words"                        numbers may carry %, k, M, G or a unit of time (ms, us, s, min, h, d)
//
// Keys: those of `show --json` (run and summary), short ones: tag, loss, accuracy, exposed (share of the step), created, is:starred, ...
// and those of the experiment: train.optimizer.lr>0.03, or the end of one where only one key ends so: lr>0.03. Of a list
// ("batch_per_worker") one element must hold, with != none. No comparison holds of what a run does not have.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/store/filter_keys.h"
#include "engine/store/records.h"
#include "engine/store/summary.h"

namespace syncline {

class FilterError : public ConfigError {
 public:
  FilterError(const std::string& message, std::size_t position, std::size_t length)
      : ConfigError(message, {{}, 0, 0, "--filter"}), position_(position), length_(length) {}
  std::size_t position() const { return position_; }  // of the wrong word, in characters of the expression
  std::size_t length() const { return length_; }

 private:
  std::size_t position_, length_;
};

class RunFilter {
 public:
  // Throws FilterError saying what was expected. An empty expression lets every run through. `experiment`: the keys of
  // experiment_filter_keys.
  explicit RunFilter(std::string_view expression, std::span<const FilterKey> experiment = {});
  ~RunFilter();
  RunFilter(RunFilter&&) noexcept;
  RunFilter& operator=(RunFilter&&) noexcept;

  bool needs_summary() const;  // false: the summary need not be computed
  bool matches(const RunInfo&, const Summary&) const;
  static std::vector<std::string> keys();  // without the experiment's; for completion

 private:
  class Node;
  friend class FilterParser;
  std::unique_ptr<Node> root_;
};

}  // namespace syncline
