// SPDX-License-Identifier: Apache-2.0
// Reading files of input data. Every failure is a DataError of one sentence: "FILE: what was found; what would be right".
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

using Bytes = std::span<const std::uint8_t>;

[[noreturn]] void bad_file(const std::string& file, std::string_view found, std::string_view right);

// The whole file, or its first `most` bytes.
std::vector<std::uint8_t> read_file(const std::filesystem::path&, std::int64_t most = INT64_MAX);
std::int64_t size_of_file(const std::filesystem::path&);
// The non-empty lines of a small text file without spaces at their ends.
std::vector<std::string> read_lines(const std::filesystem::path&);
bool is_file(const std::filesystem::path&);  // false also where it cannot be looked at
bool is_folder(const std::filesystem::path&);

bool is_gzip(Bytes);  // by its first two bytes
// The best that deflate can do (zlib's technical details): content is at most 1032 times as long as its compressed form.
constexpr std::int64_t most_inflation = 1032;

// The content of gzip data, piece by piece, so that nothing is allocated for content that is not there. Refers to the data given.
class Inflater {
 public:
  Inflater(Bytes compressed, std::string file);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  // Fills `out` as far as the content goes and returns the number of bytes; less than out.size() only at the end, whose checksum then
  // is right. Throws DataError for damaged data and for data that stops before its end.
  std::size_t read(std::span<std::uint8_t> out);

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string file_;
  std::int64_t produced_ = 0;
};

}  // namespace syncline
