// SPDX-License-Identifier: Apache-2.0
// Small agreements between the ranks of a group, made at start and at boundaries: a text told by one rank, a comparison of facts, an
// agreement on success. All are collective and may block; none is used inside a step.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/comm/communicator.h"

namespace syncline {

// Thrown on every rank with the same text: no rank is to blame more than another.
class AgreedError : public TrainingError {
 public:
  using TrainingError::TrainingError;
};

// Every rank gets rank `root`'s bytes; what the others pass is not looked at.
ByteBuffer told_by(Communicator&, ByteBuffer mine, int root = 0);
std::string text_told_by(Communicator&, std::string_view mine, int root = 0);
std::vector<ByteBuffer> gather_bytes(Communicator&, ByteBuffer mine);

// What must be the same on every rank before the first step, in the order in which a difference is looked for.
struct Fact {
  std::string name, value;  // "slice 3 (conv1)", "offset 120, 2400 elements"
};
using Facts = std::vector<Fact>;
// Throws AgreedError naming the first difference and the ranks. Sends the facts themselves only when
// their hashes differ.
void compare_facts(Communicator&, const Facts&);

// One error text per rank, empty when all is well there. Returns the first that is not empty with its rank ("rank 2: ..."), or "".
std::string first_error(Communicator&, std::string_view mine);

}  // namespace syncline
