// SPDX-License-Identifier: Apache-2.0
// The errors that cross a library's boundary. Each carries one sentence for a person: what is wrong, where, and what would be right.
#pragma once

#include <stdexcept>
#include <string>

namespace syncline {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// We called something wrongly: a bug in this program, never the user's input.
class UsageError : public Error {
 public:
  using Error::Error;
};

// Where in the user's text a problem sits; line and column count from 1, 0 when unknown (a key given by --set, for instance).
struct Origin {
  std::string file;
  int line = 0, column = 0;
  std::string key;
};

// The experiment or the command line is wrong (exit code 2).
class ConfigError : public Error {
 public:
  explicit ConfigError(const std::string& message, Origin origin = {}) : Error(message), origin_(std::move(origin)) {}
  const Origin& origin() const { return origin_; }

 private:
  Origin origin_;
};

// A dataset or a file of input data cannot be read (exit code 3).
class DataError : public Error {
 public:
  using Error::Error;
};

// Training cannot go on: a plugin failed, the loss is not finite, a checkpoint is unusable (exit code 4).
class TrainingError : public Error {
 public:
  using Error::Error;
};

// The workspace cannot be used: locked, full, read-only, damaged, newer than this program (exit code 6).
class WorkspaceError : public Error {
 public:
  using Error::Error;
};

// Another rank ended, or answered out of step; the text names it.
class PeerLost : public TrainingError {
 public:
  using TrainingError::TrainingError;
};

// An operation outlived its limit; the text names rank, step, operation and the peers waited for.
class TimeLimit : public TrainingError {
 public:
  using TrainingError::TrainingError;
};

// The exit codes of the command line (README, "Exit codes").
enum class ExitCode : int { done = 0, not_held = 1, config = 2, data = 3, training = 4, stopped = 5, workspace = 6 };

// The exit code that fits an error; anything that is not one of ours counts as a failed training.
ExitCode exit_code_of(const std::exception&);

}  // namespace syncline
