// SPDX-License-Identifier: Apache-2.0
// Runs are listed, shown, compared, exported, moved and deleted; what scripts read has the form of the contract.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "engine/store/registry.h"
#include "tests/integration/job/job.h"
#include "tests/support/contract.h"

namespace syncline::test {
namespace {

using nlohmann::json;

// Two runs of one experiment that differ in the plan, made once for all tests of this file.
class Reading : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    engine_ = new Engine;
    for (const std::string plan : {"single", "wfbp"}) {
      const Ended ended = engine_->train(fmt::format(
          "--name {0} --set strategy.plan={0} --set cluster.link.emulate=true --set 'cluster.link.bandwidth=\"100 Mbit/s\"'", plan));
      ASSERT_EQ(ended.code, 0) << ended.output;
    }
  }
  static void TearDownTestSuite() {
    delete engine_;
    engine_ = nullptr;
  }
  static void python(const std::string& code) {
    std::ofstream(engine_->folder() / "check.py") << code;
    const std::string command = fmt::format("cd '{}' && python3 check.py 2>&1", engine_->folder().string());
    FILE* pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string output;
    for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    EXPECT_EQ(::pclose(pipe), 0) << output;
  }
  static Engine* engine_;
};
Engine* Reading::engine_ = nullptr;

TEST_F(Reading, RunsAndShowHaveTheKeysOfTheContract) {
  const json runs = parse_json(engine_->run("runs --json")).at("runs");
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].at("name"), "single");  // oldest first
  for (const json& run : runs) {
    for (const std::string& key : run_keys) EXPECT_TRUE(run.contains(key)) << key;
    EXPECT_FALSE(run.contains("experiment"));
    for (const std::string& key : summary_keys) EXPECT_TRUE(run.at("summary").contains(key)) << key;
  }
  const json shown = parse_json(engine_->run("show last --json"));
  for (const std::string& key : run_keys) EXPECT_TRUE(shown.at("run").contains(key)) << key;
  EXPECT_NE(shown.at("run").at("experiment").get<std::string>().find("plan = \"wfbp\""), std::string::npos);
  EXPECT_EQ(shown.at("run").at("emulated"), json::array({"link"}));
  EXPECT_EQ(shown.at("run").at("state"), "finished");
  const json& summary = shown.at("summary");
  EXPECT_EQ(summary.at("steps"), 28);
  EXPECT_EQ(summary.at("epochs"), 4);
  EXPECT_EQ(summary.at("samples"), 4 * 60);
  EXPECT_EQ(summary.at("updates"), 28);
  EXPECT_EQ(summary.at("time_to_target_s"), nullptr);
  EXPECT_EQ(summary.at("compute_inflation"), nullptr);  // no run without communication
  EXPECT_GT(summary.at("peak_memory_bytes"), 1 << 20);
  for (const char* key :
       {"wall_s", "samples_per_s", "step_s", "forward_s", "backward_s", "update_s", "comm_s", "exposed_comm_s", "final_train_loss"})
    EXPECT_GT(summary.at(key).get<double>(), 0) << key;
  EXPECT_LE(summary.at("exposed_comm_s"), summary.at("comm_s"));
  const double hidden = summary.at("hidden_comm_fraction");
  EXPECT_NEAR(hidden, 1 - summary.at("exposed_comm_s").get<double>() / summary.at("comm_s").get<double>(), 1e-9);
}

TEST_F(Reading, EveryStepIsTheSumOfItsParts) {
  ASSERT_EQ(engine_->run("export last --format json --output run.json").code, 0);
  std::ifstream stream(engine_->folder() / "run.json");
  const json document = json::parse(stream);
  ASSERT_EQ(document.at("step_sums").size(), 2u);
  for (const json& lane : document.at("step_sums")) {
    const auto names = lane.at("columns").get<std::vector<std::string>>();
    EXPECT_EQ(lane.at("steps").size(), 28u);
    for (const json& row : lane.at("steps")) {
      const auto value = [&](const char* name) {
        return row.at(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin())).get<double>();
      };
      EXPECT_NEAR(value("step_s"), value("compute_s") + value("exposed_s") + value("other_s"), 1e-6);
    }
  }
}

TEST_F(Reading, Compare) {
  const json document = parse_json(engine_->run("compare single wfbp --json"));
  EXPECT_EQ(document.at("runs").size(), 2u);
  const json& metric = document.at("runs")[1].at("metrics").at("step_s");
  EXPECT_NEAR(metric.at("relative").get<double>(),
              metric.at("difference").get<double>() / (metric.at("value").get<double>() - metric.at("difference").get<double>()), 1e-9);
  EXPECT_EQ(document.at("differing_settings"), json::array({"wfbp: strategy.plan = wfbp instead of single"}));
  const Ended text = engine_->run("compare single wfbp");
  EXPECT_EQ(text.code, 0);
  for (const char* part : {"single (baseline)", "exposed communication", "samples/s", "settings that differ"})
    EXPECT_NE(text.output.find(part), std::string::npos) << text.output;
  const Ended one = engine_->run("compare single wfbp --metric exposed_comm_s");
  EXPECT_EQ(one.output.find("samples/s"), std::string::npos) << one.output;
}

