// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <sstream>

#define TOML_ASSERT(x)  // some bad input trips an assertion of the parser in builds with assertions
#include <toml++/toml.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/train/rank/checkpoint_format.h"

namespace syncline {
namespace {

constexpr std::string_view first_line = "# xxh64 ";
constexpr std::size_t hex_digits = 16;

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    if (character == '"' || character == '\\') result += '\\';
    if (static_cast<unsigned char>(character) < 0x20)
      result += fmt::format("\\u{:04x}", static_cast<int>(character));
    else
      result += character;
  }
  return result + '"';
}

bool read_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size() && text.size() == hex_digits;
}

Manifest::File read_file(const toml::table& table, std::string_view name) {
  Manifest::File file;
  file.name = table["name"].value_or(std::string());
  const std::int64_t bytes = table["bytes"].value_or(std::int64_t{-1});
  if (file.name.empty() || file.name.find('/') != std::string::npos || bytes < 0 ||
      !read_hex(table["xxh64"].value_or(std::string()), file.xxh64))
    throw TrainingError(fmt::format("{} is damaged: a file's entry is not complete", name));
  file.bytes = static_cast<std::uint64_t>(bytes);
  return file;
}

}  // namespace

std::string to_text(const Manifest& manifest) {
  std::string body =
      "# A checkpoint. The files beside this one belong to it; it is complete when the folder's name has no .tmp at its end.\n";
  body += fmt::format("format = {}\nstep = {}\nepoch = {}\nranks = {}\n", checkpoint_format, manifest.step, manifest.epoch, manifest.ranks);
  body += fmt::format("run = {}\nexperiment_hash = {}\nwritten = {}\n", toml_text(manifest.run_id), toml_text(manifest.experiment_hash),
                      toml_text(manifest.written));
  body += "contents = [";
  for (std::size_t k = 0; k < manifest.contents.size(); ++k) body += (k > 0 ? ", " : "") + toml_text(manifest.contents[k]);
  body += "]\n";
  for (const Manifest::File& file : manifest.files)
    body += fmt::format("\n[[file]]\nname = {}\nbytes = {}\nxxh64 = \"{:016x}\"\n", toml_text(file.name), file.bytes, file.xxh64);
  return fmt::format("{}{:016x}\n", first_line, XXH64(body.data(), body.size(), 0)) + body;
}

Manifest parse_manifest(std::string_view text, std::string_view name) {
  std::uint64_t hash = 0;
  const std::size_t body_at = first_line.size() + hex_digits + 1;
  if (text.size() < body_at || !text.starts_with(first_line) || !read_hex(text.substr(first_line.size(), hex_digits), hash))
    throw TrainingError(fmt::format("{} is no manifest of a checkpoint", name));
  const std::string_view body = text.substr(body_at);
  if (XXH64(body.data(), body.size(), 0) != hash) throw TrainingError(fmt::format("{} is damaged: it does not match its checksum", name));
  Manifest manifest;
  try {
    const toml::table table = toml::parse(body);
    if (const std::int64_t format = table["format"].value_or(std::int64_t{0}); format != checkpoint_format)
      throw TrainingError(fmt::format("{} has format {}; this program reads format {}", name, format, checkpoint_format));
    manifest.step = table["step"].value_or(std::int64_t{-1});
    manifest.epoch = table["epoch"].value_or(0.0);
    const std::int64_t ranks = table["ranks"].value_or(std::int64_t{0});
    manifest.run_id = table["run"].value_or(std::string());
    manifest.experiment_hash = table["experiment_hash"].value_or(std::string());
    manifest.written = table["written"].value_or(std::string());
    if (const toml::array* contents = table["contents"].as_array())
      for (const toml::node& each : *contents) manifest.contents.push_back(each.value_or(std::string()));
    if (const toml::array* files = table["file"].as_array())
      for (const toml::node& each : *files)
        if (each.is_table()) manifest.files.push_back(read_file(*each.as_table(), name));
    if (manifest.step < 0 || ranks < 1 || static_cast<std::size_t>(ranks) + 1 != manifest.files.size())
      throw TrainingError(fmt::format("{} is damaged: it names {} files for {} ranks", name, manifest.files.size(), ranks));
    manifest.ranks = static_cast<int>(ranks);
  } catch (const toml::parse_error& error) {
    throw TrainingError(fmt::format("{} is damaged: {}", name, error.description()));
  }
  return manifest;
}

}  // namespace syncline
