// SPDX-License-Identifier: Apache-2.0
#include "engine/store/database.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

namespace syncline {
namespace {

constexpr std::size_t most_idle = 64;  // statements of one connection

[[noreturn]] void fail(int status, const char* detail, const std::string& path) {
  switch (status & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw WorkspaceBusy(fmt::format("{}: the workspace is in use by another writer that does not finish; try again", path));
    case SQLITE_FULL:
      throw WorkspaceError(fmt::format("{}: no space left for the workspace; free some, or choose another place with --workspace", path));
    case SQLITE_READONLY:
      throw WorkspaceError(fmt::format("{}: the workspace is read-only; a writable place is needed to record a run", path));
    case SQLITE_NOTADB:
      throw WorkspaceError(fmt::format("{}: this file is not a Syncline workspace (not an SQLite database)", path));
    case SQLITE_CORRUPT:
      throw WorkspaceError(fmt::format("{}: the workspace is damaged ({}); restore a copy, or use another one", path, detail));
    case SQLITE_CANTOPEN:
      throw WorkspaceError(fmt::format("{}: the workspace cannot be opened ({}); check that the folder exists and is yours", path, detail));
    case SQLITE_IOERR:
      throw WorkspaceError(fmt::format("{}: reading or writing the workspace failed ({}); check the disk", path, detail));
    default:
      throw WorkspaceError(fmt::format("{}: the workspace cannot be used ({})", path, detail));
  }
}

// On a medium where nothing can be written SQLite cannot make the files that go with a write-ahead log, and opens the database only when
// told that it does not change. That is so when those files are not there: whoever writes would have made them.
bool lies_at_rest(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::absolute(path, ignored).parent_path();
  if (::access(folder.c_str(), W_OK) == 0) return false;
  return !std::filesystem::exists(path.string() + "-wal", ignored) && !std::filesystem::exists(path.string() + "-shm", ignored);
}

std::string immutable_uri(const std::filesystem::path& path) {
  std::error_code ignored;
  std::string uri = "file://";
  for (const unsigned char c : std::filesystem::absolute(path, ignored).string()) {
    uri += std::isalnum(c) != 0 || c == '/' || c == '.' || c == '-' || c == '_' ? std::string(1, static_cast<char>(c))
                                                                                : fmt::format("%{:02X}", c);
  }
  return uri + "?immutable=1";
}

void check(int status, sqlite3* database, const std::string& path) {
  if (status == SQLITE_OK || status == SQLITE_ROW || status == SQLITE_DONE) return;
  // Without a handle (no memory) there is only the general text of the code.
  fail(status, database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(status), path);
}

}  // namespace

Statement::Idle::~Idle() {
  for (sqlite3_stmt* statement : statements) sqlite3_finalize(statement);
}

Statement& Statement::operator=(Statement&& other) noexcept {
  if (this != &other) {
    give_back();
    handle_ = std::exchange(other.handle_, nullptr);
    idle_ = other.idle_;
  }
  return *this;
}

Statement::~Statement() { give_back(); }

void Statement::give_back() noexcept {
  if (handle_ == nullptr) return;
  if (sqlite3_strnicmp(sqlite3_sql(handle_), "PRAGMA", 6) == 0) {  // some are answered when they are parsed
    sqlite3_finalize(std::exchange(handle_, nullptr));
    return;
  }
  // Neither a lock nor a text of the caller stays with it.
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  std::vector<sqlite3_stmt*>& idle = idle_->statements;
  if (idle.size() == most_idle) {
    sqlite3_finalize(idle.front());
    idle.erase(idle.begin());
  }
  idle.push_back(std::exchange(handle_, nullptr));
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  check(sqlite3_bind_int64(handle_, parameter, value), sqlite3_db_handle(handle_), idle_->path);
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  if (std::isnan(value)) throw UsageError("internal error: a NaN is stored by its kind, not as a number");
  check(sqlite3_bind_double(handle_, parameter, value), sqlite3_db_handle(handle_), idle_->path);
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view value) {
  check(sqlite3_bind_text64(handle_, parameter, value.data() == nullptr ? "" : value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8),
        sqlite3_db_handle(handle_), idle_->path);
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::byte> value) {
  check(value.empty() ? sqlite3_bind_zeroblob(handle_, parameter, 0)
                      : sqlite3_bind_blob64(handle_, parameter, value.data(), value.size(), SQLITE_STATIC),
        sqlite3_db_handle(handle_), idle_->path);
  return *this;
}

Statement& Statement::bind(int parameter, std::nullptr_t) {
  check(sqlite3_bind_null(handle_, parameter), sqlite3_db_handle(handle_), idle_->path);
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(handle_);
  if (status == SQLITE_ROW) return true;
  if (status == SQLITE_DONE) return false;
  // The message is gone after the reset, and without the reset the statement keeps its lock.
  const std::string detail = sqlite3_errmsg(sqlite3_db_handle(handle_));
  sqlite3_reset(handle_);
  fail(status, detail.c_str(), idle_->path);
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() { sqlite3_reset(handle_); }

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }
double Statement::real(int column) const { return sqlite3_column_double(handle_, column); }

std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::span<const std::byte> Statement::blob(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(handle_, column));
  return {data, data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

bool Statement::null(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }

Statement::Type Statement::type(int column) const {
  switch (sqlite3_column_type(handle_, column)) {
    case SQLITE_INTEGER:
      return Type::integer;
    case SQLITE_FLOAT:
      return Type::real;
    case SQLITE_TEXT:
      return Type::text;
    case SQLITE_BLOB:
      return Type::blob;
    default:
      return Type::null;
  }
}

std::optional<std::int64_t> Statement::optional_integer(int column) const {
  return null(column) ? std::nullopt : std::optional(integer(column));
}
std::optional<double> Statement::optional_real(int column) const { return null(column) ? std::nullopt : std::optional(real(column)); }
std::optional<std::string> Statement::optional_text(int column) const { return null(column) ? std::nullopt : std::optional(text(column)); }

Database::Database(const std::filesystem::path& path, Mode mode, int busy_timeout_ms)
    : idle_(std::make_unique<Statement::Idle>()), writable_(mode != Mode::read) {
  idle_->path = path.string();
  idle_->statements.reserve(most_idle);  // giving one back cannot fail
  if (mode == Mode::create) {
    // Made here, since SQLite would give it the mode that the umask leaves; log and index files take over the mode of the database.
    // Only where there is none: to close a file that is there would take away the locks that this process has on it.
    const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_CLOEXEC | O_RDWR, 0600);
    if (file >= 0) ::close(file);
  }
  const bool at_rest = !writable_ && lies_at_rest(path);
  const int flags = (writable_ ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_NOMUTEX | (at_rest ? SQLITE_OPEN_URI : 0);
  const int status = sqlite3_open_v2(at_rest ? immutable_uri(path).c_str() : path.c_str(), &handle_, flags, nullptr);
  if (status != SQLITE_OK) {
    const std::string detail = handle_ != nullptr && (status & 0xff) != SQLITE_CANTOPEN ? sqlite3_errmsg(handle_) : std::strerror(errno);
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    fail(status, detail.c_str(), idle_->path);
  }
  try {
    sqlite3_extended_result_codes(handle_, 1);
    check(sqlite3_busy_timeout(handle_, busy_timeout_ms), handle_, idle_->path);
    execute("PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY; PRAGMA cache_size=-16000");
    if (writable_) {
      execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=67108864; PRAGMA secure_delete=OFF");
    } else {
      execute("PRAGMA query_only=ON; PRAGMA mmap_size=268435456");
    }
  } catch (...) {
    sqlite3_close_v2(std::exchange(handle_, nullptr));
    throw;
  }
}

Database::Database(Database&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), idle_(std::move(other.idle_)), writable_(other.writable_) {}

Database& Database::operator=(Database&& other) noexcept {
  if (this != &other) {
    idle_ = std::move(other.idle_);
    sqlite3_close_v2(handle_);
    handle_ = std::exchange(other.handle_, nullptr);
    writable_ = other.writable_;
  }
  return *this;
}

Database::~Database() {
  idle_.reset();
  sqlite3_close_v2(handle_);
}

Statement Database::prepare(std::string_view sql) {
  std::vector<sqlite3_stmt*>& idle = idle_->statements;
  const auto known = std::find_if(idle.rbegin(), idle.rend(), [sql](sqlite3_stmt* statement) { return sql == sqlite3_sql(statement); });
  if (known != idle.rend()) {
    sqlite3_stmt* taken = *known;
    idle.erase(std::next(known).base());
    return {taken, idle_.get()};
  }
  sqlite3_stmt* statement = nullptr;
  check(sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &statement, nullptr), handle_,
        idle_->path);
  return {statement, idle_.get()};
}

void Database::execute(std::string_view sql) {
  check(sqlite3_exec(handle_, std::string(sql).c_str(), nullptr, nullptr, nullptr), handle_, idle_->path);
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Database::last_row_id() const { return sqlite3_last_insert_rowid(handle_); }
std::int64_t Database::changes() const { return sqlite3_changes64(handle_); }
bool Database::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

std::int64_t Database::data_version() { return integer("PRAGMA data_version"); }

std::int64_t Database::checkpoint(bool truncate) {
  // Busy is no failure: somebody reads an older snapshot, and the next checkpoint gets further.
  int frames = 0;
  const int status =
      sqlite3_wal_checkpoint_v2(handle_, nullptr, truncate ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE, &frames, nullptr);
  if ((status & 0xff) != SQLITE_BUSY && (status & 0xff) != SQLITE_LOCKED) check(status, handle_, idle_->path);
  return frames > 0 ? frames * integer("PRAGMA page_size") : 0;
}

void Database::restart_log(double wait_s) {
  const std::int64_t before = integer("PRAGMA busy_timeout");
  sqlite3_busy_timeout(handle_, static_cast<int>(wait_s * 1e3));
  const int status = sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_RESTART, nullptr, nullptr);
  sqlite3_busy_timeout(handle_, static_cast<int>(before));
  if ((status & 0xff) != SQLITE_BUSY && (status & 0xff) != SQLITE_LOCKED) check(status, handle_, idle_->path);
}

std::int64_t Database::log_file_bytes() const {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(idle_->path + "-wal", none);
  return none ? 0 : static_cast<std::int64_t>(bytes);
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.execute(kind == Kind::immediate ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // After some errors SQLite has rolled back by itself.
  if (open_ && database_.in_transaction()) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace syncline
