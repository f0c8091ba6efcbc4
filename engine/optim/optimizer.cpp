// SPDX-License-Identifier: Apache-2.0
#include "engine/optim/optimizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/optim/loader.h"
#include "engine/optim/rule.h"
#include "engine/optim/rules/registry.h"
#include "engine/optim/table_optimizer.h"

namespace syncline {
namespace {

constexpr std::string_view plugin_prefix = "plugin:";

// Our own tables, checked once like anyone's.
const std::vector<std::shared_ptr<const Rule>>& built_in_rules() {
  static const std::vector<std::shared_ptr<const Rule>> rules = [] {
    std::vector<std::shared_ptr<const Rule>> list;
    for (const syncline_optimizer_table* table : rules::built_in()) list.push_back(std::make_shared<const Rule>(*table));
    return list;
  }();
  return rules;
}

}  // namespace

void Optimizer::Update::apply(const View& params, const View& grads, double scale) { owner_->apply(params, grads, scale, step_, lr_); }

std::shared_ptr<const Rule> find_rule(std::string_view name) {
  if (name.starts_with(plugin_prefix)) return load_plugin(name.substr(plugin_prefix.size()));
  std::vector<std::string_view> known;
  for (const auto& rule : built_in_rules()) {
    if (rule->entry().name == name) return rule;
    known.push_back(rule->entry().name);
  }
  throw ConfigError(fmt::format("unknown optimizer \"{}\"; known are {} and plugin:NAME.", name, fmt::join(known, ", ")),
                    {.file = {}, .key = "train.optimizer.name"});
}

std::unique_ptr<Optimizer> make_optimizer(const OptimizerSpec& spec, OptimizerContext context) {
  const std::shared_ptr<const Rule> rule = find_rule(spec.name);
  const OptionValues values(*rule, spec.options);
  if (context.schedule == nullptr || !context.make_vector) throw UsageError("an optimizer needs a schedule and a way to make vectors");
  return std::make_unique<TableOptimizer>(rule, values, std::move(context));
}

double learning_rate(const OptimizerSpec& spec) { return OptionValues(*find_rule(spec.name), spec.options).lr(); }

std::span<const Entry> optimizer_entries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> list;
    for (const auto& rule : built_in_rules()) list.push_back(rule->entry());
    return list;
  }();
  return entries;
}

}  // namespace syncline
