// SPDX-License-Identifier: Apache-2.0
#include "engine/train/checkpoint_format.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace syncline {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian and written as it lies in memory");

constexpr std::array<char, 8> magic = {'S', 'Y', 'N', 'C', 'C', 'K', 'P', 'T'};
constexpr std::size_t header_bytes = 64, hash_bytes = 8;
enum EntryKind : std::uint8_t { values_entry = 1, elements_entry = 2 };

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}
template <class T>
T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::array<std::byte, header_bytes> make_header(const PartHeader& part, std::uint64_t payload) {
  std::array<std::byte, header_bytes> header{};
  std::memcpy(header.data(), magic.data(), magic.size());
  put(header.data() + 8, checkpoint_format);
  put(header.data() + 12, static_cast<std::uint32_t>(part.rank));
  put(header.data() + 16, static_cast<std::uint32_t>(part.ranks));
  put(header.data() + 20, static_cast<std::uint32_t>(checkpoint_block_bytes));
  put(header.data() + 24, static_cast<std::uint64_t>(part.step));
  put(header.data() + 32, payload);
  put(header.data() + header_bytes - hash_bytes, XXH64(header.data(), header_bytes - hash_bytes, 0));
  return header;
}

std::uint64_t entry_bytes(std::size_t name, std::uint64_t data) { return 1 + 4 + name + 8 + data; }

std::uint64_t payload_bytes(const SnapshotPart& part) {
  std::uint64_t bytes = 0;
  for (const auto& [name, value] : part.values) bytes += entry_bytes(name.size(), value.size());
  for (const NamedBlock& block : part.blocks) bytes += entry_bytes(block.name.size(), static_cast<std::uint64_t>(block.data.bytes()));
  return bytes;
}

// Cuts a stream into blocks with hashes and writes them.
class BlockWriter {
 public:
  BlockWriter(int file, const std::string& path) : file_(file), path_(path) {
    block_.reserve(checkpoint_block_bytes + hash_bytes);
    XXH64_reset(&whole_, 0);
  }
  void raw(std::span<const std::byte> bytes) {
    XXH64_update(&whole_, bytes.data(), bytes.size());
    total_ += bytes.size();
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw WriteFailed(fmt::format("cannot write {}: {}", path_, std::strerror(written < 0 ? errno : ENOSPC)));
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }
  void add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const std::size_t part = std::min(bytes.size(), checkpoint_block_bytes - block_.size());
      block_.insert(block_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(part));
      bytes = bytes.subspan(part);
      if (block_.size() == checkpoint_block_bytes) flush();
    }
  }
  template <class T>
  void add_number(T value) {
    std::array<std::byte, sizeof(T)> bytes;
    put(bytes.data(), value);
    add(bytes);
  }
  void flush() {
    if (block_.empty()) return;
    const std::uint64_t hash = XXH64(block_.data(), block_.size(), number_++);
    block_.resize(block_.size() + hash_bytes);
    put(block_.data() + block_.size() - hash_bytes, hash);
    raw(block_);
    block_.clear();
  }
  PartSummary summary() const { return {total_, XXH64_digest(&whole_)}; }

 private:
  int file_;
  const std::string& path_;
  std::vector<std::byte> block_;
  XXH64_state_t whole_;
  std::uint64_t number_ = 0, total_ = 0;
};

void add_entry(BlockWriter& writer, EntryKind kind, std::string_view name, std::span<const std::byte> data) {
  writer.add_number(static_cast<std::uint8_t>(kind));
  writer.add_number(static_cast<std::uint32_t>(name.size()));
  writer.add(std::as_bytes(std::span(name)));
  writer.add_number(static_cast<std::uint64_t>(data.size()));
  writer.add(data);
}

