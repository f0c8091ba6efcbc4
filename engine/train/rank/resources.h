// SPDX-License-Identifier: Apache-2.0
// What a rank takes of its machine: processor time, memory, network. Read from /proc by a thread of its own every few seconds; the training
// thread only picks up what lies ready.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

namespace syncline {

// Since the start of the process or of the host.
struct ResourceCounters {
  double at_s = 0, cpu_s = 0;  // at_s: monotonic; cpu_s: user and system time of all threads
  double resident_bytes = 0;
  bool network = false;  // this host has interfaces beside the loopback
  double sent_bytes = 0, received_bytes = 0;
};
// `proc`: /proc, or a copy of its files. `interfaces`: /sys/class/net; where it names devices, only those count, since traffic of bridges
// and tunnels passes through them again. What cannot be read stays 0.
ResourceCounters read_resources(const std::filesystem::path& proc = "/proc", const std::filesystem::path& interfaces = "/sys/class/net");

// Rates between two readings; NaN: not known. Travels as bytes.
struct ResourceSample {
  double cpu_share = 0;  // of the cores that are the rank's share: 1 when all of them are busy
  double resident_bytes = 0;
  double sent_bytes_per_s = 0, received_bytes_per_s = 0;  // of the whole host; NaN where another rank reports it
};
ResourceSample resource_rates(const ResourceCounters& before, const ResourceCounters& now, int cores);

class ResourceSampler {
 public:
  // The first sample after first_s, then one every every_s. cores: the rank's share. of_host: this rank reports its host's network.
  ResourceSampler(double first_s, double every_s, int cores, bool of_host);
  ~ResourceSampler();
  ResourceSampler(const ResourceSampler&) = delete;
  ResourceSampler& operator=(const ResourceSampler&) = delete;

  // The newest sample, once; nullopt: none since the last call. Costs one load of an atomic where there is none.
  std::optional<ResourceSample> take();
  // What happened since the last sample, read here and now: for the end of a run. nullopt when that is less than a tenth of a second and
  // not all there is.
  std::optional<ResourceSample> last();

 private:
  void run(double first_s);
  ResourceSample sample_since(const ResourceCounters& now);
  double every_s_;
  int cores_;
  bool of_host_;
  std::atomic<bool> ready_{false};
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false, sampled_ = false;
  ResourceCounters before_;
  ResourceSample newest_;
  std::thread thread_;
};

}  // namespace syncline
