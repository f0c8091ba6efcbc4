// SPDX-License-Identifier: Apache-2.0
// Calls of operator new in this program so far.
#pragma once

namespace syncline::test {

long allocations();

}  // namespace syncline::test
