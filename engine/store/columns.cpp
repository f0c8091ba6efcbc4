// SPDX-License-Identifier: Apache-2.0
#include "engine/store/columns.h"

#include <zlib.h>

#include <bit>
#include <cstring>

#include "engine/base/error.h"

namespace syncline {
namespace {

static_assert(std::endian::native == std::endian::little, "the stored format is little-endian");

[[noreturn]] void damaged() { throw WorkspaceError("a block of stored points is damaged; restore a copy of the workspace"); }

std::uint64_t zigzag(std::uint64_t value) { return (value << 1) ^ (0 - (value >> 63)); }
std::uint64_t unzigzag(std::uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

}  // namespace

void ColumnWriter::integers(std::span<const std::int64_t> column) {
  if (column.size() != rows_) throw UsageError("internal error: a column of another length");
  // Unsigned arithmetic: differences may wrap, and wrap back when read.
  std::uint64_t previous = 0, previous_difference = 0;
  for (const std::int64_t signed_value : column) {
    const auto value = static_cast<std::uint64_t>(signed_value);
    const std::uint64_t difference = value - previous;
    std::uint64_t code = zigzag(difference - previous_difference);
    for (; code >= 0x80; code >>= 7) raw_.push_back(static_cast<std::byte>(code | 0x80));
    raw_.push_back(static_cast<std::byte>(code));
    previous = value;
    previous_difference = difference;
  }
}

void ColumnWriter::reals(std::span<const double> column) {
  if (column.size() != rows_) throw UsageError("internal error: a column of another length");
  const std::size_t base = raw_.size();
  raw_.resize(base + 8 * rows_);
  std::uint64_t previous = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    const auto bits = std::bit_cast<std::uint64_t>(column[row]);
    const std::uint64_t change = bits ^ previous;
    previous = bits;
    for (std::size_t plane = 0; plane < 8; ++plane) raw_[base + plane * rows_ + row] = static_cast<std::byte>(change >> (8 * plane));
  }
}

std::vector<std::byte> ColumnWriter::finish() { return pack(raw_); }

ColumnReader::ColumnReader(std::span<const std::byte> data, std::size_t rows, Form form) : rows_(rows) {
  if (form == Form::uncompressed) {
    raw_.assign(data.begin(), data.end());
    return;
  }
  // 4,096 rows of 64 columns of at most 10 bytes: no honest chunk is larger.
  raw_ = unpack(data, std::size_t{4096} * 64 * 10);
}

std::vector<std::int64_t> ColumnReader::integers() {
  if (raw_.size() - position_ < rows_) damaged();
  std::vector<std::int64_t> column(rows_);
  std::uint64_t previous = 0, difference = 0;
  for (std::int64_t& value : column) {
    std::uint64_t code = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (position_ >= raw_.size() || shift > 63) damaged();
      const auto byte = static_cast<std::uint64_t>(raw_[position_++]);
      code |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    difference += unzigzag(code);
    previous += difference;
    value = static_cast<std::int64_t>(previous);
  }
  return column;
}

std::vector<double> ColumnReader::reals() {
  if ((raw_.size() - position_) / 8 < rows_) damaged();
  std::vector<double> column(rows_);
  std::uint64_t previous = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    std::uint64_t change = 0;
    for (std::size_t plane = 0; plane < 8; ++plane) {
      change |= static_cast<std::uint64_t>(raw_[position_ + plane * rows_ + row]) << (8 * plane);
    }
    previous ^= change;
    column[row] = std::bit_cast<double>(previous);
  }
  position_ += 8 * rows_;
  return column;
}

void ColumnReader::expect_end() const {
  if (position_ != raw_.size()) damaged();
}

std::vector<std::byte> pack(std::span<const std::byte> raw) {
  uLongf length = compressBound(static_cast<uLong>(raw.size()));
  std::vector<std::byte> packed(8 + length);
  const std::uint64_t size = raw.size();
  std::memcpy(packed.data(), &size, 8);
  static const std::byte nothing{};
  const auto* source = reinterpret_cast<const Bytef*>(raw.empty() ? &nothing : raw.data());
  if (compress2(reinterpret_cast<Bytef*>(packed.data() + 8), &length, source, static_cast<uLong>(raw.size()), 1) != Z_OK) {
    throw WorkspaceError("no memory left for compressing a block of points");
  }
  packed.resize(8 + length);
  return packed;
}

std::vector<std::byte> unpack(std::span<const std::byte> packed, std::size_t limit) {
  std::uint64_t size = 0;
  if (packed.size() < 8) damaged();
  std::memcpy(&size, packed.data(), 8);
  // zlib reaches a ratio of about 1,030 at most: a larger claim is a lie, and is not allocated.
  if (size > limit || size > packed.size() * 1100) damaged();
  std::vector<std::byte> raw(size);
  uLongf length = size;
  std::byte nothing{};
  auto* target = reinterpret_cast<Bytef*>(raw.empty() ? &nothing : raw.data());
  const auto* source = reinterpret_cast<const Bytef*>(packed.data() + 8);
  if (uncompress(target, &length, source, static_cast<uLong>(packed.size() - 8)) != Z_OK || length != size) damaged();
  return raw;
}

}  // namespace syncline
