// SPDX-License-Identifier: GPL-3.0-or-later
// What charts offer to the window's menus, Find Action and the shortcut editor.
#include "ui/widgets/chart_actions.h"

#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QSet>
#include <QToolButton>

#include "tests/ui/widgets/chart_fixture.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/split_chart.h"

namespace syncline::ui {
namespace {

class ChartActionsTest : public ChartTest {
 protected:
  void SetUp() override {
    ChartTest::SetUp();
    group_->setActions(registry_);
  }
  SeriesChart* filled(const QString& name) {
    SeriesChart* made = chart(name);
    made->setCurves({curve({record({5, 4, 3, 2, 1})}, QStringLiteral("a"))});
    return made;
  }
  QAction* action(const char* id) { return registry_.find(QLatin1String(id)); }
  static ChartPlot* plot(SeriesChart* made) { return static_cast<ChartPlot*>(plot_of(made)); }
  ActionRegistry registry_;
};

TEST_F(ChartActionsTest, TheFocusedOneOfTwoChartsActs) {
  SeriesChart *one = filled(QStringLiteral("test.one")), *two = filled(QStringLiteral("test.two"));
  show();
  ASSERT_TRUE(settled(one) && settled(two));
  action("chart.link")->trigger();  // each for itself
  for (SeriesChart* made : {one, two}) {
    plot(made)->setFocus();
    plot(made)->zoomX(0.5, 2);
    ASSERT_TRUE(settled(made));
  }
  plot(one)->setFocus();
  action("chart.fit")->trigger();
  EXPECT_GT(plot(one)->xAxis->range().size(), 3.9);
  EXPECT_LT(plot(two)->xAxis->range().size(), 3);
  plot(two)->setFocus();
  action("chart.table")->trigger();
  EXPECT_TRUE(two->findChild<QToolButton*>(QStringLiteral("test.two.table"))->isChecked());
  EXPECT_FALSE(one->findChild<QToolButton*>(QStringLiteral("test.one.table"))->isChecked());
  EXPECT_TRUE(action("chart.table")->isChecked());
  EXPECT_EQ(action("chart.table")->parent(), two);
}

TEST_F(ChartActionsTest, SingleLettersCanBeSwitchedOffAndKeysChanged) {
  SeriesChart* made = filled(QStringLiteral("test.one"));
  show();
  ASSERT_TRUE(settled(made));
  ChartPlot* keys = plot(made);
  keys->setFocus();
  keys->setCrosshair(3);
  QSignalSpy cursors(keys, &ChartPlot::cursorsChanged);
  registry_.setSingleLettersEnabled(false);
  QTest::keyClick(keys, Qt::Key_A);
  EXPECT_EQ(cursors.size(), 0);
  registry_.setSingleLettersEnabled(true);
  QTest::keyClick(keys, Qt::Key_A);
  EXPECT_EQ(cursors.size(), 1);
  registry_.setShortcuts(QStringLiteral("chart.cursor-a"), {QKeySequence(QStringLiteral("Ctrl+Alt+M"))});
  QTest::keyClick(keys, Qt::Key_A);
  EXPECT_EQ(cursors.size(), 1);
  QTest::keyClick(keys, Qt::Key_M, Qt::ControlModifier | Qt::AltModifier);
  EXPECT_EQ(cursors.size(), 2);
}

TEST_F(ChartActionsTest, XAxisAndSmoothingAreThoseOfThePage) {
  SeriesChart* made = filled(QStringLiteral("test.one"));
  show();
  ASSERT_TRUE(settled(made));
  action("chart.x-samples")->trigger();
  EXPECT_EQ(group_->xAxis(), XAxis::samples);
  ASSERT_TRUE(settled(made));
  EXPECT_TRUE(action("chart.x-samples")->isChecked());
  EXPECT_FALSE(action("chart.x-step")->isChecked());
  action("chart.smoothing-strong")->trigger();
  EXPECT_GT(group_->halfLife(), 0);
  action("chart.smoothing-off")->trigger();
  EXPECT_EQ(group_->halfLife(), 0);
  action("chart.y-log")->trigger();
  ASSERT_TRUE(settled(made));
  EXPECT_EQ(plot(made)->yAxis->scaleType(), QCPAxis::stLogarithmic);
  action("chart.align")->trigger();
  EXPECT_TRUE(group_->alignStarts());
}

// The pointer has left the plot when a menu is open: what was pointed at last counts, and the middle where nothing was.
TEST_F(ChartActionsTest, CursorsAreSetFromTheMenuToo) {
  SeriesChart* made = filled(QStringLiteral("test.one"));
  show();
  ASSERT_TRUE(settled(made));
  const auto delta = [made] { return made->findChild<QLabel*>(QStringLiteral("test.one.delta"))->text(); };
  QStringList entries;
  for (const QAction* one : made->findChild<QMenu*>(QStringLiteral("test.one.menu"))->actions()) entries << ActionRegistry::idOf(one);
  for (const char* id : {"chart.cursor-a", "chart.cursor-b", "chart.clear-cursors", "chart.pin"})
    EXPECT_TRUE(entries.contains(QLatin1String(id))) << id;
  EXPECT_FALSE(action("chart.clear-cursors")->isEnabled());
  action("chart.cursor-a")->trigger();
  EXPECT_TRUE(delta().startsWith(QStringLiteral("A 2"))) << delta().toStdString();
  plot(made)->setCrosshair(3);
  plot(made)->setCrosshair(std::nan(""));
  action("chart.cursor-b")->trigger();
  EXPECT_TRUE(delta().contains(QStringLiteral("B 3"))) << delta().toStdString();
  action("chart.clear-cursors")->trigger();
  EXPECT_FALSE(made->findChild<QLabel*>(QStringLiteral("test.one.delta"))->isVisible());
}

TEST_F(ChartActionsTest, WhatCannotBeDoneSaysWhy) {
  SeriesChart* made = chart(QStringLiteral("test.one"));
  made->setCurves({curve({QString::fromStdString(RunRegistry(workspace()).create(new_run()))}, QStringLiteral("a"))});
  show();
  ASSERT_TRUE(settled(made));
  for (const char* id : {"chart.fit", "chart.export-data", "chart.copy-picture", "chart.undo-zoom", "chart.non-finite"}) {
    EXPECT_FALSE(action(id)->isEnabled()) << id;
    EXPECT_NE(action(id)->toolTip(), action(id)->whatsThis()) << id;
  }
}

TEST_F(ChartActionsTest, EachHasAMnemonicAndOneSentenceOfHelp) {
  filled(QStringLiteral("test.one"));
  auto* split = new SplitChart(*group_, QStringLiteral("test.split"), QStringLiteral("Split"), window_.get());
  window_->layout()->addWidget(split);
  QSet<QString> ids;
  for (const QAction* one : registry_.all()) {
    const QString id = ActionRegistry::idOf(one);
    ids.insert(id);
    EXPECT_TRUE(one->text().contains(u'&')) << id.toStdString();
    EXPECT_TRUE(one->whatsThis().endsWith(u'.')) << id.toStdString();
  }
  EXPECT_GE(ids.size(), 34);
}

TEST_F(ChartActionsTest, ASplitChartCopiesItsValueAndItsTable) {
  auto* split = new SplitChart(*group_, QStringLiteral("test.split"), QStringLiteral("Split"), window_.get());
  window_->layout()->addWidget(split);
  SplitBar bar;
  bar.x = 4;
  bar.parts_s = {0.010, 0.004, 0, 0, 0, 0, 0};
  split->setBars({bar});
  show();
  plot_of(split)->setFocus();
  QTest::keyClick(plot_of(split), Qt::Key_Home);
  QTest::keyClick(plot_of(split), Qt::Key_C, Qt::ControlModifier);
  EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("compute: ")))
      << QGuiApplication::clipboard()->text().toStdString();
  QTest::keyClick(plot_of(split), Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("x\tcompute_s")));
  action("chart.share")->trigger();
  EXPECT_TRUE(split->findChild<QToolButton*>(QStringLiteral("test.split.share"))->isChecked());
  EXPECT_TRUE(action("chart.share")->isChecked());
}

}  // namespace
}  // namespace syncline::ui
