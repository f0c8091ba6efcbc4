// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/background_jobs.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace syncline::ui {
namespace {

// Works until it is told to stop or is cancelled.
struct Gate {
  std::atomic<bool> open{false};
  void wait(const JobControl& control) const {
    while (!open && !control.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

TEST(BackgroundJobs, AShortJobIsNeverShown) {
  BackgroundJobs jobs;
  const QAbstractItemModelTester tester(&jobs);
  QSignalSpy inserted(&jobs, &QAbstractItemModel::rowsInserted);
  QString said = QStringLiteral("nothing yet");
  jobs.start(
      &jobs, QStringLiteral("quick"), [](JobControl&) {}, [&said](const QString& error) { said = error; });
  ASSERT_TRUE(QTest::qWaitFor([&said] { return said.isEmpty(); }, 20'000));
  QTest::qWait(700);
  EXPECT_EQ(inserted.count(), 0);
  EXPECT_EQ(jobs.running(), 0);
}

TEST(BackgroundJobs, ALongJobShowsItsStageAndProgressUntilItEnds) {
  BackgroundJobs jobs;
  const QAbstractItemModelTester tester(&jobs);
  Gate gate;
  bool ended = false;
  jobs.start(
      &jobs, QStringLiteral("export"),
      [&gate](JobControl& control) {
        control.progress(0.4, QStringLiteral("writing curves"));
        gate.wait(control);
      },
      [&ended](const QString&) { ended = true; });
  ASSERT_TRUE(QTest::qWaitFor([&jobs] { return jobs.rowCount() == 1; }, 20'000));
  EXPECT_EQ(jobs.index(0, BackgroundJobs::name_column).data().toString(), QStringLiteral("export"));
  EXPECT_EQ(jobs.index(0, BackgroundJobs::stage_column).data().toString(), QStringLiteral("writing curves"));
  EXPECT_TRUE(jobs.index(0, BackgroundJobs::progress_column).data().toString().startsWith(QStringLiteral("40")));
  gate.open = true;
  ASSERT_TRUE(QTest::qWaitFor([&ended] { return ended; }, 20'000));
  EXPECT_EQ(jobs.rowCount(), 0);
}

TEST(BackgroundJobs, CancelReachesTheWorkerWithinTwoHundredMilliseconds) {
  BackgroundJobs jobs;
  Gate gate;
  QString said;
  jobs.start(
      &jobs, QStringLiteral("import"), [&gate](JobControl& control) { gate.wait(control); },
      [&said](const QString& error) { said = error; });
  ASSERT_TRUE(QTest::qWaitFor([&jobs] { return jobs.rowCount() == 1; }, 20'000));
  QElapsedTimer clock;
  clock.start();
  jobs.cancelRow(0);
  ASSERT_TRUE(QTest::qWaitFor([&said] { return !said.isEmpty(); }, 20'000));
  EXPECT_LT(clock.elapsed(), 1000);
  EXPECT_EQ(said, QStringLiteral("cancelled"));
}

TEST(BackgroundJobs, AnExceptionBecomesTheSentenceOfDone) {
  BackgroundJobs jobs;
  QString said;
  jobs.start(
      &jobs, QStringLiteral("verify"), [](JobControl&) { throw std::runtime_error("page 7 is damaged"); },
      [&said](const QString& error) { said = error; });
  ASSERT_TRUE(QTest::qWaitFor([&said] { return !said.isEmpty(); }, 20'000));
  EXPECT_EQ(said, QStringLiteral("page 7 is damaged"));
}

TEST(BackgroundJobs, DoneIsNotCalledOnceItsContextIsGone) {
  BackgroundJobs jobs;
  Gate gate;
  bool called = false;
  auto context = std::make_unique<QObject>();
  jobs.start(
      context.get(), QStringLiteral("index"), [&gate](JobControl& control) { gate.wait(control); },
      [&called](const QString&) { called = true; });
  context.reset();
  gate.open = true;
  ASSERT_TRUE(QTest::qWaitFor([&jobs] { return jobs.running() == 0; }, 20'000));
  EXPECT_FALSE(called);
}

TEST(BackgroundJobs, QuittingCancelsAndDoesNotWaitForAJobThatDoesNotListen) {
  auto released = std::make_shared<std::atomic<bool>>(false);
  auto gone = std::make_shared<std::atomic<bool>>(false);
  QElapsedTimer clock;
  {
    BackgroundJobs jobs;
    jobs.start(&jobs, QStringLiteral("deaf"),
               [released, gone](JobControl&) {
                 while (!*released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                 *gone = true;
               },
               {});
    clock.start();
  }
  EXPECT_LT(clock.elapsed(), 20'000) << "it would never have ended";
  *released = true;
  ASSERT_TRUE(QTest::qWaitFor([gone] { return gone->load(); }, 20'000));
}

}  // namespace
}  // namespace syncline::ui
