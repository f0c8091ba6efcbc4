// SPDX-License-Identifier: Apache-2.0
#include "engine/train/exchange.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

namespace syncline {
namespace {

ByteBuffer to_bytes(std::string_view text) {
  ByteBuffer bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string to_text(const ByteBuffer& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// One line a fact; values never hold a newline, see flatten().
std::string flatten(const Facts& facts) {
  std::string text;
  for (const Fact& fact : facts) {
    text += fact.name + '\t';
    for (const char character : fact.value) text += character == '\n' ? ' ' : character;
    text += '\n';
  }
  return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string describe_difference(std::string_view line_0, std::string_view line_r, int rank) {
  const auto name = [](std::string_view line) { return line.substr(0, line.find('\t')); };
  const auto value = [](std::string_view line) {
    const std::size_t tab = line.find('\t');
    return tab == std::string_view::npos ? std::string_view("nothing") : line.substr(tab + 1);
  };
  const std::string_view subject = line_0.empty() ? name(line_r) : name(line_0);
  return fmt::format(
      "rank {} does not run the same job as rank 0: {} is '{}' there and '{}' on rank 0; every rank needs the same program, "
      "experiment and data",
      rank, subject, value(line_r), value(line_0));
}

}  // namespace

std::vector<ByteBuffer> gather_bytes(Communicator& comm, ByteBuffer mine) {
  std::vector<ByteBuffer> all;
  comm.allgather_bytes(std::move(mine), all).wait();
  return all;
}

ByteBuffer told_by(Communicator& comm, ByteBuffer mine, int root) {
  if (comm.rank() != root) mine.clear();
  return std::move(gather_bytes(comm, std::move(mine)).at(static_cast<std::size_t>(root)));
}

std::string text_told_by(Communicator& comm, std::string_view mine, int root) { return to_text(told_by(comm, to_bytes(mine), root)); }

void compare_facts(Communicator& comm, const Facts& facts) {
  const std::string mine = flatten(facts);
  const std::uint64_t hash = XXH3_64bits(mine.data(), mine.size());
  ByteBuffer bytes(sizeof hash);
  std::memcpy(bytes.data(), &hash, sizeof hash);
  const auto hashes = gather_bytes(comm, bytes);
  bool equal = true;
  for (const ByteBuffer& other : hashes) equal = equal && other == hashes.front();
  if (equal) return;

  const auto texts = gather_bytes(comm, to_bytes(mine));  // every rank is here, since all saw the same hashes
  const std::string first = to_text(texts.front());
  const auto lines_0 = lines_of(first);
  for (std::size_t rank = 1; rank < texts.size(); ++rank) {
    if (hashes[rank] == hashes.front()) continue;
    const std::string text = to_text(texts[rank]);
    const auto lines_r = lines_of(text);
    for (std::size_t k = 0; k < std::max(lines_0.size(), lines_r.size()); ++k) {
      const std::string_view line_0 = k < lines_0.size() ? lines_0[k] : std::string_view(),
                             line_r = k < lines_r.size() ? lines_r[k] : std::string_view();
      if (line_0 != line_r) throw AgreedError(describe_difference(line_0, line_r, static_cast<int>(rank)));
    }
  }
  throw AgreedError("the ranks do not run the same job");
}

std::string first_error(Communicator& comm, std::string_view mine) {
  const auto texts = gather_bytes(comm, to_bytes(mine));
  for (std::size_t rank = 0; rank < texts.size(); ++rank)
    if (!texts[rank].empty()) return fmt::format("rank {}: {}", rank, to_text(texts[rank]));
  return {};
}

}  // namespace syncline
