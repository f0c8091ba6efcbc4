// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/timeline.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <random>

#include "ui/models/run_page_communication.h"
#include "ui/models/timeline_table.h"

namespace syncline::ui {
namespace {

// A step from 0 to 10: forward 0 to 3, backward 3 to 7, update 9 to 10; the exchange of bucket 1 from `issued` to `done`.
StepTrace trace(int rank, double issued, double done, double zero = 0) {
  StepTrace trace{.rank = rank, .step = 5, .start_s = zero, .end_s = zero + 10, .spans = {}, .exchanges = {}};
  const auto span = [&](double from, double to, SpanKind kind, int id) {
    trace.spans.push_back({zero + from, zero + to, kind, static_cast<std::uint16_t>(id), 5});
  };
  span(0, 3, SpanKind::forward, 2);
  span(3, 7, SpanKind::backward, 2);
  span(7, 9, SpanKind::wait, 1);
  span(9, 10, SpanKind::update, 0);
  trace.exchanges.push_back(ExchangeRecord::of({.queued_s = zero + issued - 0.5,
                                                .issued_s = zero + issued,
                                                .done_s = zero + done,
                                                .step = 5,
                                                .id = 1,
                                                .sequence = 40,
                                                .bytes = 1000,
                                                .sent_bytes = 900,
                                                .messages = 2,
                                                .label = "bucket 1 (a to b)"}));
  return trace;
}

const TimelineLane& lane(const Timeline& timeline, int rank, int row) {
  for (const TimelineLane& candidate : timeline.lanes) {
    if (candidate.rank == rank && candidate.row == row) return candidate;
  }
  throw std::out_of_range("no such lane");
}

TEST(TimelineTest, DrawsTheHiddenAndTheExposedPartOfAnExchangeApart) {
  const Timeline timeline = make_timeline(std::vector<StepTrace>{trace(0, 5, 9.5)}, {});
  const TimelineEvent& exchange = lane(timeline, 0, 1).events.at(0);
  EXPECT_DOUBLE_EQ(exchange.hidden_s, 2.5);  // 5 to 7 behind the backward pass, 9 to 9.5 behind the update
  EXPECT_DOUBLE_EQ(exchange.exposed_s, 2);
  ASSERT_EQ(exchange.exposed.size(), 1u);
  EXPECT_EQ(exchange.exposed[0], (Interval{7, 9}));
  EXPECT_EQ(exchange.title(), QStringLiteral("bucket 1 (a to b)"));
  EXPECT_EQ(lane(timeline, 0, 0).events.size(), 4u);
}

TEST(TimelineTest, MeasuresARangeRankByRank) {
  const Timeline timeline = make_timeline(std::vector<StepTrace>{trace(0, 5, 9.5), trace(1, 6, 8)}, {});
  const RangeMeasure measured = measure(timeline, 2, 9);
  EXPECT_DOUBLE_EQ(measured.length_s, 7);
  ASSERT_EQ(measured.ranks.size(), 2u);
  EXPECT_DOUBLE_EQ(measured.ranks[0].compute_s, 5);  // 2 to 7; the update begins at 9
  EXPECT_DOUBLE_EQ(measured.ranks[0].communication_s, 4);
  EXPECT_DOUBLE_EQ(measured.ranks[0].exposed_s, 2);
  EXPECT_EQ(measured.ranks[0].exchanges, 0);  // it ends outside
  EXPECT_DOUBLE_EQ(measured.ranks[1].exposed_s, 1);
  EXPECT_EQ(measured.ranks[1].exchanges, 1);
  EXPECT_EQ(measured.ranks[1].bytes, 1000);
  EXPECT_TRUE(text_of(measured, false).contains(QStringLiteral("rank 0: compute"))) << text_of(measured, false).toStdString();
  EXPECT_EQ(text_of(measured, true).count(u'\n'), 2);
  EXPECT_EQ(measure(timeline, 20, 30).ranks[0].compute_s, 0);
}

TEST(TimelineTest, GivesTheSameExposedTimeAsTheAccountingOfTheEngine) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> moment(0, 10);
  for (int round = 0; round < 50; ++round) {
    const double issued = moment(random), done = issued + moment(random) * (10 - issued) / 10;
    const StepTrace one = trace(0, issued, done);
    const Timeline timeline = make_timeline(std::vector<StepTrace>{one}, {});
    EXPECT_NEAR(lane(timeline, 0, 1).events.at(0).exposed_s, account_step(one).exposed_s, 1e-12);
  }
}

TEST(TimelineTest, SaysWhoWasWaitedForOnClocksThatDiffer) {
  TimelineIndex index;
  index.clock = TimelineClock({{.rank = 0, .offset = {0, 0.001, 0}}, {.rank = 1, .offset = {100, 0.001, 0}}});
  const Timeline timeline = make_timeline(std::vector<StepTrace>{trace(0, 5, 9), trace(1, 7, 9, 100)}, index);
  EXPECT_NEAR(lane(timeline, 1, 1).events.at(0).start_s, 7, 1e-9);
  const TimelineEvent& early = lane(timeline, 0, 1).events.at(0);
  ASSERT_TRUE(early.peer_wait_s.has_value());
  EXPECT_NEAR(*early.peer_wait_s, 2, 1e-9);
  EXPECT_EQ(early.last_peer, 1);
  EXPECT_NEAR(*lane(timeline, 1, 1).events.at(0).peer_wait_s, 0, 1e-9);
}

TEST(TimelineTest, DoesNotSeparateWaitingBelowWhatTheClocksCanTell) {
  TimelineIndex index;
  index.clock = TimelineClock({{.rank = 0, .offset = {0, 3, 0}}, {.rank = 1, .offset = {0, 3, 0}}});
  const Timeline timeline = make_timeline(std::vector<StepTrace>{trace(0, 5, 9), trace(1, 7, 9)}, index);
  EXPECT_FALSE(lane(timeline, 0, 1).events.at(0).peer_wait_s.has_value());
}

TEST(TimelineTest, ShowsAnExchangeAcrossABorderOnce) {
  StepTrace first = trace(0, 8, 12), second = trace(0, 8, 12);
  second.step = 6;
  second.start_s = 10;
  second.end_s = 20;
  second.spans.clear();
  EXPECT_EQ(lane(make_timeline(std::vector<StepTrace>{first, second}, {}), 0, 1).events.size(), 1u);
}

TEST(TimelineTest, PutsExchangesThatOverlapIntoRowsOfTheirOwn) {
  StepTrace one = trace(0, 3, 8);
  ExchangeRecord other = one.exchanges[0];
  other.sequence = 41;
  other.issued_s = 4;
  one.exchanges.push_back(other);
  const Timeline timeline = make_timeline(std::vector<StepTrace>{one}, {});
  EXPECT_EQ(lane(timeline, 0, 1).events.size(), 1u);
  EXPECT_EQ(lane(timeline, 0, 2).events.size(), 1u);
}

TEST(TimelineTest, KeepsWhatIsInsideALongerSpanVisible) {
  StepTrace one{.rank = 0, .step = 0, .start_s = 0, .end_s = 10, .spans = {}, .exchanges = {}};
  one.spans = {{0, 10, SpanKind::evaluation, 0, 0}, {4, 6, SpanKind::forward, 1, 0}};
  const Timeline timeline = make_timeline(std::vector<StepTrace>{one}, {});
  const auto& events = lane(timeline, 0, 0).events;
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[1].kind, TimelineKind::forward);
  EXPECT_DOUBLE_EQ(events[2].start_s, 6);
}

