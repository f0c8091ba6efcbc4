// SPDX-License-Identifier: Apache-2.0
#include "engine/base/state.h"

#include <cstring>

namespace syncline {
namespace {

template <class T>
std::vector<std::byte> to_bytes(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class T>
T from_bytes(const std::vector<std::byte>& bytes, const std::string& name) {
  T value;
  if (bytes.size() != sizeof value)
    throw TrainingError("the checkpoint's value '" + name + "' has " + std::to_string(bytes.size()) + " bytes instead of " +
                        std::to_string(sizeof value));
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

void StateWriter::integer(std::string_view name, std::int64_t value) { bytes(name, to_bytes(value)); }
void StateWriter::real(std::string_view name, double value) { bytes(name, to_bytes(value)); }
void StateWriter::bytes(std::string_view name, std::vector<std::byte> value) { map_[prefix_ + std::string(name)] = std::move(value); }

bool StateReader::has(std::string_view name) const { return map_.contains(prefix_ + std::string(name)); }
std::int64_t StateReader::integer(std::string_view name) const { return from_bytes<std::int64_t>(bytes(name), std::string(name)); }
double StateReader::real(std::string_view name) const { return from_bytes<double>(bytes(name), std::string(name)); }
const std::vector<std::byte>& StateReader::bytes(std::string_view name) const {
  const auto found = map_.find(prefix_ + std::string(name));
  if (found == map_.end()) throw TrainingError("the checkpoint does not hold '" + prefix_ + std::string(name) + "'");
  return found->second;
}

}  // namespace syncline
