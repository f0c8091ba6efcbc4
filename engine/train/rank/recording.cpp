// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/recording.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/units.h"

namespace syncline {
namespace {

constexpr double memory_every_s = 5;
constexpr double mean_weight = 0.05;

void update_mean(double& mean, double value) { mean = mean == 0 ? value : mean + mean_weight * (value - mean); }

std::string plan_document(std::span<const LayerSlice> slices, const Plan& plan) {
  nlohmann::ordered_json groups = nlohmann::ordered_json::array();
  for (const Group& group : plan.groups()) {
    nlohmann::ordered_json layers = nlohmann::ordered_json::array();
    for (int slice = group.first; slice <= group.last; ++slice) layers.push_back(slices[static_cast<std::size_t>(slice)].name);
    groups.push_back({{"layers", layers}, {"bytes", group.count * 4}});
  }
  return groups.dump();
}

// Which layer, as spans count them, completes which slice: what a profile made from the traces needs.
std::string slices_document(std::span<const LayerSlice> slices) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LayerSlice& slice : slices) list.push_back({{"name", slice.name}, {"layer", slice.layer}, {"count", slice.count}});
  return list.dump();
}

}  // namespace

double peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    double kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

RankRecording::RankRecording(RecordingOptions options, SpanRing& ring, Progress& progress, Clock& clock)
    : options_(std::move(options)), progress_(progress), clock_(clock), accountant_(ring, options_.rank) {
  if (!recording()) return;
  sampler_.emplace(options_.resources_first_s, options_.resources_every_s, options_.cores, options_.reports_host);
  if (options_.ranks == 1) return;
  if (options_.rank != 0) {
    sender_.emplace(*options_.records, options_.send_every_s);
  } else {
    receiver_.emplace(*options_.records,
                      [this](int rank, RecordKind kind, std::span<const std::byte> content) { take(rank, kind, content); });
  }
}

void RankRecording::started(std::span<const LayerSlice> slices, const Plan& plan, std::int64_t total_steps, const Axes& axes) {
  step_ = first_step_ = axes.step;
  shown_.total_steps = total_steps;
  look_at_clocks();
  if (options_.writer == nullptr) return;
  position(axes);
  options_.writer->document("plan", plan_document(slices, plan));
  options_.writer->document("slices", slices_document(slices));
  options_.writer->document("total_steps", std::to_string(total_steps));
  options_.writer->unit(series::learning_rate, "");
  options_.writer->unit(series::peak_memory_bytes, "B");
  options_.writer->unit(series::data_exchange_s, "s");
  options_.writer->unit(series::data_exchange_bytes, "B");
  options_.writer->unit(series::resident_memory_bytes, "B");
  options_.writer->unit(series::network_sent_bytes_per_s, "B/s");
  options_.writer->unit(series::network_received_bytes_per_s, "B/s");
  options_.writer->unit(series::control_bytes, "B");
  options_.writer->unit(series::control_s, "s");
  options_.writer->unit(series::samples_per_s, "1/s");
  options_.writer->unit(series::end_to_end_samples_per_s, "1/s");
}

// Quartzes drift by up to 50 us in a second, so one measurement serves for a while only. The communication is idle here on every rank.
void RankRecording::look_at_clocks() {
  if (!options_.measure_clocks) return;
  const std::vector<ClockOffset> offsets = options_.measure_clocks();
  clocks_step_ = step_;
  offset_s_ = offsets.at(static_cast<std::size_t>(options_.rank)).offset_s;
  clock_bound_s_ = 0;
  for (std::size_t rank = 0; rank < offsets.size(); ++rank) {
    clock_bound_s_ = std::max(clock_bound_s_, offsets[rank].bound_s);
    if (options_.writer != nullptr) options_.writer->clock(static_cast<int>(rank), offsets[rank]);
  }
}

void RankRecording::step_begins(std::int64_t step) {
  step_ = step;
  if (options_.set_step) options_.set_step(step);
}

bool RankRecording::traced(std::int64_t step) const {
  return step < first_step_ + options_.trace_first || step % options_.trace_every == 0 || step < trace_until_;
}

void RankRecording::step_done(const StepDone& done) {
  StepSums known = done.known;
  known.rank = options_.rank;
  known.axes.bytes = bytes_;
  known.axes.rounds = rounds_;
  known.axes.wall_s = utc_s();
  if (recording() && traced(known.axes.step)) known.flags |= step_traced;
  accountant_.close_step(done.start_s, done.end_s, known);
  // A step waits for the peers' times, which come with the next word; where none comes it is accounted without.
  constexpr std::int64_t most_waiting = 4;
  account(done.known.axes.step - most_waiting, nullptr);
  if (sender_) sender_->pump(done.end_s);
  if (receiver_) receiver_->poll();
  memory(done.end_s, false);
  resources(false);
  if (options_.writer != nullptr)
    if (const auto error = options_.writer->error()) throw WorkspaceError(*error);
}

