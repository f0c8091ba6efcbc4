// SPDX-License-Identifier: Apache-2.0
// A file that appears complete or not at all.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace syncline {

class ExportFile {
 public:
  explicit ExportFile(std::filesystem::path output);  // WorkspaceError naming the path when it cannot be written; likewise below
  ~ExportFile();                                      // without finish(): nothing is left
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;
  void write(std::string_view);
  void write(std::span<const std::byte>);
  void finish();

 private:
  [[noreturn]] void fail(int error) const;
  std::filesystem::path output_, temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace syncline
