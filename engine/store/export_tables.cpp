// SPDX-License-Identifier: Apache-2.0
// CSV and JSON exports, and the choice of a format.
#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/store/export.h"
#include "engine/store/export_file.h"
#include "engine/store/summary.h"

namespace syncline {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return fmt::format("{}", value);  // the shortest text that reads back as the same number
}

// RFC 4180.
std::string quoted(const std::string& text) {
  if (text.find_first_of("\",\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"') result += '"';
    result += character;
  }
  return result + '"';
}

std::string csv_line(const std::string& series, int rank, const std::string& unit, const Axes& axes, const std::string& value) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(series), rank < 0 ? "" : std::to_string(rank), quoted(unit),
                     axes.step, axes.samples, text_of(axes.epoch), axes.gradients, axes.rounds, axes.bytes, text_of(axes.active_s),
                     text_of(axes.elapsed_s), fmt::format("{:.6f}", axes.wall_s), value);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(text_of(value)); }

Json axes_columns() {
  Json names = Json::array();
  for (int axis = 0; axis < x_axis_count; ++axis) names.push_back(name_of(static_cast<XAxis>(axis)));
  return names;
}

Json axes_values(const Axes& axes) {
  return Json::array(
      {axes.step, axes.samples, number(axes.epoch), axes.gradients, axes.rounds, axes.bytes, axes.active_s, axes.elapsed_s, axes.wall_s});
}

// Points as arrays in the order of `columns`: a tenth of the size of an object each.
Json series_json(Reader& reader, const RunInfo& run) {
  Json list = Json::array();
  for (const SeriesInfo& info : reader.series(run.id)) {
    Json one = {{"name", info.name}, {"unit", info.unit}, {"rank", info.rank < 0 ? Json(nullptr) : Json(info.rank)}};
    Json columns = axes_columns();
    columns.push_back("value");
    one["columns"] = std::move(columns);
    Json points = Json::array();
    reader.each_point(info.key, [&](const Point& point) {
      Json row = axes_values(point.axes);
      row.push_back(number(point.value));
      points.push_back(std::move(row));
    });
    one["points"] = std::move(points);
    list.push_back(std::move(one));
  }
  return list;
}

Json steps_json(Reader& reader, const RunInfo& run) {
  Json list = Json::array();
  for (const int rank : reader.ranks(run.id)) {
    Json columns = axes_columns();
    columns.push_back("flags");
    for (const StepField& field : step_fields) columns.push_back(field.name);
    for (const StepCount& count : step_counts) columns.push_back(count.name);
    Json rows = Json::array();
    for (const StepSums& sums : reader.steps(run.id, rank)) {
      Json row = axes_values(sums.axes);
      row.push_back(sums.flags);
      for (const StepField& field : step_fields) row.push_back(number(sums.*field.member));
      for (const StepCount& count : step_counts) row.push_back(sums.*count.member);
      rows.push_back(std::move(row));
    }
    list.push_back({{"rank", rank}, {"columns", std::move(columns)}, {"steps", std::move(rows)}});
  }
  return list;
}

}  // namespace

void export_csv(Reader& reader, const RunInfo& run, const std::filesystem::path& output) {
  ExportFile file(output);
  file.write("series,rank,unit,step,samples,epoch,gradients,rounds,bytes,active_s,elapsed_s,wall_s,value\n");
  for (const SeriesInfo& info : reader.series(run.id)) {
    reader.each_point(info.key,
                      [&](const Point& point) { file.write(csv_line(info.name, info.rank, info.unit, point.axes, text_of(point.value))); });
  }
  for (const int rank : reader.ranks(run.id)) {
    for (const StepSums& sums : reader.steps(run.id, rank)) {
      for (const StepField& field : step_fields) {
        file.write(csv_line(std::string(field.name), rank, std::string(field.unit), sums.axes, text_of(sums.*field.member)));
      }
      for (const StepCount& count : step_counts) {
        file.write(csv_line(std::string(count.name), rank, std::string(count.unit), sums.axes, std::to_string(sums.*count.member)));
      }
    }
  }
  file.finish();
}

void export_json(Reader& reader, const RunInfo& run, const std::filesystem::path& output) {
  Json json = show_json(reader, run);
  json["series"] = series_json(reader, run);
  json["step_sums"] = steps_json(reader, run);
  Json events = Json::array();
  for (const EventRecord& event : reader.events(run.id)) {
    events.push_back({{"wall_s", event.wall_s},
                      {"active_s", event.active_s},
                      {"step", event.step},
                      {"rank", event.rank},
                      {"kind", event.kind},
                      {"text", event.text}});
  }
  json["events"] = std::move(events);
  Json checkpoints = Json::array();
  for (const CheckpointRecord& record : reader.checkpoints(run.id)) {
    checkpoints.push_back(
        {{"step", record.step}, {"wall_s", record.wall_s}, {"path", record.path}, {"bytes", record.bytes}, {"verified", record.verified}});
  }
  json["checkpoints"] = std::move(checkpoints);
  ExportFile file(output);
  file.write(json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
  file.finish();
}

void export_run(Reader& reader, const RunInfo& run, std::string_view format, const std::filesystem::path& output) {
  if (format == "csv") return export_csv(reader, run, output);
  if (format == "json") return export_json(reader, run, output);
  if (format == "trace") return export_trace(reader, run, output);
  if (format == "tensorboard") return export_tensorboard(reader, run, output);
  throw ConfigError(fmt::format("--format {}: there is no such format; csv, json, trace, tensorboard or profile", format));
}

}  // namespace syncline
