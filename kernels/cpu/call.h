// SPDX-License-Identifier: Apache-2.0
// A oneDNN primitive with everything that running it needs, made once. Operands that the primitive wants in another format than ours
// are copied through the staging arena before and after. Running allocates nothing of ours.
#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include "kernels/cpu/blocks.h"

namespace syncline::cpu {

struct Operand {
  enum Role { input, output, result };  // result: an output that can also be added to what is there
  int argument;                         // DNNL_ARG_...
  Role role;
  dnnl::memory::desc user, chosen;
};

class Call {
 public:
  Call() = default;
  Call(Context& context, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad, std::initializer_list<Operand> operands);

  // Data in the order of the operands. accumulate: results are added to their memory instead of overwriting it.
  void run(Context& context, std::initializer_list<const float*> data, bool accumulate = false);
  explicit operator bool() const { return count_ > 0; }

 private:
  struct Slot {
    Operand::Role role = Operand::input;
    bool converts = false;
    std::int64_t elements = 0;  // of the user's memory
    std::size_t staging = 0;    // offset there
    dnnl::memory chosen;
    Conversion convert, convert_add;
    float* data = nullptr;
  };

  static constexpr std::size_t kMax = 4;
  std::array<Slot, kMax> slots_;
  std::array<dnnl_exec_arg_t, kMax + 1> arguments_{};
  std::size_t count_ = 0;
  dnnl::primitive primitive_;
  dnnl::memory scratchpad_;
};

// std::runtime_error unless the library succeeded; `what` completes "oneDNN failed".
void check(dnnl_status_t status, const char* what);
void attach(const dnnl::memory& memory, const void* data);
dnnl::memory detached(const dnnl::memory::desc& format, const dnnl::engine& engine);  // without memory until `attach`
dnnl::primitive_attr user_scratchpad();

// Runs `make` and turns the library's exception into std::runtime_error with what was being prepared.
template <class F>
auto checked(const char* what, F&& make) {
  try {
    return make();
  } catch (const dnnl::error& error) {
    throw std::runtime_error(std::string("oneDNN cannot prepare ") + what + ": " + error.what());
  }
}

}  // namespace syncline::cpu
