// SPDX-License-Identifier: Apache-2.0
// The bytes of a checkpoint: one part file per rank, one that all ranks share, and a manifest. A part is a header and a stream of named
// entries in blocks of 4 MiB, each block followed by its XXH64, so that a flipped bit or a cut-off end is found before anything is used.
//
//     header   64 bytes: "SYNCCKPT", version, rank, ranks, block bytes (u32 each), step, payload bytes (u64 each), 16 zero bytes,
//              XXH64 of what precedes it (u64)
//     blocks   up to 4 MiB of payload, then its XXH64 (u64), seeded with the block's number
//     payload  entries: kind (u8: 1 values, 2 fp32 elements), name length (u32), name, byte length (u64), bytes
//
// All numbers little-endian. Parsing accepts any bytes: what is wrong is a TrainingError, never a large allocation or a read past the end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/train/snapshot.h"

namespace syncline {

inline constexpr std::uint32_t checkpoint_format = 1;
inline constexpr std::size_t checkpoint_block_bytes = std::size_t{4} << 20;

struct CheckpointPart {
  int rank = 0, ranks = 1;
  std::int64_t step = 0;
  StateMap values;
  std::map<std::string, std::vector<std::byte>, std::less<>> blocks;  // fp32 elements
};

// `name` (a file's name) appears in messages only.
CheckpointPart parse_part(std::span<const std::byte> bytes, std::string_view name);

// Writes a part to an open file; `reached_middle` is called once, when about half is written. Throws WriteFailed.
struct WriteFailed : Error {
  using Error::Error;
};
struct PartHeader {
  int rank = 0, ranks = 1;
  std::int64_t step = 0;
};
struct PartSummary {
  std::uint64_t bytes = 0, xxh64 = 0;  // of the whole file
};
PartSummary write_part(int file, const std::string& path, const PartHeader&, const SnapshotPart&, void (*reached_middle)(int rank));

// manifest.toml. The first line is "# xxh64 <16 hex digits>" over all that follows.
struct Manifest {
  struct File {
    std::string name;
    std::uint64_t bytes = 0, xxh64 = 0;
  };
  std::int64_t step = 0;
  double epoch = 0;
  int ranks = 1;
  std::string run_id, experiment_hash, written;  // written: UTC, ISO 8601
  std::vector<File> files;                       // the shared one, then one a rank
  std::vector<std::string> contents;             // names of the vectors inside
};
std::string to_text(const Manifest&);
Manifest parse_manifest(std::string_view text, std::string_view name);

std::string step_folder_name(std::int64_t step);  // "step_000120"
std::string part_file_name(int rank);             // "rank_0003.bin"
inline constexpr std::string_view shared_file_name = "shared.bin";

}  // namespace syncline
