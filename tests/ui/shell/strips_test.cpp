// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QPushButton>
#include <QToolButton>

#include "tests/ui/shell/fixture.h"

namespace syncline::ui {
namespace {

using StripsTest = ShellTest;

int strips_in(const Strips& strips) { return static_cast<int>(strips.findChildren<Strip*>(QString(), Qt::FindDirectChildrenOnly).size()); }

TEST_F(StripsTest, ATimedNoticeGoesByItself) {
  open();
  window->workbench().notice(QStringLiteral("Moved 3 runs to trash"), {}, {}, 1);
  ASSERT_NE(window->strips().find(QStringLiteral("notice")), nullptr);
  EXPECT_TRUE(QTest::qWaitFor([this] { return window->strips().find(QStringLiteral("notice")) == nullptr; }, 20'000));
}

TEST_F(StripsTest, ANoticeStaysWhileTheFocusIsOnIt) {
  open();
  bool undone = false;
  window->workbench().notice(
      QStringLiteral("Moved 3 runs to trash"), QStringLiteral("&Undo"), [&undone] { undone = true; }, 1);
  auto* button = window->strips().findChild<QPushButton*>(QStringLiteral("strip.action"));
  button->setFocus();
  QTest::qWait(1600);
  ASSERT_NE(window->strips().find(QStringLiteral("notice")), nullptr);
  QTest::mouseClick(button, Qt::LeftButton);
  EXPECT_TRUE(undone);
  EXPECT_EQ(window->strips().find(QStringLiteral("notice")), nullptr);
}

TEST_F(StripsTest, ANoticeStaysWhileThePointerIsOverItAndGoesAfterwards) {
  open();
  window->workbench().notice(QStringLiteral("Moved 3 runs to trash"), {}, {}, 1);
  Strip* strip = window->strips().find(QStringLiteral("notice"));
  QEnterEvent enter({5, 5}, {5, 5}, {5, 5});
  QApplication::sendEvent(strip, &enter);
  EXPECT_TRUE(strip->held());
  QTest::qWait(1600);
  ASSERT_EQ(window->strips().find(QStringLiteral("notice")), strip);
  QEvent leave(QEvent::Leave);
  QApplication::sendEvent(strip, &leave);
  EXPECT_TRUE(QTest::qWaitFor([this] { return window->strips().find(QStringLiteral("notice")) == nullptr; }, 20'000));
}

TEST_F(StripsTest, OneCauseHasOneStrip) {
  open();
  window->strips().show(QStringLiteral("full"), StripKind::error, QStringLiteral("the disk is full"));
  window->strips().show(QStringLiteral("full"), StripKind::error, QStringLiteral("the disk is still full"));
  window->strips().show(QStringLiteral("busy"), StripKind::warning, QStringLiteral("the workspace is busy"));
  QTest::qWait(20);  // the replaced one is deleted
  EXPECT_EQ(strips_in(window->strips()), 2);
  EXPECT_EQ(window->strips().find(QStringLiteral("full"))->text(), QStringLiteral("the disk is still full"));
}

TEST_F(StripsTest, EscapeClosesTheStripThatHasTheFocus) {
  open();
  window->strips().show(QStringLiteral("busy"), StripKind::warning, QStringLiteral("the workspace is busy"));
  auto* close = window->strips().findChild<QToolButton*>(QStringLiteral("strip.close"));
  close->setFocus();
  QTest::keyClick(close, Qt::Key_Escape);
  EXPECT_EQ(window->strips().find(QStringLiteral("busy")), nullptr);
}

}  // namespace
}  // namespace syncline::ui