std::size_t RankRecording::extra_bytes(std::size_t buckets) const {
  constexpr std::size_t beside_buckets = 2;
  return options_.ranks > 1 ? peer_issue_bytes(buckets + beside_buckets) : 0;
}

void RankRecording::fill_extra(std::span<std::byte> to) { pack_issues(accountant_.ready(), offset_s_, to); }

void RankRecording::read_extra(std::span<const std::span<const std::byte>> by_rank) {
  if (options_.ranks == 1) return account(step_, nullptr);
  const auto peers = combine_issues(by_rank, options_.rank, offset_s_, clock_bound_s_);
  if (peers) account(peers->step, &*peers);
}

void RankRecording::account(std::int64_t up_to, const PeerIssues* peers) {
  for (const StepTrace* ready = accountant_.ready(); ready != nullptr && ready->step <= up_to; ready = accountant_.ready()) {
    const bool separated = peers != nullptr && ready->step == peers->step;
    auto sums = accountant_.next(&trace_, separated ? &peers->last : nullptr);
    if (!sums) break;
    if (separated && peers->estimated) sums->flags |= step_peer_wait_estimated;
    bytes_ += sums->bytes_sent;
    rounds_ += sums->exchanges > 0 ? 1 : 0;
    show(*sums);
    if (!recording()) continue;
    const StepTrace* trace = sums->is(step_traced) ? &trace_ : nullptr;
    if (!sender_) {
      write_step(*sums, trace);
      continue;
    }
    sender_->step(*sums);
    if (trace != nullptr) sender_->trace(*trace);
  }
}

void RankRecording::write_step(const StepSums& sums, const StepTrace* trace) {
  if (options_.writer == nullptr) return;
  options_.writer->step(sums);
  if (trace != nullptr) options_.writer->trace(*trace);
}

void RankRecording::take(int rank, RecordKind kind, std::span<const std::byte> content) {
  switch (kind) {
    case RecordKind::step:
      write_step(unpack_step(content), nullptr);
      return;
    case RecordKind::trace:
      if (options_.writer != nullptr) options_.writer->trace(unpack_trace(content));
      return;
    case RecordKind::memory: {
      std::int64_t step = 0;
      double bytes = 0;
      if (content.size() != sizeof step + sizeof bytes) throw UsageError("a record of memory has another length");
      std::memcpy(&step, content.data(), sizeof step);
      std::memcpy(&bytes, content.data() + sizeof step, sizeof bytes);
      options_.writer->rank_scalar(series::peak_memory_bytes, rank, step, bytes);
      return;
    }
    case RecordKind::resources: {
      const auto [step, sample] = unpack_resources(content);
      write_resources(rank, step, sample);
      return;
    }
    case RecordKind::dropped: {
      std::int64_t count = 0;
      if (content.size() == sizeof count) std::memcpy(&count, content.data(), sizeof count);
      event("dropped", fmt::format("rank {} left out {} records that found no room", rank, count));
      return;
    }
    case RecordKind::end:
      return;
  }
}

void RankRecording::memory(double now_s, bool at_end) {
  if (!recording() || (!at_end && now_s - memory_s_ < memory_every_s)) return;
  memory_s_ = now_s;
  if (sender_)
    sender_->memory(step_, peak_memory_bytes());
  else if (options_.writer != nullptr)
    options_.writer->rank_scalar(series::peak_memory_bytes, 0, step_, peak_memory_bytes());
}

void RankRecording::resources(bool at_end) {
  if (!sampler_) return;
  const std::optional<ResourceSample> sample = at_end ? sampler_->last() : sampler_->take();
  if (!sample) return;
  if (sender_)
    sender_->resources(step_, *sample);
  else
    write_resources(options_.rank, step_, *sample);
}

// What is not known is left out: a line at zero would say that there was nothing.
void RankRecording::write_resources(int rank, std::int64_t step, const ResourceSample& sample) {
  if (options_.writer == nullptr) return;
  const auto write = [&](std::string_view name, double value) {
    if (std::isfinite(value)) options_.writer->rank_scalar(name, rank, step, value);
  };
  write(series::cpu_share, sample.cpu_share);
  write(series::resident_memory_bytes, sample.resident_bytes);
  write(series::network_sent_bytes_per_s, sample.sent_bytes_per_s);
  write(series::network_received_bytes_per_s, sample.received_bytes_per_s);
}

