// SPDX-License-Identifier: GPL-3.0-or-later
#include <QToolButton>

#include "tests/ui/shell/fixture.h"
#include "ui/models/navigation_model.h"

namespace syncline::ui {
namespace {

using Navigation = ShellTest;

TEST_F(Navigation, StartsWithTheRunsAndShowsPlacesByTheirKeys) {
  open();
  EXPECT_EQ(window->area().currentPlace(), QStringLiteral("runs"));
  QTest::keyClick(window.get(), Qt::Key_3, Qt::ControlModifier);
  EXPECT_EQ(window->area().currentPlace(), QStringLiteral("recipes"));
  QTest::keyClick(window.get(), Qt::Key_4, Qt::ControlModifier);
  EXPECT_EQ(window->area().currentPlace(), QStringLiteral("plugins"));
  EXPECT_EQ(window->windowTitle(), QStringLiteral("Plugins \u2013 Syncline"));
}

TEST_F(Navigation, ARunIsOpenedOnceAndTheSecondTimeOnlyItsTabIsShown) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  window->workbench().openRun(QStringLiteral("r2"));
  window->workbench().openRun(QStringLiteral("r1"), QStringLiteral("timeline"));
  EXPECT_EQ(window->navigation().openCount(), 2);
  EXPECT_EQ(current()->title(), QStringLiteral("run r1"));
  EXPECT_EQ(current()->tab, QStringLiteral("timeline"));
}

TEST_F(Navigation, BackAndForwardRetraceWhatWasShown) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  window->workbench().show(Place::plugins);
  QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(current()->title(), QStringLiteral("run r1"));
  QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(current()->title(), QStringLiteral("Runs"));
  EXPECT_FALSE(action("view.back")->isEnabled());
  QTest::keyClick(window.get(), Qt::Key_Right, Qt::AltModifier);
  EXPECT_EQ(current()->title(), QStringLiteral("run r1"));
}

TEST_F(Navigation, CtrlTabGoesRoundTheOpenPagesInTheOrderTheyStandIn) {
  open();
  for (const char* id : {"a", "b", "c"}) window->workbench().openRun(QLatin1String(id));
  window->navigation().moveOpen(2, 0);  // c a b
  QTest::keyClick(window.get(), Qt::Key_Tab, Qt::ControlModifier);
  EXPECT_EQ(current()->title(), QStringLiteral("run a"));
  QTest::keyClick(window.get(), Qt::Key_Tab, Qt::ControlModifier);
  QTest::keyClick(window.get(), Qt::Key_Tab, Qt::ControlModifier);
  EXPECT_EQ(current()->title(), QStringLiteral("run c"));
}

TEST_F(Navigation, CtrlWClosesAnOpenPageButNoPlace) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  QTest::keyClick(window.get(), Qt::Key_W, Qt::ControlModifier);
  EXPECT_EQ(window->navigation().openCount(), 0);
  EXPECT_EQ(current()->title(), QStringLiteral("Runs"));
  EXPECT_FALSE(action("window.close-page")->isEnabled());
}

TEST_F(Navigation, MiddleClickAndTheCrossCloseAPage) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  window->workbench().openRun(QStringLiteral("r2"));
  NavigationView& view = window->navigationView();
  const auto row = [&](int at) { return view.model()->index(at, 0, view.model()->index(NavigationModel::open_section, 0)); };
  QTest::mouseClick(view.viewport(), Qt::MiddleButton, {}, view.visualRect(row(0)).center());
  ASSERT_EQ(window->navigation().openCount(), 1);
  EXPECT_EQ(row(0).data().toString(), QStringLiteral("run r2"));
  QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, view.closeButton(row(0)).center());
  EXPECT_EQ(window->navigation().openCount(), 0);
}

TEST_F(Navigation, APageThatWantsToStayStays) {
  open();
  window->workbench().openRun(QStringLiteral("r1"));
  current()->may_close = false;
  QTest::keyClick(window.get(), Qt::Key_W, Qt::ControlModifier);
  EXPECT_EQ(window->navigation().openCount(), 1);
}

TEST_F(Navigation, AnUnsavedDraftIsMarkedAndHoldsTheWindow) {
  open();
  window->workbench().newDraft(QStringLiteral("mine"), QStringLiteral("x = 1"));
  FakePage* page = current();
  page->is_unsaved = true;
  page->may_close = false;
  Q_EMIT page->titleChanged();
  EXPECT_EQ(window->navigationView().currentIndex().data().toString(), QStringLiteral("mine *"));
  EXPECT_FALSE(window->close());
  page->may_close = true;
  EXPECT_TRUE(window->close());
}

