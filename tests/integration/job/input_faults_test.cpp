// SPDX-License-Identifier: Apache-2.0
// Data that is not there or damaged, a loss that is not finite, a workspace that cannot be written: the contract's exit code and one
// sentence.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "engine/train/rank/checkpoint.h"
#include "tests/integration/job/job.h"

namespace syncline::test {
namespace fs = std::filesystem;
namespace {

constexpr char synthetic[] = "source = \"synthetic\"\nclasses = 3\nheight = 6\nwidth = 6\ntrain_size = 60\ntest_size = 23\n";
constexpr int quick_s = 20;  // `limit_s` of Engine::run, whose end is 124

TEST(Input, MoreWorkersThanMpirunHasOpenFilesFor) {
  const Engine engine;
  const Ended ended = engine.train("--set cluster.workers=100 --set train.batch_per_worker=1", "prlimit --nofile=300:300");
  EXPECT_EQ(ended.code, 2) << ended.output;
  EXPECT_NE(ended.output.find("100 workers need about 664 open files here and 300 are allowed (ulimit -Hn): at most 39 would be right"),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(engine.run("runs").output.find("job"), std::string::npos) << "nothing was recorded";
}

TEST(Input, AMissingFolder) {
  const Engine engine;
  engine.replace(synthetic, fmt::format("source = \"fashion-mnist\"\npath = \"{}/nowhere\"\n", engine.folder().string()));
  const Ended ended = engine.run("train job.toml --quiet", "", quick_s);
  EXPECT_EQ(ended.code, 3) << ended.output;
  const std::string sentence =
      engine.folder().string() +
      "/nowhere: there is no such folder; the Debian package dataset-fashion-mnist provides it, or data.path names another folder with "
      "the four files";
  EXPECT_EQ(ended.output, "failed: " + sentence + "\n");
  EXPECT_EQ(engine.last().state, "failed");
  EXPECT_EQ(engine.last().reason, sentence);
  EXPECT_EQ(engine.leftovers(engine.last().id), std::vector<std::string>{});
  // What people see with progress is the same sentence, once, whatever the launcher adds.
  const Ended shown = engine.run("train job.toml", "", quick_s);
  EXPECT_TRUE(shown.output.ends_with("failed: " + sentence + "\n")) << shown.output;
  EXPECT_EQ(std::count(shown.output.begin(), shown.output.end(), '\n'), 2) << shown.output;  // where the ranks run, and why they ended
}

TEST(Input, ATruncatedFile) {
  const Engine engine;
  const fs::path data = engine.folder() / "data";
  fs::create_directories(data);
  // 10 images of 4x4 and their labels, as IDX; the training images are cut in the middle of the compressed data.
  const std::string make = fmt::format(R"(cd '{}' && python3 -c "
import gzip, struct, random
random.seed(1)
def write(name, dims, data): open(name + '.gz', 'wb').write(gzip.compress(struct.pack('>BBBB', 0, 0, 8, len(dims)) + struct.pack('>%dI' % len(dims), *dims) + data))
for part in ('train', 't10k'):
    write(part + '-images-idx3-ubyte', (100, 8, 8), bytes(random.randrange(256) for _ in range(6400)))
    write(part + '-labels-idx1-ubyte', (100,), bytes(i % 10 for i in range(100)))
"
truncate -s 3000 train-images-idx3-ubyte.gz)",
                                       data.string());
  ASSERT_EQ(std::system(make.c_str()), 0);
  engine.replace(synthetic, fmt::format("source = \"idx\"\npath = \"{}\"\n", data.string()));
  engine.replace("{ type = \"linear\", features = 3 }", "{ type = \"linear\", features = 10 }");
  const Ended ended = engine.run("train job.toml --quiet", "", quick_s);
  EXPECT_EQ(ended.code, 3) << ended.output;
  const std::string sentence = "failed: " + (data / "train-images-idx3-ubyte.gz").string() + ": the compressed data stops after ";
  EXPECT_TRUE(ended.output.starts_with(sentence)) << ended.output;
  EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 1) << ended.output;
  EXPECT_TRUE(engine.processes().empty());
  if (fs::exists(engine.workspace())) {
    const auto runs = Reader(Workspace::open_read_only(engine.workspace())).runs();
    for (const RunInfo& run : runs) EXPECT_EQ(run.state, "failed");
  }
}

TEST(Divergence, FailStopContinue) {
  const Engine engine;
  const std::string wild = "--set train.optimizer.lr=1e30 --set train.on_divergence=";
  const Ended failed = engine.train(wild + "fail");
  EXPECT_EQ(failed.code, 4) << failed.output;
  EXPECT_TRUE(engine.last().reason.starts_with("the loss is not finite in step ")) << engine.last().reason;

  const Ended stopped = engine.train(wild + "stop");
  EXPECT_EQ(stopped.code, 5) << stopped.output;
  EXPECT_EQ(engine.last().state, "stopped");
  EXPECT_NE(engine.last().reason.find("on_divergence = \"stop\" ended the run"), std::string::npos) << engine.last().reason;

  const Ended continued = engine.train(wild + "continue");
  EXPECT_EQ(continued.code, 0) << continued.output;
  const auto losses = engine.series(engine.last().id, "train_loss");
  ASSERT_EQ(losses.size(), 28u);
  EXPECT_FALSE(std::isfinite(losses.back().value));  // as it was, not zero and not left out
}

// In a mount namespace of its own; `prepare` runs in the engine's folder before the engine does.
Ended in_namespace(const Engine& engine, const std::string& prepare, const std::string& command) {
  const fs::path output = engine.folder() / "namespace.txt", script = engine.folder() / "script.sh";
  std::ofstream(script) << "set -e\nmount --make-rprivate /\ncd '" << engine.folder().string() << "'\n"
                        << prepare << "\nexec timeout -k 2 60 '" << SYNCLINE_ENGINE_PROGRAM << "' " << command << "\n";
  const int status = std::system(fmt::format("OMP_NUM_THREADS=1 unshare -m sh '{}' > '{}' 2>&1", script.string(), output.string()).c_str());
  std::ifstream stream(output);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), std::string((std::istreambuf_iterator<char>(stream)), {}), 0};
}

