// SPDX-License-Identifier: Apache-2.0
// Source "cifar10".
#include "engine/data/cifar.h"

namespace syncline {

namespace {

constexpr Parameter parameters[] = {
    {.key = "path",
     .symbol = "",
     .help = "Folder with data_batch_1.bin to data_batch_5.bin and test_batch.bin, or the one above it.",
     .kind = Parameter::path},
};
constexpr CifarLayout layout = {.label_bytes = 1, .label_at = 0, .classes = 10};

CifarFiles files_of(const Params& options) {
  return find_cifar_files(options.text("path"), "cifar-10-batches-bin",
                          {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"},
                          "test_batch.bin");
}

Split open(const Params& options, std::uint64_t) {
  const CifarFiles files = files_of(options);
  SetInfo info;
  info.class_names =
      cifar_names(files, "batches.meta.txt", {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"});
  info.mean = {0.4914f, 0.4822f, 0.4465f};
  info.stddev = {0.2470f, 0.2435f, 0.2616f};
  return open_cifar(files, layout, info);
}

DataShape shape(const Params& options) { return shape_of_cifar(files_of(options), layout); }

}  // namespace

namespace sources {
extern const Source cifar10;
constinit const Source cifar10 = {
    {"cifar10", "CIFAR-10", "Krizhevsky 2009", "60,000 colour images of 32x32 pixels in 10 classes, binary version.", parameters},
    &open,
    &shape};
}  // namespace sources

}  // namespace syncline
