// SPDX-License-Identifier: Apache-2.0
// The inside of chunks: columns of whole numbers and of reals, packed so that the steady parts of a run cost next to nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace syncline {

// Whole numbers as differences of differences in variable length; reals as XOR with the one before, bytes of equal weight together; then
// zlib.
class ColumnWriter {
 public:
  explicit ColumnWriter(std::size_t rows) : rows_(rows) {}
  void integers(std::span<const std::int64_t>);  // `rows` of them
  void reals(std::span<const double>);
  std::vector<std::byte> finish();                                          // compressed
  std::vector<std::byte> finish_uncompressed() { return std::move(raw_); }  // for single rows

 private:
  std::size_t rows_;
  std::vector<std::byte> raw_;
};

// Reads the columns in the order written. WorkspaceError when the data is damaged: never reads or allocates beyond what it holds.
class ColumnReader {
 public:
  enum class Form { compressed, uncompressed };
  ColumnReader(std::span<const std::byte> data, std::size_t rows, Form form = Form::compressed);
  std::vector<std::int64_t> integers();
  std::vector<double> reals();
  void expect_end() const;

 private:
  std::size_t rows_, position_ = 0;
  std::vector<std::byte> raw_;
};

// zlib with the length in front (8 bytes, little-endian). unpack throws WorkspaceError when damaged or larger than `limit`.
std::vector<std::byte> pack(std::span<const std::byte> raw);
std::vector<std::byte> unpack(std::span<const std::byte> packed, std::size_t limit);

}  // namespace syncline