TimelineLane many(int count) {
  TimelineLane lane;
  for (int k = 0; k < count; ++k) {
    TimelineEvent event;
    event.start_s = k;
    event.end_s = k + (k % 3 == 0 ? 0.2 : 0.5);
    event.kind = k % 3 == 0 ? TimelineKind::forward : TimelineKind::backward;
    lane.events.push_back(event);
  }
  return lane;
}

TEST(TimelineBlocks, AreSingleEventsWhereThereIsRoom) {
  const auto blocks = visible_blocks(many(10), 0, 10, 1000);
  ASSERT_EQ(blocks.size(), 10u);
  for (int k = 0; k < 10; ++k) EXPECT_EQ(blocks[static_cast<std::size_t>(k)].event, k);
}

TEST(TimelineBlocks, AreAtMostTwoAPixelAndLeaveNoEventOut) {
  for (const int pixels : {1, 7, 100, 333}) {
    const auto blocks = visible_blocks(many(100'000), 0, 100'000, pixels);
    EXPECT_LE(blocks.size(), 2u * static_cast<unsigned>(pixels));
    int next = 0;
    for (const TimelineBlock& block : blocks) {
      EXPECT_EQ(block.first, next);
      next = block.last + 1;
    }
    EXPECT_EQ(next, 100'000);
  }
}

TEST(TimelineBlocks, HaveTheKindOfMostOfTheirTimeAndTheOccupiedShare) {
  const auto blocks = visible_blocks(many(300), 0, 300, 1);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].event, -1);
  EXPECT_EQ(blocks[0].kind, TimelineKind::backward);
  EXPECT_NEAR(blocks[0].occupied, 0.4, 0.01);
}

