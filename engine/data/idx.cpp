// SPDX-License-Identifier: Apache-2.0
// Source "idx": any set in the format of MNIST.
#include "engine/data/idx.h"

#include <fmt/format.h>

namespace syncline {

namespace {

constexpr Parameter parameters[] = {
    {.key = "path",
     .symbol = "",
     .help = "Folder with the four files train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-idx3-ubyte and "
             "t10k-labels-idx1-ubyte, plain or with .gz.",
     .kind = Parameter::path,
     .optional = true},
    {.key = "classes",
     .symbol = "",
     .help = "Number of classes; labels run from 0 to classes - 1.",
     .kind = Parameter::integer,
     .initial = std::int64_t{10},
     .least = 1,
     .most = 256},
    {.key = "train_images",
     .symbol = "",
     .help = "File of training images, instead of the usual name in path.",
     .kind = Parameter::path,
     .optional = true,
     .advanced = true},
    {.key = "train_labels",
     .symbol = "",
     .help = "File of training labels, instead of the usual name in path.",
     .kind = Parameter::path,
     .optional = true,
     .advanced = true},
    {.key = "test_images",
     .symbol = "",
     .help = "File of test images, instead of the usual name in path.",
     .kind = Parameter::path,
     .optional = true,
     .advanced = true},
    {.key = "test_labels",
     .symbol = "",
     .help = "File of test labels, instead of the usual name in path.",
     .kind = Parameter::path,
     .optional = true,
     .advanced = true},
};

constexpr const char* file_keys[] = {"train_images", "train_labels", "test_images", "test_labels"};

IdxFiles files_of(const Params& options) {
  const auto find = [&](int i) -> std::filesystem::path {
    const char* key = file_keys[i];
    if (options.has(key)) return options.text(key);
    if (!options.has("path")) {
      throw ConfigError(fmt::format("data.path: source \"idx\" has neither path nor {}; path names a folder with the four files", key));
    }
    return find_idx_file(options.text("path"), idx_names[i], "source \"idx\" needs the four files of MNIST's layout there");
  };
  return {find(0), find(1), find(2), find(3)};
}

Split open(const Params& options, std::uint64_t) {
  SetInfo info;
  info.classes = options.integer("classes");
  info.class_names = numbered_classes(info.classes);
  return open_idx(files_of(options), info);
}

DataShape shape(const Params& options) { return shape_of_idx(files_of(options), options.integer("classes")); }

}  // namespace

namespace sources {
extern const Source idx;
constinit const Source idx = {
    {"idx", "IDX files", "", "Grey images and labels in the four files of MNIST's format, plain or gzip.", parameters}, &open, &shape};
}  // namespace sources

}  // namespace syncline
