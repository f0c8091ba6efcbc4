// SPDX-License-Identifier: Apache-2.0
// Where samples come from and which rank sees which. The order of samples depends only on (seed, epoch, global batch), never on the
// number of ranks, readers or threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "kernels/view.h"

namespace syncline {

class Communicator;

struct Batch {                        // host memory, filled by a prefetch thread; valid until the next call of Loader::next
  std::int64_t rows = 0;              // my samples of this step; 0 is possible in the last global batch
  std::int64_t global_rows = 0;       // samples of all ranks in this step
  std::int64_t first_position = 0;    // position of my first sample in the epoch's order: keys dropout
  std::int64_t epoch = 0, index = 0;  // index of the global batch in the epoch
  bool last_of_epoch = false;
  std::span<const float> images;         // rows x shape, channels last, normalised
  std::span<const std::int32_t> labels;  // rows
  std::span<const std::int32_t> tokens;  // rows x length, for token sources; images empty then
};

class Dataset {  // thread-safe: read() may be called from several threads
 public:
  virtual ~Dataset() = default;
  virtual std::int64_t size() const = 0;
  virtual Shape shape() const = 0;  // of one sample
  virtual std::int64_t classes() const = 0;
  virtual const std::vector<std::string>& class_names() const = 0;
  virtual std::int32_t label(std::int64_t id) const = 0;
  // Pixels in 0..255 of one sample, channels last, into `out` (shape().elements() bytes). Throws DataError naming the file.
  virtual void read(std::int64_t id, std::span<std::uint8_t> out) const = 0;
  virtual std::vector<float> default_mean() const = 0;  // per channel, of values scaled to 0..1
  virtual std::vector<float> default_stddev() const = 0;
};

struct Split {
  std::shared_ptr<const Dataset> train, test;
};
// Opens what [data] names; DataError says which file is missing or wrong and what would be right; ConfigError for keys that do not fit
// each other. `seed` matters to generated sets only. The entry tables are in registry.cpp.
Split open_data(const DataSpec&, std::uint64_t seed);
struct DataShape {
  Shape shape;
  std::int64_t classes = 0, train_size = 0, test_size = 0;
};
DataShape data_shape(const DataSpec&);  // headers only, for describe and validation; DataError as above
std::span<const Entry> source_entries();
std::span<const Entry> augmentation_entries();

// Global batch k of an epoch are positions [kB, (k+1)B) of the epoch's order, B = sum of `batch_per_rank`; rank r takes its contiguous
// part of it. The last, partial batch of R samples is cut by cumulative shares: positions [floor(P_r R/B), floor(P_{r+1} R/B)) with P_r
// the sum of the batches below r, so that every sample is used once and some ranks may get none.
class Loader {
 public:
  virtual ~Loader() = default;
  // My part of the next global batch; goes on into the next epoch. Waits for the reader; rethrows the reader's error (DataError) when
  // its turn comes, and again on each further call until seek().
  virtual const Batch& next() = 0;
  virtual std::int64_t epoch() const = 0;  // of the batch that next() gives next
  virtual std::int64_t batches_per_epoch() const = 0;
  virtual std::int64_t samples_per_epoch() const = 0;             // used by all ranks: fewer than the set has under "drop"
  virtual void seek(std::int64_t epoch, std::int64_t batch) = 0;  // resume: the next batch is this one, at the present batch sizes
  // Agreed by all ranks; takes effect at the next global batch. `batches`: rows of every rank in a full global batch.
  virtual void set_batch(std::span<const std::int64_t> batches) = 0;
  // The epoch's samples used before the batch that next() gives next; with resume_at it resumes an epoch whose batch sizes changed on
  // the way. A loader without an order of its own has neither (UsageError).
  virtual std::int64_t position() const { throw UsageError("this loader has no position in an epoch"); }
  virtual void resume_at(std::int64_t /*epoch*/, std::int64_t /*batch*/, std::int64_t /*position*/) {
    throw UsageError("this loader cannot resume at a position");
  }
  // Samples that live in the memory of the ranks change places before the epoch that next() gives next: all ranks call exchange() then,
  // together, after the last batch before it was used. Until they did, next() is a UsageError.
  struct Exchanged {
    std::int64_t samples = 0, bytes = 0;  // that this rank sent to others
  };
  virtual bool exchange_due() const { return false; }
  virtual Exchanged exchange() { return {}; }
};

// Distributed in-memory data (the card of multi-colour allreduce, section E). The ranks are `groups` groups of neighbours, and each group
// holds the whole set: every rank one block of it, in proportion to the batches, at first in the order of the files (or sorted by label). A
// rank draws from its block without replacement; when it has (after `groups` epochs) that was one pass, and before every
// `shuffle_every`-th pass the samples of a group change places by a permutation of (seed, pass) that all its ranks know.
struct Residency {
  bool memory = false;
  std::int64_t shuffle_every = 1;                             // passes; 0: never
  int groups = 1;                                             // divides the ranks; equal batches only where it is more than one
  Communicator* members = nullptr;                            // of this rank's group in the order of ranks; not needed where nothing moves
  std::function<std::shared_ptr<const Dataset>()> open = {};  // the source, to read the block of another epoch; not needed without seek()
};

struct LoaderOptions {
  std::uint64_t seed = 1;
  int rank = 0, ranks = 1;
  std::vector<std::int64_t> batch_per_rank;  // rows of each rank in a full global batch; one number stands for all ranks
  bool train = true;                         // false: fixed order, no augmentation, nothing dropped, one pass = one epoch
  // shuffled: one permutation of the set per epoch. by-label: the set sorted by label is cut into one contiguous block per rank, in
  // proportion to the batches, and each rank draws from its own block, shuffled per epoch.
  std::string shards = "shuffled";
  std::string last_batch = "keep";  // keep | drop
  std::vector<std::string> augment;
  std::vector<float> mean, stddev;  // per channel, or one for all; empty: the dataset's own
  int prefetch = 2;                 // batches read ahead by one thread; 0: read in next()
  double read_delay_s = 0;          // that every batch read from the source takes longer
  Residency residency = {};
};
// ConfigError where the options do not fit the set (no full batch under "drop", another number of channels), UsageError for batches
// that do not fit `ranks`. next() gives memory that stays valid until the next call, whatever else is called between.
std::unique_ptr<Loader> make_loader(std::shared_ptr<const Dataset>, const LoaderOptions&);

}  // namespace syncline