bool namespaces() { return std::system("unshare -m true > /dev/null 2>&1") == 0; }

TEST(Writing, ReadOnly) {
  if (!namespaces()) GTEST_SKIP() << "no namespaces";
  const Engine engine;
  fs::create_directories(engine.folder() / "ro");
  ASSERT_EQ(engine.train("").code, 0);  // a workspace with a run
  fs::copy_file(engine.workspace(), engine.folder() / "ro" / "w.db");
  const std::string prepare = "mount --bind ro ro\nmount -o remount,bind,ro ro";
  const Ended ended = in_namespace(engine, prepare, "train job.toml --workspace ro/w.db");
  EXPECT_EQ(ended.code, 6) << ended.output;
  EXPECT_EQ(std::count(ended.output.begin(), ended.output.end(), '\n'), 1) << ended.output;
  EXPECT_NE(ended.output.find("ro/w.db"), std::string::npos) << ended.output;
  EXPECT_TRUE(engine.processes().empty());
  // Reading needs no permission to write.
  const Ended shown = in_namespace(engine, prepare, "show last --workspace ro/w.db");
  EXPECT_EQ(shown.code, 0) << shown.output;
}

TEST(Writing, AFullDisk) {
  if (!namespaces()) GTEST_SKIP() << "no namespaces";
  const Engine engine;
  make_endless(engine);
  fs::create_directories(engine.folder() / "small");
  // The workspace fits, a longer record of the run does not.
  const Ended ended = in_namespace(engine, "mount -t tmpfs -o size=1536k none small", "train job.toml --quiet --workspace small/w.db");
  EXPECT_EQ(ended.code, 6) << ended.output;
  EXPECT_NE(ended.output.find("no space"), std::string::npos) << ended.output;
  EXPECT_TRUE(engine.processes().empty());
}

// Room for the record, none for a checkpoint: the run goes on without it, and fails when its last one cannot be saved.
TEST(Writing, NoRoomForACheckpoint) {
  if (!namespaces()) GTEST_SKIP() << "no namespaces";
  const Engine engine;
  engine.replace("features = 16", "features = 4000");  // 7 MB with the optimizer's state
  fs::create_directories(engine.folder() / "small");
  const Ended ended = in_namespace(engine, "mount -t tmpfs -o size=5m none small",
                                   "train job.toml --set train.epochs=1 --set 'checkpoint.every=\"3 steps\"' --workspace small/w.db");
  EXPECT_EQ(ended.code, 6) << ended.output;
  EXPECT_NE(ended.output.find("the checkpoint of step 3 could not be saved and the run goes on: "), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("failed: the last checkpoint, of step 7, could not be saved: "), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("No space left on device"), std::string::npos) << ended.output;
  EXPECT_TRUE(engine.processes().empty());
}

TEST(Writing, AFullDiskFromTheBeginning) {
  if (!namespaces()) GTEST_SKIP() << "no namespaces";
  const Engine engine;
  fs::create_directories(engine.folder() / "small");
  const Ended ended = in_namespace(engine, "mount -t tmpfs -o size=64k none small", "train job.toml --quiet --workspace small/w.db");
  EXPECT_EQ(ended.code, 6) << ended.output;
  EXPECT_TRUE(engine.processes().empty());
}

