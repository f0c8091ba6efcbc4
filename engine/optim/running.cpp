// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/running.h"

namespace syncline {
namespace {

constinit thread_local const char* volatile running = nullptr;

}  // namespace

Running::Running(const char* label) noexcept : before_(running) { running = label; }
Running::~Running() { running = before_; }
const char* Running::current() noexcept { return running; }

}  // namespace syncline
