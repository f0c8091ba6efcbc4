// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/data/idx.h"

namespace syncline {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t most_count = 0x7fffffff, most_side = 16384;
constexpr std::size_t header_bytes(IdxKind kind) { return kind == IdxKind::images ? 16 : 8; }
constexpr std::string_view what(IdxKind kind) { return kind == IdxKind::images ? "images" : "labels"; }

std::int64_t big_endian(Bytes bytes, std::size_t at) {
  return static_cast<std::int64_t>(bytes[at]) << 24 | static_cast<std::int64_t>(bytes[at + 1]) << 16 |
         static_cast<std::int64_t>(bytes[at + 2]) << 8 | static_cast<std::int64_t>(bytes[at + 3]);
}

std::string described(const IdxHeader& header, IdxKind kind) {
  if (kind == IdxKind::labels) return fmt::format("{} labels", header.count);
  return fmt::format("{} images of {}x{} pixels", header.count, header.height, header.width);
}

void check_length(std::int64_t found, const IdxHeader& header, IdxKind kind, const std::string& file) {
  if (found == header.values()) return;
  bad_file(file, fmt::format("{} bytes after the header", found), fmt::format("{} take {}", described(header, kind), header.values()));
}

IdxContent parse_plain(Bytes bytes, IdxKind kind, const std::string& file) {
  const IdxHeader header = parse_idx_header(bytes, kind, file);
  const Bytes values = bytes.subspan(header_bytes(kind));
  check_length(static_cast<std::int64_t>(values.size()), header, kind, file);
  return {header, {values.begin(), values.end()}};
}

IdxContent parse_compressed(Bytes bytes, IdxKind kind, const std::string& file) {
  Inflater inflater(bytes, file);
  std::array<std::uint8_t, 16> start{};
  const std::size_t got = inflater.read(std::span(start).first(header_bytes(kind)));
  const IdxHeader header = parse_idx_header(Bytes(start).first(got), kind, file);
  const std::int64_t most = static_cast<std::int64_t>(bytes.size()) * most_inflation;
  if (header.values() > most) {
    bad_file(file, fmt::format("{} compressed bytes, which hold at most {}", bytes.size(), most),
             fmt::format("{} take {}", described(header, kind), header.values()));
  }
  // The buffer grows with what is really there: a header alone allocates nothing.
  const auto wanted = static_cast<std::size_t>(header.values());
  std::vector<std::uint8_t> values;
  while (values.size() < wanted) {
    const std::size_t before = values.size();
    values.resize(std::min(wanted, std::max<std::size_t>(1u << 20, before * 2)));
    const std::size_t count = inflater.read(std::span(values).subspan(before));
    if (count < values.size() - before) check_length(static_cast<std::int64_t>(before + count), header, kind, file);
  }
  // Reading past the end also makes zlib compare the checksum.
  std::uint8_t extra = 0;
  if (inflater.read({&extra, 1}) != 0) {
    bad_file(file, "more content than its header says",
             fmt::format("{} take {} bytes after the header", described(header, kind), header.values()));
  }
  return {header, std::move(values)};
}

// Exact integer sums, so that the constants depend on the images alone.
void measure(const std::vector<std::uint8_t>& pixels, SetInfo& info) {
  std::array<std::uint64_t, 256> histogram{};
  for (const std::uint8_t pixel : pixels) ++histogram[pixel];
  std::uint64_t sum = 0, squares = 0;
  for (std::uint64_t value = 0; value < 256; ++value) {
    sum += value * histogram[value];
    squares += value * value * histogram[value];
  }
  const auto count = static_cast<double>(pixels.size());
  const double mean = static_cast<double>(sum) / count;
  const double variance = static_cast<double>(squares) / count - mean * mean;
  info.mean = {static_cast<float>(mean / 255)};
  info.stddev = {variance > 0 ? static_cast<float>(std::sqrt(variance) / 255) : 1.0f};  // images of one grey: nothing to scale
}

struct Half {
  fs::path images, labels;
};

void check_counts(const Half& half, std::int64_t images, std::int64_t labels) {
  if (images == labels) return;
  bad_file(half.labels.string(), fmt::format("{} labels", labels),
           fmt::format("{} has {} images, and each needs one label", half.images.string(), images));
}

std::vector<std::int32_t> checked_labels(const IdxContent& content, std::int64_t classes, const std::string& file) {
  std::vector<std::int32_t> labels(content.values.begin(), content.values.end());
  const auto wrong = std::find_if(labels.begin(), labels.end(), [&](std::int32_t label) { return label >= classes; });
  if (wrong != labels.end()) {
    bad_file(file, fmt::format("label {} at position {}", *wrong, wrong - labels.begin()),
             fmt::format("with {} classes labels run from 0 to {}", classes, classes - 1));
  }
  return labels;
}

void check_same_size(const IdxHeader& train, const IdxHeader& test, const fs::path& file) {
  if (train.height == test.height && train.width == test.width) return;
  bad_file(file.string(), fmt::format("images of {}x{} pixels", test.height, test.width),
           fmt::format("the training images have {}x{}, and both must be alike", train.height, train.width));
}

IdxHeader header_of(const fs::path& path, IdxKind kind) {
  // 64 KiB: far more than a gzip header and the first 16 bytes of content need.
  const std::vector<std::uint8_t> bytes = read_file(path, 1 << 16);
  const std::string file = path.string();
  if (is_gzip(bytes)) {
    std::array<std::uint8_t, 16> start{};
    Inflater inflater(bytes, file);
    const std::size_t got = inflater.read(std::span(start).first(header_bytes(kind)));
    return parse_idx_header(Bytes(start).first(got), kind, file);
  }
  const IdxHeader header = parse_idx_header(bytes, kind, file);
  check_length(size_of_file(path) - static_cast<std::int64_t>(header_bytes(kind)), header, kind, file);
  return header;
}

}  // namespace

