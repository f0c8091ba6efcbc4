// SPDX-License-Identifier: GPL-3.0-or-later
// The run page where the engine, its launcher, the workspace or what was recorded is not as it should be.
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <limits>

#include "engine/store/registry.h"
#include "engine/store/run_writer.h"
#include "tests/ui/run/run_page_fixture.h"
#include "ui/models/format.h"
#include "ui/widgets/series_chart.h"

namespace syncline::ui {
namespace {

class RunTrouble : public RunPageTest {
 protected:
  static Workspace store() { return Workspace::open(workspace->database().toStdString()); }
  QString banner(const char* cause) const {
    const auto* strip = page->findChild<QWidget*>(QStringLiteral("run.banner.") + QString::fromLatin1(cause));
    if (strip == nullptr) return {};
    QString all;
    for (const QLabel* label : strip->findChildren<QLabel*>()) all += label->text() + u' ';
    return all;
  }
  // A run of this process.
  static std::string running(const Workspace& where, const std::string& name) {
    NewRun run;
    run.name = name;
    run.state = "running";
    run.experiment = run.experiment_as_typed = "name = \"" + name + "\"\n";
    run.strategy = "sync";
    run.rank0 = this_process();
    return RunRegistry(where).create(run);
  }
  // A stopped run with a checkpoint in its list, so that it may be resumed.
  static QString stopped() {
    const Workspace where = store();
    const std::string id = running(where, "stopped");
    RunWriter writer(where, id);
    writer.checkpoint(
        {.sequence = 0, .step = 10, .wall_s = 1.8e9, .path = "checkpoints/step_000000000010", .bytes = 100, .verified = true});
    writer.close();
    RunRegistry(where).finish(id, {.state = "stopped", .reason = "", .exit_code = 5, .ended = 0});
    return QString::fromStdString(id);
  }
};

TEST_F(RunTrouble, ResumingWithoutAnEngineNamesTheFileThatWasLookedFor) {
  const QString id = stopped();
  workbench.reset();
  workbench = std::make_unique<RecordingWorkbench>(workspace->database(), QStringLiteral("/nowhere/syncline-engine"));
  open(id);
  ASSERT_TRUE(action("run.resume")->isEnabled()) << action("run.resume")->toolTip().toStdString();
  action("run.resume")->trigger();
  ASSERT_TRUE(comes([this] { return banner("launch").contains(QStringLiteral("/nowhere/syncline-engine")); }))
      << banner("launch").toStdString();
  EXPECT_TRUE(workbench->opened_runs.isEmpty());
  EXPECT_TRUE(action("run.resume")->isEnabled());  // for another try
}

TEST_F(RunTrouble, WithoutMpirunTheStartHasFailedAndThePageSaysWhatIsMissing) {
  // The engine as it is, in a world without programs.
  const QString script = QFileInfo(workspace->database()).path() + QStringLiteral("/engine-alone");
  {
    QFile file(script);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\nPATH=/var/empty exec '" + RecordingWorkbench::builtEngine().toUtf8() + "' \"$@\"\n");
    file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
  }
  workbench.reset();
  workbench = std::make_unique<RecordingWorkbench>(workspace->database(), script);
  const QString file = workspace->experiment(QStringLiteral("no launcher"), QStringLiteral("steps = 10"));
  std::optional<EngineProgram::Answer> answer;
  workbench->engine().run(workbench.get(),
                          {QStringLiteral("launch"), file, QStringLiteral("--on"), QStringLiteral("local"), QStringLiteral("--detach"),
                           QStringLiteral("--json")},
                          [&answer](const EngineProgram::Answer& got) { answer = got; });
  ASSERT_TRUE(comes([&] { return answer.has_value(); }));
  ASSERT_EQ(answer->exit_code, 0) << answer->sentence().toStdString();
  open(json(answer->output).value(QStringLiteral("id")).toString());
  ASSERT_TRUE(comes([this] { return text("run.state").contains(QStringLiteral("Failed")); })) << text("run.state").toStdString();
  EXPECT_TRUE(banner("failed-start").contains(QStringLiteral("mpirun"))) << banner("failed-start").toStdString();
  EXPECT_TRUE(banner("failed-start").contains(QStringLiteral("The start failed")));
}

TEST_F(RunTrouble, InANewerWorkspaceNothingIsOfferedThatWouldWrite) {
  const QString copy = QFileInfo(workspace->database()).path() + QStringLiteral("/newer.db");
  Database(workspace->database().toStdString(), Database::Mode::write).checkpoint(true);
  ASSERT_TRUE(QFile::copy(workspace->database(), copy));
  Database(copy.toStdString(), Database::Mode::write).execute("PRAGMA user_version = 99");
  workbench.reset();
  workbench = std::make_unique<RecordingWorkbench>(copy, RecordingWorkbench::builtEngine());
  open(finished);
  EXPECT_EQ(text("run.state"), QStringLiteral("✓ Finished"));
  for (const char* id : {"run.resume", "runs.star", "runs.tag", "runs.note", "run.compute-only", "run.mark-stopped"}) {
    EXPECT_FALSE(action(id)->isEnabled()) << id;
    EXPECT_TRUE(action(id)->toolTip().contains(QStringLiteral("can only be read"))) << id << action(id)->toolTip().toStdString();
  }
  EXPECT_TRUE(action("run.duplicate")->isEnabled() && action("compare.with")->isEnabled());
}

TEST_F(RunTrouble, ADamagedRunIsSaidToBeSoAndWhatCanBeReadIsShownOnEveryTab) {
  const QString copy = QFileInfo(workspace->database()).path() + QStringLiteral("/damaged.db");
  Database(workspace->database().toStdString(), Database::Mode::write).checkpoint(true);
  ASSERT_TRUE(QFile::copy(workspace->database(), copy));
  {
    Database database(copy.toStdString(), Database::Mode::write);
    for (const char* table : {"step", "step_chunk", "trace_data"}) database.execute(std::string("UPDATE ") + table + " SET data = x'00'");
    database.execute("DELETE FROM summary");
  }
  workbench.reset();
  workbench = std::make_unique<RecordingWorkbench>(copy, RecordingWorkbench::builtEngine());
  for (const char* tab : {"overview", "communication", "timeline", "system", "settings"}) {
    open(finished, QString::fromLatin1(tab));
    EXPECT_EQ(page->title(), QStringLiteral("finished")) << tab;
    EXPECT_TRUE(text("run.state").startsWith(QStringLiteral("⚠ Damaged"))) << text("run.state").toStdString();
    EXPECT_TRUE(banner("damaged").contains(QStringLiteral("cannot be read"))) << banner("damaged").toStdString();
  }
  EXPECT_EQ(text("run.progress-text"), QStringLiteral("step 60 of 60 · ") + format::share(1));  // from the series, which are whole
  EXPECT_TRUE(action("run.duplicate")->isEnabled());
}

TEST_F(RunTrouble, AMetricOfOnlyNaNIsDrawnAsMarksCountedAndListed) {
  const Workspace where = store();
  const std::string id = running(where, "nothing but NaN");
  {
    RunWriter writer(where, id);
    for (int step = 0; step < 25; ++step) {
      Axes axes;
      axes.step = step;
      axes.samples = 64 * (step + 1);
      axes.active_s = axes.elapsed_s = 0.1 * (step + 1);
      axes.wall_s = 1.8e9 + axes.active_s;
      writer.position(axes);
      writer.scalar("train_loss", step, std::numeric_limits<double>::quiet_NaN());
    }
    writer.close();
  }
  RunRegistry(where).finish(id, {.state = "finished", .reason = "", .exit_code = 0, .ended = 0});
  open(QString::fromStdString(id));
  auto* chart = find<SeriesChart>("run.overview.loss");
  ASSERT_TRUE(comes([&] { return chart->loaded(); }));
  EXPECT_TRUE(find<QLabel>("run.overview.loss.footer")->text().contains(QStringLiteral("25 not finite")))
      << find<QLabel>("run.overview.loss.footer")->text().toStdString();
  EXPECT_TRUE(text("run.overview.latest").startsWith(QStringLiteral("loss NaN"))) << text("run.overview.latest").toStdString();
  QString error = QStringLiteral("not answered");
  const QString file = QFileInfo(workspace->database()).path() + QStringLiteral("/nan.csv");
  chart->saveData(file, false, [&error](const QString& said) { error = said; });
  ASSERT_TRUE(comes([&] { return error.isEmpty(); })) << error.toStdString();
  QFile written(file);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly));
  EXPECT_EQ(written.readAll().count("NaN"), 25);
}

