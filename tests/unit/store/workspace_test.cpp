// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <thread>

#include "engine/store/schema.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

unsigned mode_of(const std::filesystem::path& path) {
  struct stat information {};
  stat(path.c_str(), &information);
  return information.st_mode & 0777;
}

using WorkspaceTest = StoreTest;

TEST_F(WorkspaceTest, MigratesFromEmptyAndIsPrivate) {
  const Workspace made = workspace("deep/er/workspace.db");
  Database database = made.connect_read_only();
  EXPECT_EQ(database.integer("PRAGMA user_version"), schema_version);
  EXPECT_EQ(database.integer("PRAGMA application_id"), workspace_application_id);
  Statement mode = database.prepare("PRAGMA journal_mode");
  ASSERT_TRUE(mode.step());
  EXPECT_EQ(mode.text(0), "wal");
  EXPECT_EQ(mode_of(folder_ / "deep/er/workspace.db"), 0600u);
  EXPECT_EQ(mode_of(folder_ / "deep/er"), 0700u);
  const auto run_folder = made.make_run_folder("some-id");
  EXPECT_EQ(run_folder, folder_ / "deep/er/workspace.runs/some-id");
  EXPECT_EQ(mode_of(run_folder), 0700u);
  EXPECT_EQ(mode_of(run_folder / "checkpoints"), 0700u);
  EXPECT_EQ(damage_of(made.path()), "");
  EXPECT_NO_THROW(workspace("deep/er/workspace.db"));
}

TEST_F(WorkspaceTest, ManyOpenANewOneAtTheSameTime) {
  std::vector<std::thread> threads;
  std::atomic<int> opened{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      workspace();
      ++opened;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(opened, 4);
}

TEST_F(WorkspaceTest, ReadingOneThatIsJustBeingMadeWaitsForIt) {
  const Database file(folder_ / "new.db", Database::Mode::create);
  std::thread maker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // so that the other looks first
    workspace("new.db");
  });
  EXPECT_EQ(message_of([&] { Workspace::open_read_only(folder_ / "new.db"); }), "nothing was thrown");
  maker.join();
}

TEST_F(WorkspaceTest, AnotherDatabaseIsNotTouched) {
  {
    Database other(folder_ / "other.db", Database::Mode::create);
    other.execute("CREATE TABLE mine (x)");
  }
  EXPECT_EQ(message_of([&] { workspace("other.db"); }), (folder_ / "other.db").string() + ": this database is not a Syncline workspace");
  std::ofstream(folder_ / "text.db") << std::string(5000, 'x');
  EXPECT_EQ(message_of([&] { workspace("text.db"); }),
            (folder_ / "text.db").string() + ": this file is not a Syncline workspace (not an SQLite database)");
  EXPECT_NE(message_of([&] { Workspace::open_read_only(folder_ / "absent.db"); }).find("there is no workspace here"), std::string::npos);
  EXPECT_NE(message_of([&] { Workspace::open_existing(folder_ / "absent.db"); }).find("there is no workspace here"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "absent.db"));
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_NE(message_of([&] { workspace("folder"); }).find("this is a folder"), std::string::npos);
}

TEST_F(WorkspaceTest, ANewerOneIsReadOnly) {
  { RunRegistry(workspace()).create(new_run()); }
  { workspace().connect().execute("PRAGMA user_version=99"); }
  EXPECT_NE(message_of([&] { workspace(); }).find("made by a newer version of Syncline (format 99, this one writes 1)"), std::string::npos);
  const Workspace old = Workspace::open_read_only(folder_ / "workspace.db");
  EXPECT_TRUE(old.newer());
  EXPECT_EQ(Reader(old).runs().size(), 1u);
  EXPECT_THROW(old.connect(), WorkspaceError);
}

