// SPDX-License-Identifier: Apache-2.0
// Signals that ask a process to end, as something to be read between two other things.
#pragma once

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace syncline {

// Takes SIGINT, SIGTERM, SIGHUP and SIGUSR1 as readable events for as long as it lives.
class SignalTap {
 public:
  SignalTap() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&set, signal);
    ::pthread_sigmask(SIG_BLOCK, &set, &before_);
    descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~SignalTap() {
    ::close(descriptor_);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  SignalTap(const SignalTap&) = delete;
  SignalTap& operator=(const SignalTap&) = delete;
  int descriptor() const { return descriptor_; }
  int next() {  // 0: none
    signalfd_siginfo info{};
    return ::read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info) ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace syncline
