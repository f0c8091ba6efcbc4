// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/call.h"

#include <stdexcept>

namespace syncline::cpu {
namespace {

std::size_t aligned(std::size_t bytes) { return (bytes + 4095) / 4096 * 4096; }

void check(dnnl_status_t status, const char* what) {
  if (status != dnnl_success) throw std::runtime_error(std::string("oneDNN failed ") + what + ": status " + std::to_string(status));
}

void attach(const dnnl::memory& memory, const void* data) {
  check(dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(data)), "to attach memory");
}

dnnl::memory detached(const dnnl::memory::desc& format, const dnnl::engine& engine) { return {format, engine, DNNL_MEMORY_NONE}; }

dnnl::reorder::primitive_desc conversion(Context& context, const dnnl::memory::desc& from, const dnnl::memory::desc& to, bool add) {
  dnnl::primitive_attr attributes = user_scratchpad();
  if (add) {
    dnnl::post_ops sum;
    sum.append_sum(1.0f);
    attributes.set_post_ops(sum);
  }
  return {context.engine(), from, context.engine(), to, attributes};
}

void run_conversion(Context& context, const dnnl::reorder& reorder, const dnnl::memory& from, const dnnl::memory& to,
                    const dnnl::memory& scratchpad) {
  attach(scratchpad, context.scratchpad.data());
  const std::array<dnnl_exec_arg_t, 3> arguments{
      {{DNNL_ARG_FROM, from.get()}, {DNNL_ARG_TO, to.get()}, {DNNL_ARG_SCRATCHPAD, scratchpad.get()}}};
  check(dnnl_primitive_execute(reorder.get(), context.stream().get(), 3, arguments.data()), "to change a format");
}

}  // namespace

dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

Call::Call(Context& context, const dnnl::primitive& primitive, const dnnl::memory::desc& scratchpad,
           std::initializer_list<Operand> operands)
    : primitive_(primitive), scratchpad_(detached(scratchpad, context.engine())) {
  std::size_t staging = 0, scratch = scratchpad.get_size();
  dnnl::memory::desc largest = scratchpad;
  const auto keep_largest = [&](const dnnl::reorder::primitive_desc& description) {
    if (description.scratchpad_desc().get_size() < largest.get_size()) return;
    largest = description.scratchpad_desc();
    scratch = largest.get_size();
  };
  for (const Operand& operand : operands) {
    Slot& slot = slots_.at(count_);
    slot.role = operand.role;
    slot.converts = operand.user != operand.chosen;
    slot.elements = static_cast<std::int64_t>(operand.user.get_size() / sizeof(float));
    slot.chosen = detached(operand.chosen, context.engine());
    slot.staging = staging;
    if (slot.converts || operand.role == Operand::result) staging += aligned(operand.chosen.get_size());
    if (slot.converts) {
      slot.user = detached(operand.user, context.engine());
      const bool in = operand.role == Operand::input;
      const auto description = conversion(context, in ? operand.user : operand.chosen, in ? operand.chosen : operand.user, false);
      slot.convert = dnnl::reorder(description);
      keep_largest(description);
      if (operand.role == Operand::result) {
        const auto adding = conversion(context, operand.chosen, operand.user, true);
        slot.convert_add = dnnl::reorder(adding);
        keep_largest(adding);
      }
    }
    arguments_.at(count_) = {operand.argument, slot.chosen.get()};
    ++count_;
  }
  arguments_.at(count_) = {DNNL_ARG_SCRATCHPAD, scratchpad_.get()};
  convert_scratchpad_ = detached(largest, context.engine());
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
    if (slot.converts) attach(slot.user, slot.data);
    attach(slot.chosen, staged ? static_cast<const void*>(context.staging.data() + slot.staging) : slot.data);
    if (slot.converts && slot.role == Operand::input) run_conversion(context, slot.convert, slot.user, slot.chosen, convert_scratchpad_);
  }
  attach(scratchpad_, context.scratchpad.data());
  check(dnnl_primitive_execute(primitive_.get(), context.stream().get(), static_cast<int>(count_ + 1), arguments_.data()),
        "to run a primitive");
  for (std::size_t i = 0; i < count_; ++i) {
    Slot& slot = slots_[i];
    const bool add = accumulate && slot.role == Operand::result;
    if (slot.role == Operand::input || (!slot.converts && !add)) continue;
    if (slot.converts) {
      run_conversion(context, add ? slot.convert_add : slot.convert, slot.chosen, slot.user, convert_scratchpad_);
    } else {
      const float* partial = reinterpret_cast<const float*>(context.staging.data() + slot.staging);
      float* sum = slot.data;
      context.ranges(slot.elements, kPiece, [&](std::int64_t first, std::int64_t last) {
        context.simd().add(sum + first, partial + first, sum + first, last - first, false);
      });
    }
  }
}

Call make_copy(Context& context, const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  const auto description = checked("a change of format", [&] { return conversion(context, from, to, false); });
  return {context,
          dnnl::reorder(description),
          description.scratchpad_desc(),
          {{DNNL_ARG_FROM, Operand::input, from, from}, {DNNL_ARG_TO, Operand::output, to, to}}};
}

}  // namespace syncline::cpu
