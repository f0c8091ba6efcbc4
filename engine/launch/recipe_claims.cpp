// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/recipe_claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/metrics/step_sums.h"
#include "engine/store/emulation.h"
#include "engine/store/summary.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

class RecordedEvidence final : public Evidence {
 public:
  RecordedEvidence(const Recipe& recipe, const RecipeRecord& record, Reader* reader, const ParametersOf& parameters_of)
      : recipe_(recipe), record_(record), reader_(reader), parameters_of_(parameters_of) {}

  std::vector<double> numbers(const Lookup& lookup) override {
    const StepRecord& step = record_of(lookup.step);
    if (recipe_.step(lookup.step)->kind != RecipeStep::train) return {row_value(step, lookup)};
    std::vector<double> values;
    for (const std::string& id : step.runs) values.push_back(summary_value(run_of(id), lookup));
    if (values.empty()) throw NoEvidence(fmt::format("step {} has no runs", lookup.step));
    return values;
  }

  NumberList series(const std::string& step, const std::string& name) override {
    const RunInfo run = first_run(step);
    const auto found = reader_->find_series(run.id, name);
    if (!found) throw NoEvidence(fmt::format("run {} has no series '{}'", run.name, name));
    NumberList list;
    for (const Point& point : reader_->points(found->key)) {
      list.values.push_back(point.value);
      list.steps.push_back(point.axes.step);
    }
    return list;
  }

  NumberList counter(const std::string& step, const std::string& name) override {
    const RunInfo run = first_run(step);
    NumberList list;
    for (const int rank : reader_->ranks(run.id))
      for (const StepSums& sums : reader_->steps(run.id, rank)) list.values.push_back(field(sums, name));
    if (list.values.empty()) throw NoEvidence(fmt::format("run {} has no steps", run.name));
    return list;
  }

  std::string parameters(const std::string& step) override {
    const RunInfo run = first_run(step);
    try {
      return parameters_of_(run);
    } catch (const Error& error) {
      throw NoEvidence(error.what());
    }
  }

 private:
  const StepRecord& record_of(const std::string& step) const {
    const auto found = record_.steps.find(step);
    if (found == record_.steps.end()) throw NoEvidence(fmt::format("step {} has not been run", step));
    if (found->second.state != "finished") throw NoEvidence(fmt::format("step {} failed: {}", step, found->second.reason));
    return found->second;
  }

  RunInfo run_of(const std::string& id) const {
    if (reader_ == nullptr || !reader_->has_run(id)) throw NoEvidence(fmt::format("run {} is no longer in the workspace", id));
    return reader_->run(id);
  }
  RunInfo first_run(const std::string& step) const {
    const StepRecord& record = record_of(step);
    if (record.runs.empty())
      throw NoEvidence(fmt::format("step {} has no runs; series and counters are those of a step of kind 'train'", step));
    return run_of(record.runs.front());
  }

  double summary_value(const RunInfo& run, const Lookup& lookup) const {
    const Summary summary = summarise(*reader_, run);
    if (const auto value = value_of(summary, lookup.key)) return *value;
    const auto why = times_withheld(summary);
    throw NoEvidence(fmt::format("run {} has no {}{}{}", run.name, lookup.key, why ? ": " : "", why.value_or("")));
  }

  static double field(const StepSums& sums, const std::string& name) {
    for (const StepField& each : step_fields)
      if (each.name == name) return sums.*each.member;
    for (const StepCount& each : step_counts)
      if (each.name == name) return static_cast<double>(sums.*each.member);
    throw NoEvidence(fmt::format("steps record no '{}'", name));
  }

  static bool fits(const Json& row, const Lookup& lookup) {
    return std::all_of(lookup.where.begin(), lookup.where.end(), [&](const auto& wanted) {
      const auto found = row.find(wanted.first);
      if (found == row.end()) return false;
      const auto* number = std::get_if<double>(&wanted.second);
      return number != nullptr ? found->is_number() && found->template get<double>() == *number
                               : found->is_string() && found->template get<std::string>() == std::get<std::string>(wanted.second);
    });
  }

