// SPDX-License-Identifier: Apache-2.0
// The binary version of CIFAR-10 and CIFAR-100 (Krizhevsky 2009): records of one label byte, or a coarse and a fine one, and 3 planes
// (red, green, blue) of 32x32 bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/data/input_file.h"
#include "engine/data/source.h"

namespace syncline {

struct CifarLayout {
  std::int64_t label_bytes = 1, label_at = 0;  // label bytes a record, and which of them counts
  std::int64_t classes = 10;
  std::int64_t record() const { return label_bytes + 3072; }
};

struct CifarContent {
  std::vector<std::uint8_t> pixels;  // channels last
  std::vector<std::int32_t> labels;
};

// Appends the records of one file. DataError where the length is no multiple of a record, the file is empty, or a label is too large.
void parse_cifar(Bytes, const CifarLayout&, const std::string& file, CifarContent& into);

struct CifarFiles {
  std::vector<std::filesystem::path> train;  // all of the same number of records
  std::filesystem::path test;
};
// `subfolder`: where the published archive unpacks to; looked into when `folder` itself does not have the files.
CifarFiles find_cifar_files(std::filesystem::path folder, const char* subfolder, const std::vector<std::string>& train, const char* test);
Split open_cifar(const CifarFiles&, const CifarLayout&, SetInfo info);
DataShape shape_of_cifar(const CifarFiles&, const CifarLayout&);
// The names in a file beside the data, or the fallback where there is none or it has another number of lines.
std::vector<std::string> cifar_names(const CifarFiles&, const char* file, std::vector<std::string> fallback);

}  // namespace syncline
