// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/train/engine.h"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <fstream>
#include <sstream>

#include "engine/metrics/clock.h"
#include "engine/train/rank/checkpoint.h"

namespace syncline::test {
namespace fs = std::filesystem;
namespace {

constexpr char job[] = R"(name = "job"
seed = 3
[model]
layers = [
  { type = "conv", channels = 4, kernel = 3, padding = 1 },
  { type = "batch_norm" },
  { type = "relu" },
  { type = "flatten" },
  { type = "dropout", rate = 0.2 },
  { type = "linear", features = 16 },
  { type = "relu" },
  { type = "linear", features = 3 },
]
[data]
source = "synthetic"
classes = 3
height = 6
width = 6
train_size = 60
test_size = 23
[train]
epochs = 4
batch_per_worker = [5, 4]
optimizer = { name = "adam", lr = 0.01 }
[cluster]
workers = 2
[strategy]
name = "sync"
plan = "wfbp"
[fault]
limit_s = 3
grace_s = 2
)";

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::string mpirun(int ranks) {
  return fmt::format("mpirun --allow-run-as-root --oversubscribe --bind-to none --mca pml ob1 --mca btl self,vader,tcp -n {}", ranks);
}

Engine::Engine() {
  std::string pattern = (fs::temp_directory_path() / "syncline-integration-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  std::ofstream(folder_ / "job.toml") << job;
}
Engine::~Engine() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Engine::replace(const std::string& what, const std::string& with) const {
  std::string text = read(folder_ / "job.toml");
  text.replace(text.find(what), what.size(), with);  // throws where it is not there
  std::ofstream(folder_ / "job.toml") << text;
}

Ended Engine::run(const std::string& arguments, const std::string& before, int limit_s) const {
  const fs::path output = folder_ / "output.txt";
  const std::string launcher = before.find("mpirun") != std::string::npos ? before : "env " + before;
  const std::string command =
      fmt::format("cd '{}' && OMP_NUM_THREADS=1 timeout -k 2 {} {} '{}' {} --workspace '{}' > '{}' 2>&1", folder_.string(), limit_s,
                  launcher, SYNCLINE_ENGINE_PROGRAM, arguments, workspace().string(), output.string());
  const double start_s = monotonic_s();
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(output), monotonic_s() - start_s};
}

RunInfo Engine::last() const { return Reader(Workspace::open_read_only(workspace())).resolve("last"); }

std::vector<EventRecord> Engine::events(const std::string& run) const { return Reader(Workspace::open_read_only(workspace())).events(run); }

std::vector<Point> Engine::series(const std::string& run, const std::string& name) const {
  Reader reader(Workspace::open_read_only(workspace()));
  const auto found = reader.find_series(run, name);
  return found ? reader.read(found->key, XAxis::step, -1, 1e9, 0).points : std::vector<Point>();
}

std::vector<std::byte> Engine::state(const std::string& run) const {
  const auto found = newest_checkpoint(Workspace::open_read_only(workspace()).run_folder(run) / "checkpoints", [](const std::string&) {});
  if (!found) return {};
  const std::string bytes = read(found->folder / shared_file_name);
  std::vector<std::byte> all;
  for (const auto& [name, block] : parse_part(std::as_bytes(std::span(bytes)), "shared").blocks)
    all.insert(all.end(), block.begin(), block.end());
  return all;
}

std::int64_t Engine::checkpoint_step(const std::string& run) const {
  const auto found = newest_checkpoint(Workspace::open_read_only(workspace()).run_folder(run) / "checkpoints", [](const std::string&) {});
  return found ? found->manifest.step : -1;
}

std::vector<int> Engine::processes() const {
  std::vector<int> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::error_code error;
    const fs::path where = fs::read_symlink(entry.path() / "cwd", error);
    if (!error && where == folder_) found.push_back(std::stoi(name));
  }
  return found;
}

std::vector<std::string> Engine::leftovers(const std::string& run) const {
  std::vector<std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(Workspace::open_read_only(workspace()).run_folder(run))) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".tmp" || extension == ".trash" || extension == ".status") found.push_back(entry.path().filename().string());
  }
  return found;
}

}  // namespace syncline::test