TEST_F(Reading, ExportsAreReadByOthers) {
  for (const char* format : {"csv", "json", "trace", "tensorboard"}) {
    const Ended ended = engine_->run(fmt::format("export last --format {0} --output out.{0}", format));
    EXPECT_EQ(ended.code, 0) << ended.output;
  }
  python(R"(
import csv, json
rows = list(csv.DictReader(open("out.csv")))
losses = [float(r["value"]) for r in rows if r["series"] == "train_loss"]
assert len(losses) == 28, len(losses)
run = json.load(open("out.json"))
series = next(s for s in run["series"] if s["name"] == "train_loss")
at = series["columns"].index("value")
assert [p[at] for p in series["points"]] == losses
)");
  python(R"(
import json
events = json.load(open("out.trace"))
events = events["traceEvents"] if isinstance(events, dict) else events
spans = [e for e in events if e["ph"] == "X"]
assert {e["pid"] for e in spans} == {0, 1}, {e["pid"] for e in spans}
assert all(e["dur"] >= 0 and e["ts"] >= 0 for e in spans)
names = [e["args"]["name"] for e in events if e["ph"] == "M"]
assert any("comput" in n for n in names) and any("communication" in n for n in names), names
)");
  python(R"(
import glob, struct
table = []
for n in range(256):
    for _ in range(8): n = (n >> 1) ^ (0x82F63B78 if n & 1 else 0)
    table.append(n)
def masked(data):
    crc = 0xFFFFFFFF
    for byte in data: crc = table[(crc ^ byte) & 255] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
files = glob.glob("out.tensorboard/**/*tfevents*", recursive=True)
assert files
records = 0
for name in files:
    data = open(name, "rb").read()
    at = 0
    while at < len(data):
        length, check = struct.unpack("<QI", data[at:at + 12])
        assert check == masked(data[at:at + 8])
        body = data[at + 12:at + 12 + length]
        assert struct.unpack("<I", data[at + 12 + length:at + 16 + length])[0] == masked(body)
        at += 16 + length
        records += b"train_loss" in body
assert records == 28, records
)");
  const Ended other = engine_->run("export last --format xml --output x");
  EXPECT_EQ(other.code, 2);
}

// However short the run: there is a sample at its end.
TEST_F(Reading, AnExportHasWhatTheRanksTookOfTheMachineAndTheThroughput) {
  ASSERT_EQ(engine_->run("export wfbp --format json --output taken.json").code, 0);
  const json exported = json::parse(std::ifstream(engine_->folder() / "taken.json"));
  std::map<std::string, std::set<int>> ranks;
  for (const json& series : exported.at("series")) {
    ranks[series.at("name")].insert(series.at("rank").is_null() ? -1 : series.at("rank").get<int>());
  }
  EXPECT_EQ(ranks["cpu_share"], (std::set<int>{0, 1}));
  EXPECT_EQ(ranks["resident_memory_bytes"], (std::set<int>{0, 1}));
  EXPECT_EQ(ranks["samples_per_s"], (std::set<int>{-1}));
  EXPECT_EQ(ranks["end_to_end_samples_per_s"], (std::set<int>{-1}));
  EXPECT_FALSE(ranks["network_sent_bytes_per_s"].contains(1));  // both ranks are on the host of rank 0
}

TEST_F(Reading, TagImportTwiceDelete) {
  EXPECT_EQ(engine_->run("tag single base first").code, 0);
  EXPECT_EQ(parse_json(engine_->run("tag single --remove first --json")).at("tags"), json::array({"base"}));
  EXPECT_EQ(parse_json(engine_->run("runs --filter tag=base --json")).at("runs").size(), 1u);
  const json first = parse_json(engine_->run("import runs.db --into other.db --json"));
  EXPECT_EQ(first.at("runs_added"), 2);
  const json again = parse_json(engine_->run("import runs.db --into other.db --json"));
  EXPECT_EQ(again.at("runs_added"), 0);
  EXPECT_EQ(again.at("runs_unchanged"), 2);
  EXPECT_EQ(again.at("records"), 0);
  Reader there(Workspace::open_read_only(engine_->folder() / "other.db")), here(Workspace::open_read_only(engine_->workspace()));
  const RunInfo copied = there.resolve("single"), original = here.resolve("single");
  EXPECT_EQ(copied.id, original.id);
  EXPECT_EQ(copied.last_sequence, original.last_sequence);
  // A third run only to be deleted: the others are still read.
  ASSERT_EQ(engine_->train("--name short --set train.epochs=1").code, 0);
  const std::string id = engine_->last().id;
  const auto folder = Workspace::open_read_only(engine_->workspace()).run_folder(id);
  EXPECT_TRUE(std::filesystem::exists(folder));
  EXPECT_EQ(parse_json(engine_->run("delete short --json")).at("deleted"), id);
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(here.runs().size(), 2u);
}

