// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/base/error.h"
#include "engine/data/augment.h"
#include "engine/data/dataset.h"
#include "engine/data/normalise.h"
#include "engine/data/order.h"
#include "engine/data/resident_set.h"

namespace syncline {

namespace {

struct Slot {
  View images, labels;  // grown, never shrunk
  Batch batch;
  std::exception_ptr error;  // in place of a batch
};

// Turns positions into samples. Used by one thread at a time.
class Reader {
 public:
  Reader(std::shared_ptr<const Dataset> dataset, const LoaderOptions& options)
      : dataset_(std::move(dataset)),
        shape_(dataset_->shape()),
        elements_(shape_.elements()),
        augmenter_(options.train ? options.augment : std::vector<std::string>{}, shape_, options.seed),
        normaliser_(shape_, options.mean.empty() ? dataset_->default_mean() : options.mean,
                    options.stddev.empty() ? dataset_->default_stddev() : options.stddev),
        delay_(options.residency.memory ? 0 : options.read_delay_s),
        bytes_(static_cast<std::size_t>(elements_)),
        scratch_(augmenter_.empty() ? 0 : bytes_.size()) {}

  void make_room(Slot& slot, std::int64_t rows) const {
    if (slot.images.count() < rows * elements_) slot.images = View::host(rows * elements_);
    if (slot.labels.count() < rows) slot.labels = View::host(rows);
  }

  // Stops early, with an unfinished slot, when `cancel` becomes true.
  void fill(Slot& slot, const SampleOrder& order, const Slice& slice, const std::atomic<bool>& cancel) {
    make_room(slot, slice.rows);
    if (delay_.count() > 0 && slice.rows > 0) std::this_thread::sleep_for(delay_);
    for (std::int64_t row = 0; row < slice.rows && !cancel.load(std::memory_order_relaxed); ++row) {
      const std::int64_t id = order.id(slice, row);
      dataset_->read(id, bytes_);
      augmenter_.apply(slice.at.epoch, id, bytes_, scratch_);
      normaliser_.apply(bytes_, slot.images.floats().subspan(static_cast<std::size_t>(row * elements_), bytes_.size()));
      slot.labels.ints()[row] = dataset_->label(id);
    }
    slot.batch = batch_of(slice);
    slot.batch.images = slot.images.floats().first(static_cast<std::size_t>(slice.rows * elements_));
    slot.batch.labels = {slot.labels.ints(), static_cast<std::size_t>(slice.rows)};
  }

 private:
  std::shared_ptr<const Dataset> dataset_;
  Shape shape_;
  std::int64_t elements_;
  Augmenter augmenter_;
  Normaliser normaliser_;
  std::chrono::duration<double> delay_;
  std::vector<std::uint8_t> bytes_, scratch_;
};

// The samples that this rank holds for its loader, read when the first of them is wanted.
class Resident {
 public:
  Resident(std::shared_ptr<const Dataset> source, const LoaderOptions& options)
      : options_(options.residency), source_(std::move(source)), set_(std::make_shared<ResidentSet>(*source_)) {}
  std::shared_ptr<const Dataset> set() const { return set_; }
  bool fits(std::int64_t changes) const {
    const std::int64_t held = held_;
    return held == nothing || held == changes;
  }
  void drop() {
    set_->drop();
    held_ = nothing;
  }
  void hold(SampleOrder& order, std::int64_t changes, const std::atomic<bool>& cancel) {
    if (held_ != nothing) return;
    if (source_ == nullptr) source_ = options_.open();
    const SlotsView slots{order.slots_after(changes), order.block_ends()};
    set_->read_from(*source_, slots.of(order.member()), cancel);
    if (cancel) return;
    source_.reset();  // most sources have the whole set in memory
    held_ = changes;
  }
  Loader::Exchanged exchange(SampleOrder& order, std::int64_t changes) {
    const auto before = order.slots_after(held_);
    const std::vector<std::int32_t> kept(before.begin(), before.end());
    const SlotsView after{order.slots_after(changes), order.block_ends()};
    const Loader::Exchanged sent = set_->exchange({kept, order.block_ends()}, after, *options_.members);
    held_ = changes;
    return sent;
  }

 private:
  Residency options_;
  std::shared_ptr<const Dataset> source_;
  std::shared_ptr<ResidentSet> set_;
  static constexpr std::int64_t nothing = -1;
  std::atomic<std::int64_t> held_ = nothing;  // those of after so many changes; asked by the caller while the reader reads
};

// A ring of slots: one that the caller holds, the others read ahead by a thread. Without a thread (prefetch = 0) there is the one.
class RingLoader final : public Loader {
 public:
  RingLoader(std::shared_ptr<const Dataset> dataset, const LoaderOptions& options)
      : rank_(options.rank),
        ranks_(options.ranks),
        order_(*dataset, options),
        resident_(options.residency.memory && options.train ? std::optional<Resident>(std::in_place, dataset, options) : std::nullopt),
        reader_(resident_ ? resident_->set() : std::move(dataset), options) {
    if (options.prefetch < 0) throw UsageError("a loader cannot read " + std::to_string(options.prefetch) + " batches ahead");
    slots_.resize(static_cast<std::size_t>(options.prefetch) + 1);
    for (Slot& slot : slots_) reader_.make_room(slot, order_.shares().batch(rank_));
    held_ = slots_.size() - 1;
    if (options.prefetch > 0) start_thread();
  }

