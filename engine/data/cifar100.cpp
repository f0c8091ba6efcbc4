// SPDX-License-Identifier: Apache-2.0
// Source "cifar100".
#include "engine/data/cifar.h"

namespace syncline {

namespace {

constexpr std::string_view label_sets[] = {"fine", "coarse"};
constexpr Parameter parameters[] = {
    {.key = "path", .symbol = "", .help = "Folder with train.bin and test.bin, or the one above it.", .kind = Parameter::path},
    {.key = "labels",
     .symbol = "",
     .help = "The 100 fine classes, or the 20 coarse ones.",
     .kind = Parameter::choice,
     .initial = "fine",
     .choices = label_sets},
};

CifarFiles files_of(const Params& options) { return find_cifar_files(options.text("path"), "cifar-100-binary", {"train.bin"}, "test.bin"); }

CifarLayout layout_of(const Params& options) {
  const bool fine = options.choice("labels") == "fine";
  return {.label_bytes = 2, .label_at = fine ? 1 : 0, .classes = fine ? 100 : 20};
}

Split open(const Params& options, std::uint64_t) {
  const CifarFiles files = files_of(options);
  const CifarLayout layout = layout_of(options);
  SetInfo info;
  info.class_names =
      cifar_names(files, layout.classes == 100 ? "fine_label_names.txt" : "coarse_label_names.txt", numbered_classes(layout.classes));
  info.mean = {0.5071f, 0.4865f, 0.4409f};
  info.stddev = {0.2673f, 0.2564f, 0.2762f};
  return open_cifar(files, layout, info);
}

DataShape shape(const Params& options) { return shape_of_cifar(files_of(options), layout_of(options)); }

}  // namespace

namespace sources {
extern const Source cifar100;
constinit const Source cifar100 = {
    {"cifar100", "CIFAR-100", "Krizhevsky 2009", "60,000 colour images of 32x32 pixels in 100 classes, binary version.", parameters},
    &open,
    &shape};
}  // namespace sources

}  // namespace syncline
