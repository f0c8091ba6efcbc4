// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/queue.h"

#include <fmt/core.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>

#include "engine/base/error.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

constexpr double spin_s = 30e-6, first_pause_s = 50e-6;
// A message of several fragments moves inside the library between two that finish: as long as one was seen so recently, pauses stay short.
// Doubling them at once made a 1 MB exchange through shared memory take milliseconds, both sides asleep in turn.
constexpr double lively_s = 400e-6;
constexpr double check_every_s = 0.05;  // how often limits are looked at; they are seconds

}  // namespace

const std::vector<int>& process_cores() {
  static const std::vector<int> cores = [] {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> found;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
      for (int core = 0; core < CPU_SETSIZE; ++core) {
        if (CPU_ISSET(core, &set)) found.push_back(core);
      }
    }
    return found;
  }();
  return cores;
}

std::shared_ptr<Operation> Lane::next() {
  if (busy_ || pending_.empty()) return nullptr;
  if (gate_) {
    std::shared_ptr<Operation> released = gate_->next(pending_);
    busy_ = released != nullptr;
    return released;
  }
  auto chosen = pending_.begin();
  if ((*chosen)->order >= 0) {
    // Ordered operations start by their number; 0 begins the next step's sequence. One without an order waits for those asked before it.
    const auto has = [this](int order) {
      return std::find_if(pending_.begin(), pending_.end(), [order](const auto& operation) { return operation->order == order; });
    };
    chosen = has(next_order_);
    if (chosen == pending_.end()) chosen = has(0);
    if (chosen == pending_.end()) return nullptr;
    next_order_ = (*chosen)->order + 1;
  }
  std::shared_ptr<Operation> operation = std::move(*chosen);
  pending_.erase(chosen);
  busy_ = true;
  return operation;
}

CommQueue::CommQueue(QueueOptions options, MakeTransport make) : options_(std::move(options)) {
  if (options_.cores.empty()) options_.cores = process_cores();
  thread_ = std::thread([this, make = std::move(make)] { run(make); });
  const double until = monotonic_s() + options_.start_limit_s;
  while (!ready_.load(std::memory_order_acquire)) {
    const std::uint32_t ticket = ready_bell_.ticket();
    if (ready_.load(std::memory_order_acquire)) break;
    if (monotonic_s() >= until) {
      thread_.detach();  // it is inside a library call; the caller is expected to leave the process
      throw TimeLimit(fmt::format("the ranks did not connect within {:g} s; check that all of them started and can reach each other",
                                  options_.start_limit_s));
    }
    ready_bell_.wait(ticket, until);
  }
  if (start_error_) {
    thread_.join();
    std::rethrow_exception(start_error_);
  }
}

CommQueue::~CommQueue() {
  request_stop();
  if (thread_.joinable()) thread_.join();
}

void CommQueue::abandon() {
  if (thread_.joinable()) thread_.detach();
}

void CommQueue::request_stop() {
  stopping_.store(true, std::memory_order_release);
  bell_->ring();
}

double CommQueue::thread_cpu_s() const {
  timespec time{};
  if (clock_gettime(cpu_clock_.load(), &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void CommQueue::open(Operation& operation) {
  {
    // Before a pooled state opens again its finished self must have left the list that submit() compares with.
    const std::scoped_lock lock(inbox_.mutex);
    auto& open = inbox_.open;
    open.erase(std::remove_if(open.begin(), open.end(), [](const auto& other) { return other->finished(); }), open.end());
  }
  operation.reopen();
  operation.heartbeat = heartbeat_;
  operation.queue_bell = bell_;
  operation.limit_s = options_.limit_s;
  operation.warned = false;
  operation.order = -1;
  operation.negotiated = false;
  operation.times.queued_s = operation.moved_s = monotonic_s();
}

void CommQueue::submit(const std::shared_ptr<Operation>& operation) {
  {
    const std::scoped_lock lock(inbox_.mutex);
    for (const auto& other : inbox_.open) {
      if (other->finished()) continue;
      if (operation->writes.overlaps(other->writes) || operation->writes.overlaps(other->reads) ||
          operation->reads.overlaps(other->writes)) {
        operation->retire();
        operation->drop();
        throw UsageError(fmt::format("internal error: {} touches memory that {} is still using; wait for that one first",
                                     operation->describe(), other->describe()));
      }
    }
    inbox_.open.push_back(operation);
    inbox_.arrived.push_back(operation);
  }
  bell_->ring();
}

void CommQueue::poison(Failure failure) {
  {
    const std::scoped_lock lock(inbox_.mutex);
    if (!inbox_.poison) inbox_.poison = std::move(failure);
  }
  bell_->ring();
}

std::string CommQueue::last_operation() const {
  const std::scoped_lock lock(last_mutex_);
  return last_;
}

void CommQueue::set_up_thread() {
  pthread_setname_np(pthread_self(), options_.name.substr(0, 15).c_str());
  prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);  // 1 us; else every sleep is 50 us longer
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) == 0) cpu_clock_.store(clock);
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : options_.cores) {
    if (core >= 0 && core < CPU_SETSIZE) CPU_SET(static_cast<std::size_t>(core), &set);
  }
  if (!options_.cores.empty() && pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0) {
    comm_log("the communication thread may not use the cores asked for and runs where it was started");
  }
  if (options_.on_start) options_.on_start();
}

