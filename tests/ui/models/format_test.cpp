// SPDX-License-Identifier: GPL-3.0-or-later
// How values are written, case by case. The locale of the tests is British English: "," groups thousands.
#include "ui/models/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace syncline::ui {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();

struct Case {
  double value;
  const char* text;
};

template <typename Written>
void check(std::initializer_list<Case> cases, Written written) {
  for (const Case& one : cases) EXPECT_EQ(written(one.value).toStdString(), one.text) << one.value;
}

TEST(Format, MetricsHaveFourDigitsAndAnExponentOnlyWhereNeeded) {
  check({{0.2134, "0.2134"},
         {0.21344, "0.2134"},
         {0.5, "0.5000"},
         {2.30259, "2.303"},
         {9.99996, "10.00"},
         {1.204e-5, "1.204e−5"},
         {0.001, "0.001000"},
         {0.0009999, "9.999e−4"},
         {-0.25, "−0.2500"},
         {12345.6, "12,346"},
         {999999, "999,999"},
         {1e6, "1.000e6"},
         {-1.5e12, "−1.500e12"},
         {3, "3"},
         {0, "0"},
         {-0.0, "0"},
         {nan, "NaN"},
         {infinity, "+∞"},
         {-infinity, "−∞"}},
        format::metric);
}

TEST(Format, SharesNeverShowASmallPartAsNothing) {
  check({{0.061, "6.1 %"}, {0.0004, "< 0.1 %"}, {0, "0.0 %"}, {1, "100.0 %"}, {0.001, "0.1 %"}}, format::share);
  check({{0.9142, "91.42 %"}, {1, "100.00 %"}, {0, "0.00 %"}, {nan, "NaN"}}, format::percent);
}

TEST(Format, CountsAreGroupedInFullAndShortWhereTight) {
  EXPECT_EQ(format::count(18204).toStdString(), "18,204");
  EXPECT_EQ(format::count(-7).toStdString(), "−7");
  EXPECT_EQ(format::count(1280000).toStdString(), "1,280,000");
  check({{0, "0"}, {12, "12"}, {999.6, "1.00 k"}, {1280000, "1.28 M"}, {58500, "58.5 k"}, {2.5e13, "25.0 T"}}, format::shortCount);
  EXPECT_EQ(format::rate(12400, QStringLiteral("samples")).toStdString(), "12.4 k samples/s");
}

TEST(Format, MemoryIsBinaryTrafficIsDecimalAndLinksAreInBits) {
  check({{0, "0 B"},
         {1023, "1,023 B"},
         {1024, "1.00 KiB"},
         {432013312, "412 MiB"},
         {1072693248, "1,023 MiB"},
         {8.0 * 1024 * 1024 * 1024, "8.00 GiB"}},
        format::bytes);
  check({{1.18e9, "1.18 GB"}, {500, "500 B"}, {999999, "1.00 MB"}}, format::traffic);
  check({{1.18e9, "1.18 GB/s"}}, format::trafficRate);
  check({{1.25e9, "10 Gbit/s"}, {187.5e6, "1.5 Gbit/s"}, {0.125, "1 bit/s"}}, format::linkSpeed);
}

TEST(Format, DurationsChooseTheirUnitAndCarryOverWhenRounded) {
  check({{0, "0 s"},
         {450e-6, "450 µs"},
         {0.0412, "41.2 ms"},
         {3.4, "3.4 s"},
         {0.99996, "1.0 s"},
         {59.97, "1 min 00 s"},
         {125, "2 min 05 s"},
         {3723, "1 h 02 min 03 s"},
         {3599.7, "1 h 00 min 00 s"},
         {2 * 86400 + 4 * 3600 + 59, "2 d 4 h"},
         {4e-7, "400 ns"},
         {-1, "clocks disagree"}},
        format::duration);
}

TEST(Format, NamesOfTheOtherDirectionAreIsolatedInSentences) {
  const QString arabic = QStringLiteral("\u0648\u0633\u0645"), old = QStringLiteral("a\u202eb"), high = QStringLiteral("\U00010900");
  for (const QString& name : {arabic, old, high, QString(QStringLiteral("run ") % arabic)})
    EXPECT_EQ(format::isolated(name), QString(QChar(0x2068) % name % QChar(0x2069))) << name.toStdString();
  for (const QString& name : {QString(), QStringLiteral("easgd \u03c4 10 \u2013 (2)"), QStringLiteral("\U0001f600")})
    EXPECT_EQ(format::isolated(name), name) << name.toStdString();
}

