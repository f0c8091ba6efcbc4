// SPDX-License-Identifier: Apache-2.0
// Child processes of the supervisor and what the kernel says about processes. No fork after threads: children start by posix_spawn.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace syncline {

struct ProcessExit {
  int code = 0;    // exit status; 0 when ended by a signal
  int signal = 0;  // 0: exited by itself
};

struct SpawnOptions {
  std::vector<std::string> argv;                                 // argv[0]: a path, or a name looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment;  // added to or replacing this process's
  enum Group { same, own_group, own_session } group = own_group;
  int output_fd = -1;  // standard output and error; -1: inherited. Standard input is /dev/null
  int error_fd = -1;   // standard error alone; -1: goes where standard output does
  int keep_fd = -1;    // stays open in the child under its number; -1: none
};

// A started child; the destructor does not end it.
class ChildProcess {
 public:
  explicit ChildProcess(const SpawnOptions&);  // throws TrainingError: what could not be started and why
  pid_t pid() const { return pid_; }
  std::optional<ProcessExit> poll();  // reaps; the same answer ever after
  ProcessExit wait();
  void signal_group(int signal) const;  // the child and all in its group; ignores a group that is gone

 private:
  pid_t pid_ = -1;
  std::optional<ProcessExit> exit_;
};

int core_count();  // cores this process may run on
// Whether a process may copy from the memory of another one of the same user that is not its descendant (process_vm_readv), as ranks on
// one machine then do. Containers and Yama's restrictions refuse it. Asked of the kernel by a child that reads from this process.
bool peer_memory_readable();
std::string signal_text(int signal);  // "signal 9 (Killed)"

}  // namespace syncline