// Reads the payload across the blocks, which were checked before.
class PayloadReader {
 public:
  PayloadReader(std::vector<std::byte> payload, std::string_view name) : payload_(std::move(payload)), name_(name) {}
  bool at_end() const { return at_ == payload_.size(); }
  std::span<const std::byte> take(std::uint64_t count) {
    if (count > payload_.size() - at_) throw TrainingError(fmt::format("{} is damaged: an entry reaches beyond its end", name_));
    const std::span<const std::byte> bytes(payload_.data() + at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return bytes;
  }
  template <class T>
  T number() {
    return get<T>(take(sizeof(T)).data());
  }

 private:
  std::vector<std::byte> payload_;
  std::string_view name_;
  std::size_t at_ = 0;
};

// The header's numbers, checked against the file's length: what follows may trust them.
std::uint64_t check_header(std::span<const std::byte> bytes, std::string_view name, CheckpointPart& part) {
  if (bytes.size() < header_bytes || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    throw TrainingError(fmt::format("{} is no part of a checkpoint", name));
  const auto version = get<std::uint32_t>(bytes.data() + 8);
  if (version != checkpoint_format)
    throw TrainingError(fmt::format("{} has format {}; this program reads format {}", name, version, checkpoint_format));
  if (get<std::uint64_t>(bytes.data() + header_bytes - hash_bytes) != XXH64(bytes.data(), header_bytes - hash_bytes, 0))
    throw TrainingError(fmt::format("{} is damaged: its header does not match its checksum", name));
  part.rank = static_cast<int>(get<std::uint32_t>(bytes.data() + 12));
  part.ranks = static_cast<int>(get<std::uint32_t>(bytes.data() + 16));
  part.step = static_cast<std::int64_t>(get<std::uint64_t>(bytes.data() + 24));
  const auto payload = get<std::uint64_t>(bytes.data() + 32);
  const std::uint64_t rest = bytes.size() - header_bytes;
  const std::uint64_t blocks = payload / checkpoint_block_bytes + (payload % checkpoint_block_bytes != 0 ? 1 : 0);
  if (get<std::uint32_t>(bytes.data() + 20) != checkpoint_block_bytes || payload > rest || payload + blocks * hash_bytes != rest)
    throw TrainingError(fmt::format("{} is damaged: it has {} bytes, its header says {}", name, bytes.size(),
                                    header_bytes + payload + blocks * hash_bytes));
  return payload;
}

std::vector<std::byte> check_blocks(std::span<const std::byte> bytes, std::uint64_t payload, std::string_view name) {
  std::vector<std::byte> result;
  result.reserve(static_cast<std::size_t>(payload));
  for (std::uint64_t number = 0; result.size() < payload; ++number) {
    const std::size_t size = std::min<std::size_t>(checkpoint_block_bytes, static_cast<std::size_t>(payload) - result.size());
    if (get<std::uint64_t>(bytes.data() + size) != XXH64(bytes.data(), size, number))
      throw TrainingError(fmt::format("{} is damaged: block {} does not match its checksum", name, number));
    result.insert(result.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size + hash_bytes);
  }
  return result;
}

}  // namespace

PartSummary write_part(int file, const std::string& path, const PartHeader& header, const SnapshotPart& part,
                       void (*reached_middle)(int rank)) {
  const std::uint64_t payload = payload_bytes(part);
  BlockWriter writer(file, path);
  writer.raw(make_header(header, payload));
  std::uint64_t done = 0;
  bool told = false;
  const auto wrote = [&](std::size_t name, std::uint64_t data) {
    done += entry_bytes(name, data);
    if (told || done * 2 < payload) return;
    told = true;
    if (reached_middle != nullptr) reached_middle(header.rank);
  };
  for (const auto& [name, value] : part.values) {
    add_entry(writer, values_entry, name, value);
    wrote(name.size(), value.size());
  }
  for (const NamedBlock& block : part.blocks) {
    add_entry(writer, elements_entry, block.name, std::as_bytes(block.data.floats()));
    wrote(block.name.size(), static_cast<std::uint64_t>(block.data.bytes()));
  }
  writer.flush();
  return writer.summary();
}

CheckpointPart parse_part(std::span<const std::byte> bytes, std::string_view name) {
  CheckpointPart part;
  const std::uint64_t payload = check_header(bytes, name, part);
  PayloadReader reader(check_blocks(bytes.subspan(header_bytes), payload, name), name);
  while (!reader.at_end()) {
    const auto kind = reader.number<std::uint8_t>();
    const auto key_bytes = reader.take(reader.number<std::uint32_t>());
    std::string key(reinterpret_cast<const char*>(key_bytes.data()), key_bytes.size());
    const auto data = reader.take(reader.number<std::uint64_t>());
    std::vector<std::byte> copy(data.begin(), data.end());
    if (kind == values_entry)
      part.values[std::move(key)] = std::move(copy);
    else if (kind == elements_entry && copy.size() % sizeof(float) == 0)
      part.blocks[std::move(key)] = std::move(copy);
    else
      throw TrainingError(fmt::format("{} is damaged: entry '{}' is of no known kind", name, key));
  }
  return part;
}

std::string step_folder_name(std::int64_t step) { return fmt::format("step_{:06d}", step); }
std::string part_file_name(int rank) { return fmt::format("rank_{:04d}.bin", rank); }

}  // namespace syncline
