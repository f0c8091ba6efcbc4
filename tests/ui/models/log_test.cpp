// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <ctime>

#include "ui/models/log_index.h"
#include "ui/models/log_model.h"

namespace syncline::ui {
namespace {

class LogFile : public testing::Test {
 protected:
  QString path() const { return folder_.filePath(QStringLiteral("log.txt")); }
  void append(const QByteArray& text) const {
    QFile file(path());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Append));
    ASSERT_EQ(file.write(text), text.size());
  }
  void replace(const QByteArray& text) const {
    QFile file(path());
    ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    ASSERT_EQ(file.write(text), text.size());
  }
  template <typename Condition>
  static bool comes(Condition condition) {
    QElapsedTimer timer;
    timer.start();
    while (!condition() && timer.elapsed() < 10000) QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    return condition();
  }
  static LogFilter unfolded() {
    LogFilter filter;
    filter.fold = false;
    return filter;
  }
  QTemporaryDir folder_;
};

TEST(LogLineTest, LosesItsColours) {
  EXPECT_EQ(without_terminal_sequences("\x1b[31mred\x1b[0m and \x1b]0;title\x07plain\r"), QByteArray("red and plain"));
  EXPECT_EQ(without_terminal_sequences("ends in \x1b["), QByteArray("ends in "));
}

TEST(LogLineTest, SaysTimeRankLevelAndText) {
  const LogLine line = parse_log_line("2026-11-30T13:48:16.123Z rank 3: warning: slow");
  EXPECT_EQ(line.time, QStringLiteral("2026-11-30T13:48:16.123Z"));
  EXPECT_EQ(line.rank, 3);
  EXPECT_EQ(line.level, LogLevel::warning);
  EXPECT_EQ(line.text, QStringLiteral("slow"));
}

TEST(LogLineTest, TakesTheRankOfMpirunAndOfASentence) {
  EXPECT_EQ(parse_log_line("[1,12]<stderr>:hello").rank, 12);
  EXPECT_EQ(parse_log_line("[1,12]<stderr>:hello").text, QStringLiteral("hello"));
  const LogLine error = parse_log_line("error: rank 1 failed in step 7: no memory");
  EXPECT_EQ(error.rank, 1);
  EXPECT_EQ(error.level, LogLevel::error);
  EXPECT_EQ(error.text, QStringLiteral("rank 1 failed in step 7: no memory"));
}

TEST(LogLineTest, IsLeftAloneWithoutAPrefix) {
  for (const char* raw : {"", "epoch 1", "[1,x]<", "rank", "rank x: y", "2026-"}) {
    const LogLine line = parse_log_line(raw);
    EXPECT_EQ(line.rank, -1) << raw;
    EXPECT_EQ(line.text, QString::fromLatin1(raw));
  }
}

TEST_F(LogFile, IsIndexedInPiecesThatCutLines) {
  QByteArray text;
  for (int k = 0; k < 1000; ++k) text += "line " + QByteArray::number(k) + '\n';
  append(text);
  LogScanner scanner(path(), unfolded());
  LogIndex index;
  for (;;) {
    const LogPiece piece = scanner.scan(97);
    index.offsets.insert(index.offsets.end(), piece.offsets.begin(), piece.offsets.end());
    index.lines = piece.lines;
    index.bytes = piece.bytes;
    if (piece.at_end()) break;
  }
  EXPECT_EQ(index.lines, 1000);
  EXPECT_EQ(index.offsets.size(), 16u);
  QFile file(path());
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  for (const int line : {0, 63, 64, 65, 500, 999}) {
    const auto read = read_log_lines(file, index, line, 1);
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read[0], "line " + QByteArray::number(line));
  }
  EXPECT_EQ(read_log_lines(file, index, 990, 64).size(), 10u);
  EXPECT_TRUE(read_log_lines(file, index, 1000, 1).empty());
}

TEST_F(LogFile, DoesNotShowALineBeforeItIsWhole) {
  append("whole\nhal");
  LogScanner scanner(path(), unfolded());
  LogPiece piece = scanner.scan(1 << 20);
  EXPECT_EQ(piece.lines, 1);
  EXPECT_TRUE(piece.at_end());
  append("f\n");
  piece = scanner.scan(1 << 20);
  EXPECT_EQ(piece.lines, 2);
}

TEST_F(LogFile, FoldsWhatSeveralRanksSayAlsoWhenTheyAreInterleaved) {
  append("rank 0: a\nrank 1: a\nrank 0: b\nrank 2: a\nrank 1: b\nrank 0: a\n");
  LogScanner scanner(path(), {});
  const LogPiece piece = scanner.scan(1 << 20);
  ASSERT_EQ(piece.rows.size(), 3u);  // a of three ranks, b of two, and rank 0's second a
  EXPECT_EQ(piece.rows[0].line, 0);
  EXPECT_EQ(piece.rows[1].line, 2);
  EXPECT_EQ(piece.rows[2].line, 5);
  ASSERT_EQ(piece.repeated.size(), 3u);
  EXPECT_EQ(piece.repeated[1], (std::pair<std::size_t, int>(0, 3)));
}

