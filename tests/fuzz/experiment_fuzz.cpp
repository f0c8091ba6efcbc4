// SPDX-License-Identifier: Apache-2.0
// Experiment files, with one --set argument behind a zero byte: never a crash, always an experiment or a reason, and a complete text that
// means the same.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "engine/experiment/experiment.h"
#include "engine/store/filter_keys.h"
#include "tests/unit/experiment/test_catalogue.h"

namespace {

void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace syncline;
  static const Catalogue catalogue = test::small_catalogue();
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view toml = input.substr(0, input.find('\0'));
  Overrides overrides;
  if (toml.size() < input.size()) {
    const std::string_view argument = input.substr(toml.size() + 1);
    const std::size_t equals = argument.find('=');
    if (equals != std::string_view::npos) overrides.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
  }
  any_value_of(toml, "train.optimizer.lr", [](std::string_view) { return false; });  // of the runs' filter: reads any text
  const Parsed parsed = parse_experiment(toml, "fuzz.toml", catalogue, overrides);
  require(parsed.experiment.has_value() == parsed.problems.empty(), "neither an experiment nor a reason", std::string(toml));
  for (const Problem& problem : parsed.problems) {
    require(!problem.message.empty() && problem.origin.line >= 0, "a problem without a message", to_string(problem));
  }
  if (!parsed.experiment) return 0;
  const std::string& complete = parsed.experiment->complete;
  const std::string seed = std::to_string(parsed.experiment->seed);
  require(any_value_of(complete, "seed", [&](std::string_view value) { return value == seed; }), "the filter finds no seed", complete);
  const Parsed again = parse_experiment(complete, "complete.toml", catalogue);
  for (const Problem& problem : again.problems) require(false, "the complete text is not valid", to_string(problem) + "\n" + complete);
  require(again.experiment->complete == complete, "the complete text prints something else",
          complete + "\n----\n" + again.experiment->complete);
  require(group_key(*again.experiment) == group_key(*parsed.experiment), "the group changes", complete);
  require(differences(complete, again.experiment->complete).empty(), "an experiment differs from itself", complete);
  return 0;
}
