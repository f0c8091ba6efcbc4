// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"
#include "tests/unit/experiment/test_catalogue.h"

namespace syncline::test {

// The smallest valid experiment; pieces replace or follow its parts.
inline std::string minimal(std::string_view more = "", std::string_view strategy = "name = \"sync\"", std::string_view train = "epochs = 1",
                           std::string_view data = "source = \"fashion-mnist\"", std::string_view model = "zoo = \"lenet\"") {
  std::string text = "name = \"a\"\n[model]\n";
  text.append(model).append("\n[data]\n").append(data).append("\n[train]\n").append(train);
  return text.append("\n[strategy]\n").append(strategy).append("\n").append(more);
}

inline Parsed parsed(std::string_view toml, const Overrides& overrides = {}) {
  static const Catalogue catalogue = small_catalogue();
  return parse_experiment(toml, "a.toml", catalogue, overrides);
}

inline std::vector<std::string> problems(std::string_view toml, const Overrides& overrides = {}) {
  std::vector<std::string> texts;
  for (const Problem& problem : parsed(toml, overrides).problems) texts.push_back(to_string(problem));
  return texts;
}

inline Experiment experiment(std::string_view toml, const Overrides& overrides = {}) {
  Parsed result = parsed(toml, overrides);
  for (const Problem& problem : result.problems) ADD_FAILURE() << to_string(problem);
  return result.experiment ? *std::move(result.experiment) : Experiment{};
}

using Texts = std::vector<std::string>;

}  // namespace syncline::test
