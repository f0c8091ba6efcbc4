// SPDX-License-Identifier: Apache-2.0
// Source "fashion-mnist": 70,000 grey images of 28x28 pixels in 10 classes (Xiao, Rasul, Vollgraf 2017), as Debian packages it.
#include "engine/data/idx.h"

namespace syncline {

namespace {

constexpr Parameter parameters[] = {
    {.key = "path",
     .symbol = "",
     .help = "Folder with the four IDX files; Debian's package dataset-fashion-mnist puts them in the default.",
     .kind = Parameter::path,
     .initial = "/usr/share/datasets/fashion-mnist"},
};

IdxFiles files_of(const Params& options) {
  return find_idx_files(options.text("path"),
                        "the Debian package dataset-fashion-mnist provides it, or data.path names another folder with the four files");
}

Split open(const Params& options, std::uint64_t) {
  SetInfo info;
  info.classes = 10;
  info.class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag", "Ankle boot"};
  info.mean = {0.2860f};
  info.stddev = {0.3530f};
  return open_idx(files_of(options), info);
}

DataShape shape(const Params& options) { return shape_of_idx(files_of(options), 10); }

}  // namespace

namespace sources {
extern const Source fashion_mnist;
constinit const Source fashion_mnist = {{"fashion-mnist", "Fashion-MNIST", "Xiao, Rasul, Vollgraf 2017",
                                         "70,000 grey images of clothes, 28x28 pixels, 10 classes.", parameters},
                                        &open,
                                        &shape};
}  // namespace sources

}  // namespace syncline
