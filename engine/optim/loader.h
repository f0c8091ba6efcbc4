// SPDX-License-Identifier: Apache-2.0
// Finding and opening optimizer plugins. A plugin runs with the user's rights, so it is looked for in known folders only, never in the
// working directory, and it is never loaded by the desktop: the engine describes it in a child process (plugin_check.h).
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/optim/rule.h"

namespace syncline {

// The folders of $SYNCLINE_PLUGINS (separated by ":"), the one beside this program, and the user's (XDG data home), in this order.
std::vector<std::filesystem::path> plugin_folders();

struct FoundPlugin {
  std::string name;            // what follows "plugin:"
  std::filesystem::path file;  // absolute
};
// NAME.so, libNAME.so or a folder NAME with one of these, in each folder; of several with one name the first counts. Sorted by name.
std::vector<FoundPlugin> find_plugins(std::span<const std::filesystem::path> folders);

// Opens, checks and keeps the file open until the process ends. Throws ConfigError with one sentence: file, what was found, what is needed.
std::shared_ptr<const Rule> open_plugin(const std::filesystem::path& file);
// The file of the plugin of this name, in plugin_folders(). ConfigError when there is none, naming the folders, or when this is no name.
std::filesystem::path plugin_file(std::string_view name);
// plugin_file(), opened.
std::shared_ptr<const Rule> load_plugin(std::string_view name);

// A built-in by its name, or "plugin:NAME".
std::shared_ptr<const Rule> find_rule(std::string_view name);

// XXH3-128 of a file's content in hex, for the run's record. Throws ConfigError when it cannot be read.
std::string file_hash(const std::filesystem::path&);

}  // namespace syncline
