// SPDX-License-Identifier: Apache-2.0
// What a plugin says about itself. First byte odd: a description as text from a child process. Even: a table with arbitrary contents,
// texts zero-terminated as the interface demands; what passes the check must describe itself, and its defaults must be valid values.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/optim/description.h"
#include "engine/optim/rule.h"

namespace {

class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  // Mostly small numbers, now and then any 32 bits.
  std::int32_t number() {
    const auto first = static_cast<std::int8_t>(byte());
    if (first != 127) return first;
    std::uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 8 | byte();
    return static_cast<std::int32_t>(bits);
  }
  double real() {
    const std::uint8_t kind = byte();
    if (kind == 0) return NAN;
    if (kind == 1) return INFINITY;
    return number() / 8.0;
  }
  // Null, or up to 32 bytes; each piece of memory ends at its zero, so that reading on is seen.
  const char* text() {
    const std::uint8_t length = byte();
    if (length == 255) return nullptr;
    std::string value;
    for (int i = 0; i < length % 33; ++i) {
      const auto c = static_cast<char>(byte());
      if (c == 0) break;
      value += c;
    }
    texts_.push_back(std::make_unique<char[]>(value.size() + 1));
    std::memcpy(texts_.back().get(), value.c_str(), value.size() + 1);
    return texts_.back().get();
  }
  std::size_t left() const { return left_; }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
  std::vector<std::unique_ptr<char[]>> texts_;
};

syncline_option option_from(Bytes& in, std::deque<std::vector<const char*>>& choices) {
  syncline_option o{};
  o.key = in.text();
  o.kind = in.number();
  o.initial_kind = in.number();
  o.initial_integer = in.number();
  o.initial_real = in.real();
  o.initial_text = in.text();
  o.least = in.real();
  o.most = in.real();
  const std::uint8_t shape = in.byte();
  o.optional = shape & 1;
  o.advanced = shape & 2;
  if ((shape & 4) != 0) {
    auto& list = choices.emplace_back();
    for (int i = shape >> 4; i > 0; --i) list.push_back(in.text());
    o.choices = list.data();
    o.choice_count = static_cast<std::int32_t>(list.size());
  } else {
    o.choice_count = in.number() > 0 ? 0 : -1;
  }
  if ((shape & 8) != 0) o.symbol = in.text(), o.help = in.text(), o.section = in.text(), o.unit = in.text(), o.only_if = in.text();
  return o;
}

std::int32_t create(const syncline_config*, const syncline_host*, void**, char*, std::size_t) { return 0; }
std::int32_t step(void*, const syncline_step_args*, char*, std::size_t) { return 0; }
void destroy(void*) {}

void fuzz_table(Bytes& in) {
  std::deque<std::vector<const char*>> choices;
  std::vector<syncline_option> options;
  syncline_optimizer_table t{};
  t.abi_version = SYNCLINE_ABI_VERSION + static_cast<std::uint32_t>(in.byte() % 4 == 3 ? in.number() : 0);
  t.struct_size = sizeof t + static_cast<std::uint32_t>(in.byte() % 4 == 3 ? in.number() : 0);
  t.name = in.text();
  t.title = in.text();
  t.paper = in.text();
  t.state_arrays = in.number();
  const std::uint8_t functions = in.byte();
  t.create = (functions & 1) == 0 ? create : nullptr;
  t.step = (functions & 2) == 0 ? step : nullptr;
  t.destroy = (functions & 4) == 0 ? destroy : nullptr;
  const bool absurd = (functions & 8) != 0;
  while (in.left() > 0 && options.size() < 300) options.push_back(option_from(in, choices));
  t.options = options.data();
  t.option_count = absurd ? -1 - static_cast<std::int32_t>(options.size()) : static_cast<std::int32_t>(options.size());
  if (!syncline::problem_with(&t).empty()) return;
  const syncline::Rule rule(t, "/fuzz.so", "hash");
  const syncline::RuleDescription description = syncline::describe(rule);
  if (syncline::parse_description(syncline::to_json(description)) != description) __builtin_trap();
  try {
    syncline::OptionValues(rule, {});
  } catch (const syncline::ConfigError&) {  // a required option without a default
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  if (data[0] % 2 == 0) {
    Bytes in(data + 1, size - 1);
    fuzz_table(in);
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto description = syncline::parse_description(text);
  if (description && syncline::parse_description(syncline::to_json(*description)) != description) __builtin_trap();
  return 0;
}