// Deleting a run takes room in the workspace's log, and is what one does when there is none.
TEST(Writing, ARunIsDeletedOnAFullDisk) {
  if (!namespaces()) GTEST_SKIP() << "no namespaces";
  const Engine engine;
  engine.replace("features = 16", "features = 4000");  // a checkpoint of 7 MB with the optimizer's state
  fs::create_directories(engine.folder() / "small");
  const std::string program = SYNCLINE_ENGINE_PROGRAM, workspace = " --workspace small/w.db ";
  const std::string prepare = "mount -t tmpfs -o size=24m none small\n'" + program + "' train job.toml --quiet --set train.epochs=1" +
                              workspace +
                              "> /dev/null\nset +e\ncat /dev/zero > small/full 2> /dev/null\n"  // one with its files cannot be kept
                              "'" +
                              program + "' delete last --keep-files" + workspace + "\necho code $?\n'" + program + "' delete last" +
                              workspace + "\necho code $?\nls small/w.runs";
  const Ended ended = in_namespace(engine, prepare, "runs" + workspace);
  EXPECT_EQ(ended.code, 0) << ended.output;
  const std::size_t kept = ended.output.find("code 6\n"), deleted = ended.output.find("deleted job\ncode 0\n");
  ASSERT_NE(kept, std::string::npos) << ended.output;
  EXPECT_EQ(std::count(ended.output.begin(), ended.output.begin() + static_cast<std::ptrdiff_t>(kept), '\n'), 1) << ended.output;
  EXPECT_NE(ended.output.find("no space left even to delete"), std::string::npos) << ended.output;
  EXPECT_EQ(deleted, kept + 7) << ended.output;
  EXPECT_EQ(ended.output.find("finished"), std::string::npos) << ended.output;  // neither listed nor left in the folder
}

// The file goes while the ranks have it open: what they record from then on nobody could ever read.
TEST(Writing, ARemovedWorkspaceEndsTheRunSoonAndItsCheckpointsStay) {
  const Engine engine;
  make_endless(engine);
  Job job(engine, "train job.toml --quiet --set 'checkpoint.every=\"5 steps\"' --set checkpoint.keep=2");
  ASSERT_TRUE(job.wait_for_step(12)) << job.output();
  const std::string id = engine.last().id;
  const fs::path checkpoints = Workspace::open_read_only(engine.workspace()).run_folder(id) / "checkpoints";
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(engine.workspace().string() + part);
  EXPECT_EQ(job.wait(30), 6) << job.output();
  const std::string output = job.output();
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
  EXPECT_NE(output.find("the workspace was removed or replaced by another file"), std::string::npos) << output;
  EXPECT_NE(output.find(checkpoints.parent_path().string()), std::string::npos) << output;
  EXPECT_TRUE(job.gone(20));
  EXPECT_FALSE(fs::exists(engine.workspace())) << "no other one is made in its place";
  const auto left = committed_checkpoints(checkpoints);
  ASSERT_FALSE(left.empty());
  EXPECT_NO_THROW(verify_checkpoint(left.front()));
}

// Standard error alone.
constexpr char errors_apart[] = "sh -c 'exec \"$0\" \"$@\" 2> errors.txt'";
std::string errors_of(const Engine& engine) {
  std::ifstream stream(engine.folder() / "errors.txt");
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Checkpoints, DamagedNewestFallsBackAndSaysSo) {
  const Engine engine;
  ASSERT_EQ(engine.train("--set 'checkpoint.every=\"10 steps\"'").code, 0);
  const RunInfo first = engine.last();
  const fs::path newest = Workspace::open_read_only(engine.workspace()).run_folder(first.id) / "checkpoints" / "step_000028";
  fs::resize_file(newest / "shared.bin", 100);
  for (const char* arguments : {"--quiet", "--quiet --json", "--json"}) {
    const Ended ended = engine.run(fmt::format("train --resume {} {}", first.id, arguments), errors_apart);
    EXPECT_EQ(ended.code, 0) << arguments << ended.output;
    EXPECT_EQ(errors_of(engine).rfind("warning: the checkpoint of step 28 cannot be used: ", 0), 0u) << arguments << errors_of(engine);
  }
  // A launcher of the user's own.
  const Ended foreign = engine.run(fmt::format("train --resume {} --quiet", first.id), mpirun(2));
  EXPECT_NE(foreign.output.find("warning: the checkpoint of step 28 cannot be used: "), std::string::npos) << foreign.output;
  const nlohmann::json shown = parse_json(engine.run(fmt::format("train --resume {} --json", first.id), errors_apart));
  EXPECT_EQ(shown.at("run").at("state"), "finished");
  bool said = false;
  for (const EventRecord& event : engine.events(engine.last().id))
    said = said || (event.kind == "checkpoint-damaged" && event.text.find("the checkpoint of step 28 cannot be used") != std::string::npos);
  EXPECT_TRUE(said);
  EXPECT_EQ(engine.series(engine.last().id, "train_loss").front().axes.step, 20);
}

}  // namespace
}  // namespace syncline::test
