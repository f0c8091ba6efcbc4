// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/job_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>

#include "engine/base/error.h"
#include "engine/launch/protocol.h"
#include "engine/metrics/clock.h"

namespace syncline {
namespace {

constexpr std::size_t longest_line = 64 * 1024;

// "2026-11-30T13:48:16.123Z": merged lines of many ranks are worth little without their time.
std::string time_text(double utc) {
  const auto seconds = static_cast<std::time_t>(std::floor(utc));
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[24];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text, static_cast<int>((utc - std::floor(utc)) * 1000));
}

}  // namespace

JobOutput::JobOutput(const std::filesystem::path& log, FILE* shown, bool terminal) : shown_(shown), terminal_(terminal) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw TrainingError(fmt::format("cannot open a pipe: {}", std::strerror(errno)));
  read_end_ = ends[0];
  write_end_ = ends[1];
  ::fcntl(read_end_, F_SETFL, O_NONBLOCK);
  if (!log.empty()) {
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) log_ = ::fdopen(file, "a");
    if (log_ == nullptr) throw WorkspaceError(fmt::format("cannot write the log {}: {}", log.string(), std::strerror(errno)));
  }
}

JobOutput::~JobOutput() {
  finish_progress();
  close_write_end();
  ::close(read_end_);
  if (log_ != nullptr) std::fclose(log_);
}

void JobOutput::close_write_end() {
  if (write_end_ >= 0) ::close(write_end_);
  write_end_ = -1;
}

bool JobOutput::pump() {
  char buffer[16384];
  for (;;) {
    const ssize_t count = ::read(read_end_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return true;  // nothing more now
    if (count == 0) {
      if (!pending_.empty()) line(pending_);
      pending_.clear();
      return false;
    }
    pending_.append(buffer, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1) {
      line(std::string_view(pending_).substr(begin, end - begin));
    }
    pending_.erase(0, begin);
    if (pending_.size() > longest_line) {
      line(pending_);
      pending_.clear();
    }
  }
}

void JobOutput::line(std::string_view text) {
  if (!text.empty() && text.front() == progress_mark) {
    text.remove_prefix(1);
    if (shown_ == nullptr) return;
    if (terminal_) {
      std::fprintf(shown_, "\r\x1b[K%.*s", static_cast<int>(text.size()), text.data());
      progress_open_ = true;
    } else {
      std::fprintf(shown_, "%.*s\n", static_cast<int>(text.size()), text.data());
    }
    std::fflush(shown_);
    return;
  }
  constexpr std::string_view warning_mark = "warning: ";
  constexpr std::string_view error_mark = "error: ";  // how ranks begin; what others add after the first is no news
  const bool told = last_error_line_.starts_with(error_mark);
  if (!text.empty() && !told) last_error_line_ = text;
  if (log_ != nullptr) {
    std::fprintf(log_, "%s %.*s\n", time_text(utc_s()).c_str(), static_cast<int>(text.size()), text.data());
    std::fflush(log_);
  }
  // A recorded job ends with a sentence of its own, which says the same.
  const bool said_later = log_ != nullptr && text.starts_with(error_mark);
  FILE* to = text.starts_with(warning_mark) ? stderr : shown_;
  if (to != nullptr && !told && !said_later) {
    if (progress_open_) std::fputs("\r\x1b[K", shown_);
    progress_open_ = false;
    std::fflush(shown_);  // before what comes by another way
    std::fprintf(to, "%.*s\n", static_cast<int>(text.size()), text.data());
    std::fflush(to);
  }
}

void JobOutput::say(const std::string& text) { line(text); }

void JobOutput::finish_progress() {
  if (progress_open_ && shown_ != nullptr) std::fputc('\n', shown_);
  progress_open_ = false;
}

}  // namespace syncline
