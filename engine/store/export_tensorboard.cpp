// SPDX-License-Identifier: Apache-2.0
#include "engine/store/export_tensorboard.h"

#include <fmt/core.h>

#include <array>
#include <cstring>
#include <system_error>

#include "engine/store/export.h"
#include "engine/store/export_file.h"

namespace syncline::tensorboard {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78u : 0);
    table[i] = value;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> table = make_table();

template <typename Value>
std::string little_endian(Value value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// Field numbers and wire types of protobuf: 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes.
std::string key(int field, int wire_type) { return varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(wire_type)); }
std::string bytes_field(int field, std::string_view content) { return key(field, 2) + varint(content.size()) + std::string(content); }
std::string double_field(int field, double value) { return key(field, 1) + little_endian(value); }
std::string float_field(int field, float value) { return key(field, 5) + little_endian(value); }
std::string integer_field(int field, std::int64_t value) { return key(field, 0) + varint(static_cast<std::uint64_t>(value)); }

}  // namespace

std::uint32_t crc32c(std::string_view data) {
  std::uint32_t crc = ~0u;
  for (const char character : data) crc = table[(crc ^ static_cast<unsigned char>(character)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

std::uint32_t masked_crc32c(std::string_view data) {
  const std::uint32_t crc = crc32c(data);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

std::string record(std::string_view payload) {
  const std::string length = little_endian(static_cast<std::uint64_t>(payload.size()));
  return length + little_endian(masked_crc32c(length)) + std::string(payload) + little_endian(masked_crc32c(payload));
}

// Event: 1 wall_time (double), 2 step (int64), 3 file_version (string), 5 summary. Summary: 1 value. Value: 1 tag, 2 simple_value (float).
std::string version_event(double wall_s) { return double_field(1, wall_s) + bytes_field(3, "brain.Event:2"); }

std::string scalar_event(double wall_s, std::int64_t step, std::string_view tag, double value) {
  const std::string content = bytes_field(1, tag) + float_field(2, static_cast<float>(value));
  return double_field(1, wall_s) + integer_field(2, step) + bytes_field(5, bytes_field(1, content));
}

}  // namespace syncline::tensorboard

namespace syncline {

void export_tensorboard(Reader& reader, const RunInfo& run, const std::filesystem::path& output) {
  std::error_code failed;
  std::filesystem::create_directories(output, failed);
  if (failed) throw ConfigError(fmt::format("{}: the folder for the export cannot be made ({})", output.string(), failed.message()));
  // TensorBoard looks for "tfevents" in the name; time and id make it sort and never clash.
  ExportFile file(output / fmt::format("events.out.tfevents.{}.{}", static_cast<std::int64_t>(run.created), run.id));
  file.write(tensorboard::record(tensorboard::version_event(run.created)));
  const auto add = [&](const std::string& tag, const Axes& axes, double value) {
    file.write(tensorboard::record(tensorboard::scalar_event(axes.wall_s, axes.step, tag, value)));
  };
  for (const SeriesInfo& info : reader.series(run.id)) {
    const std::string tag = info.rank < 0 ? info.name : fmt::format("{}/rank {}", info.name, info.rank);
    reader.each_point(info.key, [&](const Point& point) { add(tag, point.axes, point.value); });
  }
  for (const int rank : reader.ranks(run.id)) {
    for (const StepSums& sums : reader.steps(run.id, rank)) {
      for (const StepField& field : step_fields) {
        if (field.unit == "s" && field.member != &StepSums::start_s)
          add(fmt::format("{}/rank {}", field.name, rank), sums.axes, sums.*field.member);
      }
    }
  }
  file.finish();
}

}  // namespace syncline
