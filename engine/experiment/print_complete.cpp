// SPDX-License-Identifier: Apache-2.0
// The complete experiment: every key that applies with its value, in the order of the tables. Valid input that prints itself again.
#include <fmt/format.h>

#include "engine/experiment/experiment_reader.h"

namespace syncline {
namespace {

class Printer {
 public:
  explicit Printer(const Reading& reading) : reading_(reading) {}

  std::string print() {
    lines(reading_.tables.at(""));
    for (const char* name : {"model", "data", "train", "cluster"}) table(name);
    table("cluster.link");
    for (const TableRecord& node : reading_.nodes) repeated("cluster.nodes", node);
    for (const TableRecord& link : reading_.links) repeated("cluster.links", link);
    table("strategy");
    for (const char* name :
         {"strategy.plan_options", "strategy.allreduce_options", "strategy.orchestration_options", "strategy.codec_options"}) {
      if (!members(reading_.tables.at(name)).empty()) table(name);
    }
    table("fault");
    table("checkpoint");
    return std::move(text_);
  }

 private:
  using Members = std::vector<std::pair<std::string, std::string>>;

  // Keys with a printed value, nested tables left out.
  static Members members(const TableRecord& record) {
    Members result;
    std::set<std::string, std::less<>> known;
    for (const Parameter* parameter : record.parameters) {
      known.insert(std::string(parameter->key));
      if (parameter->kind == Parameter::table || !record.has(parameter->key) || record.hidden.contains(parameter->key)) continue;
      const Value& value = record.params.all().find(parameter->key)->second;
      result.emplace_back(document::print_key(parameter->key), print_value(value, parameter->kind));
    }
    for (const auto& [key, value] : record.params.all()) {  // keys of a plugin, whose kinds are what their values are
      if (!known.contains(key)) result.emplace_back(document::print_key(key), print_value(value, Parameter::real));
    }
    return result;
  }

  static std::string inline_table(const TableRecord& record) {
    std::string result;
    for (const auto& [key, value] : members(record)) result += (result.empty() ? " " : ", ") + key + " = " + value;
    return "{" + result + " }";
  }

  void line(std::string_view key, std::string_view value) { text_ += fmt::format("{} = {}\n", key, value); }

  void lines(const TableRecord& record) {
    for (const auto& [key, value] : members(record))
      line(key, record.path == "train" && key == "batch_per_worker" ? batches(value) : value);
  }

  // One number for all is printed as such.
  static std::string batches(const std::string& list) {
    return list.find(',') == std::string::npos ? list.substr(1, list.size() - 2) : list;
  }

  void table(const std::string& path) {
    text_ += fmt::format("\n[{}]\n", path);
    lines(reading_.tables.at(path));
    if (path == "model" && !reading_.layers.empty()) {
      text_ += "layers = [\n";
      for (const TableRecord& layer : reading_.layers) text_ += "  " + layer_table(layer) + ",\n";
      text_ += "]\n";
    }
    if (path == "cluster") {
      if (const auto profile = reading_.tables.find("cluster.profile"); profile != reading_.tables.end())
        line("profile", inline_table(profile->second));
      if (!reading_.tables.at(path).hidden.contains("jitter")) line("jitter", inline_table(reading_.tables.at("cluster.jitter")));
    }
    if (path == "train") {
      line("optimizer", inline_table(reading_.tables.at("train.optimizer")));
      line("schedule", inline_table(reading_.tables.at("train.schedule")));
    }
  }

  // Empty inputs mean the layer before; that they are not named is easier to read than an empty list.
  static std::string layer_table(TableRecord layer) {
    if (layer.params.list("inputs").empty()) layer.hidden.insert("inputs");
    return inline_table(layer);
  }

  void repeated(std::string_view path, const TableRecord& record) {
    text_ += fmt::format("\n[[{}]]\n", path);
    lines(record);
  }

  const Reading& reading_;
  std::string text_;
};

}  // namespace

std::string print_complete(const Reading& reading) { return Printer(reading).print(); }

}  // namespace syncline