bool CommQueue::start_transport(const MakeTransport& make) {
  try {
    set_up_thread();
    transport_ = make();
    rank_ = transport_->rank();
    size_ = transport_->size();
    bell_ = &transport_->doorbell();
  } catch (...) {
    start_error_ = std::current_exception();
  }
  const bool good = !start_error_;
  ready_.store(true, std::memory_order_release);
  ready_bell_.ring();
  return good;
}

void CommQueue::run(const MakeTransport& make) {
  if (!start_transport(make)) return;
  loop();
  if (!failed_) {
    try {
      transport_->close();
    } catch (const std::exception& error) {
      comm_log(fmt::format("while closing: {}", error.what()));
    }
  }
}

void CommQueue::loop() {
  double pause = first_pause_s, last_moved = monotonic_s();
  std::uint32_t heard = bell_->ticket();
  for (;;) {
    const std::uint32_t ticket = bell_->ticket();
    const double now = monotonic_s();
    heartbeat_->busy_since_s.store(now, std::memory_order_relaxed);
    bool moved = false;
    try {
      moved = take_arrivals();
      if (!nothing_left() && !failed_) moved = advance(now) || moved;
    } catch (const std::exception& error) {
      failed_ = Failure::of(error);
    }
    if (failed_) fail_all(*failed_);
    if (moved || ticket != heard) {
      heard = ticket;
      pause = first_pause_s;
      last_moved = now;
    }
    if (moved) continue;
    if (nothing_left()) {
      const std::scoped_lock lock(inbox_.mutex);
      if (stopping_.load(std::memory_order_acquire) && inbox_.arrived.empty()) return;
    }
    if (!nothing_left() && (options_.spin || (now - last_moved < spin_s && transport_->longest_sleep_s() < 1))) continue;
    heartbeat_->busy_since_s.store(forever_s, std::memory_order_relaxed);
    sleep(ticket, pause, now);
    if (now - last_moved >= lively_s) pause = std::min(2 * pause, transport_->longest_sleep_s());
  }
}

