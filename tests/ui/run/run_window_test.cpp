// SPDX-License-Identifier: GPL-3.0-or-later
// Which part of a run is looked at: the window of the Communication tab, ranges and ranks of the timeline, the band over the ranks.
#include <QAbstractItemModel>
#include <QComboBox>
#include <QFileInfo>
#include <QLineEdit>
#include <QMouseEvent>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>

#include "engine/store/summary.h"
#include "tests/ui/run/run_page_fixture.h"
#include "ui/models/format.h"
#include "ui/views/run/timeline_view.h"
#include "ui/views/run/window_choice.h"

namespace syncline::ui {
namespace {

using RunWindowTest = RunPageTest;

TEST_F(RunWindowTest, TheStripIsAboutTheStepsThatAreChosen) {
  open(finished, QStringLiteral("communication"));
  const QString whole = text("run.communication.strip");
  auto* window = find<QComboBox>("run.communication.window");
  window->setCurrentIndex(WindowChoice::steps);
  auto *from = find<QSpinBox>("run.communication.window.from"), *to = find<QSpinBox>("run.communication.window.to");
  ASSERT_TRUE(from->isVisible());
  EXPECT_EQ(to->value(), 59);  // the newest
  from->setValue(30);
  to->setValue(44);
  Reader reader(Workspace::open_existing(workspace->database().toStdString()));
  const std::string id = finished.toStdString();
  const Summary all = summarise(reader, reader.run(id));
  const Summary part = summarise_steps(reader, id, *all.slowest_rank, 30, 44);
  const QString wanted = QStringLiteral("exposed ") + format::duration(*part.exposed_comm_s);
  const auto strip = [this] { return text("run.communication.strip"); };
  ASSERT_TRUE(comes([&] { return strip().startsWith(QStringLiteral("steps 30–44")); })) << strip().toStdString();
  EXPECT_TRUE(strip().contains(wanted)) << strip().toStdString() << " without " << wanted.toStdString();
  EXPECT_EQ(window->currentIndex(), int(WindowChoice::steps));

  window->setCurrentIndex(WindowChoice::whole);
  ASSERT_TRUE(comes([&] { return strip() == whole; })) << strip().toStdString();
  EXPECT_FALSE(from->isVisible());
}

TEST_F(RunWindowTest, EveryTabFitsBesideTheNavigationOfTheSmallestWindow) {
  constexpr int smallest_window = 960, navigation = 200;
  open(finished, QStringLiteral("communication"));
  find<QComboBox>("run.communication.window")->setCurrentIndex(WindowChoice::steps);
  auto* tabs = find<QTabWidget>("run.tabs");
  for (int k = 0; k < tabs->count(); ++k) {
    tabs->setCurrentIndex(k);
    ASSERT_TRUE(comes([this] { return page->loaded(); }));  // with all of its texts
    EXPECT_LE(tabs->widget(k)->minimumSizeHint().width(), smallest_window - navigation) << tabs->widget(k)->objectName().toStdString();
  }
  EXPECT_LE(find<QWidget>("run.header")->minimumSizeHint().width(), smallest_window - navigation);
}

TEST_F(RunWindowTest, TheLastSecondsEndWithTheNewestStepOnEveryAxis) {
  Reader reader(Workspace::open_existing(workspace->database().toStdString()));
  const auto tiny = window_of_last(reader, finished.toStdString(), XAxis::step, 0.001);
  ASSERT_TRUE(tiny.has_value());
  EXPECT_EQ(tiny->last_step, 59);
  EXPECT_EQ(tiny->first_step, 59);
  const auto all = window_of_last(reader, finished.toStdString(), XAxis::samples, 1e6);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->first_step, 0);
  EXPECT_EQ(all->from_x, 64);  // two workers, 32 each
  EXPECT_EQ(all->to_x, 64 * 60);
  EXPECT_FALSE(window_of_steps(reader, finished.toStdString(), XAxis::step, 100, 200).has_value());
}

TEST_F(RunWindowTest, ZoomingByHandIsWhatIsVisible) {
  open(finished, QStringLiteral("communication"));
  auto* window = find<QComboBox>("run.communication.window");
  window->setCurrentIndex(WindowChoice::last_10_s);
  QTest::qWait(200);
  EXPECT_EQ(window->currentIndex(), int(WindowChoice::last_10_s));
  auto* plot = page->findChild<QWidget*>(QStringLiteral("run.communication.split.plot"));
  ASSERT_NE(plot, nullptr);
  plot->setFocus();
  QTest::keyClick(plot, Qt::Key_Plus);
  EXPECT_TRUE(comes([&] { return window->currentIndex() == int(WindowChoice::visible); }));
}

TEST_F(RunWindowTest, MarksARangeOfTheTimelineWithTheKeyboardAndMeasuresIt) {
  open(finished, QStringLiteral("timeline"));
  auto* view = find<TimelineView>("run.timeline.view");
  ASSERT_TRUE(comes([&] { return view->timeline() != nullptr && !view->timeline()->lanes.empty(); }));
  view->setFocus();
  view->moveSelection(1, 0);
  const TimelineEvent first = *view->event(view->selected());
  QTest::keyClick(view, Qt::Key_M);
  ASSERT_TRUE(view->mark().has_value());
  EXPECT_EQ(view->mark()->first, view->mark()->second);
  view->moveSelection(3, 0);
  const TimelineEvent last = *view->event(view->selected());
  QTest::keyClick(view, Qt::Key_M);
  ASSERT_TRUE(view->mark().has_value());
  EXPECT_EQ(view->mark()->first, first.start_s);
  EXPECT_EQ(view->mark()->second, last.end_s);
  const QString details = text("run.timeline.details");
  EXPECT_TRUE(details.startsWith(QStringLiteral("range ") + format::duration(last.end_s - first.start_s))) << details.toStdString();
  QTest::keyClick(view, Qt::Key_Escape);
  EXPECT_FALSE(view->mark().has_value());
  EXPECT_FALSE(text("run.timeline.details").startsWith(QStringLiteral("range")));

  const int y = view->viewport()->height() / 2, x = view->viewport()->width() / 2;
  QTest::mousePress(view->viewport(), Qt::LeftButton, Qt::ShiftModifier, {x, y});
  QMouseEvent move(QEvent::MouseMove, QPointF(x + 100, y), view->viewport()->mapToGlobal(QPointF(x + 100, y)), Qt::NoButton, Qt::LeftButton,
                   Qt::ShiftModifier);
  QApplication::sendEvent(view->viewport(), &move);
  QTest::mouseRelease(view->viewport(), Qt::LeftButton, Qt::ShiftModifier, {x + 100, y});
  ASSERT_TRUE(view->mark().has_value());
  EXPECT_GT(view->mark()->second, view->mark()->first);
}

TEST_F(RunWindowTest, PinsAndCollapsesTheRankOfTheSelectedEvent) {
  open(finished, QStringLiteral("timeline"));
  auto* view = find<TimelineView>("run.timeline.view");
  ASSERT_TRUE(comes([&] { return view->timeline() != nullptr && !view->timeline()->lanes.empty(); }));
  view->setFocus();
  view->moveSelection(1, 0);
  for (int k = 0; k < 10 && view->selectedRank() != 1; ++k) view->moveSelection(0, 1);
  ASSERT_EQ(view->selectedRank(), 1);
  const QImage before = view->viewport()->grab().toImage();
  QTest::keyClick(view, Qt::Key_K);
  EXPECT_TRUE(view->pinned(1));
  EXPECT_TRUE(view->accessibleDescription().contains(QStringLiteral("rank 1 pinned")));
  EXPECT_NE(view->viewport()->grab().toImage(), before);
  QTest::keyClick(view, Qt::Key_C);
  EXPECT_TRUE(view->collapsed(1));
  EXPECT_FALSE(view->collapsed(0));
  // An exchange of a collapsed rank that is looked for shows its rows again.
  find<QLineEdit>("run.timeline.find")->setText(QStringLiteral("bucket"));
  for (int k = 0; k < 20 && view->collapsed(1); ++k) action("run.timeline.find-next")->trigger();
  EXPECT_FALSE(view->collapsed(1));
  view->setFocus();
  QTest::keyClick(view, Qt::Key_C, Qt::ShiftModifier);
  EXPECT_TRUE(view->collapsed(0) && view->collapsed(1));
  QTest::keyClick(view, Qt::Key_C, Qt::ShiftModifier);
  EXPECT_FALSE(view->collapsed(0) || view->collapsed(1));
  QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::NoModifier, {5, view->viewport()->height() / 2});
  QTemporaryDir folder;
  for (const char* ending : {"pdf", "svg", "png"}) {
    const QString path = folder.filePath(QStringLiteral("timeline.") + QString::fromLatin1(ending));
    EXPECT_EQ(view->savePicture(path), QString());
    EXPECT_GT(QFileInfo(path).size(), 3000) << ending;
  }
  if (const QString pictures = qEnvironmentVariable("SYNCLINE_PICTURES"); !pictures.isEmpty()) {
    view->setCollapsed(0, true);
    view->setMark(std::pair(view->from() + 0.2 * (view->to() - view->from()), view->from() + 0.5 * (view->to() - view->from())));
    page->grab().save(pictures + QStringLiteral("/run-timeline-marked.png"));
  }
}

