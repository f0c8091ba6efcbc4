// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that take the engine's place: missing, of another version, crashing, talking nonsense. Each gives one sentence.
#include "ui/models/engine_program.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "ui/models/settings.h"

namespace syncline::ui {
namespace {

class EngineProgramTest : public ::testing::Test {
 protected:
  void SetUp() override { settings_.remove(key_); }
  void TearDown() override { settings_.remove(key_); }

  // A shell script as the engine of the settings.
  QString script(const QByteArray& body) {
    const QString path = folder_.filePath(QStringLiteral("engine-%1").arg(++number_));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + body);
    file.close();
    file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
    settings_.set(key_, path);
    return path;
  }
  static bool known(const EngineProgram& engine) {
    return QTest::qWaitFor([&] { return engine.known(); });
  }
  EngineProgram::Answer answer(EngineProgram& engine, const QStringList& arguments) {
    std::optional<EngineProgram::Answer> got;
    engine.run(&engine, arguments, [&got](const EngineProgram::Answer& it) { got = it; });
    EXPECT_TRUE(QTest::qWaitFor([&] { return got.has_value(); }));
    return got.value_or(EngineProgram::Answer{});
  }

  const QString key_ = QString::fromUtf16(EngineProgram::path_setting);
  QTemporaryDir folder_;
  Settings settings_;
  int number_ = 0;
};

const QByteArray right_version =
    "[ \"$1\" = --version ] && echo syncline-engine " + EngineProgram::neededVersion().toLatin1() + " && exit 0\n";

TEST_F(EngineProgramTest, OfTheSameVersionHasNoProblem) {
  script(right_version);
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  ASSERT_TRUE(known(engine));
  EXPECT_EQ(engine.version(), EngineProgram::neededVersion());
  EXPECT_EQ(engine.problem(), QString());
}

TEST_F(EngineProgramTest, ThatIsMissingSaysWhatWasTried) {
  settings_.set(key_, QStringLiteral("/nowhere/syncline-engine"));
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  ASSERT_TRUE(known(engine));
  EXPECT_EQ(engine.path(), QString());
  EXPECT_TRUE(engine.problem().contains(QStringLiteral("/nowhere/syncline-engine")));
  const EngineProgram::Answer got = answer(engine, {QStringLiteral("schema")});
  EXPECT_EQ(got.exit_code, -1);
  EXPECT_EQ(got.sentence(), engine.why());
}

TEST_F(EngineProgramTest, OfAnotherVersionSaysBoth) {
  script("echo syncline-engine 9.9.9\n");
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  ASSERT_TRUE(known(engine));
  EXPECT_TRUE(engine.problem().contains(QStringLiteral("9.9.9")) && engine.problem().contains(EngineProgram::neededVersion()));
}

TEST_F(EngineProgramTest, ThatPrintsSomethingElseIsNoEngine) {
  script("printf 'hello\\nworld\\377\\n'\n");
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  ASSERT_TRUE(known(engine));
  EXPECT_FALSE(engine.version());
  EXPECT_TRUE(engine.problem().contains(QStringLiteral("no syncline-engine")));
}

TEST_F(EngineProgramTest, ThatCrashesIsSaidToHaveEndedByASignal) {
  script(right_version + "kill -SEGV $$\n");
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  ASSERT_TRUE(known(engine));
  const EngineProgram::Answer got = answer(engine, {QStringLiteral("schema")});
  EXPECT_EQ(got.exit_code, -1);
  EXPECT_TRUE(got.sentence().contains(QStringLiteral("signal"))) << got.sentence().toStdString();
}

TEST_F(EngineProgramTest, GivesItsOwnSentenceFromJsonOrFromItsLastLine) {
  script(right_version + "echo '{\"error\": {\"code\": 3, \"message\": \"no data in /d\"}}'; exit 3\n");
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  EXPECT_EQ(answer(engine, {QStringLiteral("x")}).sentence(), QStringLiteral("no data in /d"));
  script("echo first >&2; echo 'syncline-engine: the last line' >&2; exit 2\n");
  EXPECT_EQ(answer(engine, {QStringLiteral("x")}).sentence(), QStringLiteral("the last line"));
  script("exit 4\n");
  EXPECT_TRUE(answer(engine, {QStringLiteral("x")}).sentence().contains(QStringLiteral("code 4")));
}

TEST_F(EngineProgramTest, AddsTheWorkspaceAndHandsOutLinesAsTheyCome) {
  script(right_version + "echo one; printf tw; echo o; echo \"$@\"\n");
  EngineProgram engine(settings_, QStringLiteral("/my work/w.db"));
  QByteArrayList lines;
  std::optional<EngineProgram::Answer> got;
  engine.run(
      &engine, {QStringLiteral("runs")}, [&got](const EngineProgram::Answer& it) { got = it; },
      [&lines](const QByteArray& line) { lines << line; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return got.has_value(); }));
  EXPECT_EQ(lines, (QByteArrayList{"one", "two", "runs --workspace /my work/w.db"}));
  EXPECT_TRUE(engine.commandText({QStringLiteral("runs")}).endsWith(QStringLiteral("runs --workspace '/my work/w.db'")));
}

TEST_F(EngineProgramTest, AnotherEngineChosenIsAskedAtOnce) {
  script("echo syncline-engine 9.9.9\n");
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  ASSERT_TRUE(known(engine));
  script(right_version);
  EXPECT_TRUE(QTest::qWaitFor([&] { return engine.version() == EngineProgram::neededVersion(); }));
  EXPECT_EQ(engine.problem(), QString());
}

TEST_F(EngineProgramTest, AnAnswerForSomebodyWhoIsGoneIsNotDelivered) {
  script(right_version + "echo late\n");
  EngineProgram engine(settings_, QStringLiteral("/w.db"));
  bool called = false;
  auto context = std::make_unique<QObject>();
  QProcess* process = engine.run(context.get(), {QStringLiteral("x")}, [&called](const EngineProgram::Answer&) { called = true; });
  QSignalSpy finished(process, &QProcess::finished);
  context.reset();
  EXPECT_TRUE(finished.wait());
  EXPECT_FALSE(called);
}

TEST_F(EngineProgramTest, LeavesAChildThatIsAskedToEndWithoutWaitingForIt) {
  script(right_version + "trap '' TERM; echo up; sleep 8\n");
  auto engine = std::make_unique<EngineProgram>(settings_, QStringLiteral("/w.db"));
  bool up = false;
  engine->run(engine.get(), {QStringLiteral("x")}, {}, [&up](const QByteArray&) { up = true; });
  ASSERT_TRUE(QTest::qWaitFor([&] { return up; }));
  QElapsedTimer timer;
  timer.start();
  engine.reset();
  EXPECT_LT(timer.elapsed(), 4000);
}

}  // namespace
}  // namespace syncline::ui
