// SPDX-License-Identifier: GPL-3.0-or-later
// Launches from the editor through the real engine.
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/store/reader.h"
#include "engine/store/saved.h"
#include "tests/ui/editor/editor_page_fixture.h"
#include "ui/models/editor/launch_queue.h"
#include "ui/models/lineage.h"

namespace syncline::ui {
namespace {

class LaunchTest : public EditorPageTest {};

TEST_F(LaunchTest, LaunchStartsARealRunThatFinishesAndOpensIt) {
  edit();
  ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  ASSERT_EQ(bench_->engine().problem(), QString());
  page_->showTab(QStringLiteral("launch"));
  auto* command = find<QPlainTextEdit>(QStringLiteral("editor.launch.command"));
  EXPECT_TRUE(wait([command] { return command->toPlainText().contains(QStringLiteral("syncline-engine train ")); }))
      << command->toPlainText().toStdString();
  find<QListWidget>(QStringLiteral("editor.steps"))->setFocus();
  key(QApplication::focusWidget(), Qt::Key_Return, Qt::ControlModifier);
  ASSERT_TRUE(wait([this] { return !bench_->opened_runs.isEmpty(); }))
      << find<QLabel>(QStringLiteral("editor.strip"))->text().toStdString();
  const std::string id = bench_->opened_runs.front().toStdString();
  const Workspace workspace = Workspace::open_read_only(database_.toStdString());
  Reader reader(workspace);
  ASSERT_TRUE(wait([&] { return reader.run(id).state == "finished"; })) << reader.run(id).state << ": " << reader.run(id).reason;
  EXPECT_EQ(reader.run(id).experiment_as_typed, text());
}

TEST_F(LaunchTest, ARunLaunchedFromACopySaysWhatItWasClonedFrom) {
  page_ = new EditorPage(*bench_, {}, QStringLiteral("copy"), tiny, QStringLiteral("the run it is a copy of"));
  open(page_);
  ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  bench_->actions().find(QStringLiteral("run.launch"))->trigger();
  ASSERT_TRUE(wait([this] { return !bench_->opened_runs.isEmpty(); }));
  const std::string id = bench_->opened_runs.front().toStdString();
  Database database = Workspace::open_read_only(database_.toStdString()).connect_read_only();
  ASSERT_TRUE(wait([&] { return origin_of(database, id).has_value(); }));
  EXPECT_EQ(*origin_of(database, id), "the run it is a copy of");
  Reader reader(Workspace::open_read_only(database_.toStdString()));
  EXPECT_TRUE(wait([&] { return reader.run(id).state == "finished"; }));
}

TEST_F(LaunchTest, RepeatedSeedsStartOneAfterTheOther) {
  edit();
  ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  page_->showTab(QStringLiteral("launch"));
  find<QLineEdit>(QStringLiteral("editor.launch.seeds"))->setText(QStringLiteral("5-6"));
  bench_->actions().find(QStringLiteral("run.launch"))->trigger();
  const auto runs = [this] {
    Reader reader(Workspace::open_read_only(database_.toStdString()));
    return reader.runs();
  };
  ASSERT_TRUE(wait([&] {
    const std::vector<RunInfo> all = runs();
    return all.size() == 2 && all[1].state == "finished";
  })) << runs().size()
      << " runs; " << find<QLabel>(QStringLiteral("editor.strip"))->text().toStdString() << (runs().empty() ? "" : runs().back().state);
  const std::vector<RunInfo> all = runs();
  EXPECT_EQ(all[0].seed, 5U);
  EXPECT_EQ(all[1].seed, 6U);
  EXPECT_EQ(all[0].group_key, all[1].group_key);
  EXPECT_GE(all[1].created, all[0].ended.value_or(1e18));
}

// The draft is edited and the window closed while seeds wait: the next window goes on, with the text that was launched.
TEST_F(LaunchTest, SeedsThatWaitWhenTheWindowClosesAreStartedByTheNextOne) {
  edit();
  ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  const std::string launched = text();
  page_->showTab(QStringLiteral("launch"));
  find<QLineEdit>(QStringLiteral("editor.launch.seeds"))->setText(QStringLiteral("5-7"));
  bench_->actions().find(QStringLiteral("run.launch"))->trigger();
  const auto kept = [this] { return saved_texts(Reader(Workspace::open_read_only(database_.toStdString())).database(), "queue"); };
  ASSERT_TRUE(wait([&] { return kept().size() == 1; }));
  auto* source = find<QPlainTextEdit>(QStringLiteral("editor.text"));
  source->setPlainText(source->toPlainText().replace(QStringLiteral("steps = 4"), QStringLiteral("steps = 9")));
  ASSERT_NE(text(), launched);
  LaunchQueue::adopt(bench_->engine(), bench_->store(), [](LaunchQueue*) { ADD_FAILURE() << "this window holds it"; });
  ASSERT_TRUE(wait([this] { return bench_->store().pending() == 0; }));
  page_ = nullptr;
  TearDown();

  bench_ = std::make_unique<Bench>(database_, Bench::builtEngine());
  ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  QStringList started;
  LaunchQueue::adopt(bench_->engine(), bench_->store(), [&started](LaunchQueue* queue) {
    EXPECT_EQ(queue->name(), QStringLiteral("tiny"));
    QObject::connect(queue, &LaunchQueue::started,
                     [&started](const QString&, int number, int of) { started << QStringLiteral("%1 of %2").arg(number).arg(of); });
  });
  Reader reader(Workspace::open_read_only(database_.toStdString()));
  ASSERT_TRUE(wait([&] {
    const std::vector<RunInfo> all = reader.runs();
    return all.size() == 3 && all[2].state == "finished";
  })) << reader.runs().size();
  for (const RunInfo& run : reader.runs()) EXPECT_NE(run.experiment_as_typed.find("steps = 4"), std::string::npos);
  for (std::size_t run = 0; run < 3; ++run) EXPECT_EQ(reader.runs()[run].seed, 5 + run);
  ASSERT_FALSE(started.isEmpty());
  EXPECT_EQ(started.last(), QStringLiteral("3 of 3"));
  EXPECT_TRUE(wait([&] { return kept().empty(); }));
}

TEST_F(LaunchTest, SeedsThatALaterWindowStartsHaveTheOriginOfTheirDraft) {
  const Workspace workspace = Workspace::open(database_.toStdString());
  keep_draft_origin(workspace, "the draft", "the run it is a copy of");
  const nlohmann::json content = {
      {"text", tiny.toStdString()}, {"seeds", {5, 6}}, {"after", ""}, {"launching", ""}, {"number", 1}, {"total", 3},
      {"draft", "the draft"}};
  SavedTexts(workspace).put({.id = {}, .kind = "queue", .name = "tiny", .content = content.dump()});
  ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  LaunchQueue::adopt(bench_->engine(), bench_->store(), [](LaunchQueue*) {});
  Reader reader(workspace);
  ASSERT_TRUE(wait([&] {
    const std::vector<RunInfo> all = reader.runs();
    return all.size() == 2 && std::ranges::all_of(all, [](const RunInfo& run) { return run.state == "finished"; });
  })) << reader.runs().size();
  for (const RunInfo& run : reader.runs()) {
    EXPECT_TRUE(wait([&] { return origin_of(reader.database(), run.id).has_value(); })) << run.seed;
    EXPECT_EQ(origin_of(reader.database(), run.id).value_or(""), "the run it is a copy of") << run.seed;
  }
}

// Whenever the window ends: before the engine was started, or after it and before the answer came.
TEST_F(LaunchTest, ASeedWhoseLaunchWasCutOffStartsOnce) {
  for (const bool had_started : {false, true}) {
    edit();
    ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
    const std::size_t before = Reader(Workspace::open_read_only(database_.toStdString())).runs().size();
    const QString launching = QString::fromStdString(make_run_id());
    if (had_started) {
      const QString file = QFileInfo(database_).dir().filePath(QStringLiteral("tiny.toml"));
      QFile written(file);
      ASSERT_TRUE(written.open(QIODevice::WriteOnly) && written.write(text().c_str()) > 0);
      written.close();
      bool answered = false;
      bench_->engine().run(bench_.get(),
                           {QStringLiteral("launch"), file, QStringLiteral("--on"), QStringLiteral("local"), QStringLiteral("--detach"),
                            QStringLiteral("--id"), launching, QStringLiteral("--set"), QStringLiteral("seed=5")},
                           [&answered](const EngineProgram::Answer& answer) {
                             answered = true;
                             EXPECT_EQ(answer.exit_code, 0) << answer.sentence().toStdString();
                           });
      ASSERT_TRUE(wait([&] { return answered; }));
    }
    const nlohmann::json content = {{"text", text()}, {"seeds", {5, 6}}, {"after", ""}, {"launching", launching.toStdString()},
                                    {"number", 0},    {"total", 2}};
    SavedTexts(Workspace::open(database_.toStdString())).put({.id = {}, .kind = "queue", .name = "tiny", .content = content.dump()});
    LaunchQueue::adopt(bench_->engine(), bench_->store(), [](LaunchQueue*) {});
    Reader reader(Workspace::open_read_only(database_.toStdString()));
    ASSERT_TRUE(wait([&] { return saved_texts(reader.database(), "queue").empty(); }));
    ASSERT_TRUE(wait([&] { return std::ranges::all_of(reader.runs(), [](const RunInfo& run) { return run.state == "finished"; }); }));
    const std::vector<RunInfo> all = reader.runs();
    ASSERT_EQ(all.size(), before + 2);
    EXPECT_EQ(all[before].id, launching.toStdString());
    EXPECT_EQ(all[before].seed, 5U);
    EXPECT_EQ(all[before + 1].seed, 6U);
    page_ = nullptr;
    TearDown();
    SetUp();
  }
}

TEST_F(LaunchTest, ADryRunSaysWhatItStartedAndRecordsNothing) {
  edit();
  ASSERT_TRUE(wait([this] { return bench_->engine().known(); }));
  bench_->actions().find(QStringLiteral("run.dry-run"))->trigger();
  auto* answer = find<QLabel>(QStringLiteral("editor.launch.answer"));
  ASSERT_TRUE(wait([answer] { return answer->text().contains(QStringLiteral("nothing was recorded")); })) << answer->text().toStdString();
  EXPECT_TRUE(answer->text().contains(QStringLiteral("1 rank of 1 thread,")));
  Reader reader(Workspace::open_read_only(database_.toStdString()));
  EXPECT_TRUE(reader.runs().empty());
}

TEST_F(LaunchTest, WithoutAnEngineLaunchSaysWhatWasTried) {
  bench_->settings().set(QString::fromUtf16(EngineProgram::path_setting), QStringLiteral("/nowhere/syncline-engine"));
  edit();
  ASSERT_TRUE(wait([this] { return bench_->engine().known() && !bench_->engine().problem().isEmpty(); }));
  bench_->actions().find(QStringLiteral("run.launch"))->trigger();
  auto* answer = find<QLabel>(QStringLiteral("editor.launch.answer"));
  ASSERT_TRUE(wait([answer] { return answer->text().contains(QStringLiteral("/nowhere/syncline-engine")); }));
  EXPECT_TRUE(bench_->opened_runs.isEmpty());
  auto* preflight = find<QListWidget>(QStringLiteral("editor.launch.preflight"));
  EXPECT_TRUE(preflight->item(1)->text().startsWith(u'✕'));
  EXPECT_TRUE(find<QPushButton>(QStringLiteral("editor.launch.choose-engine"))->isVisible());
}

}  // namespace
}  // namespace syncline::ui