TEST_F(RunWindowTest, ThroughputHasABandOverTheRanksAndATableOfIt) {
  open(finished);
  auto* chart = find<SeriesChart>("run.overview.throughput");
  ASSERT_TRUE(comes([&] { return chart->loaded(); }));
  chart->showTable(true);
  auto* rows = page->findChild<QTableView*>(QStringLiteral("run.overview.throughput.rows"));
  ASSERT_NE(rows, nullptr);
  ASSERT_TRUE(comes([&] { return rows->model()->rowCount() > 0; }));
  const auto column = [&](const QString& name) {
    for (int k = 0; k < rows->model()->columnCount(); ++k) {
      if (rows->model()->headerData(k, Qt::Horizontal).toString() == name) return k;
    }
    return -1;
  };
  int of_ranks = 0;
  for (int row = 0; row < rows->model()->rowCount(); ++row) {
    const auto cell = [&](const char* name) { return rows->model()->index(row, column(QString::fromLatin1(name))).data().toString(); };
    if (!cell("curve").contains(QStringLiteral("sum of the ranks"))) continue;
    ++of_ranks;
    EXPECT_EQ(cell("n"), QStringLiteral("2"));
    EXPECT_LE(cell("lower").toDouble(), cell("upper").toDouble());
  }
  EXPECT_GT(of_ranks, 0);
  if (const QString pictures = qEnvironmentVariable("SYNCLINE_PICTURES"); !pictures.isEmpty()) {
    chart->showTable(false);
    page->grab().save(pictures + QStringLiteral("/run-overview-band.png"));
    page->showTab(QStringLiteral("communication"));
    QTest::qWait(500);
    page->grab().save(pictures + QStringLiteral("/run-communication-window.png"));
  }
}

}  // namespace
}  // namespace syncline::ui
