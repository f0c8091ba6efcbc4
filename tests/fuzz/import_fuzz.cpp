// SPDX-License-Identifier: Apache-2.0
// A whole workspace file that somebody sends us. By the first byte the input is the file itself; or changes to single bytes of an intact
// one, in groups of four (position in 24 bits, value), since random bytes seldom get past SQLite's own checks; or the content of a chunk,
// trace or step.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "engine/store/columns.h"
#include "engine/store/import.h"
#include "engine/store/registry.h"
#include "engine/store/run_rows.h"
#include "engine/store/run_writer.h"

namespace {

using namespace syncline;

struct Place {
  std::filesystem::path folder;
  std::vector<char> intact;

  Place() {
    std::string pattern = "/dev/shm/syncline-fuzz-XXXXXX";
    folder = mkdtemp(pattern.data());
    const Workspace made = Workspace::open(folder / "made.db");
    NewRun run;
    run.name = "fuzz";
    run.state = "running";
    const std::string id = RunRegistry(made).create(run);
    RunWriter writer(made, id);
    for (int step = 0; step < 40; ++step) {
      writer.scalar("loss", step, 1.0 / (step + 1));
      StepSums sums;
      sums.axes.step = step;
      writer.step(sums);
    }
    StepTrace trace;
    trace.spans.resize(3);
    trace.exchanges.resize(2);
    writer.trace(trace);
    writer.event("kind", "text");
    writer.close();
    copy_database(made.path(), folder / "intact.db");
    std::ifstream file(folder / "intact.db", std::ios::binary);
    intact.assign(std::istreambuf_iterator<char>(file), {});
  }
  ~Place() { std::filesystem::remove_all(folder); }
};

void write_file(const std::filesystem::path& path, const char* data, std::size_t size) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(data, static_cast<std::streamsize>(size));
}

}  // namespace

namespace {

// Decoders answer with values or with a WorkspaceError, whatever they are given; what they take for whole they can also write again.
void decode(std::uint8_t what, std::span<const std::byte> data) {
  try {
    switch (what % 4) {
      case 0:
        encode_points(decode_points(pack(data), static_cast<std::int64_t>(data.size() / 30)));
        break;
      case 1:
        decode_steps(pack(data), static_cast<std::int64_t>(data.size() / 60), 0);
        break;
      case 2:
        encode_trace(decode_trace(pack(data)));
        break;
      default:
        decode_step(data, 0), decode_aggregate(data);
    }
  } catch (const WorkspaceError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Place place;
  if (size == 0) return 0;
  if (data[0] >= 64) {
    decode(data[0], std::as_bytes(std::span(data + 1, size - 1)));
    return 0;
  }
  if (data[0] % 2 == 0) {
    write_file(place.folder / "source.db", reinterpret_cast<const char*>(data + 1), size - 1);
  } else {
    std::vector<char> changed = place.intact;
    for (std::size_t i = 1; i + 3 < size; i += 4) {
      const std::size_t position = (std::size_t{data[i]} << 16 | std::size_t{data[i + 1]} << 8 | data[i + 2]) % changed.size();
      changed[position] = static_cast<char>(data[i + 3]);
    }
    write_file(place.folder / "source.db", changed.data(), changed.size());
  }
  std::filesystem::remove(place.folder / "source.db-wal");
  std::filesystem::remove(place.folder / "source.db-shm");
  try {
    const Workspace into = Workspace::open(place.folder / "into.db");
    import_workspace(place.folder / "source.db", into);
  } catch (const WorkspaceError&) {
  }
  for (const char* file : {"into.db", "into.db-wal", "into.db-shm"}) std::filesystem::remove(place.folder / file);
  return 0;
}
