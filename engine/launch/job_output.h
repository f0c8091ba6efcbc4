// SPDX-License-Identifier: Apache-2.0
// The ranks' merged output: every line with its time (UTC) into the run's log, and to the person who started the job. Progress lines are
// drawn in place on a terminal and do not go into the log; lines that begin with "warning: " go to standard error, whatever is shown.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace syncline {

class JobOutput {
 public:
  // log: appended to (0600); empty: none. `shown`: where a person reads, null: nowhere.
  JobOutput(const std::filesystem::path& log, FILE* shown, bool terminal);
  ~JobOutput();
  JobOutput(const JobOutput&) = delete;
  JobOutput& operator=(const JobOutput&) = delete;

  int write_end() const { return write_end_; }  // give this to the job; then close_write_end()
  int read_end() const { return read_end_; }    // to poll
  void close_write_end();
  bool pump();                        // reads what is there; false at the end of file
  void say(const std::string& line);  // one line of our own, log included
  void finish_progress();             // leaves the progress line standing
  const std::string& last_error_line() const {
    return last_error_line_;
  }  // first line that tells an error, else newest that is not progress

 private:
  void line(std::string_view text);
  int write_end_ = -1, read_end_ = -1;
  FILE* log_ = nullptr;
  FILE* shown_;
  bool terminal_, progress_open_ = false;
  std::string pending_, last_error_line_;
};

}  // namespace syncline
