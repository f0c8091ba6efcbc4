// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/experiment/document.h"
#include "engine/train/checkpoint_format.h"

namespace syncline {
namespace {

constexpr std::string_view first_line = "# xxh64 ";
constexpr std::size_t hex_digits = 16;

bool read_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size() && text.size() == hex_digits;
}

std::int64_t integer_at(const document::Node& table, std::string_view key, std::int64_t otherwise) {
  const document::Node* node = table.find(key);
  return node != nullptr && node->type == document::Node::integer ? std::get<std::int64_t>(node->value) : otherwise;
}

std::string text_at(const document::Node& table, std::string_view key) {
  const document::Node* node = table.find(key);
  return node != nullptr && node->type == document::Node::text ? std::get<std::string>(node->value) : std::string();
}

Manifest::File read_file(const document::Node& table, std::string_view name) {
  Manifest::File file;
  file.name = text_at(table, "name");
  const std::int64_t bytes = integer_at(table, "bytes", -1);
  if (file.name.empty() || file.name.find('/') != std::string::npos || bytes < 0 || !read_hex(text_at(table, "xxh64"), file.xxh64))
    throw TrainingError(fmt::format("{} is damaged: a file's entry is not complete", name));
  file.bytes = static_cast<std::uint64_t>(bytes);
  return file;
}

}  // namespace

std::string to_text(const Manifest& manifest) {
  std::string body =
      "# A checkpoint. The files beside this one belong to it; it is complete when the folder's name has no .tmp at its end.\n";
  body += fmt::format("format = {}\nstep = {}\nepoch = {}\nranks = {}\n", checkpoint_format, manifest.step,
                      document::print_real(manifest.epoch), manifest.ranks);
  body += fmt::format("run = {}\nexperiment_hash = {}\nwritten = {}\n", document::print_text(manifest.run_id),
                      document::print_text(manifest.experiment_hash), document::print_text(manifest.written));
  body += "contents = [";
  for (std::size_t k = 0; k < manifest.contents.size(); ++k) body += (k > 0 ? ", " : "") + document::print_text(manifest.contents[k]);
  body += "]\n";
  for (const Manifest::File& file : manifest.files)
    body +=
        fmt::format("\n[[file]]\nname = {}\nbytes = {}\nxxh64 = \"{:016x}\"\n", document::print_text(file.name), file.bytes, file.xxh64);
  return fmt::format("{}{:016x}\n", first_line, XXH64(body.data(), body.size(), 0)) + body;
}

Manifest parse_manifest(std::string_view text, std::string_view name) {
  std::uint64_t hash = 0;
  const std::size_t body_at = first_line.size() + hex_digits + 1;
  if (text.size() < body_at || text[body_at - 1] != '\n' || !text.starts_with(first_line) ||
      !read_hex(text.substr(first_line.size(), hex_digits), hash))
    throw TrainingError(fmt::format("{} is no manifest of a checkpoint", name));
  const std::string_view body = text.substr(body_at);
  if (XXH64(body.data(), body.size(), 0) != hash) throw TrainingError(fmt::format("{} is damaged: it does not match its checksum", name));
  const auto parsed = document::parse(body);
  if (const auto* error = std::get_if<document::SyntaxError>(&parsed))
    throw TrainingError(fmt::format("{} is damaged: {}", name, error->message));
  const auto& table = std::get<document::Node>(parsed);
  if (const std::int64_t format = integer_at(table, "format", 0); format != checkpoint_format)
    throw TrainingError(fmt::format("{} has format {}; this program reads format {}", name, format, checkpoint_format));
  Manifest manifest;
  manifest.step = integer_at(table, "step", -1);
  if (const auto* epoch = table.find("epoch"); epoch != nullptr && epoch->type == document::Node::real)
    manifest.epoch = std::get<double>(epoch->value);
  const std::int64_t ranks = integer_at(table, "ranks", 0);
  manifest.run_id = text_at(table, "run");
  manifest.experiment_hash = text_at(table, "experiment_hash");
  manifest.written = text_at(table, "written");
  if (const auto* contents = table.find("contents"))
    for (const document::Node& each : contents->items)
      if (each.type == document::Node::text) manifest.contents.push_back(std::get<std::string>(each.value));
  if (const auto* files = table.find("file"))
    for (const document::Node& each : files->items) manifest.files.push_back(read_file(each, name));
  if (manifest.step < 0 || ranks < 1 || static_cast<std::size_t>(ranks) + 1 != manifest.files.size())
    throw TrainingError(fmt::format("{} is damaged: it names {} files for {} ranks", name, manifest.files.size(), ranks));
  manifest.ranks = static_cast<int>(ranks);
  return manifest;
}

}  // namespace syncline
