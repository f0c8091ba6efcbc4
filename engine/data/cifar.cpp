// SPDX-License-Identifier: Apache-2.0
#include "engine/data/cifar.h"

#include <fmt/format.h>

namespace syncline {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t plane = 1024;

std::int64_t records_in(std::int64_t bytes, const CifarLayout& layout, const std::string& file) {
  if (bytes == 0 || bytes % layout.record() != 0) {
    bad_file(file, fmt::format("{} bytes long", bytes),
             fmt::format("a CIFAR-{} file is one or more records of {} bytes", layout.label_bytes == 1 ? 10 : 100, layout.record()));
  }
  return bytes / layout.record();
}

// The published files are all alike; one that lacks records was cut short.
void check_alike(const CifarFiles& files, std::size_t i, std::int64_t records, std::int64_t first) {
  if (records == first) return;
  bad_file(files.train[i].string(), fmt::format("{} records", records),
           fmt::format("{} has {}, and all training files must have the same number", files.train[0].filename().string(), first));
}

}  // namespace

void parse_cifar(Bytes bytes, const CifarLayout& layout, const std::string& file, CifarContent& into) {
  const std::int64_t records = records_in(static_cast<std::int64_t>(bytes.size()), layout, file);
  const std::size_t before = into.pixels.size();
  into.pixels.resize(before + static_cast<std::size_t>(records * 3 * plane));
  std::uint8_t* out = into.pixels.data() + before;
  for (std::int64_t i = 0; i < records; ++i) {
    const std::uint8_t* record = bytes.data() + i * layout.record();
    const std::uint8_t label = record[layout.label_at];
    if (label >= layout.classes) {
      bad_file(file, fmt::format("label {} in record {}", label, i),
               fmt::format("with {} classes labels run from 0 to {}", layout.classes, layout.classes - 1));
    }
    into.labels.push_back(label);
    const std::uint8_t* red = record + layout.label_bytes;
    for (std::int64_t pixel = 0; pixel < plane; ++pixel) {
      *out++ = red[pixel];
      *out++ = red[pixel + plane];
      *out++ = red[pixel + 2 * plane];
    }
  }
}

CifarFiles find_cifar_files(fs::path folder, const char* subfolder, const std::vector<std::string>& train, const char* test) {
  if (!is_file(folder / train[0]) && is_folder(folder / subfolder)) folder /= subfolder;
  const auto find = [&](const std::string& name) {
    if (!is_file(folder / name)) {
      bad_file(folder.string(), is_folder(folder) ? fmt::format("there is no file {}", name) : "there is no such folder",
               fmt::format("data.path names a folder with the binary version ({} to {}, {})", train.front(), train.back(), test));
    }
    return folder / name;
  };
  CifarFiles files;
  for (const std::string& name : train) files.train.push_back(find(name));
  files.test = find(test);
  return files;
}

Split open_cifar(const CifarFiles& files, const CifarLayout& layout, SetInfo info) {
  info.shape = {32, 32, 3};
  info.classes = layout.classes;
  CifarContent train, test;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < files.train.size(); ++i) {
    const std::size_t before = train.labels.size();
    const std::vector<std::uint8_t> bytes = read_file(files.train[i]);
    if (i == 0) train.pixels.reserve(bytes.size() * files.train.size());
    parse_cifar(bytes, layout, files.train[i].string(), train);
    const auto records = static_cast<std::int64_t>(train.labels.size() - before);
    if (i == 0) first = records;
    check_alike(files, i, records, first);
  }
  parse_cifar(read_file(files.test), layout, files.test.string(), test);
  return {std::make_shared<MemorySet>(info, std::move(train.pixels), std::move(train.labels)),
          std::make_shared<MemorySet>(info, std::move(test.pixels), std::move(test.labels))};
}

DataShape shape_of_cifar(const CifarFiles& files, const CifarLayout& layout) {
  DataShape shape{{32, 32, 3}, layout.classes};
  std::int64_t first = 0;
  for (std::size_t i = 0; i < files.train.size(); ++i) {
    const std::int64_t records = records_in(size_of_file(files.train[i]), layout, files.train[i].string());
    if (i == 0) first = records;
    check_alike(files, i, records, first);
    shape.train_size += records;
  }
  shape.test_size = records_in(size_of_file(files.test), layout, files.test.string());
  return shape;
}

std::vector<std::string> cifar_names(const CifarFiles& files, const char* file, std::vector<std::string> fallback) {
  const fs::path path = files.test.parent_path() / file;
  if (!is_file(path)) return fallback;
  std::vector<std::string> names = read_lines(path);
  return names.size() == fallback.size() ? names : fallback;
}

}  // namespace syncline