  double row_value(const StepRecord& step, const Lookup& lookup) const {
    const RecipeStep::Kind kind = recipe_.step(lookup.step)->kind;
    const char* list = kind == RecipeStep::simulate ? "results" : kind == RecipeStep::bench ? "rows" : "buckets";
    const Json* rows = step.result.is_object() && step.result.contains(list) ? &step.result.at(list) : nullptr;
    if (rows == nullptr || !rows->is_array()) throw NoEvidence(fmt::format("step {} has no {}", lookup.step, list));
    if (kind == RecipeStep::plan && lookup.where.empty()) {
      if (lookup.key == "buckets") return static_cast<double>(rows->size());
      return number_in(step.result, lookup);
    }
    if (kind == RecipeStep::plan) {  // a bucket has its number for a name
      for (std::size_t k = 0; k < rows->size(); ++k) {
        Json row = rows->at(k);
        row["bucket"] = k;
        if (fits(row, lookup)) return number_in(row, lookup);
      }
      throw NoEvidence(fmt::format("{}: no row is so", lookup.text()));
    }
    const Json* chosen = nullptr;
    for (const Json& row : *rows) {
      if (!row.is_object() || !fits(row, lookup)) continue;
      if (chosen != nullptr) throw NoEvidence(fmt::format("{}: several rows are so", lookup.text()));
      chosen = &row;
    }
    if (chosen == nullptr) throw NoEvidence(fmt::format("{}: no row is so", lookup.text()));
    return number_in(*chosen, lookup);
  }

  static double number_in(const Json& row, const Lookup& lookup) {
    const auto found = row.find(lookup.key);
    if (found == row.end() || !found->is_number()) throw NoEvidence(fmt::format("{} has no number", lookup.text()));
    return found->get<double>();
  }

  const Recipe& recipe_;
  const RecipeRecord& record_;
  Reader* reader_;
  const ParametersOf& parameters_of_;
};

void append(std::string& note, const std::string& more) {
  if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
}

// Why a claim is not tested at all; empty: it is.
std::string not_tested(const Recipe& recipe, const Claim& claim, bool quick) {
  const auto needs = [](const std::string& what) { return std::string(needs_mark) + what; };
  const auto not_here = [](const std::string& why) { return std::string(size_mark) + why; };
  if (!claim.needs.empty()) return needs(claim.needs);
  for (const std::string& id : claim.steps())
    if (const RecipeStep* step = recipe.step(id); step != nullptr && !step->needs.empty()) return needs(step->needs);
  if (!quick) return {};
  if (!claim.not_quick.empty()) return not_here(claim.not_quick);
  for (const std::string& id : claim.steps())
    if (const RecipeStep* step = recipe.step(id); step != nullptr && !step->in_quick) return not_here("step " + id + " is left out");
  return {};
}

}  // namespace

std::vector<ClaimResult> evaluate_claims(const Recipe& recipe, const RecipeRecord& record, Reader* reader,
                                         const ParametersOf& parameters_of) {
  RecordedEvidence evidence(recipe, record, reader, parameters_of);
  std::vector<ClaimResult> results;
  for (const Claim& claim : recipe.claims) {
    ClaimResult result{.id = claim.id, .text = claim.text, .expected = claim.expected(), .measured = {}, .held = {}, .note = {}};
    result.note = not_tested(recipe, claim, record.quick);
    if (result.note.empty()) {
      try {
        const std::optional<double> number =
            claim.measure.empty() ? std::nullopt : std::optional(std::get<double>(claim.measure.evaluate(evidence)));
        if (!claim.holds.empty()) result.held = std::get<bool>(claim.holds.evaluate(evidence));
        if (claim.holds.empty() && number) result.held = claim.judge(*number);
        if (number) {
          result.measured = *number;
        } else if (result.held) {
          result.measured = *result.held;
        }
      } catch (const NoEvidence& missing) {
        result.held.reset();
        result.note = std::string("not tested: ") + missing.what();
      }
    }
    append(result.note, claim.note);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace syncline