TEST_F(LogFile, GivesItsTailWithoutAnIndex) {
  QByteArray text;
  for (int k = 0; k < 5000; ++k) text += "line " + QByteArray::number(k) + '\n';
  append(text);
  const auto tail = read_log_tail(path(), 20);
  ASSERT_EQ(tail.size(), 20u);
  EXPECT_EQ(tail.front(), "line 4980");
  EXPECT_EQ(tail.back(), "line 4999");
  EXPECT_TRUE(read_log_tail(folder_.filePath(QStringLiteral("none")), 20).empty());
}

TEST_F(LogFile, FollowsWhatIsAppended) {
  append("one\ntwo\n");
  LogModel model(path());
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.setFilter(unfolded());
  ASSERT_TRUE(comes([&] { return model.indexed(); }));
  EXPECT_EQ(model.rowCount(), 2);
  model.setFollowing(true);
  append("three\n");
  ASSERT_TRUE(comes([&] { return model.rowCount() == 3; }));
  EXPECT_EQ(model.index(2, LogModel::text_column).data().toString(), QStringLiteral("three"));
}

TEST_F(LogFile, ShowsWhatWasAppendedBehindLinesThatWereOnTheScreen) {
  for (int k = 0; k < 10; ++k) append("line " + QByteArray::number(k) + '\n');
  LogModel model(path());
  model.setFilter(unfolded());
  ASSERT_TRUE(comes([&] { return model.indexed() && model.rowCount() == 10; }));
  EXPECT_EQ(model.index(9, LogModel::text_column).data().toString(), QStringLiteral("line 9"));
  for (int k = 10; k < 200; ++k) append("line " + QByteArray::number(k) + '\n');
  model.poll();
  ASSERT_TRUE(comes([&] { return model.rowCount() == 200; }));
  for (const int row : {9, 10, 63, 64, 199})
    EXPECT_EQ(model.index(row, LogModel::text_column).data().toString(), QStringLiteral("line %1").arg(row));
}

TEST_F(LogFile, IsReadAgainWhenItBecameShorter) {
  append("one\ntwo\nthree\n");
  LogModel model(path());
  model.setFilter(unfolded());
  ASSERT_TRUE(comes([&] { return model.indexed() && model.rowCount() == 3; }));
  replace("new\n");
  model.setFollowing(true);
  ASSERT_TRUE(comes([&] { return model.indexed() && model.rowCount() == 1; }));
  EXPECT_EQ(model.index(0, LogModel::text_column).data().toString(), QStringLiteral("new"));
}

TEST_F(LogFile, IsFilteredByRankLevelAndText) {
  append("rank 0: Loss 1\nrank 1: loss 2\nerror: rank 1 failed\nrank 1: other\n");
  LogModel model(path());
  const auto rows = [&](const LogFilter& filter) {
    model.setFilter(filter);
    return comes([&] { return model.indexed(); }) ? model.rowCount() : -1;
  };
  EXPECT_EQ(rows({-1, LogLevel::information, QStringLiteral("LOSS"), false}), 2);
  EXPECT_EQ(rows({1, LogLevel::information, QStringLiteral("loss"), false}), 1);
  EXPECT_EQ(rows({-1, LogLevel::error, {}, true}), 1);
  EXPECT_EQ(model.index(0, LogModel::text_column).data().toString(), QStringLiteral("rank 1 failed"));
  EXPECT_EQ(rows({7, LogLevel::information, {}, true}), 0);
}

TEST_F(LogFile, ShowsHowManyRanksSaidALine) {
  append("rank 0: ready\nrank 1: ready\n");
  LogModel model(path());
  ASSERT_TRUE(comes([&] { return model.indexed(); }));
  ASSERT_EQ(model.rowCount(), 1);
  EXPECT_EQ(model.index(0, LogModel::text_column).data().toString(), QStringLiteral("ready  (×2)"));
}

TEST_F(LogFile, SaysThatItIsMissing) {
  LogModel model(folder_.filePath(QStringLiteral("none")));
  EXPECT_TRUE(model.missing());
  EXPECT_EQ(model.rowCount(), 0);
}

// Sparse: 2 GB of which the disk holds nothing but the end.
TEST_F(LogFile, OfTwoGigabytesShowsItsEndAtOnce) {
  QFile file(path());
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  ASSERT_TRUE(file.resize(qint64(2) << 30));
  ASSERT_TRUE(file.seek(file.size()));
  file.write("\nthe last line\n");
  file.close();
  const std::clock_t before = std::clock();  // of this process: reading all of it takes long, whatever else the machine does
  LogModel model(path());
  ASSERT_GT(model.rowCount(), 0);
  EXPECT_EQ(model.index(model.rowCount() - 1, LogModel::text_column).data().toString(), QStringLiteral("the last line"));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 5);
}

}  // namespace
}  // namespace syncline::ui
