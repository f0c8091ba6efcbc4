// SPDX-License-Identifier: Apache-2.0
#include "engine/sim/contexts.h"

#include <cxxabi.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <semaphore>
#include <thread>
#include <vector>

#include "engine/base/error.h"

namespace syncline {
namespace {

// The exceptions that a flow is handling at the moment: the C++ runtime keeps two words a thread, which must follow the flow.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;
};
ExceptionState& present_exceptions() { return *reinterpret_cast<ExceptionState*>(abi::__cxa_get_globals()); }

class Stack {
 public:
  Stack() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    memory_ = mmap(nullptr, size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED) throw TrainingError(fmt::format("no memory for the stack of a simulated rank: {}", std::strerror(errno)));
    if (mprotect(memory_, page_, PROT_NONE) != 0) {
      munmap(memory_, size());
      throw TrainingError(
          fmt::format("no guard page for the stack of a simulated rank: {}; fewer ranks would be right, or a larger "
                      "vm.max_map_count",
                      std::strerror(errno)));
    }
  }
  ~Stack() { munmap(memory_, size()); }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  void* base() const { return static_cast<char*>(memory_) + page_; }

 private:
  std::size_t size() const { return fiber_stack_bytes + page_; }
  std::size_t page_;
  void* memory_;
};

class FiberContexts final : public Contexts {
 public:
  int add(std::function<void()> body) override {
    fibers_.push_back(std::make_unique<Fiber>());
    fibers_.back()->body = std::move(body);
    return static_cast<int>(fibers_.size()) - 1;
  }
  void resume(int number) override {
    Fiber& fiber = *fibers_[static_cast<std::size_t>(number)];
    if (!fiber.stack) prepare(fiber);
    running_ = &fiber;
    exchange_exceptions(fiber);
    swapcontext(&outside_, &fiber.place);
    exchange_exceptions(fiber);
    running_ = nullptr;
    if (fiber.over) fiber.stack.reset();
  }
  void yield() override { swapcontext(&running_->place, &outside_); }

 private:
  struct Fiber {
    std::function<void()> body;
    std::unique_ptr<Stack> stack;
    ucontext_t place{};
    ExceptionState exceptions;
    bool over = false;
  };

  void prepare(Fiber& fiber) {
    fiber.stack = std::make_unique<Stack>();
    getcontext(&fiber.place);
    fiber.place.uc_stack.ss_sp = fiber.stack->base();
    fiber.place.uc_stack.ss_size = fiber_stack_bytes;
    fiber.place.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);  // makecontext hands over ints only
    makecontext(&fiber.place, reinterpret_cast<void (*)()>(&FiberContexts::enter), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
  }
  static void enter(unsigned high, unsigned low) {
    auto* all = reinterpret_cast<FiberContexts*>((static_cast<std::uintptr_t>(high) << 32) | low);
    Fiber* fiber = all->running_;
    fiber->body();
    fiber->body = nullptr;
    fiber->over = true;
    swapcontext(&fiber->place, &all->outside_);
  }
  static void exchange_exceptions(Fiber& fiber) { std::swap(present_exceptions(), fiber.exceptions); }

  std::vector<std::unique_ptr<Fiber>> fibers_;
  ucontext_t outside_{};
  Fiber* running_ = nullptr;
};

class ThreadContexts final : public Contexts {
 public:
  ~ThreadContexts() override {
    for (auto& each : flows_) {
      if (each->thread.joinable()) each->thread.join();
    }
  }
  int add(std::function<void()> body) override {
    flows_.push_back(std::make_unique<Flow>());
    flows_.back()->body = std::move(body);
    return static_cast<int>(flows_.size()) - 1;
  }
  void resume(int number) override {
    Flow& flow = *flows_[static_cast<std::size_t>(number)];
    running_ = &flow;
    if (flow.thread.joinable()) {
      flow.go.release();
    } else {
      flow.thread = std::thread([this, &flow] {
        flow.body();
        outside_.release();
      });
    }
    outside_.acquire();
    running_ = nullptr;
  }
  void yield() override {
    Flow& flow = *running_;
    outside_.release();
    flow.go.acquire();
  }

 private:
  struct Flow {
    std::function<void()> body;
    std::thread thread;
    std::binary_semaphore go{0};
  };
  std::vector<std::unique_ptr<Flow>> flows_;
  std::binary_semaphore outside_{0};
  Flow* running_ = nullptr;
};

}  // namespace

std::unique_ptr<Contexts> make_contexts(Contexts::Kind kind) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  kind = Contexts::Kind::threads;
#endif
  if (kind == Contexts::Kind::threads) return std::make_unique<ThreadContexts>();
  return std::make_unique<FiberContexts>();
}

}  // namespace syncline
