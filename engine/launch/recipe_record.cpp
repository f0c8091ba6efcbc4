// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/recipe_record.h"

#include <algorithm>

#include "engine/store/saved.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

constexpr char saved_kind[] = "recipe";

Json measured_json(const ClaimResult& claim) {
  if (const auto* number = std::get_if<double>(&claim.measured)) return *number;
  if (const auto* flag = std::get_if<bool>(&claim.measured)) return *flag;
  return nullptr;
}

ClaimResult claim_from(const Json& json) {
  ClaimResult claim{
      .id = json.at("id"), .text = json.at("text"), .expected = json.at("expected"), .measured = {}, .held = {}, .note = json.at("note")};
  const Json& measured = json.at("measured");
  if (measured.is_boolean()) claim.measured = measured.get<bool>();
  if (measured.is_number()) claim.measured = measured.get<double>();
  if (json.at("held").is_boolean()) claim.held = json.at("held").get<bool>();
  return claim;
}

RecipeRecord record_from(const Json& json) {
  RecipeRecord record;
  record.recipe = json.at("recipe");
  record.version = json.at("version");
  record.quick = json.at("quick");
  record.state = json.at("state");
  record.at = json.at("at");
  record.started = json.at("started");
  record.ended = json.at("ended");
  record.step_count = json.at("step_count");
  const Json& process = json.at("process");
  record.process = {
      .host = process.at("host"), .boot_id = process.at("boot_id"), .pid = process.at("pid"), .start_ticks = process.at("start_ticks")};
  for (const auto& [id, step] : json.at("steps").items()) {
    record.steps[id] = {.state = step.at("state"),
                        .reason = step.at("reason"),
                        .made_from = step.at("made_from"),
                        .runs = step.at("runs").get<std::vector<std::string>>(),
                        .result = step.at("result"),
                        .seconds = step.at("seconds")};
  }
  for (const Json& claim : json.at("claims")) record.claims.push_back(claim_from(claim));
  return record;
}

}  // namespace

bool RecipeRecord::going_on() const { return state == "running" && process.known() && process_exists(process).value_or(true); }

std::string_view RecipeRecord::state_now() const {
  if (going_on()) return "running";
  return state == "finished" ? "finished" : "stopped";
}

Json to_json(const std::vector<ClaimResult>& claims) {
  Json list = Json::array();
  for (const ClaimResult& claim : claims) {
    list.push_back({{"id", claim.id},
                    {"text", claim.text},
                    {"expected", claim.expected},
                    {"measured", measured_json(claim)},
                    {"held", claim.held ? Json(*claim.held) : Json(nullptr)},
                    {"note", claim.note}});
  }
  return list;
}

Json to_json(const RecipeRecord& record) {
  Json steps = Json::object();
  for (const auto& [id, step] : record.steps) {
    steps[id] = {{"state", step.state}, {"reason", step.reason},   {"made_from", step.made_from},
                 {"runs", step.runs},   {"seconds", step.seconds}, {"result", step.result}};
  }
  const ProcessIdentity& process = record.process;
  return {{"recipe", record.recipe},
          {"version", record.version},
          {"quick", record.quick},
          {"state", record.state},
          {"at", record.at},
          {"started", record.started},
          {"ended", record.ended},
          {"step_count", record.step_count},
          {"process", {{"host", process.host}, {"boot_id", process.boot_id}, {"pid", process.pid}, {"start_ticks", process.start_ticks}}},
          {"steps", steps},
          {"claims", to_json(record.claims)}};
}

std::vector<RecipeRecord> recipe_records(Database& database) {
  std::vector<RecipeRecord> records;
  for (const SavedText& saved : saved_texts(database, saved_kind)) {
    try {
      records.push_back(record_from(Json::parse(saved.content)));
      records.back().saved_id = saved.id;
    } catch (const Json::exception&) {  // of another version: begun anew when the recipe is run again
    }
  }
  return records;
}

std::optional<RecipeRecord> recipe_record(Database& database, std::string_view recipe, bool quick) {
  std::optional<RecipeRecord> found;
  for (RecipeRecord& record : recipe_records(database))
    if (record.recipe == recipe && record.quick == quick) found = std::move(record);
  return found;
}

const RecipeRecord* last_begun(const std::vector<RecipeRecord>& records, std::string_view recipe) {
  const RecipeRecord* last = nullptr;
  for (const RecipeRecord& record : records)
    if (record.recipe == recipe && (last == nullptr || record.started > last->started)) last = &record;
  return last;
}

void save(const Workspace& workspace, RecipeRecord& record) {
  const std::string content = to_json(record).dump(-1, ' ', false, Json::error_handler_t::replace);
  record.saved_id = SavedTexts(workspace).put({.id = record.saved_id,
                                               .kind = saved_kind,
                                               .name = record.recipe + (record.quick ? " quick" : ""),
                                               .content = content,
                                               .updated_at = 0});
}

std::filesystem::path recipe_folder(const Workspace& workspace, std::string_view recipe, bool quick) {
  const std::filesystem::path& database = workspace.path();
  return database.parent_path() / (database.stem().string() + ".recipes") / (std::string(recipe) + (quick ? "-quick" : ""));
}

int recipe_exit_code(const std::vector<ClaimResult>& claims) {
  const auto tested = std::count_if(claims.begin(), claims.end(), [](const ClaimResult& each) { return each.held.has_value(); });
  const bool none_false = std::none_of(claims.begin(), claims.end(), [](const ClaimResult& each) { return each.held == false; });
  return none_false && 2 * tested >= static_cast<std::ptrdiff_t>(claims.size()) ? 0 : 1;
}

}  // namespace syncline
