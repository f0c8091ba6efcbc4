// SPDX-License-Identifier: Apache-2.0
// The learning-rate schedules. With k the position (from 0), T the total, W = warmup_steps and s = workers if scale_lr_with_workers, else
// 1:
//   rate(k) = s * lr * (k + 1) / W                          for k < W (the rate that the first update takes is lr * s / W, not 0)
//   rate(k) = s * f(k)                                      from W on, f as below
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "engine/optim/optimizer.h"

namespace syncline {
namespace {

constexpr Parameter warmup_steps{
    .key = "warmup_steps",
    .symbol = "W",
    .help = "Steps over which the rate rises linearly: in step k, counted from 0, it is (k + 1) / warmup_steps of the full rate.",
    .kind = Parameter::integer,
    .initial = std::int64_t{0},
    .least = 0};
constexpr Parameter scale_lr_with_workers{
    .key = "scale_lr_with_workers",
    .help = "Multiply the rate by the number of workers (the linear scaling rule); without it lr is used as it stands.",
    .kind = Parameter::flag,
    .initial = false,
    .section = "Goyal et al. 2017, 2.1"};
constexpr Parameter end_lr{.key = "end_lr",
                           .help = "The rate that is reached at the end, before scaling with the workers.",
                           .kind = Parameter::real,
                           .initial = 0.0,
                           .least = 0};

constexpr std::array constant_keys{warmup_steps, scale_lr_with_workers};
constexpr std::array step_keys{
    Parameter{.key = "every",
              .help = "Multiply the rate by gamma after each so many steps: lr * gamma ^ floor(k / every). 0: use milestones.",
              .kind = Parameter::integer,
              .initial = std::int64_t{0},
              .least = 0},
    Parameter{.key = "milestones",
              .help = "Steps at which the rate is multiplied by gamma: lr * gamma ^ (how many of them are at most k).",
              .kind = Parameter::list,
              .initial = std::string_view("[]"),
              .least = 0,
              .only_if = "every = 0"},
    Parameter{.key = "gamma", .symbol = "γ", .help = "The factor.", .kind = Parameter::real, .initial = 0.1, .least = 0, .most = 1},
    warmup_steps, scale_lr_with_workers};
constexpr std::array cosine_keys{end_lr, warmup_steps, scale_lr_with_workers};
constexpr std::array polynomial_keys{
    Parameter{.key = "power", .help = "The exponent; 1 is a straight line.", .kind = Parameter::real, .initial = 2.0, .least = 0}, end_lr,
    warmup_steps, scale_lr_with_workers};

constexpr std::array entries{
    Entry{.name = "constant", .title = "Constant", .paper = "", .summary = "The rate stays: f(k) = lr.", .parameters = constant_keys},
    Entry{.name = "step",
          .title = "Steps",
          .paper = "",
          .summary = "The rate is multiplied by gamma at fixed steps, counted from the first of the run.",
          .parameters = step_keys},
    Entry{.name = "cosine",
          .title = "Cosine",
          .paper = "Loshchilov and Hutter, SGDR, ICLR 2017",
          .summary = "Half a cosine down to end_lr: f(k) = end_lr + (lr - end_lr) * (1 + cos(pi * x)) / 2 with x = (k - W) / (T - W).",
          .parameters = cosine_keys},
    Entry{.name = "polynomial",
          .title = "Polynomial",
          .paper = "",
          .summary = "A power of what is left: f(k) = end_lr + (lr - end_lr) * (1 - x) ^ power with x = (k - W) / (T - W).",
          .parameters = polynomial_keys},
};

// What was given, or the table's default: a schedule made in code needs to give only what it changes.
const Value* find(const Params& given, std::string_view key) {
  const auto found = given.all().find(key);
  return found != given.all().end() && found->second.present() ? &found->second : nullptr;
}

[[noreturn]] void refuse(std::string_view key, const std::string& message) {
  throw ConfigError(message, {.file = {}, .key = fmt::format("train.schedule.{}", key)});
}

double number(const Params& given, std::string_view key, double initial) {
  const Value* value = find(given, key);
  if (value == nullptr) return initial;
  if (const auto* integer = std::get_if<std::int64_t>(&value->data)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value->data)) return *real;
  refuse(key, fmt::format("{} must be a number.", key));
}

std::vector<double> sorted_numbers(const Params& given, std::string_view key) {
  std::vector<double> numbers;
  const Value* value = find(given, key);
  if (value == nullptr) return numbers;
  const auto* list = std::get_if<std::vector<Value>>(&value->data);
  if (list == nullptr) refuse(key, fmt::format("{} must be a list of steps.", key));
  for (const Value& element : *list) {
    const auto* integer = std::get_if<std::int64_t>(&element.data);
    const auto* real = std::get_if<double>(&element.data);
    if (integer == nullptr && (real == nullptr || *real != std::floor(*real)))
      refuse(key, fmt::format("{} must be a list of whole numbers of steps.", key));
    numbers.push_back(integer != nullptr ? static_cast<double>(*integer) : *real);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

class Rate final : public Schedule {
 public:
  Rate(const ScheduleSpec& spec, double lr, std::int64_t workers, std::int64_t total)
      : lr_(lr),
        end_(number(spec.options, "end_lr", 0)),
        power_(number(spec.options, "power", 2)),
        gamma_(number(spec.options, "gamma", 0.1)),
        warmup_(number(spec.options, "warmup_steps", 0)),
        every_(number(spec.options, "every", 0)),
        total_(static_cast<double>(total)),
        milestones_(sorted_numbers(spec.options, "milestones")) {
    if (spec.name == "constant")
      form_ = &Rate::constant;
    else if (spec.name == "step")
      form_ = &Rate::step;
    else if (spec.name == "cosine")
      form_ = &Rate::cosine;
    else if (spec.name == "polynomial")
      form_ = &Rate::polynomial;
    else
      refuse("name", fmt::format("unknown schedule \"{}\"; known are constant, step, cosine and polynomial.", spec.name));
    check(spec, workers, total);
    const Value* scaled = find(spec.options, "scale_lr_with_workers");
    if (scaled != nullptr && std::get_if<bool>(&scaled->data) == nullptr)
      refuse("scale_lr_with_workers", "scale_lr_with_workers must be true or false.");
    if (scaled != nullptr && std::get<bool>(scaled->data)) scale_ = static_cast<double>(workers);
  }

  double lr(std::int64_t position) const override {
    const auto k = static_cast<double>(std::max<std::int64_t>(position, 0));
    return scale_ * (k < warmup_ ? lr_ * (k + 1) / warmup_ : (this->*form_)(k));
  }

 private:
  void check(const ScheduleSpec& spec, std::int64_t workers, std::int64_t total) const {
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == spec.name; });
    for (const auto& [key, value] : spec.options.all()) {
      const bool known = std::any_of(entry->parameters.begin(), entry->parameters.end(),
                                     [name = std::string_view(key)](const Parameter& p) { return p.key == name; });
      if (!known) refuse(key, fmt::format("the schedule {} has no option \"{}\".", spec.name, key));
    }
    if (workers < 1) throw UsageError(fmt::format("a schedule for {} workers", workers));
    if (total < 1 && (spec.name == "cosine" || spec.name == "polynomial")) {
      refuse("name", fmt::format("the schedule {} needs to know how many steps the run has, at least 1.", spec.name));
    }
    if (every_ > 0 && !milestones_.empty()) refuse("milestones", "the schedule step takes either every or milestones, not both.");
  }
  double constant(double) const { return lr_; }
  double step(double k) const {
    const double times = every_ > 0
                             ? std::floor(k / every_)
                             : static_cast<double>(std::upper_bound(milestones_.begin(), milestones_.end(), k) - milestones_.begin());
    return lr_ * std::pow(gamma_, times);
  }
  double progress(double k) const { return std::clamp((k - warmup_) / std::max(total_ - warmup_, 1.0), 0.0, 1.0); }
  double cosine(double k) const { return end_ + (lr_ - end_) * (1 + std::cos(std::numbers::pi * progress(k))) / 2; }
  double polynomial(double k) const { return end_ + (lr_ - end_) * std::pow(1 - progress(k), power_); }

  double lr_, end_, power_, gamma_, warmup_, every_, total_, scale_ = 1;
  std::vector<double> milestones_;
  double (Rate::*form_)(double) const = nullptr;
};

}  // namespace

std::unique_ptr<Schedule> make_schedule(const ScheduleSpec& spec, double lr, std::int64_t workers, std::int64_t total_steps) {
  return std::make_unique<Rate>(spec, lr, workers, total_steps);
}

std::span<const Entry> schedule_entries() { return entries; }

}  // namespace syncline