bool CommQueue::advance(double now) {
  bool moved = transport_->poll();
  moved = start_ready() || moved;
  moved = step_active() || moved;
  if (now >= next_check_s_) check_limits(now);
  if (!stopping_.load(std::memory_order_acquire)) return moved;
  // What has no end of its own (a mailbox that nobody closed) does not keep the thread.
  for (std::size_t i = active_.size(); i-- > 0;) {
    active_[i]->queue_stops();
    if (!active_[i]->endless()) continue;
    active_[i]->abandon(*transport_);
    active_[i]->finish();
    active_[i]->retire();
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return moved;
}

void CommQueue::sleep(std::uint32_t ticket, double pause_s, double now) {
  if (nothing_left()) return bell_->wait(ticket);
  const double longest = transport_->longest_sleep_s();
  double until = longest > 1 ? forever_s : now + std::min(pause_s, longest);
  until = std::min({until, transport_->due_s(), std::max(next_check_s_, now + check_every_s)});
  for (const auto& operation : active_) until = std::min(until, operation->due_s());
  bell_->wait(ticket, until);
}

bool CommQueue::take_arrivals() {
  {
    const std::scoped_lock lock(inbox_.mutex);
    if (inbox_.poison && !failed_) failed_ = inbox_.poison;
    incoming_.swap(inbox_.arrived);
  }
  for (auto& operation : incoming_) {
    if (operation->lane) {
      const std::shared_ptr<Lane> lane = operation->lane;
      if (std::find(waiting_.begin(), waiting_.end(), lane) == waiting_.end()) waiting_.push_back(lane);
      lane->push(std::move(operation));
    } else {
      begin(std::move(operation));
    }
  }
  const bool any = !incoming_.empty();
  incoming_.clear();
  return any;
}

bool CommQueue::start_ready() {
  bool moved = false;
  for (std::size_t i = 0; i < waiting_.size();) {
    const std::shared_ptr<Lane> lane = waiting_[i];
    if (auto operation = lane->next()) {
      begin(std::move(operation));
      moved = true;
    }
    if (lane->pending().empty()) {
      waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return moved;
}

void CommQueue::begin(std::shared_ptr<Operation> operation) {
  operation->times.issued_s = operation->moved_s = monotonic_s();
  Operation& started = *operation;
  active_.push_back(std::move(operation));
  if (failed_) return;
  {
    const std::scoped_lock lock(last_mutex_);
    last_.clear();  // keeps its memory: this happens for every operation
    started.describe_to(last_);
  }
  started.start(*transport_);
}

void CommQueue::end(Operation& operation) {
  if (operation.lane) operation.lane->ended();
}

// The operation's own mistakes (a message too long, a mismatch) end it; anything worse ends the queue, by the caller.
bool CommQueue::step_one(Operation& operation) {
  const double now = monotonic_s();
  if (operation.cancel_wanted() && operation.cancelled(*transport_)) {
    operation.times.done_s = now;
    end(operation);
    operation.finish();
    return true;
  }
  try {
    const Operation::Progress progress = operation.progress(*transport_);
    if (progress != Operation::Progress::idle) operation.moved_s = now;
    if (progress != Operation::Progress::finished) return false;
  } catch (const UsageError& error) {
    if (operation.lane) throw;  // the other ranks are in this collective too: nothing after it can be right
    operation.abandon(*transport_);
    end(operation);
    operation.fail(Failure::of(error));
    return true;
  }
  operation.times.done_s = monotonic_s();
  end(operation);
  operation.finish();
  return true;
}

bool CommQueue::step_active() {
  bool moved = false;
  for (std::size_t i = 0; i < active_.size();) {
    const double before = active_[i]->moved_s;
    const bool ended = step_one(*active_[i]);
    moved = moved || ended || active_[i]->moved_s != before;
    if (!ended) {
      ++i;
      continue;
    }
    active_[i]->retire();
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return moved;
}

void CommQueue::check_limit(Operation& operation, double now, const ReleaseGate* gate) {
  if (operation.endless() || now - operation.moved_s <= options_.limit_s / 2) return;
  const std::string peers = gate != nullptr ? gate->missing() : operation.waiting_for();
  if (now - operation.moved_s <= options_.limit_s) {
    if (!operation.warned) {
      comm_log(fmt::format("rank {} has heard nothing for {:.1f} s in {}{}", rank_, now - operation.moved_s, operation.describe(),
                           peers.empty() ? "" : ", waiting for " + peers));
    }
    operation.warned = true;
    return;
  }
  failed_ = Failure{Failure::time_limit, fmt::format("rank {}: {} took longer than the limit of {:g} s{}", rank_, operation.describe(),
                                                     options_.limit_s, peers.empty() ? "" : ", waiting for " + peers)};
}

void CommQueue::check_limits(double now) {
  next_check_s_ = now + check_every_s;
  for (const auto& operation : active_) {
    if (!failed_) check_limit(*operation, now);
  }
  for (const auto& lane : waiting_) {
    if (lane->busy() || failed_ || lane->pending().empty()) continue;
    // It waits for its turn: by Reduce::order, and nobody asked for the one before, or until it is ready on all ranks.
    check_limit(*lane->pending().front(), now, lane->gate());
  }
}

void CommQueue::fail_all(const Failure& failure) {
  for (const auto& operation : active_) {
    operation->abandon(*transport_);
    end(*operation);
    operation->fail(failure);
    operation->retire();
  }
  active_.clear();
  for (const auto& lane : waiting_) {
    for (const auto& operation : lane->pending()) {
      operation->fail(failure);
      operation->retire();
    }
    lane->pending().clear();
  }
  waiting_.clear();
}

}  // namespace syncline
