// SPDX-License-Identifier: Apache-2.0
// Samples in the memory of thread ranks (card of multi-colour allreduce, section E).
#include <algorithm>
#include <mutex>
#include <numeric>
#include <set>

#include "engine/comm/thread_world.h"
#include "engine/data/resident_set.h"
#include "tests/unit/data/fixtures.h"

namespace syncline {
namespace {

using namespace test;
using Ids = std::vector<std::int32_t>;

TEST(SlotPermutation, IsTheCards) {
  EXPECT_EQ(slot_permutation(9, 1001), (Ids{6, 4, 8, 1, 2, 5, 3, 0, 7}));
  EXPECT_EQ(slot_permutation(9, 1002), (Ids{8, 4, 7, 3, 5, 1, 6, 2, 0}));
  EXPECT_TRUE(slot_permutation(0, 1).empty());
  EXPECT_EQ(slot_permutation(1, 1), Ids{0});
}

void on_ranks(int size, const std::function<void(Communicator&)>& body) {
  ThreadWorld world(size);
  run_ranks(world, [&](World& rank) { body(rank.communicator()); });
}

// Three ranks, nine records, two shuffles; each rank's records and what it sent as the card gives them.
TEST(ResidentSet, MovesTheHandExample) {
  const NumberedSet source(9);
  const std::vector<std::int64_t> ends{0, 3, 6, 9};
  const Ids first{0, 1, 2, 3, 4, 5, 6, 7, 8}, once{6, 4, 8, 1, 2, 5, 3, 0, 7}, twice{7, 2, 0, 1, 5, 4, 3, 8, 6};
  on_ranks(3, [&](Communicator& members) {
    const int me = members.rank();
    ResidentSet set(source);
    set.read_from(source, SlotsView{first, ends}.of(me), false);
    const Loader::Exchanged sent = set.exchange({first, ends}, {once, ends}, members);
    EXPECT_EQ(sent.samples, (std::vector<int>{3, 2, 2}[static_cast<std::size_t>(me)])) << "rank " << me;  // of [0 2 1] [1 1 1] [2 0 1]
    EXPECT_EQ(sent.bytes, 5 * sent.samples) << "a label and four pixels";
    for (const std::int32_t id : SlotsView{once, ends}.of(me)) EXPECT_EQ(set.label(id), source.label(id));
    set.exchange({once, ends}, {twice, ends}, members);
    for (std::int32_t id = 0; id < 9; ++id) {
      const auto mine = SlotsView{twice, ends}.of(me);
      if (std::find(mine.begin(), mine.end(), id) == mine.end()) {
        EXPECT_THROW(set.label(id), UsageError) << "rank " << me << " gave sample " << id << " away";
        continue;
      }
      std::array<std::uint8_t, 4> here{}, there{};
      set.read(id, here);
      source.read(id, there);
      EXPECT_EQ(here, there) << id;
    }
  });
}

TEST(ResidentSet, ARankThatHoldsAnotherSetIsFound) {
  const NumberedSet large(8), small(6);
  EXPECT_THROW(on_ranks(2,
                        [&](Communicator& members) {
                          const NumberedSet& source = members.rank() == 0 ? large : small;
                          const std::int64_t size = source.size();
                          Ids before(static_cast<std::size_t>(size)), after;
                          std::iota(before.begin(), before.end(), 0);
                          after.assign(before.rbegin(), before.rend());
                          const std::vector<std::int64_t> ends{0, size / 2, size};
                          ResidentSet set(source);
                          set.read_from(source, SlotsView{before, ends}.of(members.rank()), false);
                          set.exchange({before, ends}, {after, ends}, members);
                        }),
               TrainingError);
}

struct Passed {                                    // of one epoch
  std::vector<std::vector<std::int64_t>> by_rank;  // in the order in which they came
  std::int64_t exchanged = 0;                      // samples that ranks sent before it
};

struct Job {
  std::vector<std::int64_t> batches;
  Residency residency = {.memory = true};
  std::string shards = "shuffled", last_batch = "keep";
  std::int64_t from_epoch = 0, from_batch = 0;
  int prefetch = 2;
};

std::vector<Passed> train(const std::shared_ptr<const NumberedSet>& set, const Job& job, int epochs) {
  const int ranks = static_cast<int>(job.batches.size());
  std::vector<Passed> passed(static_cast<std::size_t>(epochs));
  for (Passed& each : passed) each.by_rank.resize(static_cast<std::size_t>(ranks));
  std::mutex mutex;
  on_ranks(ranks, [&](Communicator& all) {
    const int rank = all.rank(), members = ranks / job.residency.groups;
    const auto group = all.split(rank / members, rank, "samples");
    LoaderOptions options;
    options.seed = 7;
    options.rank = rank;
    options.ranks = ranks;
    options.batch_per_rank = job.batches;
    options.shards = job.shards;
    options.last_batch = job.last_batch;
    options.prefetch = job.prefetch;
    options.residency = job.residency;
    options.residency.members = group.get();
    options.residency.open = [set] { return set; };
    const auto loader = make_loader(set, options);
    if (job.from_epoch > 0 || job.from_batch > 0) loader->seek(job.from_epoch, job.from_batch);
    for (int epoch = 0; epoch < epochs; ++epoch) {
      Passed& here = passed[static_cast<std::size_t>(epoch)];
      if (loader->exchange_due()) {
        EXPECT_THROW(loader->next(), UsageError) << "what comes next is not here yet";
        const Loader::Exchanged sent = loader->exchange();
        const std::lock_guard lock(mutex);
        here.exchanged += sent.samples;
        EXPECT_EQ(sent.bytes, 5 * sent.samples);
      }
      EXPECT_FALSE(loader->exchange_due());
      for (bool last = false; !last;) {
        const Batch& batch = loader->next();
        EXPECT_EQ(batch.epoch, job.from_epoch + epoch);
        last = batch.last_of_epoch;
        const auto ids = ids_of(batch);
        for (std::size_t row = 0; row < ids.size(); ++row) EXPECT_EQ(batch.labels[row], set->label(ids[row]));
        auto& mine = here.by_rank[static_cast<std::size_t>(rank)];
        mine.insert(mine.end(), ids.begin(), ids.end());
      }
    }
  });
  return passed;
}

std::multiset<std::int64_t> all_of(const Passed& epoch) {
  std::multiset<std::int64_t> ids;
  for (const auto& each : epoch.by_rank) ids.insert(each.begin(), each.end());
  return ids;
}
std::set<std::int64_t> set_of(const std::vector<std::int64_t>& ids) { return {ids.begin(), ids.end()}; }

TEST(ResidentLoader, EverySampleComesOnceAnEpochAndEveryRankKeepsItsCount) {
  for (const std::vector<std::int64_t>& batches : {std::vector<std::int64_t>{4}, {3, 3}, {4, 2, 4}, {2, 2, 2, 2}, {1, 5, 2, 3, 1}}) {
    for (const int prefetch : {0, 3}) {
      const auto set = std::make_shared<NumberedSet>(101);
      const auto epochs = train(set, {.batches = batches, .prefetch = prefetch}, 4);
      EXPECT_EQ(set->reads, 101) << "from the source once, each by the rank that holds it";
      for (const Passed& epoch : epochs) {
        const auto ids = all_of(epoch);
        EXPECT_EQ(ids.size(), 101u);
        EXPECT_EQ(std::set(ids.begin(), ids.end()).size(), 101u);
        for (std::size_t rank = 0; rank < batches.size(); ++rank)
          EXPECT_EQ(epoch.by_rank[rank].size(), epochs[0].by_rank[rank].size()) << "rank " << rank;
      }
      EXPECT_EQ(epochs[0].exchanged, 0);
      EXPECT_NE(epochs[0].by_rank[0], epochs[1].by_rank[0]);
      if (batches.size() == 1) continue;
      EXPECT_GT(epochs[1].exchanged, 0);
      EXPECT_NE(set_of(epochs[0].by_rank[0]), set_of(epochs[1].by_rank[0]));
      EXPECT_NE(set_of(epochs[1].by_rank[0]), set_of(epochs[2].by_rank[0]));
    }
  }
}

TEST(ResidentLoader, SamplesChangePlacesAsOftenAsAsked) {
  const auto set = std::make_shared<NumberedSet>(60);
  const auto never = train(set, {.batches = {5, 5, 5}, .residency = {.memory = true, .shuffle_every = 0}}, 3);
  EXPECT_EQ(never[1].exchanged + never[2].exchanged, 0);
  EXPECT_EQ(set_of(never[0].by_rank[1]), set_of(never[2].by_rank[1]));
  EXPECT_NE(never[0].by_rank[1], never[1].by_rank[1]) << "another order of the same";
  const auto second = train(set, {.batches = {5, 5, 5}, .residency = {.memory = true, .shuffle_every = 2}}, 5);
  EXPECT_EQ(set_of(second[0].by_rank[1]), set_of(second[1].by_rank[1]));
  EXPECT_NE(set_of(second[1].by_rank[1]), set_of(second[2].by_rank[1]));
  EXPECT_EQ(set_of(second[2].by_rank[1]), set_of(second[3].by_rank[1]));
  EXPECT_GT(second[4].exchanged, 0);
}

TEST(ResidentLoader, ByLabelItBeginsWithSortedBlocks) {
  const auto set = std::make_shared<NumberedSet>(90);
  const auto epochs = train(set, {.batches = {5, 5, 5}, .shards = "by-label"}, 2);
  const auto labels = [&](const std::vector<std::int64_t>& ids) {
    std::set<std::int32_t> seen;
    for (const std::int64_t id : ids) seen.insert(set->label(id));
    return seen.size();
  };
  EXPECT_EQ(labels(epochs[0].by_rank[0]), 1u);
  EXPECT_EQ(labels(epochs[1].by_rank[0]), 3u) << "mixed by the first exchange";
}

TEST(ResidentLoader, GoesOnFromAnyPlaceAsIfItHadNeverStopped) {
  const auto set = std::make_shared<NumberedSet>(53);
  for (const char* last_batch : {"keep", "drop"}) {
    Job job{.batches = {4, 3}, .last_batch = last_batch};
    const auto whole = train(set, job, 5);
    for (const std::int64_t epoch : {1, 2, 3}) {
      job.from_epoch = epoch;
      const auto rest = train(set, job, 5 - static_cast<int>(epoch));
      EXPECT_EQ(rest[0].exchanged, 0) << "what it holds then is read, not sent";
      for (std::size_t e = 0; e < rest.size(); ++e)
        EXPECT_EQ(rest[e].by_rank, whole[static_cast<std::size_t>(epoch) + e].by_rank) << "epoch " << epoch << " + " << e;
    }
    job.from_batch = 2;
    const auto middle = train(set, job, 1);
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const auto& all = whole[3].by_rank[rank];
      EXPECT_EQ(middle[0].by_rank[rank], std::vector(all.begin() + 2 * job.batches[rank], all.end()));
    }
  }
}

TEST(ResidentLoader, EveryGroupHoldsAndPassesTheWholeSet) {
  const auto set = std::make_shared<NumberedSet>(48);
  const auto epochs = train(set, {.batches = {3, 3, 3, 3}, .residency = {.memory = true, .groups = 2}}, 6);
  for (std::size_t pass = 0; pass < 3; ++pass) {
    for (const std::size_t group : {0, 1}) {
      std::multiset<std::int64_t> seen;
      for (const std::size_t epoch : {2 * pass, 2 * pass + 1})
        for (const std::size_t member : {0, 1})
          seen.insert(epochs[epoch].by_rank[2 * group + member].begin(), epochs[epoch].by_rank[2 * group + member].end());
      EXPECT_EQ(seen.size(), 48u);
      EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 48u) << "pass " << pass << ", group " << group;
    }
  }
  EXPECT_EQ(epochs[1].exchanged, 0) << "in the middle of a pass nothing moves";
  EXPECT_GT(epochs[2].exchanged, 0);
  EXPECT_NE(epochs[2].by_rank[0], epochs[2].by_rank[2]) << "groups move by themselves";
  const auto copies = train(set, {.batches = {3, 3}, .residency = {.memory = true, .groups = 2}}, 4);
  for (const Passed& epoch : copies) EXPECT_EQ(epoch.exchanged, 0) << "everybody has everything";
}

TEST(ResidentLoader, AboutAllButAPthOfTheBytesMove) {
  const auto set = std::make_shared<NumberedSet>(6000);
  const auto epochs = train(set, {.batches = {10, 10, 10, 10}}, 2);
  EXPECT_NEAR(static_cast<double>(epochs[1].exchanged), 6000 * 3 / 4.0, 200);
}

TEST(ResidentLoader, SaysWhatGroupsNeed) {
  const auto set = std::make_shared<NumberedSet>(40);
  const auto made = [&](std::vector<std::int64_t> batches, int groups) {
    LoaderOptions options;
    options.ranks = static_cast<int>(batches.size());
    options.batch_per_rank = std::move(batches);
    options.residency = {.memory = true, .groups = groups};
    make_loader(set, options);
  };
  EXPECT_NE(message_of<ConfigError>([&] { made({4, 4, 4}, 2); }).find("2 groups of 3 workers"), std::string::npos);
  EXPECT_NE(message_of<ConfigError>([&] { made({4, 2, 4, 4}, 2); }).find("equal batches"), std::string::npos);
}

}  // namespace
}  // namespace syncline
