// SPDX-License-Identifier: Apache-2.0
#include "engine/store/export.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/store/export_tensorboard.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

class ExportTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    workspace_ = workspace();
    RunRegistry registry(*workspace_);
    id_ = registry.create(new_run("quoted, \"name\""));
    RunWriter writer(*workspace_, id_);
    writer.unit("loss, mean", "nats");
    writer.position(axes_at(0));
    writer.scalar("loss, mean", 0, 0.1);
    writer.position(axes_at(1));
    writer.scalar("loss, mean", 1, std::nan(""));
    writer.scalar("loss, mean", 2, -std::numeric_limits<double>::infinity());
    writer.step(sums_at(1, 1));
    writer.trace(trace(0, 10));
    writer.trace(trace(1, 110));
    writer.clock(1, {100, 0.001, 5});
    writer.event("tick", "text");
    writer.close();
  }

  // Forward 1 s, backward 2 s, two exchanges that overlap, on a clock that begins at `from`.
  static StepTrace trace(int rank, double from) {
    StepTrace trace;
    trace.rank = rank;
    trace.step = 7;
    trace.start_s = from;
    trace.end_s = from + 4;
    trace.spans = {{from, from + 1, SpanKind::forward, 0, 7},
                   {from + 1, from + 3, SpanKind::backward, 1, 7},
                   {from + 3, from + 4, SpanKind::wait, 0, 7}};
    Exchange first, second;
    first.issued_s = from + 2;
    first.done_s = from + 4;
    first.sequence = 5;
    first.label = "bucket 1";
    first.sent_bytes = 1024;
    second.issued_s = from + 2.5;
    second.done_s = from + 3;
    second.sequence = 6;
    second.label = "bucket 0";
    trace.exchanges = {ExchangeRecord::of(first), ExchangeRecord::of(second)};
    return trace;
  }

  void export_as(const char* format, const std::filesystem::path& output) {
    Reader reader(*workspace_);
    export_run(reader, reader.run(id_), format, output);
  }

  std::optional<Workspace> workspace_;
  std::string id_;
};

TEST_F(ExportTest, Csv) {
  export_as("csv", folder_ / "out.csv");
  const std::string text = text_of(folder_ / "out.csv");
  const std::string expected =
      "series,rank,unit,step,samples,epoch,gradients,rounds,bytes,active_s,elapsed_s,wall_s,value\n"
      "\"loss, mean\",,nats,0,128,0.0021333333333333334,2,1,1000,0.01,1.01,1800000001.010000,0.1\n"
      "\"loss, mean\",,nats,1,256,0.004266666666666667,4,2,2000,0.02,1.02,1800000001.020000,NaN\n"
      "\"loss, mean\",,nats,2,256,0.004266666666666667,4,2,2000,0.02,1.02,1800000001.020000,-Infinity\n"
      "step_s,1,s,1,256,0.004266666666666667,4,2,2000,0.02,1.02,1800000001.020000,0.01\n";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
  EXPECT_NE(text.find("bytes_sent,1,B,1,256,0.004266666666666667,4,2,2000,0.02,1.02,1800000001.020000,500\n"), std::string::npos);
}

TEST_F(ExportTest, Json) {
  export_as("json", folder_ / "out.json");
  const auto json = nlohmann::json::parse(text_of(folder_ / "out.json"));
  EXPECT_EQ(json.at("run").at("id"), id_);
  EXPECT_EQ(json.at("run").at("name"), "quoted, \"name\"");
  const auto& series = json.at("series").at(0);
  EXPECT_EQ(series.at("columns").back(), "value");
  EXPECT_EQ(series.at("points").at(0).back(), 0.1);
  EXPECT_EQ(series.at("points").at(1).back(), "NaN");
  EXPECT_EQ(series.at("points").at(2).back(), "-Infinity");
  EXPECT_EQ(json.at("step_sums").at(0).at("rank"), 1);
  EXPECT_EQ(json.at("step_sums").at(0).at("steps").at(0).size(), json.at("step_sums").at(0).at("columns").size());
  EXPECT_EQ(json.at("events").at(0).at("text"), "text");
}

TEST_F(ExportTest, TraceAlignsClocksAndKeepsRowsFreeOfOverlap) {
  export_as("trace", folder_ / "out.json");
  const auto json = nlohmann::json::parse(text_of(folder_ / "out.json"));
  EXPECT_EQ(json.at("otherData").at("clock_bound_s"), 0.001);
  std::map<std::pair<int, int>, double> end_of_row;
  std::map<std::pair<int, std::string>, double> starts;
  int slices = 0, names = 0;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("ph") == "M") {
      ++names;
      continue;
    }
    ASSERT_EQ(event.at("ph"), "X");
    ++slices;
    const std::pair row(event.at("pid").get<int>(), event.at("tid").get<int>());
    const double from = event.at("ts").get<double>();
    EXPECT_GE(from, end_of_row[row] - 1e-6);
    end_of_row[row] = from + event.at("dur").get<double>();
    starts[{row.first, event.at("name").get<std::string>()}] = from;
  }
  EXPECT_EQ(slices, 10);
  EXPECT_EQ(names, 2 * (2 + 2));          // process, compute, and two communication rows each
  for (int rank = 0; rank < 2; ++rank) {  // rank 1's clock is 100 s ahead
    EXPECT_NEAR((starts[{rank, "forward 0"}]), 0, 1e-6);
    EXPECT_NEAR((starts[{rank, "backward 1"}]), 1e6, 1e-6);
    EXPECT_NEAR((starts[{rank, "bucket 1"}]), 2e6, 1e-6);
    EXPECT_NEAR((starts[{rank, "bucket 0"}]), 2.5e6, 1e-6);
  }
}

