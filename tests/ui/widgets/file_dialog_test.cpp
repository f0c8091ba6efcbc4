// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/file_dialog.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <QAbstractItemView>
#include <QDirIterator>
#include <QFile>
#include <QFileSystemModel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/store/workspace.h"

namespace syncline::ui {
namespace {

// Locks of this process, as the kernel lists them.
int own_locks() {
  QFile file(QStringLiteral("/proc/locks"));
  if (!file.open(QIODevice::ReadOnly)) return -1;
  int count = 0;
  const QByteArray mine = ' ' + QByteArray::number(::getpid()) + ' ';
  for (const QByteArray& line : file.readAll().split('\n')) count += line.contains("POSIX") && line.contains(mine);
  return count;
}

// A workspace that this process has open, with the locks that SQLite holds for it.
struct HeldWorkspace {
  QTemporaryDir folder;
  std::filesystem::path path = folder.filePath(QStringLiteral("workspace.db")).toStdString();
  Workspace workspace = Workspace::open(path);
  Database database = workspace.connect();
  std::int64_t tables = database.integer("SELECT count(*) FROM sqlite_master");  // the first statement takes the locks
  int locks = own_locks();
};

TEST(FileDialog, leaves_a_workspace_in_its_folder_its_locks) {
  const HeldWorkspace held;
  const QTemporaryDir& folder = held.folder;
  ASSERT_GT(held.locks, 0) << "SQLite holds no lock, so there is none to lose";

  FileDialog dialog(nullptr, QStringLiteral("Open Workspace"), folder.path());
  dialog.show();
  auto* model = dialog.findChild<QFileSystemModel*>();
  ASSERT_NE(model, nullptr);
  // Every file of the folder has got its icon and type: what Qt reads files for.
  const auto typed = [&] {
    const QModelIndex at = model->index(folder.path());
    int known = 0;
    for (int row = 0; row < model->rowCount(at); ++row) known += !model->type(model->index(row, 0, at)).isEmpty();
    return known;
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return typed() >= 3; }, 5000)) << "database, log and index are listed";
  EXPECT_EQ(own_locks(), held.locks);
}

TEST(FileDialog, is_the_only_one_that_the_window_uses) {
  int files = 0;
  QDirIterator sources(QStringLiteral(SYNCLINE_SOURCE_DIR "/ui"), {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
  while (sources.hasNext()) {
    QFile file(sources.next());
    if (file.fileName().endsWith(QStringLiteral("/file_dialog.cpp"))) continue;
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    ++files;
    EXPECT_FALSE(file.readAll().contains("QFileDialog")) << file.fileName().toStdString() << ": use FileDialog (ui/widgets/file_dialog.h)";
  }
  EXPECT_GT(files, 50);
}

TEST(FileDialog, suggests_a_name_in_the_folder_that_was_chosen_from_last) {
  const QTemporaryDir folder;
  {
    FileDialog first(nullptr, QStringLiteral("Export"), folder.filePath(QStringLiteral("a.csv")));
    first.setAcceptMode(QFileDialog::AcceptSave);
    first.show();
    QMetaObject::invokeMethod(&first, "accept");
    EXPECT_EQ(first.selectedFiles().value(0), folder.filePath(QStringLiteral("a.csv")));
  }
  const FileDialog second(nullptr, QStringLiteral("Export"), QStringLiteral("b.csv"));
  EXPECT_EQ(second.selectedFiles().value(0), folder.filePath(QStringLiteral("b.csv")));
}

TEST(Workspace, opened_once_more_in_one_process_keeps_the_locks_of_the_first) {
  const HeldWorkspace held;
  ASSERT_GT(held.locks, 0);
  const Workspace again = Workspace::open(held.path);
  EXPECT_EQ(own_locks(), held.locks);
}

}  // namespace
}  // namespace syncline::ui
