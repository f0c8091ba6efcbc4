// SPDX-License-Identifier: Apache-2.0
// Many flows of control of which one runs at a time and hands on only where it says so. Two kinds that behave alike: fibers in one thread,
// and operating-system threads that pass a baton, for debuggers and for the thread sanitizer, which do not follow fibers.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace syncline {

class Contexts {
 public:
  enum class Kind : unsigned char { fibers, threads };
  virtual ~Contexts() = default;
  // A flow that runs `body` when it is first resumed. The body lets no exception out. Returns its number, from 0.
  virtual int add(std::function<void()> body) = 0;
  // Runs that flow until it yields or its body has returned; called from outside of all flows. Not for one that has returned.
  virtual void resume(int number) = 0;
  virtual void yield() = 0;  // called inside the running flow: back to whoever resumed it
};

// Stacks of fibers are this large, behind a page that may not be touched: an overflow ends the process instead of spoiling a neighbour.
inline constexpr std::size_t fiber_stack_bytes = 128 * 1024;

// Fibers are not known to the sanitizers: built with one, this gives threads whatever is asked for.
std::unique_ptr<Contexts> make_contexts(Contexts::Kind);

}  // namespace syncline
