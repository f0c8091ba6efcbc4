// SPDX-License-Identifier: Apache-2.0
// For optimizers in C++ (20): a class instead of functions, with every exception turned into an error code and its text, as the interface
// demands. Everything is compiled into the plugin. A class T has
//   T(const syncline_config&, const syncline_sdk::Host&)   and   void step(const syncline_step_args&)
// and, if it keeps more than the state arrays,   std::vector<std::byte> save() const   and   void load(std::span<const std::byte>).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <mutex>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "syncline_optimizer.h"

namespace syncline_sdk {

class Host {  // valid from create to destroy; cheap to copy
 public:
  explicit Host(const syncline_host* host) : host_(host) {}

  // body(begin, end) for pieces of `grain`, in parallel. The first exception out of a body comes out of here.
  template <class Body>
  void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) const {
    struct Call {
      const Body& body;
      std::mutex mutex;
      std::exception_ptr failure;
    } call{body, {}, {}};
    host_->parallel_for(
        host_->context, count, grain,
        [](void* data, std::int64_t begin, std::int64_t end) {
          Call& c = *static_cast<Call*>(data);
          try {
            c.body(begin, end);
          } catch (...) {
            const std::lock_guard lock(c.mutex);
            if (!c.failure) c.failure = std::current_exception();
          }
        },
        &call);
    if (call.failure) std::rethrow_exception(call.failure);
  }

  // The sum of partial(begin, end) over pieces of `grain`, added in order: the same bits with any number of threads.
  template <class Partial>
  double sum(std::int64_t count, std::int64_t grain, const Partial& partial) const {
    std::vector<double> parts(static_cast<std::size_t>((count + grain - 1) / grain));
    parallel_for(count, grain,
                 [&](std::int64_t begin, std::int64_t end) { parts[static_cast<std::size_t>(begin / grain)] = partial(begin, end); });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
  }

  void log(const char* text, std::int32_t level = SYNCLINE_LOG_INFO) const { host_->log(host_->context, level, text); }
  void random(std::uint64_t stream, std::uint64_t counter, std::uint32_t (&bits)[4]) const {
    host_->random(host_->context, stream, counter, bits);
  }

 private:
  const syncline_host* host_;
};

struct OptionTexts {
  const char *key = nullptr, *help = nullptr, *symbol = nullptr;
};
constexpr syncline_option option(const OptionTexts& texts, std::int32_t kind) {
  syncline_option o{};
  o.key = texts.key;
  o.help = texts.help;
  o.symbol = texts.symbol;
  o.kind = o.initial_kind = kind;
  o.least = o.most = SYNCLINE_OPEN;
  return o;
}
constexpr syncline_option real(const OptionTexts& texts, double initial, double least = SYNCLINE_OPEN, double most = SYNCLINE_OPEN) {
  syncline_option o = option(texts, SYNCLINE_REAL);
  o.initial_real = initial;
  o.least = least;
  o.most = most;
  return o;
}
constexpr syncline_option integer(const OptionTexts& texts, std::int64_t initial, double least = SYNCLINE_OPEN,
                                  double most = SYNCLINE_OPEN) {
  syncline_option o = option(texts, SYNCLINE_INTEGER);
  o.initial_integer = initial;
  o.least = least;
  o.most = most;
  return o;
}
constexpr syncline_option flag(const OptionTexts& texts, bool initial) {
  syncline_option o = option(texts, SYNCLINE_FLAG);
  o.initial_integer = initial ? 1 : 0;
  return o;
}

namespace detail {

template <class Work>
std::int32_t caught(char* error, std::size_t error_size, const Work& work) noexcept {
  const auto say = [&](const char* text) {
    if (error == nullptr || error_size == 0) return;
    const std::size_t length = std::strlen(text) < error_size ? std::strlen(text) : error_size - 1;
    std::memcpy(error, text, length);
    error[length] = 0;
  };
  try {
    work();
    return 0;
  } catch (const std::exception& exception) {
    say(exception.what());
  } catch (...) {
    say("an exception that is not a std::exception");
  }
  return 1;
}

template <class T>
concept HasState = requires(const T& one, T& other, std::span<const std::byte> bytes) {
  { one.save() } -> std::same_as<std::vector<std::byte>>;
  other.load(bytes);
};

template <class T>
std::int32_t save(void* self, void* bytes, std::size_t* size) {
  return caught(nullptr, 0, [&] {
    const std::vector<std::byte> state = static_cast<const T*>(self)->save();
    if (bytes != nullptr) {
      if (*size < state.size()) throw std::length_error("too little room");
      std::memcpy(bytes, state.data(), state.size());
    }
    *size = state.size();
  });
}

}  // namespace detail

struct About {
  const char *name = nullptr, *title = nullptr, *summary = nullptr, *version = nullptr, *license = nullptr, *paper = nullptr;
};

// The table for class T: `static constexpr auto table = syncline_sdk::table<T>({.name = ...}, options, 1);`
template <class T, std::size_t count>
constexpr syncline_optimizer_table table(const About& about, const syncline_option (&options)[count], std::int32_t state_arrays) {
  syncline_optimizer_table t{};
  t.abi_version = SYNCLINE_ABI_VERSION;
  t.struct_size = sizeof t;
  t.name = about.name;
  t.title = about.title;
  t.summary = about.summary;
  t.version = about.version;
  t.license = about.license;
  t.paper = about.paper;
  t.options = options;
  t.option_count = static_cast<std::int32_t>(count);
  t.state_arrays = state_arrays;
  t.create = [](const syncline_config* config, const syncline_host* host, void** self, char* error, std::size_t size) {
    return detail::caught(error, size, [&] { *self = new T(*config, Host(host)); });
  };
  t.step = [](void* self, const syncline_step_args* args, char* error, std::size_t size) {
    return detail::caught(error, size, [&] { static_cast<T*>(self)->step(*args); });
  };
  t.destroy = [](void* self) { delete static_cast<T*>(self); };
  if constexpr (detail::HasState<T>) {
    t.save = detail::save<T>;
    t.load = [](void* self, const void* bytes, std::size_t size) {
      return detail::caught(nullptr, 0, [&] { static_cast<T*>(self)->load({static_cast<const std::byte*>(bytes), size}); });
    };
  }
  return t;
}

}  // namespace syncline_sdk
