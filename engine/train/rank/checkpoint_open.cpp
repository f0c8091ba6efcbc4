// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/train/exchange.h"
#include "engine/train/rank/checkpoint.h"

namespace syncline {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view prefix = "step_";

std::vector<std::byte> read_all(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary | std::ios::ate);
  if (!stream) throw TrainingError(fmt::format("{} cannot be read", path.string()));
  std::vector<std::byte> bytes(static_cast<std::size_t>(stream.tellg()));
  stream.seekg(0);
  stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (static_cast<std::size_t>(stream.gcount()) != bytes.size())
    throw TrainingError(fmt::format("{} cannot be read to its end", path.string()));
  return bytes;
}

void check_file(const fs::path& path, const Manifest::File& expected) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw TrainingError(fmt::format("{} is missing", path.string()));
  std::vector<char> buffer(std::size_t{1} << 20);
  XXH64_state_t state;
  XXH64_reset(&state, 0);
  std::uint64_t bytes = 0;
  while (stream) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    XXH64_update(&state, buffer.data(), static_cast<std::size_t>(stream.gcount()));
    bytes += static_cast<std::uint64_t>(stream.gcount());
  }
  if (bytes != expected.bytes) throw TrainingError(fmt::format("{} has {} bytes instead of {}", path.string(), bytes, expected.bytes));
  if (XXH64_digest(&state) != expected.xxh64) throw TrainingError(fmt::format("{} does not match its checksum", path.string()));
}

}  // namespace

std::int64_t checkpoint_step(const fs::path& folder) {
  const std::string name = folder.filename().string();
  if (!name.starts_with(prefix) || name.size() == prefix.size() || name.size() > prefix.size() + 18) return -1;
  for (std::size_t k = prefix.size(); k < name.size(); ++k)
    if (std::isdigit(static_cast<unsigned char>(name[k])) == 0) return -1;
  return std::stoll(name.substr(prefix.size()));
}

std::vector<fs::path> committed_checkpoints(const fs::path& checkpoints) {
  if (checkpoint_step(checkpoints) >= 0) return {checkpoints};
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator each(checkpoints, error), end; !error && each != end; each.increment(error))
    if (each->is_directory() && checkpoint_step(each->path()) >= 0) found.push_back(each->path());
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) { return checkpoint_step(a) > checkpoint_step(b); });
  return found;
}

void remove_leftovers(const fs::path& checkpoints) {
  std::error_code ignored, error;
  std::vector<fs::path> leftovers;
  for (fs::directory_iterator each(checkpoints, error), end; !error && each != end; each.increment(error)) {
    const std::string extension = each->path().extension().string();
    if (extension == ".tmp" || extension == ".trash") leftovers.push_back(each->path());
  }
  for (const fs::path& leftover : leftovers) fs::remove_all(leftover, ignored);
}

Manifest verify_checkpoint(const fs::path& folder) {
  const fs::path path = folder / "manifest.toml";
  const auto bytes = read_all(path);
  Manifest manifest = parse_manifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
  if (manifest.step != checkpoint_step(folder)) throw TrainingError(fmt::format("{} is of step {}", path.string(), manifest.step));
  for (const Manifest::File& file : manifest.files) check_file(folder / file.name, file);
  return manifest;
}

std::optional<FoundCheckpoint> newest_checkpoint(const fs::path& checkpoints, const std::function<void(const std::string&)>& complain) {
  const auto all = committed_checkpoints(checkpoints);
  for (std::size_t k = 0; k < all.size(); ++k) {
    try {
      return FoundCheckpoint{all[k], verify_checkpoint(all[k])};
    } catch (const Error& error) {
      complain(fmt::format(
          "the checkpoint of step {} cannot be used: {}; {}", checkpoint_step(all[k]), error.what(),
          k + 1 < all.size() ? fmt::format("trying the one of step {}", checkpoint_step(all[k + 1])) : "there is no older one"));
    }
  }
  return std::nullopt;
}

OpenedCheckpoint::OpenedCheckpoint(const FoundCheckpoint& found, int rank, int ranks) : folder_(found.folder), manifest_(found.manifest) {
  const auto read = [&](const std::string& name) {
    const fs::path path = folder_ / name;
    const auto bytes = read_all(path);
    CheckpointPart part = parse_part(bytes, path.string());
    if (part.step != manifest_.step || part.ranks != manifest_.ranks)
      throw TrainingError(fmt::format("{} is of step {} and {} ranks, its manifest says {} and {}", path.string(), part.step, part.ranks,
                                      manifest_.step, manifest_.ranks));
    return part;
  };
  CheckpointPart shared = read(std::string(shared_file_name));
  shared_ = std::move(shared.blocks);
  values_ = std::move(shared.values);
  if (ranks != manifest_.ranks) return;  // what each worker kept for itself has no heir
  CheckpointPart own = read(part_file_name(rank));
  own_ = std::move(own.blocks);
  values_.merge(own.values);
}

const std::vector<std::byte>* OpenedCheckpoint::find(const std::string& name) const {
  for (const auto* blocks : {&own_, &shared_})
    if (const auto found = blocks->find(name); found != blocks->end()) return &found->second;
  return nullptr;
}

void OpenedCheckpoint::read_block(const std::string& name, const View& to) const {
  const std::vector<std::byte>* block = find(name);
  if (block == nullptr) throw TrainingError(fmt::format("the checkpoint {} does not hold '{}'", folder_.string(), name));
  if (block->size() != static_cast<std::size_t>(to.bytes()))
    throw TrainingError(fmt::format("the checkpoint {} holds {} elements of '{}', the model has {}", folder_.string(),
                                    block->size() / sizeof(float), name, to.count()));
  if (!block->empty()) std::memcpy(to.data(), block->data(), block->size());
}

std::unique_ptr<OpenedCheckpoint> open_newest(Communicator& control, const fs::path& checkpoints,
                                              const std::function<void(const std::string&)>& complain) {
  std::string chosen, error;
  if (control.rank() == 0) {
    if (const auto found = newest_checkpoint(checkpoints, complain)) chosen = found->folder.string();
  }
  chosen = text_told_by(control, chosen);
  if (chosen.empty()) return nullptr;
  std::unique_ptr<OpenedCheckpoint> opened;
  try {  // rank 0 checked every file; the others read the manifest and their own parts
    const fs::path manifest = fs::path(chosen) / "manifest.toml";
    const auto bytes = read_all(manifest);
    FoundCheckpoint found{chosen, parse_manifest({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, manifest.string())};
    opened = std::make_unique<OpenedCheckpoint>(found, control.rank(), control.size());
  } catch (const std::exception& failed) {
    error = failed.what();
  }
  if (const std::string first = first_error(control, error); !first.empty()) throw AgreedError(first);
  return opened;
}

}  // namespace syncline