TEST_F(WorkspaceTest, PathFollowsTheContract) {
  setenv("SYNCLINE_WORKSPACE", "/somewhere/named.db", 1);
  EXPECT_EQ(workspace_path("/given.db"), "/given.db");
  EXPECT_EQ(workspace_path(), "/somewhere/named.db");
  unsetenv("SYNCLINE_WORKSPACE");
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(workspace_path(), "/data/syncline/workspace.db");
  setenv("XDG_DATA_HOME", "relative", 1);
  const char* home = getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("HOME", "/home/somebody", 1);
  EXPECT_EQ(workspace_path(), "/home/somebody/.local/share/syncline/workspace.db");
  unsetenv("XDG_DATA_HOME");
  setenv("HOME", before.c_str(), 1);
}

TEST_F(WorkspaceTest, RecordingPlaceOnANetworkFileSystem) {
  EXPECT_FALSE(on_network_file_system(folder_ / "not" / "there" / "yet.db"));
  const RecordingPlace local = recording_place(folder_ / "w.db", "id");
  EXPECT_EQ(local.path, folder_ / "w.db");
  EXPECT_TRUE(local.copy_to.empty());
  setenv("TMPDIR", "/scratch", 1);
  const RecordingPlace remote = recording_place(folder_ / "w.db", "the-id", true);
  unsetenv("TMPDIR");
  EXPECT_EQ(remote.path.string().rfind("/scratch/syncline-", 0), 0u);
  EXPECT_EQ(remote.copy_to, folder_ / "the-id.db");
  EXPECT_NE(remote.notice.find("network file system"), std::string::npos);
  EXPECT_EQ(remote.notice.find('\n'), std::string::npos);
}

TEST_F(WorkspaceTest, CopiesAreConsistentPrivateAndReplaced) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  registry.create(new_run("first"));
  copy_database(made.path(), folder_ / "copy.db");
  registry.create(new_run("second"));
  copy_database(made.path(), folder_ / "copy.db");
  EXPECT_EQ(mode_of(folder_ / "copy.db"), 0600u);
  EXPECT_EQ(Reader(Workspace::open_read_only(folder_ / "copy.db")).runs().size(), 2u);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    files += entry.path().string().find("partial") != std::string::npos;
  EXPECT_EQ(files, 0);
}

TEST_F(WorkspaceTest, StatesAndValuesAreChecked) {
  const Workspace made = workspace();
  const std::string id = RunRegistry(made).create(new_run());
  Database database = made.connect();
  EXPECT_THROW(database.execute("UPDATE run SET state = 'lost'"), WorkspaceError);
  EXPECT_THROW(database.execute("UPDATE run SET state = 'finished'"), WorkspaceError);  // without an end
  EXPECT_THROW(database.execute("UPDATE run SET workers = 'two'"), WorkspaceError);     // STRICT
  EXPECT_THROW(database.prepare("SELECT ?").bind(1, std::numeric_limits<double>::quiet_NaN()), UsageError);
  EXPECT_THROW(database.execute("INSERT INTO request (run, kind, asked_at, asked_by) VALUES (99, 'stop-now', 0, '')"), WorkspaceError);
}

TEST(RunId, IsVersionSevenUniqueAndSorted) {
  std::set<std::string> seen;
  std::string last;
  for (int i = 0; i < 5000; ++i) {
    const std::string id = make_run_id();
    ASSERT_EQ(id.size(), 36u);
    ASSERT_EQ(id[14], '7');
    ASSERT_NE(std::string("89ab").find(id[19]), std::string::npos);
    ASSERT_LT(last, id);
    last = id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 5000u);
  EXPECT_TRUE(is_run_id(last));
  for (const std::string& other :
       {std::string(), std::string("mine"), last + "0", last.substr(1), "X" + last.substr(1), last.substr(0, 8) + "0" + last.substr(9)})
    EXPECT_FALSE(is_run_id(other)) << other;
  const std::string hex = last.substr(0, 8) + last.substr(9, 4);
  EXPECT_NEAR(static_cast<double>(std::stoull(hex, nullptr, 16)) / 1000, utc_s(), 5);
}

}  // namespace
}  // namespace syncline
