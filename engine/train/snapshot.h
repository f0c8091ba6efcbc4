// SPDX-License-Identifier: Apache-2.0
// What a checkpoint holds, independent of how it is stored: named vectors by layer and named values. `shared` is alike on all ranks and
// written by rank 0 alone; `own` is each rank's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/state.h"
#include "engine/model/vector.h"

namespace syncline {

struct NamedBlock {
  std::string name;
  View data;
};  // "params/conv1", "sgd.0/fc2", "statistics"
struct SnapshotPart {
  std::vector<NamedBlock> blocks;
  StateMap values;
};
struct Snapshot {
  std::int64_t step = 0;
  double epoch = 0;
  SnapshotPart shared, own;
};

class CheckpointSink {  // engine/train/rank/checkpoint.h stores on disk
 public:
  virtual ~CheckpointSink() = default;
  // Collective. True: saved and committed on every rank. False: not saved, the reason is in `why`, alike on every rank, and nothing is
  // left.
  virtual bool save(const Snapshot&, std::string& why) = 0;
};

class CheckpointSource {  // an opened checkpoint: reads into what the trainer has made
 public:
  virtual ~CheckpointSource() = default;
  virtual std::int64_t step() const = 0;
  virtual int ranks() const = 0;  // of the run that wrote it
  virtual bool has_block(const std::string& name) const = 0;
  // Throws TrainingError naming a block that is missing or of another length.
  virtual void read_block(const std::string& name, const View& to) const = 0;
  virtual const StateMap& values() const = 0;  // shared and own together
};

}  // namespace syncline
