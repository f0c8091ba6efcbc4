// SPDX-License-Identifier: Apache-2.0
#include "engine/store/export_file.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "engine/base/error.h"

namespace syncline {

ExportFile::ExportFile(std::filesystem::path output) : output_(std::move(output)) {
  temporary_ = output_.string() + fmt::format(".{}.partial", getpid());
  file_ = std::fopen(temporary_.c_str(), "wbe");
  if (file_ == nullptr) fail(errno);
}

ExportFile::~ExportFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) {
    std::error_code ignored;
    std::filesystem::remove(temporary_, ignored);
  }
}

void ExportFile::fail(int error) const {
  throw ConfigError(fmt::format("{}: the export cannot be written there ({})", output_.string(), std::generic_category().message(error)));
}

void ExportFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail(errno);
}

void ExportFile::write(std::span<const std::byte> data) { write({reinterpret_cast<const char*>(data.data()), data.size()}); }

void ExportFile::finish() {
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(errno);
  std::error_code failed;
  std::filesystem::rename(temporary_, output_, failed);
  if (failed) fail(failed.value());
  temporary_.clear();
}

}  // namespace syncline