TEST_F(Navigation, UnderNineHundredPixelsOnlyIconsAreLeftAndTheTextsStayReadable) {
  open();
  EXPECT_FALSE(window->navigationView().iconsOnly());
  window->resize(860, 600);
  QTest::qWait(20);
  EXPECT_TRUE(window->navigationView().iconsOnly());
  EXPECT_LT(window->navigationView().width(), 60);
  const QModelIndex first = window->navigation().indexOfPlace(QStringLiteral("runs"));
  EXPECT_LE(window->navigationView().visualRect(first).width(), window->navigationView().viewport()->width());
  EXPECT_LT(window->area().mapTo(window.get(), QPoint()).x(), 60);  // the room goes to the page
  window->workbench().openRun(QStringLiteral("r1"));
  QTest::qWait(20);
  keep_picture(*window, QStringLiteral("narrow"));
  const QModelIndex runs = window->navigation().indexOfPlace(QStringLiteral("runs"));
  EXPECT_TRUE(runs.data(Qt::AccessibleTextRole).toString().startsWith(QStringLiteral("Runs")));
  EXPECT_TRUE(runs.data(Qt::ToolTipRole).toString().startsWith(QStringLiteral("Runs")));
  window->resize(1100, 700);
  QTest::qWait(20);
  EXPECT_GT(window->navigationView().width(), 140);
}

TEST_F(Navigation, F6MovesTheFocusThroughThePanes) {
  open();
  current()->field->setFocus();
  QTest::keyClick(window.get(), Qt::Key_F6);
  EXPECT_EQ(QApplication::focusWidget()->objectName(), QStringLiteral("status.workspace"));
  QTest::keyClick(window.get(), Qt::Key_F6);
  EXPECT_EQ(QApplication::focusWidget(), &window->navigationView());
  QTest::keyClick(window.get(), Qt::Key_F6);
  EXPECT_EQ(QApplication::focusWidget(), current()->field);
  QTest::keyClick(window.get(), Qt::Key_F6, Qt::ShiftModifier);
  EXPECT_EQ(QApplication::focusWidget(), &window->navigationView());
}

TEST_F(Navigation, CountsComeFromTheWorkspace) {
  goingRun(Workspace::open(database().toStdString()));
  open();
  const QModelIndex runs = window->navigation().indexOfPlace(QStringLiteral("runs"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return runs.data(NavigationModel::count_role).toInt() == 1; }, 5000));
  EXPECT_EQ(child<QToolButton>("status.activity")->text(), QStringLiteral("1 running"));
}

TEST_F(Navigation, TheIconOfAHiddenRunFollowsTheWorkspace) {
  const Workspace workspace = Workspace::open(database().toStdString());
  const std::string id = goingRun(workspace);
  open();
  const QModelIndex runs = window->navigation().indexOfPlace(QStringLiteral("runs"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return runs.data(NavigationModel::count_role).toInt() == 1; }, 5000));
  window->workbench().openRun(QString::fromStdString(id));
  const int open_id = window->area().currentId();
  window->workbench().show(Place::runs);
  RunRegistry(workspace).finish(id, {.state = "failed", .reason = "it broke", .exit_code = 1, .ended = 0});
  EXPECT_TRUE(QTest::qWaitFor([&] { return window->navigation().iconOf(open_id) == QStringLiteral("dialog-error"); }, 10'000));
}

TEST_F(Navigation, PagesOfOneNameAreToldApart) {
  open();
  Workbench& bench = window->workbench();
  bench.newDraft(QStringLiteral("mine"), {});
  EXPECT_EQ(window->windowTitle(), QStringLiteral("mine \u2013 Syncline"));
  bench.newDraft(QStringLiteral("mine"), {});
  const auto name = [this](int row) { return window->navigation().titleOf(window->navigation().openAt(row)); };
  EXPECT_NE(name(0), name(1));
  EXPECT_TRUE(name(0).startsWith(QStringLiteral("mine (")) && name(1).startsWith(QStringLiteral("mine (")));
  EXPECT_EQ(window->windowTitle(), QString(name(1) + QStringLiteral(" \u2013 Syncline")));
  window->area().close(window->area().currentId());
  EXPECT_EQ(name(0), QStringLiteral("mine"));
}

}  // namespace
}  // namespace syncline::ui
