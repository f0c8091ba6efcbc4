// SPDX-License-Identifier: Apache-2.0
#include "engine/train/rank/resources.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/metrics/clock.h"
#include "engine/train/rank/placement.h"
#include "engine/train/rank/rate_window.h"
#include "engine/train/rank/record_channel.h"

namespace syncline {
namespace {

class ProcFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "syncline-proc-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(folder_ / "self");
    std::filesystem::create_directories(folder_ / "net");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::filesystem::path& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  ResourceCounters read() const { return read_resources(folder_, folder_ / "interfaces"); }

  std::filesystem::path folder_;
};

constexpr char net_heading[] =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n";

TEST_F(ProcFiles, GiveResidentMemoryInBytes) {
  write("self/statm", "9000 1234 10 1 0 500 0\n");
  EXPECT_DOUBLE_EQ(read().resident_bytes, 1234.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
}

TEST_F(ProcFiles, LeaveTheLoopbackOut) {
  write("net/dev", std::string(net_heading) + "    lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n");
  EXPECT_FALSE(read().network);
  write("net/dev", std::string(net_heading) + "    lo: 500 1 0 0 0 0 0 0 500 1 0 0 0 0 0 0\n  eth0:10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n");
  const ResourceCounters counters = read();
  EXPECT_TRUE(counters.network);
  EXPECT_DOUBLE_EQ(counters.received_bytes, 10);
  EXPECT_DOUBLE_EQ(counters.sent_bytes, 20);
}

TEST_F(ProcFiles, CountABridgesTrafficOnce) {
  write("net/dev", std::string(net_heading) + "  eth0: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n   br0: 10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n");
  EXPECT_DOUBLE_EQ(read().sent_bytes, 40);
  std::filesystem::create_directories(folder_ / "interfaces" / "eth0" / "device");
  EXPECT_DOUBLE_EQ(read().sent_bytes, 20);
}

TEST_F(ProcFiles, ThatAreMissingGiveNoNetwork) {
  const ResourceCounters counters = read();
  EXPECT_FALSE(counters.network);
  EXPECT_EQ(counters.resident_bytes, 0);
}

TEST(ResourceRates, AreSharesOfTheRanksCoresAndBytesPerSecond) {
  const ResourceCounters before{.at_s = 10, .cpu_s = 4, .resident_bytes = 1, .network = true, .sent_bytes = 100, .received_bytes = 1000};
  const ResourceCounters now{.at_s = 14, .cpu_s = 8, .resident_bytes = 7, .network = true, .sent_bytes = 500, .received_bytes = 1400};
  const ResourceSample sample = resource_rates(before, now, 2);
  EXPECT_DOUBLE_EQ(sample.cpu_share, 0.5);
  EXPECT_DOUBLE_EQ(sample.resident_bytes, 7);
  EXPECT_DOUBLE_EQ(sample.sent_bytes_per_s, 100);
  EXPECT_DOUBLE_EQ(sample.received_bytes_per_s, 100);
}

TEST(ResourceRates, AreNotKnownWhereThereIsNoNetworkOrACounterWentBack) {
  const ResourceCounters without{.at_s = 1}, with{.at_s = 2, .network = true, .sent_bytes = 5, .received_bytes = 5};
  EXPECT_TRUE(std::isnan(resource_rates(without, with, 1).sent_bytes_per_s));
  const ResourceCounters less{.at_s = 3, .network = true, .sent_bytes = 4, .received_bytes = 9};
  EXPECT_TRUE(std::isnan(resource_rates(with, less, 1).sent_bytes_per_s));
  EXPECT_TRUE(std::isnan(resource_rates(with, with, 1).cpu_share));
}

TEST(ResourceSamplerTest, ShowsABusyThreadAndGivesEachSampleOnce) {
  ResourceSampler sampler(0.3, 60, 1, false);
  std::optional<ResourceSample> sample;
  double sum = 0;
  for (const double limit = monotonic_s() + 30; !sample && monotonic_s() < limit; sample = sampler.take()) {
    for (int i = 0; i < 10'000; ++i) sum += std::sqrt(sum + 2);
  }
  ASSERT_GT(sum, 0);
  ASSERT_TRUE(sample.has_value());
  EXPECT_GT(sample->cpu_share, 0.1);  // other processes may hold the core for a part of the time
  EXPECT_GT(sample->resident_bytes, 1 << 20);
  EXPECT_TRUE(std::isnan(sample->sent_bytes_per_s));  // another rank reports the host
  EXPECT_FALSE(sampler.take().has_value());
}

TEST(ResourceSamplerTest, EndsAtOnceWhileItWaits) {
  const double begin = monotonic_s();
  { const ResourceSampler sampler(600, 600, 1, true); }
  EXPECT_LT(monotonic_s() - begin, 5);
}

TEST(ResourceSamplerTest, GivesTheEndOfAShortRun) {
  ResourceSampler sampler(600, 600, 1, true);
  const double begin = monotonic_s();
  EXPECT_TRUE(sampler.last().has_value());  // however short: it is all there is
  const bool again = sampler.last().has_value();
  EXPECT_TRUE(!again || monotonic_s() - begin >= 0.1) << "nothing worth a sample since";
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  EXPECT_TRUE(sampler.last().has_value());
}

TEST(ResourceRecord, TravelsAsBytes) {
  const auto [step, sample] = unpack_resources(pack_resources(12, {0.5, 3e9, 1e6, 2e6}));
  EXPECT_EQ(step, 12);
  EXPECT_DOUBLE_EQ(sample.cpu_share, 0.5);
  EXPECT_DOUBLE_EQ(sample.received_bytes_per_s, 2e6);
}

TEST(FirstOfHost, IsTheLowestRankOfEachBoot) {
  const std::vector<Placement> placements{{"a", "1", 1, {}}, {"a", "1", 1, {}}, {"a", "2", 1, {}}};
  EXPECT_TRUE(first_of_host(placements, 0));
  EXPECT_FALSE(first_of_host(placements, 1));
  EXPECT_TRUE(first_of_host(placements, 2));  // two hosts may have one name
}

TEST(RateWindowTest, CoversTheLongerOfItsTimeAndItsSteps) {
  RateWindow window(5, 20, 0);
  std::optional<double> rate;
  // Slow steps of 1 s, then twice as many samples a step: after 20 steps nothing of the first pace is left.
  for (std::int64_t step = 0; step < 30; ++step) rate = window.add(step, static_cast<double>(step), 100 * step);
  EXPECT_DOUBLE_EQ(*rate, 100);
  std::int64_t samples = 2900;
  for (std::int64_t step = 30; step < 51; ++step) rate = window.add(step, static_cast<double>(step), samples += 200);
  EXPECT_NEAR(*rate, 200, 1e-9);
  RateWindow quick(5, 20, 0);
  for (std::int64_t step = 0; step <= 4000; ++step)
    rate = quick.add(step, 0.01 * static_cast<double>(step), step <= 2000 ? step : 2000 + 2 * (step - 2000));
  EXPECT_NEAR(*rate, 200, 1e-6);
}

TEST(RateWindowTest, GivesAValueNoOftenerThanAskedFor) {
  RateWindow window(5, 20, 0.5);
  int values = 0;
  for (std::int64_t step = 0; step < 1000; ++step) values += window.add(step, 0.01 * static_cast<double>(step), step).has_value() ? 1 : 0;
  EXPECT_GE(values, 18);
  EXPECT_LE(values, 21);
}

TEST(RateWindowTest, BeginsAnewWhenStepsGoBack) {
  RateWindow window(5, 20, 0);
  window.add(0, 0, 0);
  window.add(1, 1, 100);
  EXPECT_FALSE(window.add(0, 2, 0).has_value());
  EXPECT_DOUBLE_EQ(*window.add(1, 3, 50), 50);
}

}  // namespace
}  // namespace syncline
