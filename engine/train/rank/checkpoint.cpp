// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "engine/train/exchange.h"
#include "engine/train/fault_points.h"

namespace syncline {
namespace fs = std::filesystem;
namespace {

class File {  // closed on the error path; close() reports
 public:
  File(const fs::path& path, int flags, int mode = 0600) : path_(path.string()), handle_(::open(path_.c_str(), flags | O_CLOEXEC, mode)) {
    if (handle_ < 0) fail("open");
  }
  ~File() {
    if (handle_ >= 0) ::close(handle_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int handle() const { return handle_; }
  const std::string& path() const { return path_; }
  void sync() {
    if (::fsync(handle_) != 0) fail("sync");
  }
  void close() {
    if (::close(std::exchange(handle_, -1)) != 0) fail("close");
  }

 private:
  [[noreturn]] void fail(const char* what) const { throw WriteFailed(fmt::format("cannot {} {}: {}", what, path_, std::strerror(errno))); }
  std::string path_;
  int handle_;
};

void sync_folder(const fs::path& folder) { File(folder, O_RDONLY | O_DIRECTORY).sync(); }

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

PartSummary write_file(const fs::path& path, const PartHeader& header, const SnapshotPart& part, void (*reached_middle)(int)) {
  File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  const PartSummary summary = write_part(file.handle(), file.path(), header, part, reached_middle);
  abort_point("before-fsync", header.rank);
  file.sync();
  file.close();
  return summary;
}

std::vector<std::string> contents_of(const Snapshot& snapshot) {
  std::vector<std::string> names;
  for (const SnapshotPart* part : {&snapshot.shared, &snapshot.own}) {
    for (const NamedBlock& block : part->blocks) {
      const std::string name = block.name.substr(0, block.name.find('/'));
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

ByteBuffer pack(const PartSummary& shared, const PartSummary& own) {
  ByteBuffer bytes(sizeof shared + sizeof own);
  std::memcpy(bytes.data(), &shared, sizeof shared);
  std::memcpy(bytes.data() + sizeof shared, &own, sizeof own);
  return bytes;
}

Manifest::File file_entry(std::string name, const std::byte* packed) {
  PartSummary summary;
  std::memcpy(static_cast<void*>(&summary), packed, sizeof summary);
  return {std::move(name), summary.bytes, summary.xxh64};
}

}  // namespace

bool Checkpoints::save(const Snapshot& snapshot, std::string& why) {
  const int rank = comm_.rank();
  const fs::path temporary = options_.folder / (step_folder_name(snapshot.step) + ".tmp");
  abort_point("before-write", rank);
  std::string mine;
  if (rank == 0) {
    std::error_code error;
    fs::remove_all(temporary, error);  // of an earlier attempt that was killed
    fs::create_directories(temporary, error);
    if (error)
      mine = fmt::format("cannot make {}: {}", temporary.string(), error.message());
    else
      fs::permissions(temporary, fs::perms::owner_all, error);
  }
  why = first_error(comm_, mine);  // nobody writes before the folder is there
  PartSummary shared, own;
  if (why.empty()) {
    mine = write_mine(temporary, snapshot, own);
    if (mine.empty() && rank == 0) {
      try {
        shared = write_file(temporary / shared_file_name, {.rank = rank, .ranks = comm_.size(), .step = snapshot.step}, snapshot.shared,
                            [](int writer) { abort_point("mid-write", writer); });
      } catch (const std::exception& error) {
        mine = error.what();
      }
    }
    why = first_error(comm_, mine);
  }
  if (why.empty()) {
    const auto summaries = gather_bytes(comm_, pack(shared, own));
    std::vector<Manifest::File> files = {file_entry(std::string(shared_file_name), summaries[0].data())};
    for (int each = 0; each < comm_.size(); ++each)
      files.push_back(file_entry(part_file_name(each), summaries[static_cast<std::size_t>(each)].data() + sizeof(PartSummary)));
    why = text_told_by(comm_, rank == 0 ? commit(temporary, snapshot, std::move(files)) : std::string());
  }
  if (!why.empty()) {  // every rank removes its own part, rank 0 the folder, when all have looked
    std::error_code ignored;
    fs::remove(temporary / part_file_name(rank), ignored);
    comm_.barrier().wait();
    if (rank == 0) fs::remove_all(temporary, ignored);
    return false;
  }
  if (rank == 0) remove_old();
  return true;
}

std::string Checkpoints::write_mine(const fs::path& temporary, const Snapshot& snapshot, PartSummary& summary) noexcept {
  try {
    summary = write_file(temporary / part_file_name(comm_.rank()), {.rank = comm_.rank(), .ranks = comm_.size(), .step = snapshot.step},
                         snapshot.own, nullptr);
    if (options_.alive) options_.alive();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string Checkpoints::commit(const fs::path& temporary, const Snapshot& snapshot, std::vector<Manifest::File> files) noexcept {
  try {
    abort_point("before-manifest", comm_.rank());
    Manifest manifest;
    manifest.step = snapshot.step;
    manifest.epoch = snapshot.epoch;
    manifest.ranks = comm_.size();
    manifest.run_id = options_.run_id;
    manifest.experiment_hash = options_.experiment_hash;
    manifest.written = now_utc();
    manifest.files = std::move(files);
    manifest.contents = contents_of(snapshot);
    const std::string text = to_text(manifest);
    File file(temporary / "manifest.toml", O_WRONLY | O_CREAT | O_TRUNC);
    for (std::string_view rest = text; !rest.empty();) {
      const ssize_t written = ::write(file.handle(), rest.data(), rest.size());
      if (written <= 0) throw WriteFailed(fmt::format("cannot write {}: {}", file.path(), std::strerror(written < 0 ? errno : ENOSPC)));
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
    file.sync();
    file.close();
    sync_folder(temporary);
    abort_point("before-rename", comm_.rank());
    const fs::path final_folder = options_.folder / step_folder_name(snapshot.step);
    if (fs::exists(final_folder)) {  // of an earlier attempt, at the same step
      fs::rename(final_folder, options_.folder / (step_folder_name(snapshot.step) + ".trash"));
    }
    fs::rename(temporary, final_folder);
    sync_folder(options_.folder);
    abort_point("after-rename", comm_.rank());
    std::uint64_t bytes = text.size();
    for (const Manifest::File& each : manifest.files) bytes += each.bytes;
    if (options_.committed) options_.committed(snapshot.step, final_folder, bytes);
    return {};
  } catch (const std::exception& error) {
    return fmt::format("rank 0: {}", error.what());
  }
}

// Renamed first, so that a kill in the middle of deleting leaves nothing that looks like a checkpoint.
void Checkpoints::remove_old() {
  abort_point("before-delete", comm_.rank());
  std::error_code ignored;
  const auto all = committed_checkpoints(options_.folder);
  for (std::size_t k = static_cast<std::size_t>(std::max<std::int64_t>(1, options_.keep)); k < all.size(); ++k) {
    const fs::path trash = all[k].string() + ".trash";
    fs::rename(all[k], trash, ignored);
  }
  remove_leftovers(options_.folder);
}

}  // namespace syncline