// Rank 1's clock runs a tenth too fast: 1.1 t + 99 at rank 0's time t, measured twice.
TEST_F(ExportTest, TraceFollowsAClockThatDrifts) {
  RunRegistry registry(*workspace_);
  const std::string id = registry.create(new_run("drifting"));
  {
    RunWriter writer(*workspace_, id);
    writer.clock(1, {99.5, 0.001, 5});
    writer.clock(1, {101.5, 0.002, 25});
    writer.trace(trace(0, 10));
    writer.trace(trace(1, 110));
    writer.close();
  }
  Reader reader(*workspace_);
  export_run(reader, reader.run(id), "trace", folder_ / "drift.json");
  const auto json = nlohmann::json::parse(text_of(folder_ / "drift.json"));
  EXPECT_EQ(json.at("otherData").at("clock_bound_s"), 0.002);
  std::map<std::string, double> starts;
  for (const auto& event : json.at("traceEvents"))
    if (event.at("ph") == "X" && event.at("pid") == 1) starts[event.at("name").get<std::string>()] = event.at("ts").get<double>();
  EXPECT_NEAR(starts["forward 0"], 0, 1e-3);
  EXPECT_NEAR(starts["backward 1"], 1e6 / 1.1, 1e-3);
  EXPECT_NEAR(starts["bucket 1"], 2e6 / 1.1, 1e-3);
}

// A reader of protobuf's wire format, independent of the writer.
struct Field {
  int number = 0, type = 0;
  std::string bytes;
};
std::vector<Field> fields_of(const std::string& message) {
  std::vector<Field> fields;
  std::size_t at = 0;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(message.at(at++));
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.size()) {
    const std::uint64_t key = varint();
    Field field{static_cast<int>(key >> 3), static_cast<int>(key & 7), {}};
    if (field.type == 0) {
      const std::uint64_t value = varint();
      field.bytes.assign(reinterpret_cast<const char*>(&value), 8);
    } else {
      const std::size_t length = field.type == 1 ? 8 : field.type == 5 ? 4 : varint();
      field.bytes = message.substr(at, length);
      EXPECT_EQ(field.bytes.size(), length);
      at += length;
    }
    fields.push_back(field);
  }
  return fields;
}
template <typename Value>
Value as(const std::string& bytes) {
  Value value;
  EXPECT_GE(bytes.size(), sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(TensorBoard, ChecksumsOfTheStandard) {
  EXPECT_EQ(tensorboard::crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(tensorboard::crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(tensorboard::crc32c(std::string(32, '\xff')), 0x62A8AB43u);
}

TEST_F(ExportTest, TensorBoard) {
  export_as("tensorboard", folder_ / "board");
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "board")) files.push_back(entry.path());
  ASSERT_EQ(files.size(), 1u);
  EXPECT_NE(files[0].filename().string().find("tfevents"), std::string::npos);
  const std::string file = text_of(files[0]);
  std::vector<std::string> events;
  for (std::size_t at = 0; at < file.size();) {
    const std::string length_bytes = file.substr(at, 8);
    const auto length = as<std::uint64_t>(length_bytes);
    EXPECT_EQ(as<std::uint32_t>(file.substr(at + 8, 4)), tensorboard::masked_crc32c(length_bytes));
    events.push_back(file.substr(at + 12, length));
    EXPECT_EQ(as<std::uint32_t>(file.substr(at + 12 + length, 4)), tensorboard::masked_crc32c(events.back()));
    at += 16 + length;
  }
  ASSERT_GE(events.size(), 4u);
  const auto version = fields_of(events[0]);
  ASSERT_EQ(version.size(), 2u);
  EXPECT_EQ(version[1].number, 3);
  EXPECT_EQ(version[1].bytes, "brain.Event:2");
  const auto first = fields_of(events[1]);
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].number, 1);
  EXPECT_DOUBLE_EQ(as<double>(first[0].bytes), 1800000001.01);
  EXPECT_EQ(first[1].number, 2);
  EXPECT_EQ(as<std::int64_t>(first[1].bytes), 0);
  EXPECT_EQ(first[2].number, 5);
  const auto value = fields_of(fields_of(first[2].bytes).at(0).bytes);
  ASSERT_EQ(value.size(), 2u);
  EXPECT_EQ(value[0].number, 1);
  EXPECT_EQ(value[0].bytes, "loss, mean");
  EXPECT_EQ(value[1].number, 2);
  EXPECT_EQ(value[1].type, 5);
  EXPECT_EQ(as<float>(value[1].bytes), 0.1f);
  const auto second = fields_of(fields_of(fields_of(events[2]).at(2).bytes).at(0).bytes);
  EXPECT_TRUE(std::isnan(as<float>(second[1].bytes)));
}

TEST_F(ExportTest, FailuresLeaveNothingBehind) {
  EXPECT_THROW(export_as("xml", folder_ / "out"), ConfigError);
  EXPECT_THROW(export_as("csv", folder_ / "no such folder" / "out.csv"), ConfigError);
  std::filesystem::create_directory(folder_ / "occupied");
  std::ofstream(folder_ / "occupied" / "file") << "x";
  EXPECT_THROW(export_as("csv", folder_ / "occupied"), ConfigError);
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos);
  }
}

}  // namespace
}  // namespace syncline