TEST(TimelineBlocks, TouchTheRangeOnly) {
  const auto blocks = visible_blocks(many(100), 40.1, 42.9, 280);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks.front().event, 40);
  EXPECT_EQ(blocks.back().event, 42);
  EXPECT_TRUE(visible_blocks(many(100), 40.6, 40.9, 10).empty());
}

TEST(TimelineBlocks, EndWithEventsThatTakeNoTime) {
  TimelineLane lane;
  lane.events.resize(3);  // all from 0 to 0
  EXPECT_FALSE(visible_blocks(lane, 0, 1, 10).empty());
}

TEST(TimelineLookup, FindsTheEventAtAMomentOrTheNearest) {
  const TimelineLane lane = many(10);
  EXPECT_EQ(event_at(lane, 4.25, 0), 4);
  EXPECT_EQ(event_at(lane, 4.6, 0), -1);
  EXPECT_EQ(event_at(lane, 4.6, 0.2), 4);
  EXPECT_EQ(event_at(lane, 4.9, 0.2), 5);
  EXPECT_EQ(event_at(lane, 100, 1), -1);
}

TEST(TimelineExport, WritesWhatIsVisibleForPerfetto) {
  const Timeline timeline = make_timeline(std::vector<StepTrace>{trace(0, 5, 9.5)}, {});
  const QJsonObject root = QJsonDocument::fromJson(chrome_trace(timeline, 8, 20, QStringLiteral("a run"))).object();
  QStringList names;
  for (const auto& value : root.value(QStringLiteral("traceEvents")).toArray()) {
    const QJsonObject event = value.toObject();
    if (event.value(QStringLiteral("ph")).toString() == QStringLiteral("X")) names << event.value(QStringLiteral("name")).toString();
    if (event.value(QStringLiteral("cat")).toString() != QStringLiteral("communication")) continue;
    EXPECT_DOUBLE_EQ(event.value(QStringLiteral("ts")).toDouble(), 5e6);
    EXPECT_DOUBLE_EQ(event.value(QStringLiteral("args")).toObject().value(QStringLiteral("bytes")).toDouble(), 1000);
  }
  EXPECT_EQ(names,
            (QStringList{QStringLiteral("waiting for an exchange"), QStringLiteral("update 0"), QStringLiteral("bucket 1 (a to b)")}));
}

TEST(TimelineTableTest, ListsTheVisibleEventsByTheirStart) {
  TimelineTable table;
  QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const auto timeline = std::make_shared<const Timeline>(make_timeline(std::vector<StepTrace>{trace(0, 5, 9.5)}, {}));
  table.show(timeline, 4, 8);
  ASSERT_EQ(table.rowCount(), 3);
  EXPECT_EQ(table.index(1, TimelineTable::event_column).data().toString(), QStringLiteral("bucket 1 (a to b)"));
  EXPECT_DOUBLE_EQ(table.index(1, TimelineTable::exposed_column).data(Qt::UserRole).toDouble(), 2);
  EXPECT_EQ(table.placeOf(1).lane, 1);
}

TEST(CollectivesTest, HaveBandwidthSkewAndHiddenShare) {
  const Timeline timeline = make_timeline(std::vector<StepTrace>{trace(0, 5, 9), trace(1, 6, 9)}, {});
  const std::vector<CollectiveRow> rows = collectives_of(timeline);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].n, 1);
  EXPECT_EQ(rows[0].bytes, 1000);
  EXPECT_DOUBLE_EQ(*rows[0].skew_s, 1);
  EXPECT_DOUBLE_EQ(rows[0].p50_s, 3.5);
  EXPECT_NEAR(rows[0].algorithm_bytes_per_s, 1000 / 3.5, 1e-9);
  EXPECT_NEAR(*rows[0].bus_bytes_per_s, 1000 / 3.5, 1e-9);     // 2 (n-1) / n is 1 for two ranks
  EXPECT_DOUBLE_EQ(*rows[0].hidden_share, (2.0 + 1.0) / 7.0);  // 5 to 7 and 6 to 7 of 4 and 3 seconds
}

}  // namespace
}  // namespace syncline::ui
