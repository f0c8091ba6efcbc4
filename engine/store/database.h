// SPDX-License-Identifier: Apache-2.0
// SQLite behind move-only handles. Every status is checked; errors are WorkspaceError with one sentence. One Database per thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace syncline {

// A workspace error that passes with time: another writer holds the lock beyond the busy timeout.
class WorkspaceBusy : public WorkspaceError {
 public:
  using WorkspaceError::WorkspaceError;
};

// A prepared statement; parameters count from 1, columns from 0. To parse one costs more than most of ours take to run: when it goes out of
// scope its Database keeps it for the next that asks for the same text.
class Statement {
 public:
  Statement() = default;
  Statement(Statement&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), idle_(other.idle_) {}
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  Statement& bind(int parameter, std::int64_t);
  Statement& bind(int parameter, int value) { return bind(parameter, static_cast<std::int64_t>(value)); }
  Statement& bind(int parameter, double);  // NaN is refused (UsageError): SQLite would make NULL of it; infinities are stored
  Statement& bind(int parameter, std::string_view);
  Statement& bind(int parameter, const char* text) { return bind(parameter, std::string_view(text)); }
  Statement& bind(int parameter, const std::string& text) { return bind(parameter, std::string_view(text)); }
  Statement& bind(int parameter, std::span<const std::byte>);  // must stay valid until the statement is reset
  Statement& bind(int parameter, std::nullptr_t);
  template <typename T>
  Statement& bind(int parameter, const std::optional<T>& value) {
    return value ? bind(parameter, *value) : bind(parameter, nullptr);
  }
  template <typename... Values>
  Statement& bind_all(const Values&... values) {  // parameters 1, 2, ...
    int parameter = 0;
    (bind(++parameter, values), ...);
    return *this;
  }

  bool step();  // true: a row is there
  void run();   // to the end, then reset: for statements without rows
  void reset();
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  std::span<const std::byte> blob(int column) const;  // until the next step or reset
  bool null(int column) const;
  enum class Type { null, integer, real, text, blob };
  Type type(int column) const;
  std::optional<std::int64_t> optional_integer(int column) const;
  std::optional<double> optional_real(int column) const;
  std::optional<std::string> optional_text(int column) const;

 private:
  friend class Database;
  struct Idle {  // of one Database: its path, and its statements that nobody uses now, the latest last
    ~Idle();
    std::string path;
    std::vector<sqlite3_stmt*> statements;
  };
  Statement(sqlite3_stmt* handle, Idle* idle) : handle_(handle), idle_(idle) {}
  void give_back() noexcept;
  sqlite3_stmt* handle_ = nullptr;
  Idle* idle_ = nullptr;  // owned by the Database, which outlives its statements
};

class Database {
 public:
  enum class Mode { create, write, read };  // create: write, and make the file (0600) when absent
  Database(const std::filesystem::path&, Mode, int busy_timeout_ms = 5000);
  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  Statement prepare(std::string_view sql);
  void execute(std::string_view sql);          // one or several statements without parameters
  std::int64_t integer(std::string_view sql);  // first column of the first row; 0 when there is none
  std::int64_t last_row_id() const;
  std::int64_t changes() const;
  bool in_transaction() const;
  std::int64_t data_version();  // changes when another connection has written
  // The log into the file: PASSIVE never waits for anybody, TRUNCATE also empties the log. How many bytes the log holds.
  std::int64_t checkpoint(bool truncate);
  // Empties the log for reuse, which takes a moment in which nobody reads an old snapshot: holds writers off for at most `wait_s`.
  void restart_log(double wait_s);
  std::int64_t log_file_bytes() const;  // never shrinks while in use: a log that starts anew overwrites it
  bool writable() const { return writable_; }
  const std::string& path() const { return idle_->path; }
  sqlite3* handle() const { return handle_; }

 private:
  sqlite3* handle_ = nullptr;
  std::unique_ptr<Statement::Idle> idle_;
  bool writable_ = false;
};

// BEGIN IMMEDIATE (write) or BEGIN (read: one snapshot) until commit(), else rolled back.
class Transaction {
 public:
  enum class Kind { immediate, snapshot };
  explicit Transaction(Database&, Kind = Kind::immediate);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

}  // namespace syncline
