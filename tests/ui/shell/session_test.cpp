// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/session.h"

#include <unistd.h>

#include <QPushButton>

#include "tests/ui/shell/fixture.h"

namespace syncline::ui {
namespace {

class SessionTest : public ShellTest {
 protected:
  // As a window leaves it behind that was killed: its mark is there, its process is not.
  void crash(const QStringList& pages) {
    Session session(*settings, database());
    session.begin();
    session.save(pages, pages.isEmpty() ? QString() : pages.front());
    mark_as(999'999'999, 1);
  }
  void mark_as(qlonglong pid, qlonglong ticks) {
    for (const QString& key : settings->keys(QStringLiteral("session"))) {
      if (key.endsWith(QStringLiteral("/pid"))) settings->set(QStringLiteral("session/") + key, pid);
      if (key.endsWith(QStringLiteral("/start-ticks"))) settings->set(QStringLiteral("session/") + key, ticks);
    }
  }
};

TEST_F(SessionTest, OpenPagesComeBackInTheirOrderWithTheOneThatWasShown) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  window->workbench().openDraft(QStringLiteral("d1"));
  window->workbench().openRun(QStringLiteral("r1"));
  window->close();
  open();
  EXPECT_EQ(window->area().restoreKeys(), QStringList({QStringLiteral("run:r1"), QStringLiteral("draft:d1")}));
  EXPECT_EQ(current()->title(), QStringLiteral("run r1"));
  EXPECT_EQ(window->strips().find(QStringLiteral("session")), nullptr);
}

TEST_F(SessionTest, WithoutThePreferenceNothingIsReopened) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  window->close();
  settings->set(keys::restore, false);
  open();
  EXPECT_EQ(window->navigation().openCount(), 0);
}

TEST_F(SessionTest, AfterACrashThePagesComeBackWithAnOfferNotTo) {
  crash({QStringLiteral("run:r1"), QStringLiteral("run:r2")});
  open();
  EXPECT_EQ(window->navigation().openCount(), 2);
  ASSERT_NE(window->strips().find(QStringLiteral("session")), nullptr);
  window->strips().find(QStringLiteral("session"))->findChild<QPushButton*>(QStringLiteral("strip.action"))->click();
  EXPECT_EQ(window->navigation().openCount(), 0);
}

TEST_F(SessionTest, ALayoutThatCrashedTwiceIsNotOpenedAThirdTime) {
  crash({QStringLiteral("run:r1")});
  crash({QStringLiteral("run:r1")});
  open();
  EXPECT_EQ(window->navigation().openCount(), 0);
  ASSERT_NE(window->strips().find(QStringLiteral("session")), nullptr);
  window->strips().find(QStringLiteral("session"))->findChild<QPushButton*>(QStringLiteral("strip.action"))->click();
  EXPECT_EQ(window->navigation().openCount(), 1);
}

TEST_F(SessionTest, AProperEndForgetsEarlierCrashes) {
  crash({QStringLiteral("run:r1")});
  open();
  window->close();
  crash({QStringLiteral("run:r1")});
  Session session(*settings, database());
  EXPECT_EQ(session.begin(), Session::Start::after_crash);
}

TEST_F(SessionTest, ASecondWindowOfALivingProcessReopensNothingAndForgetsNothing) {
  crash({QStringLiteral("run:r1")});
  const auto parent = process_of(getppid());
  ASSERT_TRUE(parent.has_value());
  mark_as(parent->pid, parent->start_ticks);
  {
    Session session(*settings, database());
    EXPECT_EQ(session.begin(), Session::Start::second_window);
    session.save({QStringLiteral("run:other")}, {});
    session.end();
  }
  mark_as(0, 0);
  Session session(*settings, database());
  session.begin();
  EXPECT_EQ(session.pages(), QStringList(QStringLiteral("run:r1")));
}

TEST_F(SessionTest, ALayoutOfAnotherVersionStartsFreshWithoutAMessage) {
  crash({QStringLiteral("run:r1")});
  for (const QString& key : settings->keys(QStringLiteral("session"))) {
    if (key.endsWith(QStringLiteral("/version"))) settings->set(QStringLiteral("session/") + key, 99);
  }
  open();
  EXPECT_EQ(window->navigation().openCount(), 0);
  EXPECT_EQ(window->strips().find(QStringLiteral("session")), nullptr);
}

TEST_F(SessionTest, SizeDocksAndToolbarAreRemembered) {
  open();
  window->resize(1010, 640);
  action("view.problems")->trigger();
  action("settings.toolbar")->trigger();
  QTest::qWait(20);
  window->close();
  open();
  window->resize(window->size());
  EXPECT_FALSE(child<QWidget>("window.problems")->isHidden());
  EXPECT_TRUE(child<QWidget>("window.toolbar")->isHidden());
  EXPECT_FALSE(action("settings.toolbar")->isChecked());
}

}  // namespace
}  // namespace syncline::ui