TEST(Format, ACopyIsCalledSoAndCopiesOfItAreCounted) {
  EXPECT_EQ(format::copyOf(QStringLiteral("mine")), QStringLiteral("mine copy"));
  EXPECT_EQ(format::copyOf(QStringLiteral("mine copy")), QStringLiteral("mine copy 2"));
  EXPECT_EQ(format::copyOf(QStringLiteral("mine copy 9")), QStringLiteral("mine copy 10"));
  EXPECT_EQ(format::copyOf(QStringLiteral("copy")), QStringLiteral("copy copy"));
  EXPECT_EQ(format::copyOf(QStringLiteral("a copy of %1")), QStringLiteral("a copy of %1 copy"));
}

TEST(Format, TheSpreadDecidesThePlacesOfTheMean) {
  EXPECT_EQ(format::spread(0.2131, 0.0081, 5).toStdString(), "0.213 ± 0.008 (n = 5)");
  EXPECT_EQ(format::spread(0.2131, 0.0123, 5).toStdString(), "0.213 ± 0.012 (n = 5)");
  EXPECT_EQ(format::spread(12412, 240, 3).toStdString(), "12,412 ± 240 (n = 3)");
  EXPECT_EQ(format::spread(0.25, 0, 3).toStdString(), "0.2500 ± 0 (n = 3)");
  EXPECT_EQ(format::spread(0.25, nan, 1).toStdString(), "0.2500 (n = 1)");
}

TEST(Format, ADifferenceSaysWhetherItIsBetter) {
  EXPECT_EQ(format::difference(12.56, 8, false).toStdString(), "+57 % ▲");
  EXPECT_EQ(format::difference(0.8, 1, true).toStdString(), "−20 % ▲");
  EXPECT_EQ(format::difference(1.042, 1, true).toStdString(), "+4.2 % ▼");
  EXPECT_EQ(format::difference(1, 1, true).toStdString(), "0 %");
  EXPECT_EQ(format::difference(1, 0, true), format::missing);
  EXPECT_EQ(format::difference(nan, 1, true), format::missing);
}

TEST(Format, MomentsAreIsoAndAgesAreWords) {
  const double moment = 1741525507.123;  // 2025-03-09 13:05:07.123 UTC
  EXPECT_EQ(format::moment(moment, QTimeZone::utc()).toStdString(), "2025-03-09 13:05");
  EXPECT_EQ(format::isoUtc(moment).toStdString(), "2025-03-09T13:05:07.123Z");
  EXPECT_EQ(format::ago(moment, moment + 2 * 86400).toStdString(), "2 d ago");
  EXPECT_EQ(format::ago(moment, moment + 42).toStdString(), "42 s ago");
  EXPECT_EQ(format::ago(moment, moment - 60).toStdString(), "clocks disagree");
}

TEST(Format, FilesGetTheShortestTextThatReadsBackAsTheSameNumber) {
  check({{0.1, "0.1"}, {1.0 / 3, "0.3333333333333333"}, {nan, "NaN"}, {infinity, "Infinity"}, {-infinity, "-Infinity"}}, format::exact);
  for (const double value : {1e-300, 123456789.123456789, -0.1 + 0.3, 5e-324}) EXPECT_EQ(format::exact(value).toDouble(), value);
}

TEST(Format, UnitsFollowTheStoredNameAndStayWhileTheRangeStaysNear) {
  EXPECT_EQ(format::unitFor(QStringLiteral("step_s"), 0.04).text, QStringLiteral("ms"));
  EXPECT_EQ(format::unitFor(QStringLiteral("peak_memory_bytes"), 5e8).text, QStringLiteral("MiB"));
  EXPECT_EQ(format::unitFor(QStringLiteral("bytes"), 5e8).text, QStringLiteral("MB"));
  EXPECT_EQ(format::unitFor(QStringLiteral("link_bytes_per_s"), 5e9).text, QStringLiteral("GB/s"));
  EXPECT_EQ(format::unitFor(QStringLiteral("samples_per_s"), 12400).text, QStringLiteral("k samples/s"));
  EXPECT_EQ(format::unitFor(QStringLiteral("test_accuracy"), 0.9).factor, 0.01);
  EXPECT_EQ(format::unitFor(QStringLiteral("train_loss"), 0.9).text, QString());
  const format::Unit ms = format::durationUnit(0.5);
  EXPECT_EQ(ms.text, QStringLiteral("ms"));
  EXPECT_EQ(format::durationUnit(1.5, ms).text, QStringLiteral("ms"));  // within three times
  EXPECT_EQ(format::durationUnit(3.5, ms).text, QStringLiteral("s"));
  EXPECT_EQ(format::durationUnit(1.5).text, QStringLiteral("s"));
  EXPECT_EQ(format::axisTitle(format::titleOf(QStringLiteral("step_s")), ms), QStringLiteral("Step time (ms)"));
  EXPECT_EQ(format::titleOf(QStringLiteral("cpu_share")), QStringLiteral("CPU use"));
  EXPECT_EQ(format::titleOf(QStringLiteral("staleness_mean")), QStringLiteral("Staleness mean"));
}

}  // namespace
}  // namespace syncline::ui
