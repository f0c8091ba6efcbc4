// SPDX-License-Identifier: Apache-2.0
// Named values of a checkpoint beside the named vectors: counters, flags, small byte strings. Order does not matter; a missing name is an
// error.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"

namespace syncline {

using StateMap = std::map<std::string, std::vector<std::byte>, std::less<>>;

class StateWriter {
 public:
  explicit StateWriter(StateMap& map, std::string prefix = {}) : map_(map), prefix_(std::move(prefix)) {}
  void integer(std::string_view name, std::int64_t value);
  void real(std::string_view name, double value);
  void bytes(std::string_view name, std::vector<std::byte> value);

 private:
  StateMap& map_;
  std::string prefix_;
};

class StateReader {  // throws TrainingError naming what is missing or of the wrong size
 public:
  explicit StateReader(const StateMap& map, std::string prefix = {}) : map_(map), prefix_(std::move(prefix)) {}
  bool has(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::vector<std::byte>& bytes(std::string_view name) const;

 private:
  const StateMap& map_;
  std::string prefix_;
};

}  // namespace syncline