IdxHeader parse_idx_header(Bytes start, IdxKind kind, const std::string& file) {
  const std::size_t length = header_bytes(kind);
  if (start.size() < length) {
    bad_file(file, fmt::format("{} bytes long", start.size()),
             fmt::format("an IDX file of {} has a header of {} bytes", what(kind), length));
  }
  const std::uint8_t dimensions = kind == IdxKind::images ? 3 : 1;
  if (start[0] != 0 || start[1] != 0 || start[2] != 8 || start[3] != dimensions) {
    bad_file(file, fmt::format("begins with {:02x} {:02x} {:02x} {:02x}", start[0], start[1], start[2], start[3]),
             fmt::format("an IDX file of {} begins with 00 00 08 {:02x}", what(kind), dimensions));
  }
  IdxHeader header;
  header.count = big_endian(start, 4);
  if (kind == IdxKind::images) {
    header.height = big_endian(start, 8);
    header.width = big_endian(start, 12);
  }
  if (header.count < 1 || header.count > most_count) {
    bad_file(file, fmt::format("{} {} by its header", header.count, what(kind)), fmt::format("1 to {} are possible", most_count));
  }
  if (header.height < 1 || header.height > most_side || header.width < 1 || header.width > most_side) {
    bad_file(file, fmt::format("images of {}x{} pixels by its header", header.height, header.width),
             fmt::format("1 to {} a side are possible", most_side));
  }
  return header;
}

IdxContent parse_idx(Bytes bytes, IdxKind kind, const std::string& file) {
  return is_gzip(bytes) ? parse_compressed(bytes, kind, file) : parse_plain(bytes, kind, file);
}

fs::path find_idx_file(const fs::path& folder, const char* name, std::string_view advice) {
  for (const char* ending : {"", ".gz"}) {
    fs::path path = folder / (std::string(name) + ending);
    if (is_file(path)) return path;
  }
  bad_file(folder.string(), is_folder(folder) ? fmt::format("there is no file {} or {}.gz", name, name) : "there is no such folder",
           advice);
}

IdxFiles find_idx_files(const fs::path& folder, std::string_view advice) {
  const auto find = [&](int i) { return find_idx_file(folder, idx_names[i], advice); };
  return {find(0), find(1), find(2), find(3)};
}

Split open_idx(const IdxFiles& files, SetInfo info) {
  const auto open = [&](const Half& half, const IdxHeader* like) {
    IdxContent images = parse_idx(read_file(half.images), IdxKind::images, half.images.string());
    const IdxContent labels = parse_idx(read_file(half.labels), IdxKind::labels, half.labels.string());
    check_counts(half, images.header.count, labels.header.count);
    if (like != nullptr) check_same_size(*like, images.header, half.images);
    info.shape = {images.header.height, images.header.width, 1};
    if (info.mean.empty()) measure(images.values, info);
    return std::make_shared<MemorySet>(info, std::move(images.values), checked_labels(labels, info.classes, half.labels.string()));
  };
  Split split;
  split.train = open({files.train_images, files.train_labels}, nullptr);
  const Shape shape = split.train->shape();
  const IdxHeader like{split.train->size(), shape[0], shape[1]};
  split.test = open({files.test_images, files.test_labels}, &like);
  return split;
}

DataShape shape_of_idx(const IdxFiles& files, std::int64_t classes) {
  const IdxHeader train = header_of(files.train_images, IdxKind::images), test = header_of(files.test_images, IdxKind::images);
  check_counts({files.train_images, files.train_labels}, train.count, header_of(files.train_labels, IdxKind::labels).count);
  check_counts({files.test_images, files.test_labels}, test.count, header_of(files.test_labels, IdxKind::labels).count);
  check_same_size(train, test, files.test_images);
  return {{train.height, train.width, 1}, classes, train.count, test.count};
}

}  // namespace syncline