void RankRecording::throughput(std::int64_t step, const Axes& axes) {
  if (const auto rate = active_rate_.add(step, axes.active_s, axes.samples)) options_.writer->scalar(series::samples_per_s, step, *rate);
  if (const auto rate = end_to_end_rate_.add(step, axes.elapsed_s, axes.samples))
    options_.writer->scalar(series::end_to_end_samples_per_s, step, *rate);
}

void RankRecording::position(const Axes& at) {
  Axes axes = at;
  axes.bytes = bytes_;
  axes.rounds = rounds_;
  axes.wall_s = utc_s();
  options_.writer->position(axes);
}

void RankRecording::meeting(const ControlWord& word, double lr, const Axes& axes) {
  if ((word.flags & trace_now) != 0) trace_until_ = axes.step + options_.trace_first;
  if (word.samples > 0 && options_.has_losses) shown_.loss = word.loss();
  shown_.epoch = axes.epoch;
  if (options_.writer == nullptr) return;
  position(axes);
  const std::int64_t step = word.step - 1;
  if (word.samples > 0 && options_.has_losses) {
    options_.writer->scalar(series::train_loss, step, word.loss());
    options_.writer->scalar(series::train_accuracy, step, static_cast<double>(word.correct) / static_cast<double>(word.samples));
  }
  options_.writer->scalar(series::learning_rate, step, lr);
  throughput(step, axes);
}

void RankRecording::show(const StepSums& sums) {
  if (options_.rank != 0) return;
  update_mean(mean_step_s_, sums.step_s);
  update_mean(mean_exposed_s_, sums.exposed_s);
  update_mean(mean_samples_, static_cast<double>(sums.samples));
  shown_.step = sums.axes.step + 1;
  shown_.step_s = mean_step_s_;
  shown_.exposed_s = mean_exposed_s_;
  shown_.samples_per_s = mean_step_s_ > 0 ? mean_samples_ * options_.ranks / mean_step_s_ : 0;
  if (shown_.step > first_step_ + 10)
    shown_.left_s = mean_step_s_ * static_cast<double>(std::max<std::int64_t>(0, shown_.total_steps - shown_.step));
  progress_.update(shown_, clock_.now_s());
}

void RankRecording::evaluated(const Evaluation& result, const Axes& axes) {
  look_at_clocks();
  shown_.accuracy = result.accuracy;
  if (options_.writer != nullptr) {
    position(axes);
    options_.writer->scalar(series::test_loss, result.step - 1, result.loss);
    options_.writer->scalar(series::test_accuracy, result.step - 1, result.accuracy);
    options_.writer->event("evaluation", fmt::format("accuracy {:.4f}, loss {:.4f} on {} samples after {} steps, took {}", result.accuracy,
                                                     result.loss, result.samples, result.step, format_duration(result.seconds)));
  }
  if (options_.rank == 0)
    progress_.line(fmt::format("epoch {:.2f}  step {}  test accuracy {:.4f}  test loss {:.4f}{}", result.epoch, result.step,
                               result.accuracy, result.loss, shown_.loss ? fmt::format("  train loss {:.4f}", *shown_.loss) : ""));
}

void RankRecording::checkpointed(std::int64_t step, bool saved, const std::string& why, double seconds, const Axes& axes) {
  const std::string text = saved ? fmt::format("checkpoint of step {} saved in {}", step, format_duration(seconds))
                                 : fmt::format("the checkpoint of step {} could not be saved and the run goes on: {}", step, why);
  if (options_.writer != nullptr) {
    position(axes);
    options_.writer->event(saved ? "checkpoint" : "checkpoint-failed", text);
  }
  if (options_.rank == 0 && !saved) progress_.line(text);
}

void RankRecording::event(std::string_view kind, const std::string& text) {
  if (options_.writer != nullptr) options_.writer->event(kind, text);
  if (options_.rank == 0) progress_.line(text);
}

void RankRecording::save(StateWriter& state) const {
  state.integer("bytes", bytes_);
  state.integer("rounds", rounds_);
}

void RankRecording::load(StateReader& state) {
  bytes_ = state.integer("bytes");
  rounds_ = state.integer("rounds");
}

void RankRecording::finish() {
  if (clocks_step_ != step_) look_at_clocks();
  accountant_.finish();
  account(std::numeric_limits<std::int64_t>::max(), nullptr);
  memory(clock_.now_s(), true);
  resources(true);
  if (sender_) sender_->finish();
  if (receiver_) receiver_->finish(options_.limit_s);
  progress_.end();
}

}  // namespace syncline
