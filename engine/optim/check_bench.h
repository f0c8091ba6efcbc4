// SPDX-License-Identifier: Apache-2.0
// The small model on which a plugin is tested, in ordinary memory or between guard pages.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/optim/table_optimizer.h"

namespace syncline {

// One array of floats in memory of its own, with an inaccessible page on both sides and the array at one end of what lies between; the
// rest is filled with a pattern. A stray access ends the process, except that `watch` turns it into a text first.
class GuardedArray {
 public:
  enum End { at_front, at_back };
  GuardedArray(std::string name, std::int64_t count, End);
  ~GuardedArray();
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;
  View view() const { return view_; }
  void set_read_only(bool);
  bool pattern_intact() const;
  const std::string& name() const { return name_; }
  // Whether the address belongs to this array's pages, and what an access there means ("it reads or writes behind the parameters").
  bool covers(const void* address) const;
  const char* meaning(const void* address) const;

 private:
  std::string name_, before_, after_, inside_;
  unsigned char* base_ = nullptr;  // first guard page
  std::size_t bytes_ = 0, page_ = 0;
  View view_;
};

// From now on a fault within one of the arrays writes {"reason": meaning} as a line to standard output and ends the process with code 0.
void watch(const std::vector<std::unique_ptr<GuardedArray>>&);

// Runs one plugin on one model. Gradients are fixed functions of element and step, and exact zeros in the first step.
class CheckBench {
 public:
  explicit CheckBench(const std::shared_ptr<const Rule>&, int threads = 1);
  CheckBench(const std::shared_ptr<const Rule>&, GuardedArray::End);
  enum Order { at_once, layers_backwards };
  void run(int steps, Order = at_once);
  void continue_from(const CheckBench&);                      // its state through save and load, its arrays copied
  bool same_as(const CheckBench&, std::string& where) const;  // parameters and state arrays, bitwise; where: "the parameters of layer b"
  std::string stray_write() const;                            // an array whose surroundings changed; empty: none
  Optimizer& optimizer() { return *optimizer_; }
  std::vector<std::unique_ptr<GuardedArray>>& arrays() { return arrays_; }

 private:
  void build(const std::shared_ptr<const Rule>&, int threads);
  Vector make(const std::string& name);
  struct Constant final : Schedule {
    double rate = 0;
    double lr(std::int64_t) const override { return rate; }
  };
  std::vector<LayerSlice> slices_;
  std::int64_t count_ = 0;
  Constant schedule_;
  bool guarded_ = false;
  GuardedArray::End end_ = GuardedArray::at_back;
  std::vector<std::unique_ptr<GuardedArray>> arrays_;  // parameters, gradients, then state, when guarded
  Vector params_, grads_;
  std::unique_ptr<TableOptimizer> optimizer_;
};

}  // namespace syncline
