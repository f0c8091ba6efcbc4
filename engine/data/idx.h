// SPDX-License-Identifier: Apache-2.0
// The IDX format of MNIST and its relatives: two zero bytes, a type byte (8: unsigned bytes), the number of dimensions, the dimensions
// as 32-bit big-endian numbers, the values; plain or as gzip, told apart by content.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/data/input_file.h"
#include "engine/data/source.h"

namespace syncline {

enum class IdxKind { images, labels };  // 3 dimensions (count, height, width), or 1 (count)

struct IdxHeader {
  std::int64_t count = 0, height = 1, width = 1;
  std::int64_t values() const { return count * height * width; }
};

// `start`: at least the header's 16 or 8 bytes, uncompressed. DataError for another magic number and for dimensions out of range.
IdxHeader parse_idx_header(Bytes start, IdxKind, const std::string& file);

struct IdxContent {
  IdxHeader header;
  std::vector<std::uint8_t> values;
};
// The whole file, plain or gzip. DataError where its length is not what the header says; allocates no more than twice what is there.
IdxContent parse_idx(Bytes, IdxKind, const std::string& file);

struct IdxFiles {
  std::filesystem::path train_images, train_labels, test_images, test_labels;
};
// One of the files under its usual name in a folder, plain or with ".gz". `advice` ends the sentence when it is missing.
std::filesystem::path find_idx_file(const std::filesystem::path& folder, const char* name, std::string_view advice);
IdxFiles find_idx_files(const std::filesystem::path& folder, std::string_view advice);
// The usual names, in the order of IdxFiles.
inline constexpr const char* idx_names[] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                            "t10k-labels-idx1-ubyte"};

// Opens both halves; `info` gives classes, names and, where not empty, mean and stddev: they are computed from the training images
// otherwise. DataError for labels from `info.classes` on, and for counts or sizes that do not fit each other.
Split open_idx(const IdxFiles&, SetInfo info);
DataShape shape_of_idx(const IdxFiles&, std::int64_t classes);

}  // namespace syncline
