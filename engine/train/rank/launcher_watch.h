// SPDX-License-Identifier: Apache-2.0
// A rank may not outlive the launcher that started it on this host (mpirun, or its daemon), and where the launcher was killed, ranks are
// the last that can tidy up. The supervisor is no launcher: when it goes, the run saves a checkpoint and stops.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <thread>

namespace syncline {

class LauncherWatch {
 public:
  // From here on the end of the launcher ends this process at once, whatever its other threads do, after it has removed the job's folder
  // in shared memory (`scratch`, may be empty) and the status files of the run. Without such a parent it does nothing.
  explicit LauncherWatch(std::string scratch);
  ~LauncherWatch();
  LauncherWatch(const LauncherWatch&) = delete;
  LauncherWatch& operator=(const LauncherWatch&) = delete;

  void set_run(const std::filesystem::path& run_folder, int ranks);

 private:
  void wait(int launcher);
  [[noreturn]] void leave();

  const std::string scratch_;
  std::mutex mutex_;
  std::filesystem::path run_folder_;
  int ranks_ = 0;
  int launcher_ = -1, stop_ = -1;  // descriptors
  std::thread thread_;
};

// For a rank that leaves because a peer has gone silent. Where a network is cut, mpirun and its daemons wait for each other for ever: a
// process of its own ends this rank's launcher when it is still there after_s later. Nothing where the parent is no launcher.
void end_stranded_launcher(double after_s);

}  // namespace syncline
