// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a run from its page: resuming from a checkpoint of choice, comparing, annotating, saying that it has ended.
#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTimer>

#include "engine/store/registry.h"
#include "engine/store/run_writer.h"
#include "tests/ui/run/run_page_fixture.h"

namespace syncline::ui {
namespace {

// The tests of a page's actions share its workspace; each leaves runs of its own behind.
class RunActionsTest : public RunPageTest {
 protected:
  static Workspace store() { return Workspace::open(workspace->database().toStdString()); }
  static RunInfo stored(const QString& id) { return Reader(store()).run(id.toStdString()); }
  // A run whose only process has just ended without a word.
  static QString runOfAProcessThatIsGone() {
    QProcess process;
    process.start(QStringLiteral("sleep"), {QStringLiteral("1000")});
    EXPECT_TRUE(process.waitForStarted());
    const Workspace where = store();
    NewRun run;
    run.name = "gone";
    run.state = "running";
    run.experiment = run.experiment_as_typed = "name = \"gone\"\n[strategy]\nname = \"sync\"\n";
    run.model = "mlp";
    run.strategy = "sync";
    run.workers = 2;
    run.rank0 = process_of(static_cast<int>(process.processId())).value();
    const std::string id = RunRegistry(where).create(run);
    RunWriter writer(where, id);
    StepSums sums;
    sums.axes.samples = 1;
    sums.step_s = 0.01;
    writer.position(sums.axes);
    writer.scalar("train_loss", 0, 1.0);
    writer.step(sums);
    writer.flush();
    process.kill();
    process.waitForFinished();
    return QString::fromStdString(id);
  }
};

TEST_F(RunActionsTest, ResumesFromAnOlderCheckpointThatIsSelected) {
  const QString file = workspace->experiment(QStringLiteral("three checkpoints"), QStringLiteral("steps = 30"),
                                             QStringLiteral("[checkpoint]\nevery = \"10 steps\"\nkeep = 5\n"));
  ASSERT_EQ(workspace->engine({QStringLiteral("train"), file, QStringLiteral("--quiet")}).exit_code, 0);
  const QString id = json(workspace->engine({QStringLiteral("show"), QStringLiteral("last"), QStringLiteral("--json")}).output)
                         .value(QStringLiteral("run"))
                         .toObject()
                         .value(QStringLiteral("id"))
                         .toString();
  open(id, QStringLiteral("files"));
  auto* table = find<QTableWidget>("run.files.checkpoints");
  ASSERT_EQ(table->rowCount(), 3);
  EXPECT_FALSE(action("run.resume-here")->isEnabled());  // from the newest there is nothing left to do
  table->selectRow(2);
  EXPECT_EQ(table->item(2, 0)->text(), QStringLiteral("10"));
  ASSERT_TRUE(action("run.resume-here")->isEnabled()) << action("run.resume-here")->toolTip().toStdString();
  action("run.resume-here")->trigger();
  ASSERT_TRUE(comes([&] { return !workbench->opened_runs.isEmpty(); }));
  const QString resumed = workbench->opened_runs.front();
  ASSERT_TRUE(comes([&] { return stored(resumed).state == "finished"; })) << stored(resumed).reason;
  EXPECT_EQ(stored(resumed).attempt, 2);
  Reader reader(store());
  const auto losses = reader.find_series(resumed.toStdString(), series::train_loss);
  ASSERT_TRUE(losses.has_value());
  EXPECT_EQ(reader.points(losses->key).front().axes.step, 10);
}

TEST_F(RunActionsTest, MarksARunWhoseProcessIsGoneAsStoppedWithWhoAndWhen) {
  const QString id = runOfAProcessThatIsGone();
  open(id);
  ASSERT_TRUE(text("run.state").contains(QStringLiteral("Lost"))) << text("run.state").toStdString();
  ASSERT_NE(page->findChild<QWidget*>(QStringLiteral("run.banner.lost")), nullptr);
  auto* mark = page->findChild<QPushButton*>(QStringLiteral("run.banner.lost.action"));
  ASSERT_NE(mark, nullptr);
  EXPECT_EQ(mark->text().remove(u'&'), QStringLiteral("Mark as Stopped…"));
  const auto answer = [&](const QString& name) {
    QTimer::singleShot(50, qApp, [name] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      ASSERT_NE(box, nullptr);
      for (QAbstractButton* button : box->buttons()) {
        if (name.isEmpty() ? button->objectName().isEmpty() : button->objectName() == name) return button->click();
      }
      FAIL() << "no such button";
    });
    mark->click();
  };
  answer({});  // "Leave as It Is"
  EXPECT_EQ(stored(id).state, "lost");
  answer(QStringLiteral("runs.mark-stopped.confirm"));
  ASSERT_TRUE(comes([&] { return text("run.state").contains(QStringLiteral("Stopped")); })) << text("run.state").toStdString();
  const RunInfo run = stored(id);
  EXPECT_EQ(run.state, "stopped");
  EXPECT_TRUE(run.reason.starts_with("marked as stopped by ")) << run.reason;
  EXPECT_NE(run.reason.find(host_name()), std::string::npos) << run.reason;
  EXPECT_NE(run.reason.find("before that: lost, its processes"), std::string::npos) << run.reason;
  EXPECT_FALSE(action("run.mark-stopped")->isEnabled());
  EXPECT_TRUE(comes([&] { return page->findChild<QWidget*>(QStringLiteral("run.banner.lost")) == nullptr; }));
}

TEST_F(RunActionsTest, CheckingTheStateSaysWhatWasAskedAndAnswered) {
  open(finished);
  action("run.check-state")->trigger();
  ASSERT_TRUE(comes([&] { return !workbench->notices.isEmpty(); }));
  EXPECT_EQ(workbench->notices.front(), QStringLiteral("Asked for the exit record, which is there: Finished"));
  open(runOfAProcessThatIsGone());
  workbench->notices.clear();
  action("run.check-state")->trigger();
  ASSERT_TRUE(comes([&] { return !workbench->notices.isEmpty(); }));
  EXPECT_TRUE(workbench->notices.front().startsWith(QStringLiteral("Asked for the exit record, the processes and the heartbeat: Lost")))
      << workbench->notices.front().toStdString();
}

TEST_F(RunActionsTest, ComparesWithRunsThatAreChosenByName) {
  const QString other = runOfAProcessThatIsGone();
  open(finished, QStringLiteral("settings"));
  action("compare.with")->trigger();
  auto* list = page->findChild<QListWidget*>(QStringLiteral("run.compare.list"));
  ASSERT_NE(list, nullptr);
  ASSERT_TRUE(comes([&] { return list->count() > 0; }));
  for (int i = 0; i < list->count(); ++i) EXPECT_NE(list->item(i)->data(Qt::UserRole).toString(), finished);
  auto* search = page->findChild<QLineEdit*>(QStringLiteral("run.compare.search"));
  search->setFocus();
  QTest::keyClicks(search, QStringLiteral("gone"));
  QTest::keyClick(search, Qt::Key_Return);
  ASSERT_EQ(workbench->comparisons.size(), 1u);
  ASSERT_EQ(workbench->comparisons.front().size(), 2);
  EXPECT_EQ(workbench->comparisons.front().front(), finished);
  EXPECT_EQ(stored(workbench->comparisons.front().back()).name, "gone");
}

TEST_F(RunActionsTest, WritesTagsAndANoteForAllAttempts) {
  open(finished);
  action("runs.tag")->trigger();
  auto* more = page->findChild<QLineEdit*>(QStringLiteral("runs.tags.more"));
  ASSERT_NE(more, nullptr);
  QTest::keyClicks(more, QStringLiteral("fig 3, baseline"));
  QTest::keyClick(more, Qt::Key_Return);
  ASSERT_TRUE(comes([&] { return stored(finished).tags.size() == 2; }));
  ASSERT_TRUE(comes([&] { return text("run.tags-text") == QStringLiteral("tags: baseline, fig 3"); }));
  action("runs.note")->trigger();
  auto* note = page->findChild<QPlainTextEdit*>(QStringLiteral("runs.note.text"));
  ASSERT_NE(note, nullptr);
  note->setPlainText(QStringLiteral("for the talk"));
  qobject_cast<QDialog*>(note->window())->accept();
  ASSERT_TRUE(comes([&] { return stored(finished).notes == "for the talk"; }));
}

}  // namespace
}  // namespace syncline::ui
