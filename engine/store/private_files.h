// SPDX-License-Identifier: Apache-2.0
// Files and folders beside a workspace, which are the user's alone.
#pragma once

#include <filesystem>
#include <string_view>

namespace syncline {

// Every missing folder on the way gets mode 0700; those that exist keep theirs. WorkspaceError where one cannot be made.
void make_private_folders(const std::filesystem::path&);
// The whole file anew, with mode 0600. WorkspaceError where it cannot be written.
void write_private_file(const std::filesystem::path&, std::string_view text);

}  // namespace syncline
