// SPDX-License-Identifier: Apache-2.0
// --set KEY=VALUE, applied to the text before it is parsed, so that what was typed keeps its comments and its order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/experiment/text_edit.h"

namespace syncline {

struct OverriddenText {
  std::string text;
  std::vector<Problem> problems;  // overrides that could not be applied; the others were

  // Where a problem found in `text` comes from: the line of the file as it was, or the --set argument that gave the key.
  Origin origin(Origin) const;

  std::vector<int> lines;  // for each line of `text` its line in the file, 0 for one that an override added
  struct Applied {
    std::string key, argument;
  };
  std::vector<Applied> applied;
};

// `toml` must parse. A bare word is a text; numbers, true and false, and anything else in TOML syntax is what it says, except where the
// key's table wants a text.
OverriddenText apply_overrides(std::string_view toml, const Overrides&);

}  // namespace syncline
