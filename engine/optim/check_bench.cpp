// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/check_bench.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

namespace syncline {
namespace {

constexpr unsigned char pattern = 0xa5;

// What the fault handler reads; set once, before it is installed.
std::atomic<const std::vector<std::unique_ptr<GuardedArray>>*> watched{nullptr};

void write_all(const char* text) {
  for (std::size_t left = std::strlen(text); left > 0;) {
    const ssize_t written = ::write(STDOUT_FILENO, text, left);
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

void on_fault(int number, siginfo_t* info, void*) {
  for (const auto& array : *watched.load()) {
    if (!array->covers(info->si_addr)) continue;
    write_all("{\"reason\": \"");
    write_all(array->meaning(info->si_addr));
    write_all("\"}\n");
    ::_exit(0);
  }
  ::signal(number, SIG_DFL);  // not ours: the access is repeated and ends the process as usual
}

float parameter_at(std::int64_t i) { return static_cast<float>((i * 7) % 23 - 11) / 8.0f + 0.0625f; }
float gradient_at(std::int64_t i, std::int64_t step) {
  return step == 0 ? 0.0f : static_cast<float>((i * 5 + step * 11) % 37 - 18) / 32.0f;
}

std::vector<LayerSlice> model() {
  // Matrix and biases, a single number, a layer without decay, a matrix without biases, and one larger than a piece of parallel work.
  struct Row {
    const char* name;
    std::int64_t rows, cols, rest;
    bool decay;
  };
  constexpr std::array rows = {Row{"head", 7, 5, 7, true}, Row{"gain", 0, 0, 1, true}, Row{"norm", 0, 0, 33, false},
                               Row{"square", 3, 3, 0, true}, Row{"wide", 0, 0, 20'001, true}};
  std::vector<LayerSlice> slices;
  std::int64_t offset = 0;
  for (const Row& row : rows) {
    const std::int64_t count = row.rows * row.cols + row.rest;
    slices.push_back({.index = static_cast<int>(slices.size()),
                      .name = row.name,
                      .offset = offset,
                      .count = count,
                      .decay = row.decay,
                      .dense = row.rows > 0,
                      .rows = row.rows,
                      .cols = row.cols});
    offset += count;
  }
  return slices;
}

}  // namespace

GuardedArray::GuardedArray(std::string name, std::int64_t count, End end)
    : name_(std::move(name)),
      before_(fmt::format("it reads or writes before {}", name_)),
      after_(fmt::format("it reads or writes behind {}", name_)),
      inside_(fmt::format("it writes into {}, which it may only read", name_)),
      page_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
  const std::size_t wanted = static_cast<std::size_t>(count) * sizeof(float);
  bytes_ = (wanted + page_ - 1) / page_ * page_;
  void* memory = ::mmap(nullptr, bytes_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw Error("there is no memory for the guarded arrays of the check.");
  base_ = static_cast<unsigned char*>(memory);
  if (::mprotect(base_ + page_, bytes_, PROT_READ | PROT_WRITE) != 0) throw Error("the guarded arrays of the check cannot be protected.");
  std::memset(base_ + page_, pattern, bytes_);
  unsigned char* start = base_ + page_ + (end == at_back ? bytes_ - wanted : 0);
  std::memset(start, 0, wanted);
  view_ = View(std::make_shared<Storage>(start, count, Storage::Place::host, nullptr), 0, count);
}

GuardedArray::~GuardedArray() { ::munmap(base_, bytes_ + 2 * page_); }

void GuardedArray::set_read_only(bool read_only) {
  if (::mprotect(base_ + page_, bytes_, read_only ? PROT_READ : PROT_READ | PROT_WRITE) != 0)
    throw Error("the guarded arrays of the check cannot be protected.");
}

bool GuardedArray::pattern_intact() const {
  const auto* first = reinterpret_cast<const unsigned char*>(view_.data());
  const auto is_pattern = [](unsigned char byte) { return byte == pattern; };
  return std::all_of(static_cast<const unsigned char*>(base_ + page_), first, is_pattern) &&
         std::all_of(first + view_.bytes(), static_cast<const unsigned char*>(base_ + page_ + bytes_), is_pattern);
}

bool GuardedArray::covers(const void* address) const {
  const auto* at = static_cast<const unsigned char*>(address);
  return at >= base_ && at < base_ + bytes_ + 2 * page_;
}

const char* GuardedArray::meaning(const void* address) const {
  const auto* at = static_cast<const unsigned char*>(address);
  if (at < base_ + page_) return before_.c_str();
  return at >= base_ + page_ + bytes_ ? after_.c_str() : inside_.c_str();
}

void watch(const std::vector<std::unique_ptr<GuardedArray>>& arrays) {
  watched = &arrays;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
}

CheckBench::CheckBench(const std::shared_ptr<const Rule>& rule, int threads) { build(rule, threads); }
CheckBench::CheckBench(const std::shared_ptr<const Rule>& rule, GuardedArray::End end) : guarded_(true), end_(end) { build(rule, 1); }

void CheckBench::build(const std::shared_ptr<const Rule>& rule, int threads) {
  slices_ = model();
  count_ = slices_.back().offset + slices_.back().count;
  params_ = make("the parameters");
  grads_ = make("the gradients");
  for (std::int64_t i = 0; i < count_; ++i) params_.all().data()[i] = parameter_at(i);
  const OptionValues values(*rule, {});
  schedule_.rate = values.lr();
  OptimizerContext context;
  context.slices = slices_;
  context.make_vector = [this](std::string_view name) { return make(fmt::format("the state array {}", name)); };
  context.schedule = &schedule_;
  context.threads = threads;
  context.seed = 1;
  optimizer_ = std::make_unique<TableOptimizer>(rule, values, std::move(context));
}

Vector CheckBench::make(const std::string& name) {
  if (!guarded_) return Vector(View::host(count_));
  arrays_.push_back(std::make_unique<GuardedArray>(name, count_, end_));
  return Vector(arrays_.back()->view());
}

void CheckBench::run(int steps, Order order) {
  for (int i = 0; i < steps; ++i) {
    if (guarded_) arrays_[1]->set_read_only(false);
    for (std::int64_t k = 0; k < count_; ++k) grads_.all().data()[k] = gradient_at(k, optimizer_->updates());
    if (guarded_) arrays_[1]->set_read_only(true);
    auto update = optimizer_->begin(1);
    if (order == at_once) {
      update.apply(params_, grads_, 0.5);
    } else {
      for (auto slice = slices_.rbegin(); slice != slices_.rend(); ++slice) update.apply(params_[*slice], grads_[*slice], 0.5);
    }
  }
}

void CheckBench::continue_from(const CheckBench& other) {
  optimizer_->load(other.optimizer_->save());
  const auto copy = [](const Vector& from, const Vector& to) {
    std::copy(from.all().floats().begin(), from.all().floats().end(), to.all().data());
  };
  copy(other.params_, params_);
  for (std::size_t k = 0; k < optimizer_->state().size(); ++k) copy(other.optimizer_->state()[k], optimizer_->state()[k]);
}

bool CheckBench::same_as(const CheckBench& other, std::string& where) const {
  const auto same = [&](const Vector& a, const Vector& b, const std::string& what) {
    for (const LayerSlice& slice : slices_) {
      if (std::memcmp(a[slice].data(), b[slice].data(), static_cast<std::size_t>(a[slice].bytes())) == 0) continue;
      where = fmt::format("{} of layer \"{}\"", what, slice.name);
      return false;
    }
    return true;
  };
  if (!same(params_, other.params_, "the parameters")) return false;
  for (std::size_t k = 0; k < optimizer_->state().size(); ++k) {
    if (!same(optimizer_->state()[k], other.optimizer_->state()[k], fmt::format("state array {}", k))) return false;
  }
  return true;
}

std::string CheckBench::stray_write() const {
  for (const auto& array : arrays_) {
    if (!array->pattern_intact()) return array->name();
  }
  return {};
}

}  // namespace syncline
