// SPDX-License-Identifier: Apache-2.0
// The Optimizer over a C table: built-in rules and plugins take the same way.
#include "engine/optim/table_optimizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "engine/base/random.h"
#include "engine/optim/option_text.h"
#include "engine/optim/running.h"

namespace syncline {
namespace {

constexpr std::size_t error_size = 512;

// A text that a plugin wrote: one line of UTF-8, without the full stop that our own sentence adds.
std::string tidy(const char* text) {
  std::string line(text, strnlen(text, error_size));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  while (!line.empty() && (line.back() == ' ' || line.back() == '.')) line.pop_back();
  return is_utf8(line) ? line : "(a text that is not UTF-8)";
}

// Calls into the table and turns everything that can come back into one sentence: "<label> <doing>: <why>."
template <class Call>
void guarded(const Rule& rule, const std::string& doing, const Call& call) {
  char error[error_size] = {};
  std::int32_t code = 0;
  try {
    const Running marker(rule.label().c_str());
    code = call(error);
  } catch (const std::exception& exception) {
    throw TrainingError(fmt::format("{} {}: it let a C++ exception escape, \"{}\"; a plugin must return an error code.", rule.label(),
                                    doing, tidy(exception.what())));
  } catch (...) {
    throw TrainingError(fmt::format("{} {}: it let an exception escape; a plugin must return an error code.", rule.label(), doing));
  }
  error[error_size - 1] = 0;
  if (code != 0)
    throw TrainingError(fmt::format("{} {}: {}.", rule.label(), doing, error[0] != 0 ? tidy(error) : fmt::format("error code {}", code)));
}

// Any exponent of all ones: infinity or not a number. Integer arithmetic, so that the loop runs at the speed of memory.
bool all_finite(const float* values, std::int64_t count) {
  std::uint32_t bad = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof bits);
    bad |= static_cast<std::uint32_t>((bits & 0x7f800000u) == 0x7f800000u);
  }
  return bad == 0;
}

syncline_slice slice_of(const LayerSlice& slice) {
  return {.name = slice.name.c_str(),
          .offset = slice.offset,
          .count = slice.count,
          .rows = slice.dense ? slice.rows : 0,
          .cols = slice.dense ? slice.cols : 0,
          .index = slice.index,
          .flags = slice.decay ? SYNCLINE_DECAY : 0,
          .reserved = 0};
}

}  // namespace

HostServices::HostServices(int threads, std::uint64_t seed, std::function<void(int, const char*)> log)
    : parallel_(threads), key_(stream_key(seed, "optimizer")), log_(std::move(log)) {
  host_ = {.struct_size = sizeof host_,
           .abi_version = SYNCLINE_ABI_VERSION,
           .context = this,
           .log =
               [](void* self, std::int32_t level, const char* text) {
                 auto& services = *static_cast<HostServices*>(self);
                 if (services.log_ && text != nullptr) services.log_(level, text);
               },
           .parallel_for = [](void* self, std::int64_t count, std::int64_t grain, void (*body)(void*, std::int64_t, std::int64_t),
                              void* data) { static_cast<HostServices*>(self)->parallel_.run(count, grain, body, data); },
           .random =
               [](void* self, std::uint64_t stream, std::uint64_t counter, std::uint32_t* bits) {
                 const auto block = philox({static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                                            static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)},
                                           static_cast<HostServices*>(self)->key_);
                 std::copy(block.begin(), block.end(), bits);
               },
           .allocate = [](void*, std::size_t bytes) -> void* {
             const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + 63) / 64 * 64;
             if (rounded < bytes) return nullptr;
             void* memory = std::aligned_alloc(64, rounded);
             if (memory != nullptr) std::memset(memory, 0, rounded);
             return memory;
           },
           .release = [](void*, void* memory) { std::free(memory); }};
}

TableOptimizer::TableOptimizer(std::shared_ptr<const Rule> rule, const OptionValues& options, OptimizerContext context)
    : rule_(std::move(rule)), context_(std::move(context)), host_(context_.threads, context_.seed, context_.log) {
  std::int64_t count = 0;
  for (const LayerSlice& slice : context_.slices) {
    if (slice.offset != count) throw UsageError(fmt::format("slice {} begins at {}, not at {}", slice.name, slice.offset, count));
    slices_.push_back(slice_of(slice));
    count += slice.count;
  }
  range_.reserve(slices_.size());
  const syncline_config config{.struct_size = sizeof config,
                               .value_count = static_cast<std::int32_t>(options.values().size()),
                               .values = options.values().data(),
                               .count = count,
                               .slices = slices_.data(),
                               .slice_count = static_cast<std::int32_t>(slices_.size()),
                               .reserved = 0};
  std::int32_t arrays = table().state_arrays;
  if (table().state_needed != nullptr) {
    guarded(*rule_, "could not start", [&](char*) {
      arrays = table().state_needed(&config);
      return 0;
    });
    if (arrays < 0 || arrays > table().state_arrays) {
      throw TrainingError(fmt::format("{} could not start: it wants {} state arrays, its table says at most {}.", rule_->label(), arrays,
                                      table().state_arrays));
    }
  }
  for (std::int32_t k = 0; k < arrays; ++k) {
    state_.push_back(context_.make_vector(fmt::format("{}.{}", table().name, k)));
    if (state_.back().count() != count)
      throw UsageError(fmt::format("a state vector of {} elements for a model of {}", state_.back().count(), count));
  }
  guarded(*rule_, "could not start", [&](char* error) { return table().create(&config, host_.table(), &self_, error, error_size); });
}

