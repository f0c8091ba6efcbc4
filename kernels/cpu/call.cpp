// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/call.h"

#include <algorithm>
#include <stdexcept>

namespace syncline::cpu {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

}  // namespace

void check(dnnl_status_t status, const char* what) {
  if (status != dnnl_success) throw std::runtime_error(std::string("oneDNN failed ") + what + ": status " + std::to_string(status));
}

void attach(const dnnl::memory& memory, const void* data) {
  check(dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(data)), "to attach memory");
}

dnnl::memory detached(const dnnl::memory::desc& format, const dnnl::engine& engine) { return {format, engine, DNNL_MEMORY_NONE}; }

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Call::Call(Context& context, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
           std::initializer_list<Operand> operands)
    : primitive_(primitive), scratchpad_(detached(scratchpad, context.engine())) {
  std::size_t staging = 0, scratch = scratchpad.get_size();
  for (const Operand& operand : operands) {
    Slot& slot = slots_.at(count_);
    slot.role = operand.role;
    slot.converts = operand.user != operand.chosen;
    slot.elements = static_cast<std::int64_t>(operand.user.get_size() / sizeof(float));
    slot.chosen = detached(operand.chosen, context.engine());
    slot.staging = staging;
    if (slot.converts || operand.role == Operand::result) staging += aligned(operand.chosen.get_size());
    if (slot.converts) {
      const bool in = operand.role == Operand::input;
      slot.convert = Conversion(context, in ? operand.user : operand.chosen, in ? operand.chosen : operand.user, false);
      if (operand.role == Operand::result) slot.convert_add = Conversion(context, operand.chosen, operand.user, true);
      scratch = std::max({scratch, slot.convert.scratchpad_bytes(), slot.convert_add.scratchpad_bytes()});
    }
    arguments_.at(count_) = {operand.argument, slot.chosen.get()};
    ++count_;
  }
  arguments_.at(count_) = {DNNL_ARG_SCRATCHPAD, scratchpad_.get()};
  context.scratchpad.reserve(scratch);
  context.staging.reserve(staging);
}

void Call::run(Context& context, std::initializer_list<const float*> data, bool accumulate) {
  if (data.size() != count_)
    throw std::invalid_argument("a primitive of " + std::to_string(count_) + " operands got " + std::to_string(data.size()));
  for (std::size_t i = 0; i < count_; ++i) {
    Slot& slot = slots_[i];
    slot.data = const_cast<float*>(data.begin()[i]);
    const bool staged = slot.converts || (accumulate && slot.role == Operand::result);
    float* const own = reinterpret_cast<float*>(context.staging.data() + slot.staging);
    attach(slot.chosen, staged ? own : slot.data);
    if (slot.converts && slot.role == Operand::input) slot.convert.run(context, slot.data, own);
  }
  attach(scratchpad_, context.scratchpad.data());
  check(dnnl_primitive_execute(primitive_.get(), context.stream().get(), static_cast<int>(count_ + 1), arguments_.data()),
        "to run a primitive");
  for (std::size_t i = 0; i < count_; ++i) {
    Slot& slot = slots_[i];
    const bool add = accumulate && slot.role == Operand::result;
    if (slot.role == Operand::input || (!slot.converts && !add)) continue;
    const float* partial = reinterpret_cast<const float*>(context.staging.data() + slot.staging);
    if (slot.converts) {
      (add ? slot.convert_add : slot.convert).run(context, partial, slot.data);
    } else {
      float* sum = slot.data;
      context.ranges(slot.elements, kPiece, [&](std::int64_t first, std::int64_t last) {
        context.simd().add(sum + first, partial + first, sum + first, last - first, false);
      });
    }
  }
}

}  // namespace syncline::cpu
