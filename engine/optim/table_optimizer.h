// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/optim/optimizer.h"
#include "engine/optim/parallel.h"
#include "engine/optim/rule.h"

namespace syncline {

// The table of functions that an optimizer gets from us, and what stands behind it. Does not move: the table points into it.
class HostServices {
 public:
  HostServices(int threads, std::uint64_t seed, std::function<void(int level, const char* text)> log);
  HostServices(const HostServices&) = delete;
  HostServices& operator=(const HostServices&) = delete;
  const syncline_host* table() const { return &host_; }
  std::string take_failure() { return parallel_.take_failure(); }  // an exception out of a parallel_for body

 private:
  ParallelFor parallel_;
  std::uint64_t key_;
  std::function<void(int, const char*)> log_;
  syncline_host host_{};
};

class TableOptimizer final : public Optimizer {
 public:
  TableOptimizer(std::shared_ptr<const Rule>, const OptionValues&, OptimizerContext);
  ~TableOptimizer() override;
  Update begin(double lr_factor) override;
  std::string_view name() const override { return rule_->entry().name; }
  std::int64_t updates() const override { return updates_; }
  std::span<const Vector> state() const override { return state_; }
  std::vector<std::byte> save() const override;
  void load(std::span<const std::byte>) override;

 protected:
  void apply(const View& params, const View& grads, double scale, std::int64_t step, double lr) override;

 private:
  const syncline_optimizer_table& table() const { return rule_->table(); }
  std::span<const syncline_slice> slices_of(std::int64_t offset, std::int64_t count);
  void report_not_finite(const syncline_step_args&) const;

  std::shared_ptr<const Rule> rule_;
  OptimizerContext context_;
  HostServices host_;
  std::vector<syncline_slice> slices_, range_;  // of the whole arena; of the range in hand
  std::vector<Vector> state_;
  std::int64_t updates_ = 0;
  void* self_ = nullptr;
};

}  // namespace syncline
