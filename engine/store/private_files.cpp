// SPDX-License-Identifier: Apache-2.0
#include "engine/store/private_files.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "engine/base/error.h"

namespace syncline {

void make_private_folders(const std::filesystem::path& folder) {
  if (folder.empty() || std::filesystem::is_directory(folder)) return;
  make_private_folders(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw WorkspaceError(fmt::format("{}: the folder cannot be made ({}); choose another place with --workspace", folder.string(),
                                     std::generic_category().message(errno)));
  }
}

void write_private_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw WorkspaceError(fmt::format("{}: the file cannot be written; check the space and the permissions", path.string()));
  chmod(path.c_str(), 0600);
}

}  // namespace syncline
