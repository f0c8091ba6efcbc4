// SPDX-License-Identifier: Apache-2.0
#include "engine/store/emulation.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/experiment/experiment.h"
#include "engine/store/summary.h"

namespace syncline {
namespace {

bool has(const RunInfo& run, std::string_view word) {
  return std::find(run.emulated.begin(), run.emulated.end(), word) != run.emulated.end();
}

}  // namespace

std::vector<std::string> emulation_words(const ClusterSpec& cluster) {
  std::vector<std::string> words;
  if (cluster.emulate_link) words.emplace_back(emulated_link);
  if (!cluster.real_compute()) words.emplace_back(emulated_compute);
  if (cluster.compute == "paced") words.emplace_back(paced_compute);
  return words;
}

bool is_paced(const RunInfo& run) { return has(run, paced_compute); }
bool has_no_arithmetic(const RunInfo& run) { return has(run, emulated_compute) && !is_paced(run); }

std::string emulation_text(const RunInfo& run) {
  std::string text = is_paced(run) ? "paced compute" : has_no_arithmetic(run) ? "emulated compute" : "";
  if (has(run, emulated_link)) text += text.empty() ? "emulated link" : ", emulated link";
  return text;
}

std::optional<std::string> times_withheld(const Summary& summary) {
  if (summary.emulation_overrun.value_or(0) <= overrun_limit) return std::nullopt;
  return fmt::format(
      "no times are given: in {:.1f} % of the steps a wait was over before it began, so they would be this machine's and not the "
      "profile's; "
      "a larger cluster.time_scale or fewer workers would be right",
      100 * *summary.emulation_overrun);
}

}  // namespace syncline
