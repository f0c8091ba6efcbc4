// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/resources.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "engine/metrics/clock.h"

namespace syncline {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr double least_interval_s = 0.1;  // a rate over less is noise, but better than nothing of a run that was shorter

// The clock counts nanoseconds where /proc counts hundredths of a second, too coarse for a short run.
double process_cpu_s() {
  timespec time{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void read_memory(const std::filesystem::path& proc, ResourceCounters& counters) {
  std::ifstream file(proc / "self" / "statm");
  double size = 0, resident = 0;
  if (file >> size >> resident) counters.resident_bytes = resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void read_network(const std::filesystem::path& proc, const std::filesystem::path& interfaces, ResourceCounters& counters) {
  struct Traffic {
    bool any = false;
    double received = 0, sent = 0;
  } devices, others;
  std::ifstream file(proc / "net" / "dev");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':'), begin = line.find_first_not_of(' ');
    if (colon == std::string::npos) continue;  // the two lines of headings
    const std::string name = line.substr(begin, colon - begin);
    if (name == "lo") continue;
    std::istringstream fields(line.substr(colon + 1));
    double received = 0, sent = 0, skipped = 0;
    fields >> received;
    for (int field = 1; field < 8; ++field) fields >> skipped;
    if (!(fields >> sent)) continue;
    std::error_code none;
    Traffic& traffic = std::filesystem::exists(interfaces / name / "device", none) ? devices : others;
    traffic.any = true;
    traffic.received += received;
    traffic.sent += sent;
  }
  const Traffic& counted = devices.any ? devices : others;
  counters.network = counted.any;
  counters.received_bytes = counted.received;
  counters.sent_bytes = counted.sent;
}

}  // namespace

ResourceCounters read_resources(const std::filesystem::path& proc, const std::filesystem::path& interfaces) {
  ResourceCounters counters;
  counters.at_s = monotonic_s();
  counters.cpu_s = process_cpu_s();
  read_memory(proc, counters);
  read_network(proc, interfaces, counters);
  return counters;
}

ResourceSample resource_rates(const ResourceCounters& before, const ResourceCounters& now, int cores) {
  const double seconds = now.at_s - before.at_s;
  ResourceSample sample{unknown, now.resident_bytes, unknown, unknown};
  if (seconds <= 0) return sample;
  if (cores > 0) sample.cpu_share = (now.cpu_s - before.cpu_s) / (seconds * cores);
  // A counter that went back was reset: an interface has been taken away.
  if (before.network && now.network && now.sent_bytes >= before.sent_bytes && now.received_bytes >= before.received_bytes) {
    sample.sent_bytes_per_s = (now.sent_bytes - before.sent_bytes) / seconds;
    sample.received_bytes_per_s = (now.received_bytes - before.received_bytes) / seconds;
  }
  return sample;
}

ResourceSampler::ResourceSampler(double first_s, double every_s, int cores, bool of_host)
    : every_s_(every_s), cores_(cores), of_host_(of_host), before_(read_resources()), thread_([this, first_s] { run(first_s); }) {}

ResourceSampler::~ResourceSampler() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void ResourceSampler::run(double first_s) {
  double wait_s = first_s;
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, std::chrono::duration<double>(wait_s), [this] { return stopping_; })) {
    wait_s = every_s_;
    lock.unlock();
    const ResourceCounters now = read_resources();
    lock.lock();
    if (now.at_s - before_.at_s < least_interval_s) continue;  // last() was quicker
    newest_ = sample_since(now);
    ready_.store(true, std::memory_order_release);
  }
}

ResourceSample ResourceSampler::sample_since(const ResourceCounters& now) {
  ResourceSample sample = resource_rates(before_, now, cores_);
  if (!of_host_) sample.sent_bytes_per_s = sample.received_bytes_per_s = unknown;
  before_ = now;
  sampled_ = true;
  return sample;
}

std::optional<ResourceSample> ResourceSampler::take() {
  if (!ready_.load(std::memory_order_acquire)) return std::nullopt;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return std::nullopt;  // the next step will do
  ready_.store(false, std::memory_order_relaxed);
  return newest_;
}

std::optional<ResourceSample> ResourceSampler::last() {
  const ResourceCounters now = read_resources();
  const std::lock_guard lock(mutex_);
  if (sampled_ && now.at_s - before_.at_s < least_interval_s) return std::nullopt;
  return sample_since(now);
}

}  // namespace syncline
