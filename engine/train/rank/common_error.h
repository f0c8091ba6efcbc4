// SPDX-License-Identifier: Apache-2.0
// Who says what is wrong when every rank finds the same. A launcher ends all ranks as soon as one has left with an error, so a silent rank
// that leaves first would take the word from the one that is about to speak.
#pragma once

namespace syncline {

inline constexpr double common_error_wait_s = 5;

// To be called with an error that the other ranks probably found too, before it is printed; the caller leaves after that. Rank 0, or a
// process without a launcher: true at once. Elsewhere waits for rank 0 to print and leave: false when the launcher has ended the job
// meanwhile (SIGTERM, which it takes over), true after `limit_s`, as this rank alone has found the error then, or the launcher lets the
// others live.
bool must_report_common_error(double limit_s = common_error_wait_s);

}  // namespace syncline
