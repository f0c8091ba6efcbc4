// SPDX-License-Identifier: Apache-2.0
// Source "images": a folder of JPEG and PNG files by class, either PATH/train/CLASS/FILE and PATH/test/CLASS/FILE, or PATH/CLASS/FILE
// with a share kept for testing. Files are decoded when a sample is read; names and labels are indexed at the start.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "engine/base/random.h"
#include "engine/data/image_file.h"
#include "engine/data/source.h"

namespace syncline {

namespace fs = std::filesystem;

namespace {

constexpr Parameter parameters[] = {
    {.key = "path", .symbol = "", .help = "Folder with train/CLASS/ and test/CLASS/, or with CLASS/ alone.", .kind = Parameter::path},
    {.key = "height",
     .symbol = "",
     .help = "Height of the samples in pixels; without it, that of the first training image.",
     .kind = Parameter::integer,
     .least = 1,
     .most = 16384,
     .optional = true},
    {.key = "width",
     .symbol = "",
     .help = "Width of the samples in pixels; without it, that of the first training image.",
     .kind = Parameter::integer,
     .least = 1,
     .most = 16384,
     .optional = true},
    {.key = "channels",
     .symbol = "",
     .help = "1 reads every image as grey, 3 as red, green and blue.",
     .kind = Parameter::integer,
     .initial = std::int64_t{3},
     .least = 1,
     .most = 3},
    {.key = "resize",
     .symbol = "",
     .help = "Scale images of another size to cover the wanted one and cut them at the middle; otherwise they are an error.",
     .kind = Parameter::flag,
     .initial = false},
    {.key = "test_share",
     .symbol = "",
     .help = "Share of every class kept for testing where there are no train and test folders; the same for every seed.",
     .kind = Parameter::real,
     .initial = 0.1,
     .least = 0.001,
     .most = 0.9},
};

struct Index {
  std::vector<std::string> files;  // below the root, to keep a long list short
  std::vector<std::int32_t> labels;
  fs::path root;
};

struct Indexes {
  Index train, test;
  std::vector<std::string> classes;
};

// Names in byte order: the order of a directory differs between file systems.
std::vector<std::string> sorted_names(const fs::path& folder, bool folders) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
    const std::string name = i->path().filename().string();
    if (!name.empty() && name[0] != '.' && (folders ? is_folder(i->path()) : is_file(i->path()))) names.push_back(name);
  }
  if (error)
    bad_file(folder.string(), fmt::format("cannot be listed ({})", error.message()),
             "a folder with one folder of images per class is needed");
  std::sort(names.begin(), names.end());
  return names;
}

bool is_image_name(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".jpg" || ending == ".jpeg" || ending == ".png";
}

std::vector<std::string> images_of(const fs::path& folder) {
  std::vector<std::string> names = sorted_names(folder, false);
  std::erase_if(names, [](const std::string& name) { return !is_image_name(name); });
  if (names.empty()) bad_file(folder.string(), "no image", "each class folder needs at least one file ending in .jpg, .jpeg or .png");
  return names;
}

Index index_of(const fs::path& root, const std::vector<std::string>& classes) {
  Index index;
  index.root = root;
  for (const std::string& name : sorted_names(root, true)) {
    const auto found = std::lower_bound(classes.begin(), classes.end(), name);
    if (found == classes.end() || *found != name) {
      bad_file((root / name).string(), "a class that the training images do not have", "test classes must be among the training classes");
    }
    for (const std::string& file : images_of(root / name)) {
      index.files.push_back(name + "/" + file);
      index.labels.push_back(static_cast<std::int32_t>(found - classes.begin()));
    }
  }
  if (index.files.empty()) bad_file(root.string(), "no class folder", "one folder of images per class is needed");
  return index;
}