TEST_F(Reading, RunsInTheTrashAreListedAsSuch) {
  const Workspace at = Workspace::open(engine_->workspace());
  const std::string id = Reader(at).runs().front().id;
  Annotations(at).set_trashed(id, true);
  const auto line_of = [&] {
    const std::string list = engine_->run("runs").output;
    const std::size_t end = list.find('\n', list.find(id));
    return list.substr(list.rfind('\n', list.find(id)) + 1, end);
  };
  EXPECT_NE(line_of().find("(in the trash)"), std::string::npos) << line_of();
  Annotations(at).set_trashed(id, false);
  EXPECT_EQ(engine_->run("runs").output.find("(in the trash)"), std::string::npos);
}

TEST_F(Reading, ErrorsAsJson) {
  const auto error = [](const Ended& ended, int code) {
    EXPECT_EQ(ended.code, code) << ended.output;
    const json document = json::parse(ended.output, nullptr, false);
    EXPECT_TRUE(document.is_object() && document.contains("error")) << ended.output;
    const json found = document.value("error", json::object());
    for (const char* key : {"code", "file", "line", "key", "message"}) EXPECT_TRUE(found.contains(key)) << key;
    EXPECT_EQ(found.value("code", -1), code);
    return found;
  };
  const json wrong = error(engine_->run("validate job.toml --set train.optimizer.lrr=1 --json"), 2);
  EXPECT_EQ(wrong.at("key"), "train.optimizer.lrr");
  const std::string plugin = "validate job.toml --set train.optimizer.name=plugin:";
  const json absent = error(engine_->run(plugin + "lionn --json"), 2);
  EXPECT_EQ(absent.at("key"), "train.optimizer.name");
  EXPECT_NE(absent.at("message").get<std::string>().find("there is no plugin \"lionn\""), std::string::npos) << absent;
  EXPECT_EQ(engine_->run(plugin + "lion --set train.optimizer.beta1=0.8").code, 0);
  const json unknown = error(engine_->run(plugin + "lion --set train.optimizer.beta=0.8 --json"), 2);
  EXPECT_EQ(unknown.at("key"), "train.optimizer.beta");
  error(engine_->run("train absent.toml --json"), 2);
  error(engine_->run("show nothing-of-this-name --json"), 2);
  error(engine_->run("train --no-such-option --json"), 2);
  error(engine_->run("export last --format xml --output x --json"), 2);
  std::ofstream(engine_->folder() / "bad.db") << std::string(8192, 'x');
  error(engine_->run("import bad.db --into other2.db --json"), 6);
}

// Nothing recorded yet is an answer; a run that is asked for cannot be there. Whatever is asked, no workspace comes of it.
TEST(ReadingNothing, AWorkspaceThatIsNotThereHasNoRuns) {
  const Engine engine;
  const Ended list = engine.run("runs");
  EXPECT_EQ(list.code, 0);
  EXPECT_EQ(list.output, "no runs yet: the workspace " + engine.workspace().string() + " is made by the first run\n");
  EXPECT_EQ(parse_json(engine.run("runs --json")), json({{"runs", json::array()}}));
  for (const char* command : {"show last", "compare last last", "export last --format csv --output x", "stop last", "checkpoint last",
                              "tag last good", "delete last", "train --resume last", "plan job.toml --profile last"}) {
    const Ended ended = engine.run(command);
    EXPECT_EQ(ended.code, 6) << command << ": " << ended.output;
    EXPECT_EQ(ended.output, "syncline-engine: " + engine.workspace().string() +
                                ": there is no workspace here; train something first, or name another one with --workspace\n")
        << command;
    EXPECT_FALSE(std::filesystem::exists(engine.workspace())) << command;
  }
}

TEST_F(Reading, ADryRunReportsAndRecordsNothing) {
  const std::size_t before = Reader(Workspace::open_read_only(engine_->workspace())).runs().size();
  const json report = parse_json(engine_->run("train job.toml --dry-run --json"));
  EXPECT_EQ(report.at("ranks"), 2);
  EXPECT_EQ(report.at("communicator"), "mpi");
  EXPECT_EQ(report.at("samples"), 9);
  EXPECT_EQ(report.at("parameters"), parse_json(engine_->run("describe job.toml --json")).at("parameters"));
  EXPECT_GT(report.at("step_s"), 0);
  const json alone = parse_json(engine_->run("train job.toml --dry-run --json --set cluster.workers=1 --set train.batch_per_worker=4"));
  EXPECT_EQ(alone.at("ranks"), 1);
  EXPECT_EQ(Reader(Workspace::open_read_only(engine_->workspace())).runs().size(), before);
  const Ended failing = engine_->run("train job.toml --dry-run --json", "SYNCLINE_FAULT=1:0:forward:throw");
  EXPECT_EQ(failing.code, 4) << failing.output;
  const json error = json::parse(failing.output).at("error");
  EXPECT_EQ(error.at("code"), 4);
  EXPECT_EQ(error.at("message"), "rank 1 failed in step 0: a fault was asked for in forward, step 0");
}

}  // namespace
}  // namespace syncline::test
