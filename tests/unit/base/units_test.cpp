// SPDX-License-Identifier: Apache-2.0
#include "engine/base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/base/random.h"

namespace syncline {
namespace {

TEST(Units, ReadsDurations) {
  EXPECT_EQ(parse_duration("100 us"), 1e-4);
  EXPECT_EQ(parse_duration("100us"), 1e-4);
  EXPECT_EQ(parse_duration("450 µs"), 450e-6);
  EXPECT_EQ(parse_duration("  1.5 ms "), 1.5e-3);
  EXPECT_EQ(parse_duration("3 ns"), 3e-9);
  EXPECT_EQ(parse_duration("5 min"), 300);
  EXPECT_EQ(parse_duration("2 h"), 7200);
  EXPECT_EQ(parse_duration("1 d"), 86400);
  EXPECT_EQ(parse_duration("2.5"), 2.5);
  EXPECT_EQ(parse_duration("+2 s"), 2);
  EXPECT_EQ(parse_duration("1e-3 s"), 1e-3);
  EXPECT_EQ(parse_duration("-1 s"), -1);  // a range is the table's business
}

TEST(Units, ReadsSizesAndRates) {
  EXPECT_EQ(parse_size("64 KiB"), 65536);
  EXPECT_EQ(parse_size("64Ki"), 65536);
  EXPECT_EQ(parse_size("4 MB"), 4e6);
  EXPECT_EQ(parse_size("1.5 GiB"), 1610612736);
  EXPECT_EQ(parse_size("12"), 12);
  EXPECT_EQ(parse_rate("1 Gbit/s"), 125e6);
  EXPECT_EQ(parse_rate("1 Tbit/s"), 125e9);
  EXPECT_EQ(parse_rate("200 Mbit/s"), 25e6);
  EXPECT_EQ(parse_rate("3 kbit/s"), 375);
  EXPECT_EQ(parse_rate("8 bit/s"), 1);
  EXPECT_EQ(parse_rate("3.1 GB/s"), 3.1e9);
  EXPECT_EQ(parse_rate("2 KiB/s"), 2048);
  EXPECT_EQ(parse_rate("5"), 5);
}

TEST(Units, RefusesWhatIsNoQuantity) {
  for (const char* text :
       {"", " ", "s", "1h30m", "1 2 s", "one s", "0x10 s", "1 S", "nan", "inf s", "1e999 s", "1e308 d", "1,5 s", "--1 s", "1 s s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
  for (const char* text : {"1 s", "1 Gbit", "1 b", "KiB", "1 mb"}) EXPECT_EQ(parse_size(text), std::nullopt) << text;
  for (const char* text : {"1 GB", "1 bit", "1 Gbit / s", "1 s"}) EXPECT_EQ(parse_rate(text), std::nullopt) << text;
}

TEST(Units, WritesThreeSignificantDigits) {
  EXPECT_EQ(format_duration(0.0412), "41.2 ms");
  EXPECT_EQ(format_duration(3.4), "3.4 s");
  EXPECT_EQ(format_duration(0), "0 s");
  EXPECT_EQ(format_duration(1e-4), "100 us");
  EXPECT_EQ(format_duration(2.5e-9), "2.5 ns");
  EXPECT_EQ(format_duration(90), "90 s");
  EXPECT_EQ(format_duration(150), "2.5 min");
  EXPECT_EQ(format_duration(9000), "2.5 h");
  EXPECT_EQ(format_duration(172800), "2 d");
  EXPECT_EQ(format_duration(86400.0 * 1234), "1234 d");
  EXPECT_EQ(format_duration(-0.0412), "-41.2 ms");
  EXPECT_EQ(format_size(1048576), "1.05 MB");
  EXPECT_EQ(format_size(0), "0 B");
  EXPECT_EQ(format_size(999), "999 B");
  EXPECT_EQ(format_rate(125e6), "125 MB/s");
  EXPECT_EQ(format_bit_rate(125e6), "1 Gbit/s");
  EXPECT_EQ(format_count(12400), "12.4 k");
  EXPECT_EQ(format_count(7), "7");
  EXPECT_EQ(format_count(1863690), "1.86 M");
}

TEST(Units, RoundsUpIntoTheNextUnit) {
  EXPECT_EQ(format_duration(0.9996), "1 s");
  EXPECT_EQ(format_size(999.6), "1 kB");
  EXPECT_EQ(format_count(999499), "999 k");
  EXPECT_EQ(format_count(999999), "1 M");
}

TEST(Units, WritesWhatIsNotFinite) {
  EXPECT_EQ(format_duration(std::nan("")), "nan");
  EXPECT_EQ(format_size(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(format_rate(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Units, ExactTextsUseAUnitWhereOneFits) {
  EXPECT_EQ(exact_duration(1e-4), "100 us");
  EXPECT_EQ(exact_duration(300), "5 min");
  EXPECT_EQ(exact_duration(90), "90 s");
  EXPECT_EQ(exact_duration(0.0015), "1.5 ms");
  EXPECT_EQ(exact_duration(0), "0");
  EXPECT_EQ(exact_duration(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(exact_size(65536), "64 KiB");
  EXPECT_EQ(exact_size(4e6), "4 MB");
  EXPECT_EQ(exact_size(1), "1 B");
  EXPECT_EQ(exact_rate(125e6), "1 Gbit/s");
  EXPECT_EQ(exact_rate(25e6), "200 Mbit/s");
}

TEST(Units, ExactTextsReadBackToTheSameNumber) {
  RandomStream random(1, "units");
  for (int i = 0; i < 20000; ++i) {
    double value = std::exp(60 * random.uniform() - 30);
    if (i % 2 == 0) value = std::round(value * 8) / 8;
    EXPECT_EQ(parse_duration(exact_duration(value)), value);
    EXPECT_EQ(parse_size(exact_size(value)), value);
    EXPECT_EQ(parse_rate(exact_rate(value)), value);
  }
  for (const double value : {5e-324, 1e-300, 1e300, 1.7976931348623157e308}) EXPECT_EQ(parse_duration(exact_duration(value)), value);
}

}  // namespace
}  // namespace syncline
