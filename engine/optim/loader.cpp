// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/optim/running.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_key = "train.optimizer.name";

std::vector<fs::path> split(const char* list) {
  std::vector<fs::path> folders;
  if (list == nullptr) return folders;
  std::string_view rest = list;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0 && rest[0] == '/')
      folders.emplace_back(rest.substr(0, end));  // a relative one would depend on where the program is started
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return folders;
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != 0 ? value : nullptr;
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

fs::path file_in(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const fs::path& parent : {folder, folder / name}) {
    for (const std::string& file : {name + ".so", "lib" + name + ".so"}) {
      if (fs::is_regular_file(parent / file, ignored)) return fs::absolute(parent / file);
    }
  }
  return {};
}

[[noreturn]] void refuse(const std::string& message) { throw ConfigError(message, {.file = {}, .key = std::string(name_key)}); }

std::shared_ptr<const Rule> open_file(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) refuse(fmt::format("{}: there is no such file.", file.string()));
  if (!fs::is_regular_file(file, ignored)) refuse(fmt::format("{}: this is not a file; a plugin is a shared object.", file.string()));
  const std::string hash = file_hash(file);
  const std::string label = fmt::format("optimizer plugin {}", file.string());
  const Running marker(label.c_str());  // initialisers of the file run in dlopen
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    std::string text = reason != nullptr ? reason : "no reason given";
    if (text.starts_with(file.string() + ": ")) text.erase(0, file.string().size() + 2);
    refuse(fmt::format("{}: it cannot be loaded: {}.", file.string(), text));
  }
  // Never closed again: its code may be on a stack, and its thread-locals and destructors outlive any moment we could choose.
  void* symbol = dlsym(handle, SYNCLINE_OPTIMIZER_SYMBOL);
  if (symbol == nullptr) {
    refuse(fmt::format("{}: it exports no function " SYNCLINE_OPTIMIZER_SYMBOL
                       "; an optimizer plugin needs it (plugins/sdk/syncline_optimizer.h).",
                       file.string()));
  }
  const auto entry_point = reinterpret_cast<const syncline_optimizer_table* (*)()>(symbol);
  const syncline_optimizer_table* table = nullptr;
  try {
    table = entry_point();
  } catch (...) {
    refuse(fmt::format("{}: its function " SYNCLINE_OPTIMIZER_SYMBOL " let an exception escape.", file.string()));
  }
  if (const std::string problem = problem_with(table); !problem.empty()) refuse(fmt::format("{}: {}.", file.string(), problem));
  return std::make_shared<const Rule>(*table, file.string(), hash);
}

}  // namespace

std::vector<fs::path> plugin_folders() {
  std::vector<fs::path> folders = split(environment("SYNCLINE_PLUGINS"));
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path above = program.parent_path().parent_path();
    folders.push_back(above / "plugins");                       // the build folder: app/syncline-engine beside plugins/
    folders.push_back(above / "lib" / "syncline" / "plugins");  // installed: bin/syncline-engine
  }
  if (const char* data = environment("XDG_DATA_HOME"); data != nullptr && data[0] == '/')
    folders.push_back(fs::path(data) / "syncline" / "plugins");
  else if (const char* home = environment("HOME"))
    folders.push_back(fs::path(home) / ".local" / "share" / "syncline" / "plugins");
  return folders;
}

std::vector<FoundPlugin> find_plugins(std::span<const fs::path> folders) {
  std::map<std::string, fs::path> found;
  for (const fs::path& folder : folders) {
    std::error_code error;
    std::map<std::string, fs::path> here;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      std::string name = it->path().filename().string();
      std::error_code ignored;
      if (!it->is_directory(ignored)) {
        if (!name.ends_with(".so")) continue;
        name.erase(name.size() - 3);
        if (name.starts_with("lib")) name.erase(0, 3);
      }
      if (!is_plain_name(name)) continue;
      if (const fs::path file = file_in(folder, name); !file.empty()) here.emplace(name, file);
    }
    found.merge(here);
  }
  std::vector<FoundPlugin> list;
  for (const auto& [name, file] : found) list.push_back({name, file});
  return list;
}

std::shared_ptr<const Rule> open_plugin(const fs::path& file) { return open_file(fs::absolute(file).lexically_normal()); }

fs::path plugin_file(std::string_view name) {
  if (!is_plain_name(name)) {
    refuse(
        fmt::format("\"plugin:{}\" is not a plugin's name; it has lower case letters, digits, dashes and underscores, and no path.", name));
  }
  std::vector<std::string> looked;
  for (const fs::path& folder : plugin_folders()) {
    if (fs::path file = file_in(folder, std::string(name)); !file.empty()) return file;
    looked.push_back(folder.string());
  }
  refuse(fmt::format("there is no plugin \"{0}\": no {0}.so, lib{0}.so or folder {0} in {1}.", name, fmt::join(looked, ", ")));
}

std::shared_ptr<const Rule> load_plugin(std::string_view name) {
  const fs::path file = plugin_file(name);
  std::shared_ptr<const Rule> rule = open_file(file);
  if (rule->table().name != name) {
    refuse(
        fmt::format("{}: this is the plugin \"{}\", not \"{}\"; name the file after the plugin.", file.string(), rule->table().name, name));
  }
  return rule;
}

std::string file_hash(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(fmt::format("{}: it cannot be read.", file.string()));
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::array<char, 65536> buffer;
  while (in) {
    in.read(buffer.data(), buffer.size());
    XXH3_128bits_update(&state, buffer.data(), static_cast<std::size_t>(in.gcount()));
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(&state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace syncline