TableOptimizer::~TableOptimizer() {
  try {
    guarded(*rule_, "could not end", [&](char*) {
      table().destroy(self_);
      return 0;
    });
  } catch (const Error& error) {
    if (context_.log) context_.log(SYNCLINE_LOG_WARNING, error.what());
  }
}

Optimizer::Update TableOptimizer::begin(double lr_factor) {
  const std::int64_t position = context_.position ? context_.position() : updates_;
  const double lr = context_.schedule->lr(position) * lr_factor;
  return make_update(++updates_, lr);
}

// The layers of an arena range with offsets counted from its start. Throws UsageError when the range cuts a layer.
std::span<const syncline_slice> TableOptimizer::slices_of(std::int64_t offset, std::int64_t count) {
  auto slice =
      std::lower_bound(slices_.begin(), slices_.end(), offset, [](const syncline_slice& s, std::int64_t at) { return s.offset < at; });
  range_.clear();
  std::int64_t covered = 0;
  for (; slice != slices_.end() && slice->offset == offset + covered && covered + slice->count <= count; ++slice) {
    range_.push_back(*slice);
    range_.back().offset = covered;
    covered += slice->count;
  }
  if (covered != count) throw UsageError(fmt::format("elements {} to {} do not consist of whole layers", offset, offset + count));
  return range_;
}

void TableOptimizer::apply(const View& params, const View& grads, double scale, std::int64_t step, double lr) {
  if (params.count() != grads.count()) throw UsageError(fmt::format("{} gradients for {} parameters", grads.count(), params.count()));
  if (params.overlaps(grads)) throw UsageError("parameters and gradients share memory");
  const std::span<const syncline_slice> slices = slices_of(params.offset(), params.count());
  if (params.place() == Storage::Place::ghost || params.empty()) return;  // the simulator's: there is nothing to compute
  float* state[8] = {};
  for (std::size_t k = 0; k < state_.size(); ++k) state[k] = state_[k].all().part(params.offset(), params.count()).data();
  const syncline_step_args args{.struct_size = sizeof args,
                                .slice_count = static_cast<std::int32_t>(slices.size()),
                                .step = step,
                                .lr = static_cast<float>(lr),
                                .grad_scale = static_cast<float>(scale),
                                .param = params.data(),
                                .grad = grads.data(),
                                .state = state,
                                .count = params.count(),
                                .offset = params.offset(),
                                .slices = slices.data()};
  if (!rule_->plugin()) {
    const Running marker(rule_->label().c_str());
    char error[error_size] = {};
    table().step(self_, &args, error, error_size);  // a built-in rule cannot fail
    return;
  }
  const std::string doing = fmt::format("failed in step {}", step);
  guarded(*rule_, doing, [&](char* error) { return table().step(self_, &args, error, error_size); });
  if (const std::string failure = host_.take_failure(); !failure.empty()) {
    throw TrainingError(
        fmt::format("{} {}: it let a C++ exception escape in its parallel part, \"{}\".", rule_->label(), doing, tidy(failure.c_str())));
  }
  if (!all_finite(params.data(), params.count()) && all_finite(grads.data(), grads.count())) report_not_finite(args);
}

// Says which layer a plugin spoiled; gradients were finite, so that the loss did not bring it.
void TableOptimizer::report_not_finite(const syncline_step_args& args) const {
  for (std::int32_t i = 0; i < args.slice_count; ++i) {
    const syncline_slice& slice = args.slices[i];
    if (all_finite(args.param + slice.offset, slice.count)) continue;
    throw TrainingError(fmt::format("{} failed in step {}: it wrote a value that is not finite into layer {} from finite gradients.",
                                    rule_->label(), args.step, slice.name));
  }
}

std::vector<std::byte> TableOptimizer::save() const {
  std::vector<std::byte> bytes(sizeof updates_);
  std::memcpy(bytes.data(), &updates_, sizeof updates_);
  if (table().save == nullptr) return bytes;
  std::size_t size = 0;
  guarded(*rule_, "could not save its state", [&](char*) { return table().save(self_, nullptr, &size); });
  std::vector<std::byte> own(size);
  std::size_t written = size;
  guarded(*rule_, "could not save its state", [&](char*) { return table().save(self_, own.data(), &written); });
  if (written > size)
    throw TrainingError(fmt::format("{} could not save its state: it announced {} bytes and wrote {}.", rule_->label(), size, written));
  bytes.insert(bytes.end(), own.begin(), own.begin() + static_cast<std::ptrdiff_t>(written));
  return bytes;
}

void TableOptimizer::load(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof updates_ || (table().load == nullptr && bytes.size() != sizeof updates_)) {
    throw TrainingError(fmt::format("{}: its saved state has {} bytes and does not belong to it.", rule_->label(), bytes.size()));
  }
  std::int64_t updates = 0;
  std::memcpy(&updates, bytes.data(), sizeof updates);
  if (updates < 0) throw TrainingError(fmt::format("{}: its saved state counts {} updates.", rule_->label(), updates));
  const auto own = bytes.subspan(sizeof updates);
  if (table().load != nullptr) {
    guarded(*rule_, "could not load its state", [&](char*) { return table().load(self_, own.data(), own.size()); });
  }
  updates_ = updates;
}

}  // namespace syncline
