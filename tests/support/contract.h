// SPDX-License-Identifier: Apache-2.0
// Names that scripts rely on.
#pragma once

#include <string>
#include <vector>

namespace syncline::test {

// The keys of `show RUN --json`, in their order.
inline const std::vector<std::string> run_keys = {
    "id",       "name",  "state",   "reason", "started", "ended", "resumed_from",       "kind",    "workers", "servers", "device",
    "strategy", "model", "dataset", "host",   "version", "seed",  "threads_per_worker", "emulated"};
inline const std::vector<std::string> summary_keys = {"steps",
                                                      "epochs",
                                                      "samples",
                                                      "final_train_loss",
                                                      "final_test_accuracy",
                                                      "best_test_accuracy",
                                                      "time_to_target_s",
                                                      "wall_s",
                                                      "samples_per_s",
                                                      "step_s",
                                                      "forward_s",
                                                      "backward_s",
                                                      "update_s",
                                                      "data_wait_s",
                                                      "comm_s",
                                                      "exposed_comm_s",
                                                      "hidden_comm_fraction",
                                                      "hidden_transfer_fraction",
                                                      "blocked_s",
                                                      "peer_wait_s",
                                                      "transfer_s",
                                                      "compute_inflation",
                                                      "step_without_comm_s",
                                                      "emulation_overrun",
                                                      "bytes_sent_per_step_per_worker",
                                                      "messages_per_step_per_worker",
                                                      "peak_memory_bytes",
                                                      "gradients",
                                                      "updates",
                                                      "skipped_steps",
                                                      "staleness_mean",
                                                      "staleness_max"};

}  // namespace syncline::test
