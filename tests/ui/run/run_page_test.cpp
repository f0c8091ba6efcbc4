// SPDX-License-Identifier: GPL-3.0-or-later
#include <signal.h>

#include <QAccessible>
#include <QComboBox>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>

#include "engine/launch/rank_status.h"
#include "engine/store/summary.h"
#include "tests/ui/run/run_page_fixture.h"
#include "ui/models/format.h"
#include "ui/models/run_page_communication.h"
#include "ui/models/timeline_table.h"
#include "ui/views/run/timeline_view.h"

namespace syncline::ui {
namespace {

TEST_F(RunPageTest, SaysOfAFinishedRunWhatItIs) {
  open(finished);
  EXPECT_EQ(page->title(), QStringLiteral("finished"));
  EXPECT_EQ(text("run.state"), QStringLiteral("✓ Finished"));
  EXPECT_EQ(text("run.progress-text"), QStringLiteral("step 60 of 60 · ") + format::share(1));
  EXPECT_TRUE(text("run.placement").startsWith(QStringLiteral("2 ranks · this computer · 1 thread each · emulated link")))
      << text("run.placement").toStdString();
  EXPECT_EQ(text("run.left"), QString());
  EXPECT_FALSE(action("run.stop")->isEnabled());
  EXPECT_FALSE(action("run.resume")->isEnabled());
  EXPECT_TRUE(action("run.duplicate")->isEnabled());
  EXPECT_EQ(page->restoreKey(), QStringLiteral("run:%1:overview").arg(finished));
}

TEST_F(RunPageTest, ShowsEveryTabAndSaysWhenItIsLoaded) {
  for (const char* tab : {"overview", "communication", "timeline", "system", "log", "settings", "files"}) {
    open(finished, QString::fromLatin1(tab));
    EXPECT_EQ(find<QTabWidget>("run.tabs")->currentWidget()->objectName(), QStringLiteral("run.") + QString::fromLatin1(tab));
  }
}

TEST_F(RunPageTest, HasTheNumbersOfTheCommandLine) {
  open(finished, QStringLiteral("communication"));
  const auto written = [](const std::optional<double>& value, QString (*how)(double)) { return format::orMissing(value, how); };
  const QString strip = text("run.communication.strip");
  EXPECT_TRUE(strip.contains(QStringLiteral("hidden ") + written(number("hidden_comm_fraction"), format::share))) << strip.toStdString();
  EXPECT_TRUE(strip.contains(QStringLiteral("exposed ") + written(number("exposed_comm_s"), format::duration))) << strip.toStdString();
  EXPECT_TRUE(strip.contains(QStringLiteral("blocked ") + written(number("blocked_s"), format::duration))) << strip.toStdString();
  open(finished);
  EXPECT_TRUE(text("run.overview.latest").startsWith(QStringLiteral("loss ") + format::metric(*number("final_train_loss"))))
      << text("run.overview.latest").toStdString();
}

TEST_F(RunPageTest, ListsEachBucketOfTheTracesOnce) {
  open(finished, QStringLiteral("communication"));
  auto* table = find<QTableView>("run.communication.collectives");
  ASSERT_GT(table->model()->rowCount(), 0);
  int buckets = 0;
  for (int row = 0; row < table->model()->rowCount(); ++row) {
    const auto cell = [&](int column) { return table->model()->index(row, column); };
    if (!cell(CollectivesTable::name_column).data().toString().startsWith(QStringLiteral("bucket"))) continue;
    ++buckets;
    EXPECT_EQ(cell(CollectivesTable::kind_column).data().toString(), QStringLiteral("allreduce"));
    EXPECT_GT(cell(CollectivesTable::median_column).data(Qt::UserRole).toDouble(), 0);
    EXPECT_GE(cell(CollectivesTable::tail_column).data(Qt::UserRole).toDouble(),
              cell(CollectivesTable::median_column).data(Qt::UserRole).toDouble());
    const double alg = cell(CollectivesTable::algorithm_column).data(Qt::UserRole).toDouble();
    EXPECT_NEAR(cell(CollectivesTable::bus_column).data(Qt::UserRole).toDouble(), alg, alg * 1e-9);  // two ranks
    EXPECT_LT(alg, 1.3e9 / 8 * 1.05);  // no more than the emulated link carries
  }
  Reader reader(Workspace::open_existing(workspace->database().toStdString()));
  const auto plan =
      QJsonDocument::fromJson(QByteArray::fromStdString(reader.document(finished.toStdString(), "plan").value_or("[]"))).array();
  EXPECT_EQ(buckets, plan.size());
}

TEST_F(RunPageTest, ChangesBetweenSlowestAndMedianWithOneKey) {
  open(finished, QStringLiteral("communication"));
  auto* rank = find<QComboBox>("run.communication.rank");
  EXPECT_EQ(rank->currentText(), QStringLiteral("slowest"));
  EXPECT_GE(rank->findText(QStringLiteral("1")), 0);
  action("run.rank-toggle")->trigger();
  EXPECT_EQ(rank->currentText(), QStringLiteral("median"));
}

TEST_F(RunPageTest, ZoomsTheTimelineToASingleExchangeWithTheKeyboard) {
  open(finished, QStringLiteral("timeline"));
  auto* view = find<TimelineView>("run.timeline.view");
  ASSERT_TRUE(comes([&] { return view->timeline() != nullptr && !view->timeline()->lanes.empty(); }));
  EXPECT_EQ(view->timeline()->ranks, 2);
  view->setFocus();
  find<QLineEdit>("run.timeline.find")->setText(QStringLiteral("bucket"));
  action("run.timeline.find-next")->trigger();
  const TimelineEvent* found = view->event(view->selected());
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, TimelineKind::exchange);
  const QString details = text("run.timeline.details");
  EXPECT_TRUE(details.contains(format::traffic(static_cast<double>(found->bytes)))) << details.toStdString();
  EXPECT_TRUE(details.contains(QStringLiteral("hidden")));
  const double before = view->to() - view->from();
  action("run.timeline.zoom-event")->trigger();
  const double span = view->to() - view->from();
  EXPECT_NEAR(span, 2 * found->duration_s(), 1e-9);
  EXPECT_LT(span, before);
  action("run.timeline.zoom-out")->trigger();
  EXPECT_NEAR(view->to() - view->from(), 1.5 * span, 1e-9);
  const auto selected = view->selected();
  QTest::keyClick(view, Qt::Key_Right);
  EXPECT_FALSE(view->selected() == selected);
}

TEST_F(RunPageTest, ListsTheEventsOfTheTimelineAsATable) {
  open(finished, QStringLiteral("timeline"));
  action("run.timeline.table")->trigger();
  auto* table = find<QTableView>("run.timeline.events");
  EXPECT_TRUE(table->isVisible());
  ASSERT_TRUE(comes([&] { return table->model()->rowCount() > 4; }));
}

TEST_F(RunPageTest, ShowsTheExposedTimeOfATracedStepAsItIsRecorded) {
  open(finished, QStringLiteral("timeline"));
  auto* view = find<TimelineView>("run.timeline.view");
  ASSERT_TRUE(comes([&] { return view->timeline() != nullptr && !view->timeline()->steps.empty(); }));
  Reader reader(Workspace::open_existing(workspace->database().toStdString()));
  const TimelineStep step = view->timeline()->steps[view->timeline()->steps.size() / 2];
  const auto sums = reader.steps(finished.toStdString(), step.rank, step.step, step.step);
  ASSERT_EQ(sums.size(), 1u);
  std::vector<Interval> exposed;
  for (const TimelineLane& lane : view->timeline()->lanes) {
    if (lane.rank != step.rank) continue;
    for (const TimelineEvent& event : lane.events) {
      for (const Interval& part : event.exposed)
        exposed.push_back({std::max(part.start_s, step.start_s), std::min(part.end_s, step.end_s)});
    }
  }
  EXPECT_NEAR(IntervalSet(exposed).length(), sums[0].exposed_s, 1e-7);
}

TEST_F(RunPageTest, ShowsTheLogAndFiltersIt) {
  open(finished, QStringLiteral("log"));
  auto* lines = find<QTableView>("run.log.lines");
  ASSERT_TRUE(comes([&] { return lines->model()->rowCount() > 0; }));
  find<QLineEdit>("run.log.text")->setText(QStringLiteral("nothing has this text"));
  ASSERT_TRUE(comes([&] { return lines->model()->rowCount() == 0; }));
  EXPECT_TRUE(comes([&] { return text("run.log.status").startsWith(QStringLiteral("0 of ")); })) << text("run.log.status").toStdString();
}

TEST_F(RunPageTest, RecordsWhatTheRanksTakeOfTheMachine) {
  open(finished, QStringLiteral("system"));
  Reader reader(Workspace::open_existing(workspace->database().toStdString()));
  for (const int rank : {0, 1}) {
    const auto cpu = reader.find_series(finished.toStdString(), series::cpu_share, rank);
    ASSERT_TRUE(cpu.has_value()) << rank;
    for (const Point& point : reader.points(cpu->key)) EXPECT_TRUE(point.value > 0 && point.value < 4) << point.value;
    const auto memory = reader.find_series(finished.toStdString(), series::resident_memory_bytes, rank);
    ASSERT_TRUE(memory.has_value()) << rank;
    for (const Point& point : reader.points(memory->key)) EXPECT_TRUE(point.value > 1e6 && point.value < 1e11) << point.value;
  }
}

TEST_F(RunPageTest, ShowsTheExperimentAsTypedWithTheOriginOfEachValue) {
  open(finished, QStringLiteral("settings"));
  EXPECT_TRUE(find<QPlainTextEdit>("run.settings.typed")->toPlainText().contains(QStringLiteral("plan = \"wfbp\"")));
  auto* values = find<QTableView>("run.settings.values");
  find<QLineEdit>("run.settings.filter")->setText(QStringLiteral("train.steps"));
  ASSERT_EQ(values->model()->rowCount(), 1);
  EXPECT_EQ(values->model()->index(0, 1).data().toString(), QStringLiteral("60"));
  EXPECT_EQ(values->model()->index(0, 2).data().toString(), QStringLiteral("typed"));
  action("run.duplicate")->trigger();
  ASSERT_EQ(workbench->drafts.size(), 1u);
  EXPECT_TRUE(workbench->drafts.front().second.contains(QStringLiteral("plan = \"wfbp\"")));
}

TEST_F(RunPageTest, ListsCheckpointsThatAreVerified) {
  open(finished, QStringLiteral("files"));
  auto* table = find<QTableWidget>("run.files.checkpoints");
  ASSERT_GT(table->rowCount(), 0);
  EXPECT_EQ(table->item(0, 0)->text(), QStringLiteral("60"));
  EXPECT_TRUE(table->item(0, 2)->text().contains(QStringLiteral("verified")));
  EXPECT_GT(find<QTableWidget>("run.files.others")->rowCount(), 1);
}

TEST_F(RunPageTest, StarsTheRunInTheWorkspace) {
  open(finished);
  const auto starred = [] {
    return Reader(Workspace::open_existing(workspace->database().toStdString())).run(finished.toStdString()).starred;
  };
  action("runs.star")->trigger();
  ASSERT_TRUE(comes([&] { return starred(); }));
  ASSERT_TRUE(comes([this] { return find<QToolButton>("runs.star.button")->text() == QStringLiteral("★"); }));
  action("runs.star")->trigger();
  ASSERT_TRUE(comes([&] { return !starred(); }));
}

TEST_F(RunPageTest, SaysThatARunDoesNotExist) {
  page.reset(make_run_page(*workbench, QStringLiteral("01a22c3c-e887-7614-8774-000000000000"), {}));
  page->show();
  ASSERT_TRUE(comes([this] { return page->loaded(); }));
  EXPECT_NE(page->findChild<QWidget*>(QStringLiteral("run.banner.reading")), nullptr);
}

TEST_F(RunPageTest, WatchesALiveRunAndStopsItAfterACheckpoint) {
  const QString id = launch(QStringLiteral("live"));
  open(id);
  ASSERT_TRUE(comes([&] { return text("run.state").contains(QStringLiteral("Running")); }, 60000)) << text("run.state").toStdString();
  const QString first = text("run.progress-text");
  ASSERT_TRUE(comes([&] { return text("run.progress-text") != first; }));
  EXPECT_TRUE(text("run.age").startsWith(QStringLiteral("last data ")));
  EXPECT_FALSE(action("run.resume")->isEnabled());
  EXPECT_FALSE(action("run.stop.force")->isEnabled());

  action("run.checkpoint")->trigger();
  page->showTab(QStringLiteral("files"));
  ASSERT_TRUE(comes([&] { return find<QTableWidget>("run.files.checkpoints")->rowCount() > 0; }));

  bool was_stopping = false;
  action("run.stop.after-checkpoint")->trigger();
  ASSERT_TRUE(comes(
      [&] {
        was_stopping = was_stopping || text("run.state").contains(QStringLiteral("Stopping"));
        return text("run.state").contains(QStringLiteral("Stopped"));
      },
      60000))
      << text("run.state").toStdString();
  EXPECT_TRUE(was_stopping);
  const QJsonObject run =
      json(workspace->engine({QStringLiteral("show"), id, QStringLiteral("--json")}).output).value(QStringLiteral("run")).toObject();
  EXPECT_EQ(run.value(QStringLiteral("state")).toString(), QStringLiteral("stopped"));
  EXPECT_FALSE(action("run.stop")->isEnabled());
  EXPECT_TRUE(action("run.resume")->isEnabled()) << action("run.resume")->toolTip().toStdString();

  // Resumed: another attempt, which is opened; it is ended the short way.
  action("run.resume")->trigger();
  ASSERT_TRUE(comes([&] { return !workbench->opened_runs.isEmpty(); }));
  open(workbench->opened_runs.first());
  ASSERT_TRUE(comes([&] { return text("run.state").contains(QStringLiteral("Running")); }, 60000)) << text("run.state").toStdString();
  EXPECT_TRUE(text("run.placement").contains(QStringLiteral("attempt 2"))) << text("run.placement").toStdString();
  action("run.stop.now")->trigger();
  ASSERT_TRUE(comes([&] { return text("run.state").contains(QStringLiteral("Stopped")); }, 60000)) << text("run.state").toStdString();
}

TEST_F(RunPageTest, TellsALostRankWithTheEndOfTheLog) {
  const QString id = launch(QStringLiteral("dies"));
  open(id);
  ASSERT_TRUE(comes([&] { return text("run.state").contains(QStringLiteral("Running")); }, 60000));
  // The rank that this run's status file names, and no other process.
  const QString folder = QFileInfo(workspace->database()).path() + QStringLiteral("/w.runs/") + id;
  const auto status = read_rank_status(folder.toStdString(), 1);
  ASSERT_TRUE(status.has_value());
  ASSERT_EQ(::kill(status->pid, SIGKILL), 0);
  ASSERT_TRUE(comes([&] { return text("run.state").contains(QStringLiteral("Failed")); }, 60000)) << text("run.state").toStdString();
  auto* banner = page->findChild<QWidget*>(QStringLiteral("run.banner.rank-died"));
  ASSERT_NE(banner, nullptr);
  EXPECT_TRUE(banner->findChild<QLabel*>(QString(), Qt::FindChildrenRecursively) != nullptr);
  bool said = false;
  for (const QLabel* label : banner->findChildren<QLabel*>()) said = said || label->text().contains(QStringLiteral("rank 1"));
  EXPECT_TRUE(said);
}

TEST_F(RunPageTest, NamesEveryControlForAScreenReader) {
  for (const char* tab : {"overview", "communication", "timeline", "system", "log", "settings", "files"}) {
    open(finished, QString::fromLatin1(tab));
    for (QWidget* widget : page->findChildren<QWidget*>()) {
      if (!widget->isVisible() || !widget->isEnabled() || widget->focusPolicy() == Qt::NoFocus) continue;
      if (widget->focusProxy() != nullptr || qobject_cast<QLabel*>(widget) != nullptr) continue;
      QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
      ASSERT_NE(face, nullptr);
      EXPECT_FALSE(face->text(QAccessible::Name).isEmpty())
          << tab << ": " << widget->metaObject()->className() << ' ' << widget->objectName().toStdString();
    }
  }
}

}  // namespace
}  // namespace syncline::ui