// Draws the test images of every class by a stream that does not depend on the run's seed: runs that differ only in the seed must be
// judged by the same images.
void split_by_share(const Index& all, double share, Indexes& into) {
  into.train.root = into.test.root = all.root;
  for (std::size_t begin = 0, end = 0; begin < all.files.size(); begin = end) {
    while (end < all.files.size() && all.labels[end] == all.labels[begin]) ++end;
    const auto count = static_cast<std::uint32_t>(end - begin);
    const auto kept = static_cast<std::uint32_t>(std::lround(share * count));
    RandomStream random(0, "test share", static_cast<std::uint64_t>(all.labels[begin]));
    std::uint32_t left = kept;
    for (std::uint32_t i = 0; i < count; ++i) {  // selection sampling: keeps the order of names
      const bool test = random.below(count - i) < left;
      if (test) --left;
      Index& half = test ? into.test : into.train;
      half.files.push_back(all.files[begin + i]);
      half.labels.push_back(all.labels[begin + i]);
    }
  }
  if (into.test.files.empty() || into.train.files.empty()) {
    bad_file(all.root.string(),
             fmt::format("{} images, of which test_share = {} leaves {} to train and {} to test", all.files.size(), share,
                         into.train.files.size(), into.test.files.size()),
             "both need at least one");
  }
}

Indexes find_images(const Params& options) {
  const fs::path root = options.text("path");
  if (!is_folder(root)) bad_file(root.string(), "there is no such folder", "data.path names a folder of images by class");
  const bool halves = is_folder(root / "train");
  if (halves && !is_folder(root / "test"))
    bad_file(root.string(), "a folder train without a folder test", "both, or class folders alone, are needed");
  Indexes indexes;
  indexes.classes = sorted_names(halves ? root / "train" : root, true);
  if (halves) {
    indexes.train = index_of(root / "train", indexes.classes);
    indexes.test = index_of(root / "test", indexes.classes);
  } else {
    split_by_share(index_of(root, indexes.classes), options.real("test_share"), indexes);
  }
  return indexes;
}

Shape shape_from(const Params& options, const Indexes& indexes) {
  if (options.integer("channels") == 2) throw ConfigError("data.channels: 2 is not possible; 1 reads images as grey, 3 in colour");
  ImageHeader size;
  if (!options.has("height") || !options.has("width")) {
    const fs::path first = indexes.train.root / indexes.train.files[0];
    size = image_header(read_file(first), first.string());
  }
  if (options.has("height")) size.height = options.integer("height");
  if (options.has("width")) size.width = options.integer("width");
  return {size.height, size.width, options.integer("channels")};
}

class FolderSet final : public ImageSet {
 public:
  FolderSet(const SetInfo& info, Index index, bool resize)
      : ImageSet(info, std::move(index.labels)), files_(std::move(index.files)), root_(std::move(index.root)), resize_(resize) {}
  void read(std::int64_t id, std::span<std::uint8_t> out) const override {
    const fs::path path = root_ / files_[static_cast<std::size_t>(id)];
    decode_image(read_file(path), shape(), resize_, out, path.string());
  }

 private:
  std::vector<std::string> files_;
  fs::path root_;
  bool resize_;
};

Split open(const Params& options, std::uint64_t) {
  Indexes indexes = find_images(options);
  SetInfo info;
  info.shape = shape_from(options, indexes);
  info.classes = static_cast<std::int64_t>(indexes.classes.size());
  info.class_names = indexes.classes;
  // ImageNet's constants, as is usual for photographs; grey images have no such convention.
  info.mean = info.shape[2] == 3 ? std::vector<float>{0.485f, 0.456f, 0.406f} : std::vector<float>{0.5f};
  info.stddev = info.shape[2] == 3 ? std::vector<float>{0.229f, 0.224f, 0.225f} : std::vector<float>{0.25f};
  const bool resize = options.flag("resize");
  return {std::make_shared<FolderSet>(info, std::move(indexes.train), resize),
          std::make_shared<FolderSet>(info, std::move(indexes.test), resize)};
}

DataShape shape(const Params& options) {
  const Indexes indexes = find_images(options);
  return {shape_from(options, indexes), static_cast<std::int64_t>(indexes.classes.size()),
          static_cast<std::int64_t>(indexes.train.files.size()), static_cast<std::int64_t>(indexes.test.files.size())};
}

}  // namespace

namespace sources {
extern const Source images;
constinit const Source images = {
    {"images", "Folder of images", "", "JPEG and PNG files in one folder per class.", parameters}, &open, &shape};
}  // namespace sources

}  // namespace syncline