  ~RingLoader() override {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
      cancel_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const Batch& next() override {
    if (exchange_due())
      throw UsageError("the samples in memory have to change places before epoch " + std::to_string(upcoming_.epoch) + " is read");
    Slot& slot = thread_.joinable() ? take() : read_now();
    upcoming_ = order_.after(order_.slice(upcoming_));
    return slot.batch;
  }

  std::int64_t epoch() const override { return upcoming_.epoch; }
  std::int64_t position() const override { return upcoming_.position; }
  std::int64_t batches_per_epoch() const override { return order_.batches_per_epoch(); }
  std::int64_t samples_per_epoch() const override { return order_.samples_per_epoch(); }

  void seek(std::int64_t epoch, std::int64_t batch) override { go_to(order_.at(epoch, batch)); }
  void resume_at(std::int64_t epoch, std::int64_t batch, std::int64_t position) override { go_to({epoch, batch, position}); }

  // The reader waits then, and nothing that it read ahead is of a later epoch.
  bool exchange_due() const override {
    if (!resident_) return false;
    const std::lock_guard lock(mutex_);
    return !resident_->fits(order_.changes_before(upcoming_.epoch));
  }
  Exchanged exchange() override {
    Exchanged sent;
    if (!exchange_due()) return sent;
    {
      const std::lock_guard lock(mutex_);
      sent = resident_->exchange(order_, order_.changes_before(upcoming_.epoch));
    }
    changed_.notify_all();
    return sent;
  }

  void set_batch(std::span<const std::int64_t> batches) override {
    const Shares shares(batches, ranks_);
    order_.check(shares);  // before anything is thrown away
    if (shares != order_.shares()) restart(upcoming_, shares);
  }

 private:
  void go_to(const Cursor& at) {
    order_.check(at);
    restart(at, order_.shares());
  }

  Slot& read_now() {
    const Slice slice = order_.slice(upcoming_);
    prepare(slice);
    reader_.fill(slots_[0], order_, slice, cancel_);
    return slots_[0];
  }

  void prepare(const Slice& slice) {
    if (resident_) resident_->hold(order_, order_.changes_before(slice.at.epoch), cancel_);
    order_.prepare(slice.at.epoch);
  }

  Slot& take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_ > 0; });
    const std::size_t first = (held_ + 1) % slots_.size();
    if (slots_[first].error) std::rethrow_exception(slots_[first].error);  // stays there until a restart
    held_ = first;
    --ready_;
    lock.unlock();
    changed_.notify_all();
    return slots_[held_];
  }

  // Throws away what was read ahead, except what the caller holds.
  void restart(const Cursor& at, const Shares& shares) {
    std::unique_lock lock(mutex_);
    cancel_ = true;
    changed_.wait(lock, [&] { return !reading_; });
    cancel_ = false;
    for (Slot& slot : slots_) slot.error = nullptr;
    failed_ = false;
    ready_ = 0;
    if (resident_ && (shares != order_.shares() || !resident_->fits(order_.changes_before(at.epoch)))) resident_->drop();
    order_.set_shares(shares);
    upcoming_ = ahead_ = at;
    lock.unlock();
    changed_.notify_all();
  }

  void start_thread() {
    // Signals are for the threads of the program: a handler must not run here.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { read_ahead(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  bool may_read() const { return !resident_ || resident_->fits(order_.changes_before(ahead_.epoch)); }

  void read_ahead() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop_ || (!failed_ && !cancel_ && ready_ + 1 < slots_.size() && may_read()); });
      if (stop_) return;
      Slot& slot = slots_[(held_ + 1 + ready_) % slots_.size()];
      const Slice slice = order_.slice(ahead_);
      reading_ = true;
      lock.unlock();
      std::exception_ptr error;
      try {
        prepare(slice);
        reader_.fill(slot, order_, slice, cancel_);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      reading_ = false;
      if (!cancel_) {
        slot.error = error;
        failed_ = error != nullptr;
        ++ready_;
        ahead_ = order_.after(slice);
      }
      changed_.notify_all();
    }
  }

  const int rank_, ranks_;
  // The thread uses order_, resident_ and reader_ while reading_; the caller changes order_ only while it is false, under the lock.
  SampleOrder order_;
  std::optional<Resident> resident_;
  Reader reader_;
  std::vector<Slot> slots_;
  Cursor upcoming_;  // the caller's alone

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t held_ = 0;  // slot of the batch that the caller has; the ready ones follow it
  std::size_t ready_ = 0;
  Cursor ahead_;  // what is read next
  bool reading_ = false, failed_ = false, stop_ = false;
  std::atomic<bool> cancel_ = false;  // changed under the lock
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Loader> make_loader(std::shared_ptr<const Dataset> dataset, const LoaderOptions& options) {
  return std::make_unique<RingLoader>(std::move(dataset), options);
}

}  // namespace syncline
