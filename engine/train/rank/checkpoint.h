// SPDX-License-Identifier: Apache-2.0
// Checkpoints on disk. Writing (engine notes 6.3): a folder step_N.tmp, one part file a rank, fsync, agreement of all ranks, manifest,
// fsync, rename (the commit), fsync of the parent; only then the oldest beyond `keep` go, renamed first. A kill at any moment leaves the
// newest committed one whole. Reading: the newest whose manifest and checksums hold; each that does not is named.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/comm/communicator.h"
#include "engine/train/checkpoint_format.h"
#include "engine/train/snapshot.h"

namespace syncline {

struct CheckpointOptions {
  std::filesystem::path folder;  // <run folder>/checkpoints
  std::int64_t keep = 2;
  std::string run_id, experiment_hash;
  std::function<void()> alive;  // called between files and phases: a slow disk is no stopped rank
  std::function<void(std::int64_t step, const std::filesystem::path&, std::uint64_t bytes)> committed;  // rank 0
};

class Checkpoints final : public CheckpointSink {
 public:
  Checkpoints(CheckpointOptions options, Communicator& control) : options_(std::move(options)), comm_(control) {}
  bool save(const Snapshot&, std::string& why) override;

 private:
  std::string write_mine(const std::filesystem::path& temporary, const Snapshot&, PartSummary&) noexcept;  // the error, "" when all is well
  std::string commit(const std::filesystem::path& temporary, const Snapshot&, std::vector<Manifest::File>) noexcept;
  void remove_old();
  CheckpointOptions options_;
  Communicator& comm_;
};

struct FoundCheckpoint {
  std::filesystem::path folder;
  Manifest manifest;
};
// The step of a committed checkpoint's folder by its name; -1: it is none.
std::int64_t checkpoint_step(const std::filesystem::path& folder);
// Committed checkpoints in a folder, newest first; a name alone proves nothing about the content. Of one checkpoint's own folder: only it.
std::vector<std::filesystem::path> committed_checkpoints(const std::filesystem::path& checkpoints);
// Reads the manifest and checks every file against it. Throws TrainingError saying what is wrong.
Manifest verify_checkpoint(const std::filesystem::path& folder);
// What a crash left behind: *.tmp and .trash folders.
void remove_leftovers(const std::filesystem::path& checkpoints);

// The newest checkpoint that holds; `complain` is called for each that does not, with one sentence. nullopt: there is none.
std::optional<FoundCheckpoint> newest_checkpoint(const std::filesystem::path& checkpoints,
                                                 const std::function<void(const std::string&)>& complain);

class OpenedCheckpoint final : public CheckpointSource {
 public:
  // Reads rank 0's part and, when the run has as many ranks as the checkpoint, this rank's own.
  OpenedCheckpoint(const FoundCheckpoint&, int rank, int ranks);
  std::int64_t step() const override { return manifest_.step; }
  int ranks() const override { return manifest_.ranks; }
  bool has_block(const std::string& name) const override { return find(name) != nullptr; }
  void read_block(const std::string& name, const View& to) const override;
  const StateMap& values() const override { return values_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  const std::vector<std::byte>* find(const std::string& name) const;
  std::filesystem::path folder_;
  Manifest manifest_;
  std::map<std::string, std::vector<std::byte>, std::less<>> shared_, own_;
  StateMap values_;
};

// Rank 0 chooses, all ranks open the same one; an error anywhere is the same error everywhere. Collective. nullptr: there is none.
std::unique_ptr<OpenedCheckpoint> open_newest(Communicator& control, const std::filesystem::path& checkpoints,
                                              const std::function<void(const std::string&)>& complain);

}  // namespace syncline
