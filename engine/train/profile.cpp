// SPDX-License-Identifier: Apache-2.0
#include "engine/train/profile.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/plan/link_fit.h"
#include "engine/train/exchange.h"

namespace syncline {
namespace {

class ProfileHooks final : public Hooks {  // times between the completions of slices; what precedes the first one's backward is forward
 public:
  ProfileHooks(Clock& clock, std::size_t slices) : clock_(clock), ready_s_(slices, 0) {}
  void forward_done(int) override { forward_end_s_ = clock_.now_s(); }
  void gradient_ready(int slice) override { ready_s_[static_cast<std::size_t>(slice)] = clock_.now_s(); }
  // forward first, then one time per slice.
  std::vector<double> durations(double start_s) const {
    std::vector<double> result = {forward_end_s_ - start_s};
    double before = forward_end_s_;
    for (const double ready : ready_s_) {
      result.push_back(std::max(0.0, ready - before));
      before = std::max(before, ready);
    }
    return result;
  }

 private:
  Clock& clock_;
  std::vector<double> ready_s_;
  double forward_end_s_ = 0;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::vector<LinkSample> time_exchanges(const ProfileRequest& request, const View& scratch) {
  std::vector<LinkSample> measured;
  for (const std::int64_t wanted : {std::int64_t{1}, std::int64_t{4096}, std::int64_t{65536}, std::int64_t{524288}}) {
    const View part = scratch.part(0, std::min(wanted, scratch.count()));
    std::vector<double> times;
    for (int repeat = 0; repeat < 6; ++repeat) {
      request.control.barrier().wait();
      const double start_s = request.clock.now_s();
      request.data.allreduce(part, part, {.label = "link profile"}).wait();
      if (repeat > 0) times.push_back(request.clock.now_s() - start_s);
    }
    measured.push_back({static_cast<double>(part.bytes()), median(times)});
    if (part.count() == scratch.count()) break;
  }
  return measured;
}

}  // namespace

Profile measure_profile(const ProfileRequest& request) {
  const std::size_t slices = request.task.slices().size();
  const View kept = request.backend.allocate(request.bound.statistics.count());  // a training pass moves the running statistics
  if (!kept.empty()) request.backend.set(kept, {{1, request.bound.statistics}}, false);
  const std::int64_t epoch = request.loader.epoch();
  std::vector<std::vector<double>> samples(slices + 1);
  for (int step = 0; step < request.steps; ++step) {
    ProfileHooks hooks(request.clock, slices);
    const double start_s = request.clock.now_s();
    request.task.compute(request.bound, request.loader, step, hooks);
    if (request.loader.epoch() != epoch) request.loader.seek(epoch, 0);  // samples in memory would have to change places
    if (step < 2) continue;
    const auto durations = hooks.durations(start_s);
    for (std::size_t k = 0; k < durations.size(); ++k) samples[k].push_back(durations[k]);
  }
  request.loader.seek(epoch, 0);
  if (!kept.empty()) request.backend.set(request.bound.statistics, {{1, kept}}, false);

  std::vector<double> flat;
  for (auto& each : samples) flat.push_back(median(std::move(each)));
  LinkCost link;
  if (request.data.size() > 1) {
    const auto times = time_exchanges(request, request.bound.grads);
    link = times.size() > 1 ? fit_link(times).cost : LinkCost{.latency_s = times.front().seconds};  // a model of one element
  }
  request.backend.fill(request.bound.grads, 0);
  flat.insert(flat.end(), {link.latency_s, link.per_byte_s});

  ByteBuffer bytes(flat.size() * sizeof(double));  // rank 0's measurement counts
  std::memcpy(bytes.data(), flat.data(), bytes.size());
  bytes = told_by(request.control, std::move(bytes));
  std::memcpy(flat.data(), bytes.data(), bytes.size());
  Profile profile;
  profile.forward_s = flat[0];
  profile.backward_s = {flat.begin() + 1, flat.begin() + 1 + static_cast<std::ptrdiff_t>(slices)};
  profile.allreduce = {.latency_s = flat[slices + 1], .per_byte_s = flat[slices + 2]};
  return profile;
}

}  // namespace syncline