TEST_F(RunTrouble, AnAttemptThatDiedEarlyKeepsTheEvaluationsOfItsRunAndCanBeResumed) {
  const Workspace where = store();
  const auto train = [&](const std::string& before, int from, int to) {
    NewRun run;
    run.name = "resumed";
    run.state = "running";
    run.experiment = run.experiment_as_typed = "name = \"resumed\"\n";
    run.strategy = "sync";
    run.rank0 = this_process();
    run.attempt_of = run.resumed_from = before;
    const std::string id = RunRegistry(where).create(run);
    RunWriter writer(where, id);
    for (int step = from; step < to; ++step) {
      Axes axes;
      axes.step = step;
      axes.active_s = axes.elapsed_s = 0.1 * (step + 1);
      axes.wall_s = 1.8e9 + axes.active_s;
      writer.position(axes);
      writer.scalar("train_loss", step, 1.0 / (step + 1));
      axes.step = step + 1;
      writer.position(axes);
      if (axes.step % 10 == 0) writer.scalar("test_accuracy", axes.step, 0.01 * static_cast<double>(axes.step));
      if (axes.step == 20)
        writer.checkpoint({.sequence = 0, .step = 20, .wall_s = 1.8e9, .path = "checkpoints/step_20", .bytes = 100, .verified = true});
    }
    writer.close();
    RunRegistry(where).finish(id, {.state = "failed", .reason = "rank 1 ended by signal 9", .exit_code = 4, .ended = 0});
    return id;
  };
  const std::string first = train({}, 0, 40);
  open(QString::fromStdString(train(first, 20, 25)));
  EXPECT_TRUE(text("run.overview.latest").contains(QStringLiteral("test accuracy ") + format::percent(0.2)))
      << text("run.overview.latest").toStdString();
  auto* chart = find<SeriesChart>("run.overview.accuracy");
  ASSERT_TRUE(comes([&] { return chart->loaded(); }));
  QString error = QStringLiteral("not answered");
  const QString file = QFileInfo(workspace->database()).path() + QStringLiteral("/accuracy.csv");
  chart->saveData(file, false, [&error](const QString& said) { error = said; });
  ASSERT_TRUE(comes([&] { return error.isEmpty(); })) << error.toStdString();
  QFile written(file);
  ASSERT_TRUE(written.open(QIODevice::ReadOnly));
  int counting = 0, replaced = 0;
  const QList<QByteArray> lines = written.readAll().split('\n');
  for (const QByteArray& line : lines) {
    if (line.contains("test_accuracy")) ++(line.contains("yes") ? replaced : counting);
  }
  EXPECT_EQ(counting, 2) << "of steps 10 and 20";
  EXPECT_EQ(replaced, 2) << "of steps 30 and 40";
  EXPECT_TRUE(action("run.resume")->isEnabled()) << action("run.resume")->toolTip().toStdString();
  EXPECT_TRUE(banner("rank-died").contains(QStringLiteral("rank 1 ended by signal 9"))) << banner("rank-died").toStdString();
}

}  // namespace
}  // namespace syncline::ui
