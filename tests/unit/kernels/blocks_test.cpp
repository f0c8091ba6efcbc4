// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/blocks.h"

#include <cstdint>

#include "kernels/host_memory.h"
#include "tests/unit/kernels/support.h"

namespace syncline {
namespace {

using cpu::Conversion;
using dnnl::memory;
using Tag = memory::format_tag;

memory::desc format(const memory::dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

std::vector<float> by_library(cpu::Context& context, const memory::desc& from, const memory::desc& to, const std::vector<float>& values) {
  memory input(from, context.engine()), output(to, context.engine());
  std::copy(values.begin(), values.end(), static_cast<float*>(input.get_data_handle()));
  dnnl::reorder(input, output).execute(context.stream(), input, output);
  const float* data = static_cast<const float*>(output.get_data_handle());
  return {data, data + to.get_size() / sizeof(float)};
}

// Every format that a convolution's activations or weights can be asked in, ours or the library's to copy, on one thread and on three.
TEST(Blocks, EveryCopyIsTheLibrarysToTheBit) {
  for (const int threads : {1, 3}) {
    cpu::Context context(threads);
    for (const memory::dims& dims :
         {memory::dims{3, 32, 5, 7}, {32, 48, 3, 3}, {16, 16, 1, 1}, {16, 64, 2, 1}, {5, 16, 1, 1}, {8, 20, 3, 3}}) {
      for (const Tag blocked : {Tag::aBcd16b, Tag::ABcd16a16b, Tag::ABcd16b16a, Tag::aBcd8b, Tag::abcd}) {
        for (const bool back : {false, true}) {
          const memory::desc plain = format(dims, Tag::acdb), other = format(dims, blocked);
          const memory::desc &from = back ? other : plain, &to = back ? plain : other;
          std::vector<float> values(from.get_size() / sizeof(float));
          for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
          Conversion conversion(context, from, to, false);
          context.scratchpad.reserve(conversion.scratchpad_bytes());
          std::vector<float> copied(to.get_size() / sizeof(float));
          conversion.run(context, values.data(), copied.data());
          EXPECT_EQ(copied, by_library(context, from, to, values)) << dims[0] << 'x' << dims[1] << " format " << static_cast<int>(blocked);
        }
      }
    }
  }
}

TEST(Blocks, AddingKeepsWhatWasThere) {
  cpu::Context context(1);
  const memory::dims dims{16, 32, 3, 3};
  const memory::desc from = format(dims, Tag::ABcd16b16a), to = format(dims, Tag::acdb);
  std::vector<float> values(16 * 32 * 9), sum(values.size(), 0.5f);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Conversion adding(context, from, to, true);
  context.scratchpad.reserve(adding.scratchpad_bytes());
  adding.run(context, values.data(), sum.data());
  const std::vector<float> once = by_library(context, from, to, values);
  for (std::size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], once[i] + 0.5f) << i;
}

TEST(HostMemory, IsAlignedForWhatItHolds) {
  for (const auto& [bytes, alignment] :
       std::vector<std::pair<std::size_t, std::uintptr_t>>{{1, 64},
                                                           {100, 64},
                                                           {4096, 4096},
                                                           {std::size_t{1} << 20, std::uintptr_t{2} << 20},
                                                           {std::size_t{5} << 20, std::uintptr_t{2} << 20}}) {
    auto* memory = static_cast<char*>(host_memory(bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % alignment, 0u) << bytes;
    memory[0] = memory[bytes - 1] = 1;
    std::free(memory);
  }
  EXPECT_THROW(host_memory(SIZE_MAX - 4096), std::bad_alloc);
}

}  // namespace
}  // namespace syncline
