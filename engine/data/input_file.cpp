// SPDX-License-Identifier: Apache-2.0
#include "engine/data/input_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/base/error.h"

namespace syncline {

namespace fs = std::filesystem;

void bad_file(const std::string& file, std::string_view found, std::string_view right) {
  throw DataError(fmt::format("{}: {}; {}", file, found, right));
}

namespace {

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void unreadable(const fs::path& path, int number) {
  if (number == ENOENT) bad_file(path.string(), "there is no such file", "data.path or the file's own key names where it is");
  bad_file(path.string(), fmt::format("cannot be read ({})", std::strerror(number)), "a file that this user may read is needed");
}

}  // namespace

std::vector<std::uint8_t> read_file(const fs::path& path, std::int64_t most) {
  const auto wanted = static_cast<std::size_t>(std::min(size_of_file(path), most));
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) unreadable(path, errno);
  std::vector<std::uint8_t> bytes(wanted);
  errno = 0;
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file.get());
  if (got < wanted && std::ferror(file.get()) != 0) unreadable(path, errno);
  bytes.resize(got);  // shorter when the file shrank meanwhile: its parser says what is missing
  return bytes;
}

std::int64_t size_of_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) unreadable(path, error ? error.value() : ENOENT);
  if (!fs::is_regular_file(status))
    bad_file(path.string(), fs::is_directory(status) ? "is a folder" : "is not a regular file", "a file is needed");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) unreadable(path, error.value());
  return static_cast<std::int64_t>(size);
}

std::vector<std::string> read_lines(const fs::path& path) {
  const std::vector<std::uint8_t> bytes = read_file(path, 1 << 20);
  std::vector<std::string> lines(1);
  for (const std::uint8_t byte : bytes) {
    if (byte == '\n') {
      lines.emplace_back();
    } else if (byte != '\r' && !(byte == ' ' && lines.back().empty())) {
      lines.back().push_back(static_cast<char>(byte));
    }
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(" \t") + 1);
  std::erase(lines, std::string());
  return lines;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_gzip(Bytes bytes) { return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; }

struct Inflater::Stream {
  z_stream z{};
  Bytes rest;  // not yet handed to zlib, whose counters have 32 bits
  bool ended = false;
  bool open = false;
  ~Stream() {
    if (open) inflateEnd(&z);
  }
};

Inflater::Inflater(Bytes compressed, std::string file) : stream_(std::make_unique<Stream>()), file_(std::move(file)) {
  stream_->rest = compressed;
  if (inflateInit2(&stream_->z, 15 + 16) != Z_OK) throw std::bad_alloc();  // 15: largest window, 16: gzip and nothing else
  stream_->open = true;
}

Inflater::~Inflater() = default;

std::size_t Inflater::read(std::span<std::uint8_t> out) {
  constexpr std::size_t piece = 1u << 30;
  z_stream& z = stream_->z;
  std::size_t done = 0;
  while (done < out.size() && !stream_->ended) {
    if (z.avail_in == 0) {
      const std::size_t count = std::min(stream_->rest.size(), piece);
      z.next_in = const_cast<Bytef*>(stream_->rest.data());
      z.avail_in = static_cast<uInt>(count);
      stream_->rest = stream_->rest.subspan(count);
    }
    const auto room = static_cast<uInt>(std::min(out.size() - done, piece));
    z.next_out = out.data() + done;
    z.avail_out = room;
    const int status = inflate(&z, Z_NO_FLUSH);
    done += room - z.avail_out;
    produced_ += room - z.avail_out;
    if (status == Z_STREAM_END) {
      // gzip files may be put one after the other; their contents follow each other.
      stream_->ended = z.avail_in == 0 && stream_->rest.empty();
      if (!stream_->ended) inflateReset(&z);
    } else if (status == Z_BUF_ERROR || (status == Z_OK && z.avail_in == 0 && stream_->rest.empty() && z.avail_out > 0)) {
      bad_file(file_, fmt::format("the compressed data stops after {} bytes of content", produced_),
               "a whole gzip file is needed, so copy it again");
    } else if (status != Z_OK) {
      bad_file(file_,
               fmt::format("the compressed data is damaged after {} bytes of content ({})", produced_, z.msg != nullptr ? z.msg : "zlib"),
               "a whole gzip file is needed, so copy it again");
    }
  }
  return done;
}

}  // namespace syncline
