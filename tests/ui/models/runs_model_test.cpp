// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/runs_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include "engine/metrics/statistics.h"
#include "tests/ui/runs/many_runs.h"
#include "tests/ui/runs/stored_runs.h"
#include "ui/models/lineage.h"
#include "ui/models/runs_related.h"

namespace syncline::ui {
namespace {

class RunsModelTest : public StoredRunsTest {
 protected:
  void open() {
    store_ = std::make_unique<StoreService>(path_);
    model_ = std::make_unique<RunsModel>(*store_);
    tester_ = std::make_unique<QAbstractItemModelTester>(model_.get(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    QObject::connect(store_.get(), &StoreService::opened, model_.get(), &RunsModel::refresh);
    model_->setWatched(true);
    model_->refresh();
    ASSERT_TRUE(until([this] { return model_->loaded(); }));
    model_->sort(model_->columnOf(QStringLiteral("created")), Qt::DescendingOrder);
  }
  void TearDown() override {
    tester_.reset();
    model_.reset();
    store_.reset();
    StoredRunsTest::TearDown();
  }
  QString text(const QString& column, int row, const QModelIndex& parent = {}) const {
    return model_->index(row, model_->columnOf(column), parent).data().toString();
  }
  // The summaries are read when a cell is asked for.
  bool has(const QString& column, int row, const QModelIndex& parent = {}) {
    return until([&] { return text(column, row, parent) != QStringLiteral("\u2026"); });
  }
  QStringList names() const {
    QStringList list;
    for (int row = 0; row < model_->rowCount(); ++row) list << text(QStringLiteral("name"), row);
    return list;
  }

  std::unique_ptr<StoreService> store_;
  std::unique_ptr<RunsModel> model_;
  std::unique_ptr<QAbstractItemModelTester> tester_;
};

TEST_F(RunsModelTest, SeedsOfOneExperimentAreOneRowWithMeanSpreadAndCount) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    make({.name = "easgd", .group = "g", .quality = static_cast<double>(1 << (seed - 1)), .seed = seed});
  make({.name = "alone"});
  open();
  ASSERT_EQ(names(), (QStringList{QStringLiteral("alone"), QStringLiteral("easgd   3 seeds")}));
  const QModelIndex group = model_->index(1, 0);
  ASSERT_EQ(model_->rowCount(group), 3);
  ASSERT_TRUE(has(QStringLiteral("loss"), 1));
  const Spread losses = spread_of(std::vector<double>{1.0 / 40, 2.0 / 40, 4.0 / 40});
  EXPECT_EQ(text(QStringLiteral("loss"), 1), spread_text(SummaryMetric::plain, losses.mean, losses.deviation, 3));
  ASSERT_TRUE(has(QStringLiteral("loss"), 0, group));
  EXPECT_EQ(text(QStringLiteral("loss"), 0, group), quantity_text(SummaryMetric::plain, 4.0 / 40));
}

TEST_F(RunsModelTest, ASeedThatWasRunAgainCountsOnceWithItsMean) {
  for (const auto& [seed, quality] : std::vector<std::pair<std::uint64_t, double>>{{1, 1}, {1, 2}, {1, 3}, {2, 4}})
    make({.name = "easgd", .group = "g", .quality = quality, .seed = seed});
  for (const double quality : {1.0, 2.0, 3.0}) make({.name = quality == 3 ? "renamed" : "again", .group = "one seed", .quality = quality});
  open();
  ASSERT_EQ(names(), (QStringList{QStringLiteral("renamed   3 runs of one seed"), QStringLiteral("easgd   2 seeds, 4 runs")}));
  for (int row = 0; row < 2; ++row) ASSERT_TRUE(has(QStringLiteral("loss"), row));
  const Spread seeds = spread_of(std::vector<double>{2.0 / 40, 4.0 / 40}),
               runs = spread_of(std::vector<double>{1.0 / 40, 2.0 / 40, 3.0 / 40});
  EXPECT_EQ(text(QStringLiteral("loss"), 1), spread_text(SummaryMetric::plain, seeds.mean, seeds.deviation, 2));
  EXPECT_EQ(text(QStringLiteral("loss"), 0),
            spread_text(SummaryMetric::plain, runs.mean, runs.deviation, 3).replace(QStringLiteral("(n = 3)"), QStringLiteral("(3 runs)")));
  const auto tip = [this](const QString& column, int row) {
    return model_->index(row, model_->columnOf(column)).data(Qt::ToolTipRole).toString();
  };
  EXPECT_TRUE(tip(QStringLiteral("loss"), 1).contains(QStringLiteral("2 seeds; 4 runs"))) << tip(QStringLiteral("loss"), 1).toStdString();
  EXPECT_EQ(tip(QStringLiteral("name"), 0), QStringLiteral("renamed\nagain"));
  // The order goes by what is shown: the mean of the seeds, not of the runs.
  EXPECT_EQ(number_of_group(runs_column(QStringLiteral("loss")), model_->runsAt({model_->index(1, 0)}), model_->details()), seeds.mean);
}

TEST_F(RunsModelTest, AgesGrowWhileNothingElseHappens) {
  make({.name = "one"});
  for (std::uint64_t seed = 1; seed <= 2; ++seed) make({.name = "twin", .group = "g", .seed = seed});
  open();
  const QModelIndex group = model_->index(0, 0);
  ASSERT_EQ(model_->rowCount(group), 2);
  const int column = model_->columnOf(QStringLiteral("created"));
  QSet<QString> grown;  // rows whose age alone was told to have changed
  QObject::connect(model_.get(), &QAbstractItemModel::dataChanged, model_.get(),
                   [&](const QModelIndex& first, const QModelIndex& last, const QList<int>& roles) {
                     if (first.column() == column && last == first && roles == QList<int>{Qt::DisplayRole})
                       grown.insert(first.data(RunsModel::id_role).toString());
                   });
  EXPECT_TRUE(until(
      [&] {
        for (int row = 0; row < 2; ++row) text(QStringLiteral("created"), row), text(QStringLiteral("created"), row, group);  // painted
        return grown.size() == 4;
      },
      5000))
      << grown.size();
}

TEST_F(RunsModelTest, AttemptsOfAResumedRunAreOneRow) {
  const std::string first = make({.name = "resumed", .state = "stopped"});
  const std::string second = make({.name = "resumed", .attempt_of = first});
  Annotations(workspace()).set_starred(first, true);
  Annotations(workspace()).add_tag(second, "fig 3");
  open();
  ASSERT_EQ(model_->rowCount(), 1);
  const auto runs = model_->runsAt({model_->index(0, 0)});
  EXPECT_EQ(runs.front()->attempts, (std::vector<std::string>{first, second}));
  EXPECT_EQ(text(QStringLiteral("state"), 0), QStringLiteral("\u2713 Finished"));
  EXPECT_EQ(text(QStringLiteral("star"), 0), QStringLiteral("\u2605"));
  EXPECT_EQ(text(QStringLiteral("tags"), 0), QStringLiteral("fig 3"));
}

TEST_F(RunsModelTest, SortingIsByNumberAndStableWithMissingValuesLastInBothDirections) {
  make({.name = "b", .quality = 2});
  make({.name = "a", .quality = 10});
  make({.name = "c", .quality = 1});
  {  // no steps: no loss
    RunRegistry registry(workspace());
    NewRun empty;
    empty.name = "empty";
    empty.group_key = "e";
    const std::string id = registry.create(empty);
    registry.finish(id, {"failed", "the data cannot be read", 3, 0});
  }
  open();
  const int loss = model_->columnOf(QStringLiteral("loss"));
  model_->sort(loss, Qt::AscendingOrder);
  ASSERT_TRUE(until([this] { return model_->detailsIdle(); }));
  EXPECT_EQ(names().join(u' '), QStringLiteral("c b a empty"));
  model_->sort(loss, Qt::DescendingOrder);
  EXPECT_EQ(names().join(u' '), QStringLiteral("a b c empty"));
}

TEST_F(RunsModelTest, ASelectedRowKeepsItsPersistentIndexThroughSortingAndFiltering) {
  for (const char* name : {"x1", "x2", "y3"}) make({.name = name});
  open();
  const QPersistentModelIndex kept = model_->index(1, 1);
  ASSERT_EQ(kept.data().toString(), QStringLiteral("x2"));
  model_->sort(model_->columnOf(QStringLiteral("name")), Qt::AscendingOrder);
  EXPECT_EQ(kept.data().toString(), QStringLiteral("x2"));
  model_->sort(model_->columnOf(QStringLiteral("name")), Qt::DescendingOrder);
  EXPECT_EQ(kept.row(), 1);
  ASSERT_FALSE(model_->setFilter(QStringLiteral("x")).has_value());
  ASSERT_TRUE(kept.isValid());
  EXPECT_EQ(kept.data().toString(), QStringLiteral("x2"));
  EXPECT_EQ(model_->rowCount(), 2);
  ASSERT_FALSE(model_->setFilter(QStringLiteral("y")).has_value());
  EXPECT_FALSE(kept.isValid());
}

TEST_F(RunsModelTest, AFilterWithAMistakeNamesTheWordAndLeavesTheLastGoodOneInForce) {
  make({.name = "\u00e4lpha"});
  make({.name = "beta"});
  open();
  ASSERT_FALSE(model_->setFilter(QStringLiteral("beta")).has_value());
  const auto mistake = model_->setFilter(QStringLiteral("\u00e4lpha nokey<3"));
  ASSERT_TRUE(mistake.has_value());
  EXPECT_EQ(mistake->position, 6) << "counted in characters, not bytes";
  EXPECT_EQ(mistake->length, 5);
  EXPECT_TRUE(mistake->message.contains(QStringLiteral("there is no such key"))) << mistake->message.toStdString();
  EXPECT_EQ(names(), QStringList{QStringLiteral("beta")});
  EXPECT_EQ(model_->filter(), QStringLiteral("beta"));
}

TEST_F(RunsModelTest, AFilterOnTheSummaryWaitsForTheSummaries) {
  make({.name = "good", .quality = 1});
  make({.name = "bad", .quality = 40});
  open();
  ASSERT_FALSE(model_->setFilter(QStringLiteral("loss<0.5")).has_value());
  ASSERT_TRUE(until([this] { return model_->rowCount() == 1; }));
  EXPECT_EQ(names(), QStringList{QStringLiteral("good")});
}

TEST_F(RunsModelTest, GroupsByStrategyAndByTagCanBeChosen) {
  const std::string tagged = make({.name = "one"});
  make({.name = "two", .strategy = "none"});
  Annotations(workspace()).add_tag(tagged, "a");
  Annotations(workspace()).add_tag(tagged, "b");
  open();
  model_->setGrouping(RunsGrouping::strategy);
  EXPECT_EQ(model_->rowCount(), 2);
  EXPECT_EQ(model_->groupTitle(model_->index(0, 0)), QStringLiteral("none"));
  model_->setGrouping(RunsGrouping::tag);
  EXPECT_EQ(model_->rowCount(), 3) << "a, b and no tag";
  model_->setGrouping(RunsGrouping::none);
  EXPECT_EQ(names(), (QStringList{QStringLiteral("two"), QStringLiteral("one")}));
}

TEST_F(RunsModelTest, GroupsInsideGroupsKeepRunsMeansAndSelectionThroughChanges) {
  for (const char* strategy : {"sync", "none"}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      make({.name = std::string("seeds ") + strategy, .strategy = strategy, .group = std::string("g ") + strategy, .seed = seed});
    }
  }
  const std::string alone = make({.name = "alone", .strategy = "sync"});
  open();
  model_->setGrouping(RunsGrouping::strategy, RunsGrouping::experiment);
  ASSERT_EQ(model_->rowCount(), 2);
  QModelIndex sync;
  for (int row = 0; row < 2; ++row) {
    if (model_->groupTitle(model_->index(row, 0)) == QStringLiteral("sync")) sync = model_->index(row, 0);
  }
  ASSERT_TRUE(sync.isValid());
  ASSERT_EQ(model_->rowCount(sync), 2);  // the seeds together, and the one that ran once
  EXPECT_EQ(model_->runsAt({sync}).size(), 3U);
  QPersistentModelIndex seeds;
  for (int row = 0; row < 2; ++row) {
    const QModelIndex inner = model_->index(row, 0, sync);
    if (model_->rowCount(inner) > 0) seeds = inner;
  }
  ASSERT_TRUE(seeds.isValid());
  EXPECT_EQ(model_->rowCount(seeds), 2);
  EXPECT_EQ(model_->groupTitle(seeds), QStringLiteral("seeds sync"));
  const QPersistentModelIndex seed = model_->index(0, 0, seeds);
  const QString id = seed.data(RunsModel::id_role).toString();
  model_->sort(model_->columnOf(QStringLiteral("name")), Qt::AscendingOrder);
  model_->sort(model_->columnOf(QStringLiteral("name")), Qt::DescendingOrder);
  ASSERT_TRUE(seed.isValid());
  EXPECT_EQ(seed.data(RunsModel::id_role).toString(), id);
  // A run that leaves takes its groups with it once they are empty.
  for (const RunRowPtr& row : model_->runsAt({seeds})) Annotations(workspace()).set_trashed(row->attempts.front(), true);
  model_->refresh();
  ASSERT_TRUE(until([&] { return model_->countOf(RunsChip::all) == 3; }));
  EXPECT_FALSE(seeds.isValid());
  ASSERT_TRUE(sync.isValid() || model_->rowCount() == 2);
  for (int row = 0; row < model_->rowCount(); ++row) {
    if (model_->groupTitle(model_->index(row, 0)) == QStringLiteral("sync")) {
      EXPECT_EQ(model_->runsAt({model_->index(row, 0)}).size(), 1U);
    }
  }
  model_->setGrouping(RunsGrouping::target, RunsGrouping::none);
  ASSERT_EQ(model_->rowCount(), 1);
  EXPECT_EQ(model_->rowCount(model_->index(0, 0)), 3);
  model_->setGrouping(RunsGrouping::none);
  EXPECT_EQ(model_->rowCount(), 3);
}

TEST_F(RunsModelTest, WhatARunCameFromAndWhatCameOfItIsRelated) {
  const std::string first = make({.name = "first", .group = "g"}), twin = make({.name = "twin", .group = "g", .seed = 2});
  const std::string other = make({.name = "changed"});
  Database(path_.toStdString(), Database::Mode::write).execute("UPDATE run SET resumed_from = '" + first + "' WHERE id = '" + other + "'");
  Reader reader(workspace());
  const auto snapshot = read_runs(reader, nullptr);
  const auto related_to = [&](const std::string& id) {
    QStringList texts;
    for (const RunRowPtr& row : snapshot->rows) {
      if (row->info.id != id) continue;
      for (const RelatedRun& one : read_related(reader, *row)) texts << text_of(one.kind) + u' ' + one.name;
    }
    return texts;
  };
  EXPECT_EQ(related_to(first), (QStringList{QStringLiteral("resumed by changed"), QStringLiteral("same experiment twin")}));
  EXPECT_EQ(related_to(other), QStringList{QStringLiteral("resumed from first")});
  EXPECT_EQ(related_to(twin), QStringList{QStringLiteral("same experiment first")});
}

TEST_F(RunsModelTest, ARunLaunchedFromACopyKnowsWhatItWasClonedFrom) {
  const std::string first = make({.name = "first"}), clone = make({.name = "clone"}), other = make({.name = "other"});
  keep_draft_origin(workspace(), "draft", first);
  carry_origin(workspace(), "draft", clone);
  carry_origin(workspace(), "a draft of its own", other);
  Reader reader(workspace());
  const auto snapshot = read_runs(reader, nullptr);
  for (const RunRowPtr& row : snapshot->rows) {
    QStringList texts;
    for (const RelatedRun& one : read_related(reader, *row)) texts << text_of(one.kind) + u' ' + one.name;
    const QString expected = row->info.id == first   ? QStringLiteral("cloned by clone")
                             : row->info.id == clone ? QStringLiteral("cloned from first")
                                                     : QString();
    EXPECT_EQ(texts.join(u'|'), expected) << row->info.name;
  }
}

TEST(StoppedByHand, SaysWhoWhenAndWhatWasKnownBefore) {
  RunInfo run;
  run.state = "unknown";
  run.reason = "unknown since 2026-11-30 12:00:00 UTC";
  const ExitRecord record = stopped_by_hand(run, "ada on gpu07", 1.8e9);
  EXPECT_EQ(record.state, "stopped");
  EXPECT_EQ(record.exit_code, 5);
  EXPECT_EQ(record.ended, 1.8e9);
  EXPECT_TRUE(record.reason.starts_with("marked as stopped by ada on gpu07, 2027-01-15")) << record.reason;
  EXPECT_TRUE(record.reason.ends_with("; before that: unknown since 2026-11-30 12:00:00 UTC")) << record.reason;
  run.state = "lost";
  run.reason = "its processes are gone";
  EXPECT_TRUE(stopped_by_hand(run, "ada", 0).reason.ends_with("; before that: lost, its processes are gone"));
  for (const char* state : {"queued", "running", "stopping", "finished", "stopped", "failed"})
    EXPECT_FALSE(may_be_marked_stopped(state)) << state;
}

TEST_F(RunsModelTest, NewRunsWaitUntilTheyAreAskedForAndRowsStayWhereTheyAre) {
  make({.name = "old"});
  open();
  QSignalSpy resets(model_.get(), &QAbstractItemModel::modelReset), moves(model_.get(), &QAbstractItemModel::layoutChanged);
  make({.name = "new"});
  ASSERT_TRUE(until([this] { return model_->newRuns() == 1; }));
  EXPECT_EQ(names(), QStringList{QStringLiteral("old")});
  EXPECT_EQ(moves.count(), 0);
  model_->rearrange();
  EXPECT_EQ(names(), (QStringList{QStringLiteral("new"), QStringLiteral("old")}));
  EXPECT_EQ(model_->newRuns(), 0);
  EXPECT_EQ(resets.count(), 0);
}

TEST_F(RunsModelTest, AChangeThatWouldMoveARowOnlySaysThatTheOrderChanged) {
  const std::string first = make({.name = "a"});
  make({.name = "b"});
  open();
  model_->sort(model_->columnOf(QStringLiteral("name")), Qt::AscendingOrder);
  Annotations(workspace()).rename(first, "z");
  ASSERT_TRUE(until([this] { return model_->orderChanged(); }));
  EXPECT_EQ(names(), (QStringList{QStringLiteral("z"), QStringLiteral("b")}));
  model_->rearrange();
  EXPECT_EQ(names(), (QStringList{QStringLiteral("b"), QStringLiteral("z")}));
  EXPECT_FALSE(model_->orderChanged());
}

TEST_F(RunsModelTest, ARunPutIntoTheTrashLeavesTheTableAtOnce) {
  make({.name = "stays"});
  const std::string going = make({.name = "goes"});
  open();
  Annotations(workspace()).set_trashed(going, true);
  ASSERT_TRUE(until([this] { return model_->rowCount() == 1; }));
  EXPECT_EQ(names(), QStringList{QStringLiteral("stays")});
  EXPECT_EQ(model_->snapshot()->trashed.size(), 1U);
  Annotations(workspace()).set_trashed(going, false);
  ASSERT_TRUE(until([this] { return model_->rowCount() == 2; })) << "what comes back is no new run that has to wait";
}

TEST_F(RunsModelTest, EditsInPlaceGoToTheWorkspaceAndShowAsPendingUntilThen) {
  const std::string id = make({.name = "before"});
  open();
  const QModelIndex name = model_->index(0, model_->columnOf(QStringLiteral("name")));
  ASSERT_TRUE(model_->setData(name, QStringLiteral("after"), Qt::EditRole));
  EXPECT_EQ(name.data().toString(), QStringLiteral("after"));
  EXPECT_TRUE(name.data(RunsModel::pending_role).toBool());
  ASSERT_TRUE(until([&] { return !name.data(RunsModel::pending_role).toBool() && name.data().toString() == QStringLiteral("after"); }));
  ASSERT_TRUE(model_->setData(model_->index(0, model_->columnOf(QStringLiteral("tags"))), QStringLiteral("b,  a , b"), Qt::EditRole));
  ASSERT_TRUE(until([this] { return store_->pending() == 0; }));
  Reader reader(workspace());
  EXPECT_EQ(reader.run(id).name, "after");
  EXPECT_EQ(reader.run(id).tags, (std::vector<std::string>{"a", "b"}));
}

TEST_F(RunsModelTest, AnEditThatIsRefusedGivesWayToWhatIsSo) {
  make({.name = "before"});
  open();
  QStringList problems;
  QObject::connect(store_.get(), &StoreService::problem, model_.get(),
                   [&problems](const StoreProblem& problem) { problems << problem.message; });
  const QModelIndex name = model_->index(0, model_->columnOf(QStringLiteral("name")));
  ASSERT_TRUE(model_->setData(name, QString(400, u'W'), Qt::EditRole));
  EXPECT_TRUE(name.data(RunsModel::pending_role).toBool());
  QSignalSpy changes(model_.get(), &QAbstractItemModel::dataChanged);
  ASSERT_TRUE(until([&] { return !name.data(RunsModel::pending_role).toBool(); }));
  EXPECT_EQ(name.data().toString(), QStringLiteral("before"));
  EXPECT_FALSE(changes.isEmpty()) << "nobody would look again";
  EXPECT_TRUE(problems.join(u' ').contains(QStringLiteral("the name of a run must have at most"))) << problems.join(u' ').toStdString();
  // What comes to the same as before is no edit, and not pending for ever.
  const QModelIndex tags = model_->index(0, model_->columnOf(QStringLiteral("tags")));
  ASSERT_TRUE(model_->setData(tags, QStringLiteral(" , "), Qt::EditRole));
  EXPECT_TRUE(until([&] { return !tags.data(RunsModel::pending_role).toBool(); }));
}

TEST_F(RunsModelTest, AnySettingAndAnyMetricCanBeAColumn) {
  make({.name = "one", .workers = 2});
  open();
  model_->setColumns({QStringLiteral("setting:train.epochs"), QStringLiteral("summary:step_s"), QStringLiteral("setting:no.such.key")});
  ASSERT_TRUE(has(QStringLiteral("setting:train.epochs"), 0));
  EXPECT_EQ(text(QStringLiteral("setting:train.epochs"), 0), QStringLiteral("3"));
  ASSERT_TRUE(has(QStringLiteral("summary:step_s"), 0));
  EXPECT_EQ(text(QStringLiteral("summary:step_s"), 0), quantity_text(SummaryMetric::duration, 0.010));
  EXPECT_EQ(text(QStringLiteral("setting:no.such.key"), 0), QStringLiteral("\u2013"));
}

TEST_F(RunsModelTest, OneDamagedRunIsShownAsSuchAndTheOthersAreRead) {
  make({.name = "whole"});
  const std::string id = make({.name = "broken"});
  {
    Database database = workspace().connect();
    database.execute("DELETE FROM summary WHERE run = (SELECT key FROM run WHERE id = '" + id + "')");
    database.execute(
        "UPDATE step SET data = x'00' WHERE lane IN (SELECT step_lane.key FROM step_lane JOIN run ON run.key = step_lane.run WHERE run.id "
        "= '" +
        id + "')");
    database.execute(
        "UPDATE step_chunk SET data = x'00' WHERE lane IN (SELECT step_lane.key FROM step_lane JOIN run ON run.key = step_lane.run WHERE "
        "run.id = '" +
        id + "')");
  }
  open();
  ASSERT_TRUE(has(QStringLiteral("loss"), 0));
  ASSERT_TRUE(has(QStringLiteral("loss"), 1));
  EXPECT_EQ(text(QStringLiteral("state"), 0), QStringLiteral("\u26a0 Damaged"));
  EXPECT_EQ(text(QStringLiteral("loss"), 0), QStringLiteral("\u2013"));
  EXPECT_EQ(text(QStringLiteral("loss"), 1), quantity_text(SummaryMetric::plain, 0.025));
}

TEST_F(RunsModelTest, UpdatesAreToldAtMostFourTimesASecondWithExactRanges) {
  const std::string id = make({.name = "a"});
  make({.name = "b"});
  open();
  for (int row = 0; row < 2; ++row) ASSERT_TRUE(has(QStringLiteral("loss"), row));  // what comes by itself has come
  QTest::qWait(600);
  QSignalSpy changes(model_.get(), &QAbstractItemModel::dataChanged);
  QElapsedTimer timer;
  timer.start();
  Annotations annotations(workspace());
  for (int i = 0; i < 50; ++i) {
    annotations.set_notes(id, "note " + std::to_string(i));
    QTest::qWait(20);
  }
  ASSERT_TRUE(until([this] { return text(QStringLiteral("note"), 1) == QStringLiteral("note 49"); }));
  const auto most = timer.elapsed() / 250 + 2;
  EXPECT_GT(changes.count(), 0);
  EXPECT_LE(changes.count(), most);
  for (const auto& change : changes) {
    EXPECT_EQ(change[0].toModelIndex().row(), 1);
    EXPECT_EQ(change[1].toModelIndex().row(), 1);
  }
}

TEST_F(RunsModelTest, TenThousandRunsAreGroupedFilteredAndSortedRight) {
  write_many_runs(path_.toStdString(), 10000);
  open();
  EXPECT_EQ(model_->rowCount(), 2000);
  EXPECT_EQ(model_->countOf(RunsChip::attention), 500);
  model_->setChip(RunsChip::attention);
  EXPECT_EQ(model_->shownRuns(), 500);
  model_->setChip(RunsChip::all);
  model_->setGrouping(RunsGrouping::none);
  EXPECT_EQ(model_->rowCount(), 10000);
  model_->sort(model_->columnOf(QStringLiteral("samples_per_s")), Qt::DescendingOrder);
  ASSERT_TRUE(until([this] { return model_->detailsIdle(); }, 60000));
  const int column = model_->columnOf(QStringLiteral("samples_per_s"));
  double before = 1e300;
  for (int row = 0; row < 10000; row += 7) {
    const auto runs = model_->runsAt({model_->index(row, column)});
    const double value = *model_->details().find(runs.front()->info.id)->summary->samples_per_s;
    ASSERT_LE(value, before) << row;
    before = value;
  }
  ASSERT_FALSE(model_->setFilter(QStringLiteral("loss<0.01 strategy:sync not tag:\"batch 3\"")).has_value());
  const RunFilter filter("loss<0.01 strategy:sync not tag:\"batch 3\"");
  int expected = 0;
  for (const RunRowPtr& row : model_->snapshot()->rows) {
    expected += filter.matches(row->info, *model_->details().find(row->info.id)->summary) ? 1 : 0;
  }
  EXPECT_GT(expected, 0);
  EXPECT_EQ(model_->rowCount(), expected);
}

}  // namespace
}  // namespace syncline::ui
