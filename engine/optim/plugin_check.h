// SPDX-License-Identifier: Apache-2.0
// Looking into a plugin, and testing that it keeps the interface's promises, always in a child process: a plugin that crashes or hangs
// takes its child with it, and the caller gets a sentence.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/optim/description.h"

namespace syncline {

// How to start a child: a program that hands the arguments after `command` to plugin_child().
struct ChildProgram {
  std::vector<std::string> command;  // "/usr/bin/syncline-engine", "plugin-child"
  double limit_s = 20;               // for each child
};

struct Examined {
  std::optional<RuleDescription> description;
  std::string problem;  // one sentence when there is none
};
Examined examine_plugin(const std::filesystem::path& file, const ChildProgram&);

struct CheckItem {
  std::string name, text;  // "determinism", "two runs give the same bits"
  bool ok = false;
  std::string reason;  // when not ok
};
struct CheckReport {
  Examined examined;
  std::vector<CheckItem> items;  // empty when the plugin could not be examined
  bool passed() const;
};
CheckReport check_plugin(const std::filesystem::path& file, const ChildProgram&);

// The child's side. arguments: {"describe", FILE} or {"check", FILE, ITEM}. Prints one line of JSON; returns the exit code.
int plugin_child(std::span<const std::string> arguments);

}  // namespace syncline
