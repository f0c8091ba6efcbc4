// SPDX-License-Identifier: Apache-2.0
// A folder of its own per test, writers of the formats under test, and a set whose samples tell who they are.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/data/dataset.h"

namespace syncline::test {

namespace fs = std::filesystem;
using ByteVector = std::vector<std::uint8_t>;

class TempFolder {
 public:
  TempFolder() {
    std::string name = (fs::temp_directory_path() / "syncline_data_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const fs::path& path() const { return path_; }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

inline void write(const fs::path& path, const ByteVector& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.good()) throw std::runtime_error("cannot write " + path.string());
}

inline ByteVector gzip(const ByteVector& content) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  ByteVector out(deflateBound(&z, content.size()) + 64);
  z.next_in = const_cast<Bytef*>(content.data());
  z.avail_in = static_cast<uInt>(content.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

inline ByteVector idx(std::uint8_t dimensions, std::initializer_list<std::uint32_t> sizes, const ByteVector& values) {
  ByteVector bytes = {0, 0, 8, dimensions};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(size >> shift));
  }
  bytes.insert(bytes.end(), values.begin(), values.end());
  return bytes;
}

// The [data] section as validation would give it.
inline DataSpec spec(const std::string& source, const std::map<std::string, Value, std::less<>>& options) {
  DataSpec spec;
  spec.source = source;
  for (const Entry& entry : source_entries()) {
    if (entry.name == source) spec.options = with_defaults(entry.parameters, options);
  }
  return spec;
}
inline Value text(const std::string& value) { return {value}; }
inline Value number(std::int64_t value) { return {value}; }

template <class E = DataError, class F>
std::string message_of(F action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    return std::string("another error: ") + error.what();
  }
  return "no error";
}

// Sample i has the four bytes of i as its pixels and i * 3 / size as its label; sample `broken` cannot be read.
class NumberedSet final : public Dataset {
 public:
  explicit NumberedSet(std::int64_t size, Shape shape = {1, 1, 4}) : size_(size), shape_(shape) {}
  std::int64_t size() const override { return size_; }
  Shape shape() const override { return shape_; }
  std::int64_t classes() const override { return 3; }
  const std::vector<std::string>& class_names() const override { return names_; }
  std::int32_t label(std::int64_t id) const override { return static_cast<std::int32_t>(id * 7 % size_ * 3 / size_); }
  void read(std::int64_t id, std::span<std::uint8_t> out) const override {
    ++reads;
    if (id == broken) throw DataError("sample.png: broken; a whole one is needed");
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::uint8_t>(i < 4 ? id >> (8 * i) & 0xff : (id * 31 + static_cast<std::int64_t>(i) * 7) % 251);
  }
  std::vector<float> default_mean() const override { return {0.0f}; }
  std::vector<float> default_stddev() const override { return {1.0f / 255}; }

  std::int64_t broken = -1;
  mutable std::atomic<std::int64_t> reads = 0;

 private:
  std::int64_t size_;
  Shape shape_;
  std::vector<std::string> names_ = {"a", "b", "c"};
};

// The ids in a batch of a NumberedSet.
inline std::vector<std::int64_t> ids_of(const Batch& batch, std::int64_t elements = 4) {
  std::vector<std::int64_t> ids;
  for (std::int64_t row = 0; row < batch.rows; ++row) {
    std::int64_t id = 0;
    for (int i = 3; i >= 0; --i)
      id = id * 256 + static_cast<std::int64_t>(batch.images[static_cast<std::size_t>(row * elements + i)] + 0.5f);
    ids.push_back(id);
  }
  return ids;
}

}  // namespace syncline::test
