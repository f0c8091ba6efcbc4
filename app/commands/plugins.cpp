// SPDX-License-Identifier: Apache-2.0
// plugins: the optimizers there are, and the conformance test of a plugin. plugin-child: the other side of both, in a process of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "engine/optim/loader.h"
#include "engine/optim/optimizer.h"
#include "engine/optim/plugin_check.h"

namespace syncline::app {
namespace {

using nlohmann::json;

json description_json(const std::optional<RuleDescription>& description) {
  return description ? json::parse(to_json(*description)) : json(nullptr);
}
json problem_json(const Examined& examined) { return examined.description ? json(nullptr) : json(examined.problem); }

std::string default_text(const OptionDescription& option) {
  return std::visit(
      [](const auto& value) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return "none";
        else
          return fmt::format("{}", value);
      },
      option.initial);
}

void print_description(const RuleDescription& d) {
  std::fputs(fmt::format("  {:<20} {}{}{}\n", d.name, d.title, d.summary.empty() ? "" : ": ", d.summary).c_str(), stdout);
  for (const OptionDescription& option : d.options) {
    std::fputs(fmt::format("    {:<18} {} Default {}.\n", option.key, option.help, default_text(option)).c_str(), stdout);
  }
  if (!d.file.empty()) std::fputs(fmt::format("    file               {}\n", d.file).c_str(), stdout);
}

int list_all(const Global& global, const ChildProgram& child) {
  std::vector<RuleDescription> built_in;
  for (const Entry& entry : optimizer_entries()) built_in.push_back(describe(*find_rule(entry.name)));
  const std::vector<std::filesystem::path> folders = plugin_folders();
  const std::vector<FoundPlugin> found = find_plugins(folders);
  std::vector<Examined> examined;
  for (const FoundPlugin& plugin : found) examined.push_back(examine_plugin(plugin.file, child));

  if (global.json) {
    json document = {{"optimizers", json::array()}, {"plugins", json::array()}, {"folders", json::array()}};
    for (const RuleDescription& d : built_in) document["optimizers"].push_back(json::parse(to_json(d)));
    for (std::size_t i = 0; i < found.size(); ++i) {
      document["plugins"].push_back({{"name", found[i].name},
                                     {"file", found[i].file.string()},
                                     {"problem", problem_json(examined[i])},
                                     {"description", description_json(examined[i].description)}});
    }
    for (const auto& folder : folders) document["folders"].push_back(folder.string());
    print_json(document);
    return 0;
  }
  std::puts("Built-in optimizers");
  for (const RuleDescription& d : built_in) print_description(d);
  std::puts(found.empty() ? "No plugins found. Searched:" : "Plugins");
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (examined[i].description)
      print_description(*examined[i].description);
    else
      std::fputs(fmt::format("  {:<20} refused: {}\n", found[i].name, examined[i].problem).c_str(), stdout);
  }
  if (found.empty()) {
    for (const auto& folder : folders) std::fputs(fmt::format("  {}\n", folder.string()).c_str(), stdout);
  }
  return 0;
}

int check(const std::string& file, const Global& global, const ChildProgram& child) {
  if (!std::filesystem::exists(file)) throw ConfigError(fmt::format("{}: there is no such file.", file));
  const CheckReport report = check_plugin(file, child);
  const int code = static_cast<int>(report.passed() ? ExitCode::done : ExitCode::not_held);
  if (global.json) {
    json items = json::array();
    for (const CheckItem& item : report.items) {
      items.push_back({{"name", item.name}, {"text", item.text}, {"ok", item.ok}, {"reason", item.ok ? json(nullptr) : json(item.reason)}});
    }
    print_json({{"file", std::filesystem::absolute(file).lexically_normal().string()},
                {"passed", report.passed()},
                {"problem", problem_json(report.examined)},
                {"description", description_json(report.examined.description)},
                {"items", items}});
    return code;
  }
  if (!report.examined.description) {
    std::fputs(fmt::format("{}\n", report.examined.problem).c_str(), stdout);
    return code;
  }
  const RuleDescription& d = *report.examined.description;
  std::fputs(fmt::format("{}{}{}, plugin interface {}\n", d.title, d.version.empty() ? "" : " ", d.version, d.abi).c_str(), stdout);
  for (const CheckItem& item : report.items) {
    std::fputs(fmt::format("  {:<6} {:<12} {}\n", item.ok ? "ok" : "failed", item.name, item.ok ? item.text : item.reason).c_str(), stdout);
  }
  std::puts(report.passed() ? "The plugin keeps the interface's promises." : "The plugin does not keep the interface's promises.");
  return code;
}

}  // namespace

Action define_plugins(CLI::App& sub, const Global& global) {
  const auto file = std::make_shared<std::string>();
  sub.add_option("--check", *file, "test an optimizer plugin in a process of its own")->type_name("FILE");
  return [file, &global] {
    const ChildProgram child{.command = {global.program, "plugin-child"}};
    return file->empty() ? list_all(global, child) : check(*file, global, child);
  };
}

Action define_plugin_child(CLI::App& sub, const Global&) {
  const auto arguments = std::make_shared<std::vector<std::string>>();
  sub.add_option("arguments", *arguments, "what to do, and with which file")->required();
  return [arguments] { return plugin_child(*arguments); };
}

}  // namespace syncline::app
