// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "engine/experiment/experiment.h"
#include "engine/store/summary.h"
#include "tests/unit/store/fixture.h"

namespace syncline {
namespace {

using RegistryTest = StoreTest;

TEST_F(RegistryTest, ARunFromItsCreationToItsEnd) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  NewRun given = new_run();
  given.state = "queued";
  given.seed = 0xfedcba9876543210u;
  given.emulated = {"link", "compute"};
  given.command = {"syncline-engine", "train", "a b.toml"};
  given.environment = {{"OMP_NUM_THREADS", "1"}};
  given.target_accuracy = 0.9;
  given.tracing = "the first 20, then every 50th";
  const std::string id = registry.create(given);
  EXPECT_EQ(text_of(made.run_folder(id) / "experiment.toml"), given.experiment_as_typed);
  Reader reader(made);
  RunInfo run = reader.run(id);
  EXPECT_EQ(run.state, "queued");
  EXPECT_FALSE(run.started.has_value());
  EXPECT_EQ(run.seed, given.seed);
  EXPECT_EQ(run.emulated, given.emulated);
  EXPECT_EQ(run.command, given.command);
  EXPECT_EQ(run.environment, given.environment);
  EXPECT_EQ(run.experiment, given.experiment);
  EXPECT_EQ(run.target_accuracy, 0.9);
  EXPECT_EQ(run.tracing, given.tracing);
  EXPECT_EQ(run.rank0.pid, getpid());
  EXPECT_EQ(run.host, host_name());
  registry.set_running(id);
  registry.set_resolved(id, "cpu", "oneDNN 2.6", 3);
  run = reader.run(id);
  EXPECT_EQ(run.state, "running");
  EXPECT_TRUE(run.started.has_value());
  EXPECT_EQ(run.threads_per_worker, 3);
  EXPECT_TRUE(registry.finish(id, {"finished", "", 0, 0}));
  EXPECT_FALSE(registry.finish(id, {"failed", "late", 4, 0}));
  registry.set_running(id);
  run = reader.run(id);
  EXPECT_EQ(run.state, "finished");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_TRUE(registry.finish(id, {"failed", "rank 1 ended by signal 9 in step 3", 4, 0}, true));
  EXPECT_EQ(reader.run(id).reason, "rank 1 ended by signal 9 in step 3");
}

TEST_F(RegistryTest, AttemptsAndColours) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  const std::string first = registry.create(new_run("x"));
  NewRun again = new_run("x");
  again.attempt_of = again.resumed_from = first;
  const std::string second = registry.create(again);
  const std::string other = registry.create(new_run("y", "none"));
  Reader reader(made);
  EXPECT_EQ(reader.run(first).attempt, 1);
  EXPECT_EQ(reader.run(second).attempt, 2);
  EXPECT_EQ(reader.run(second).resumed_from, first);
  EXPECT_EQ(reader.run(first).palette, reader.run(second).palette);
  EXPECT_NE(reader.run(first).palette, reader.run(other).palette);
}

TEST_F(RegistryTest, RunsAreNamedByIdNamePrefixOrLast) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  Reader reader(made);
  EXPECT_THROW(reader.resolve("last"), ConfigError);
  NewRun run = new_run("quick single");
  run.id = "01900000-0000-7000-8000-000000000001";
  registry.create(run);
  run.name = "quick wfbp";
  run.id = "01900000-0000-7000-8000-000000000002";
  registry.create(run);
  run.name = "quick";
  run.id = "01900000-0000-7000-8000-000000000003";
  registry.create(run);
  run.id = "01900000-0000-7000-8000-000000000004";  // the same name again
  registry.create(run);
  EXPECT_EQ(reader.resolve("last").id.back(), '4');
  EXPECT_EQ(reader.resolve("quick").id.back(), '4');  // exact name, newest
  EXPECT_EQ(reader.resolve("quick w").id.back(), '2');
  EXPECT_EQ(reader.resolve("01900000-0000-7000-8000-000000000001").id.back(), '1');
  Annotations(made).rename("01900000-0000-7000-8000-000000000001", "renamed");
  EXPECT_EQ(reader.resolve("ren").id.back(), '1');
  EXPECT_EQ(reader.resolve("ren").given_name, "quick single");
  try {
    reader.resolve("0190");
    FAIL() << "an ambiguous prefix was taken";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("is the beginning of 4 runs"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("01900000-0000-7000-8000-000000000002  quick wfbp"), std::string::npos);
  }
  EXPECT_THROW(reader.resolve("nothing"), ConfigError);
  EXPECT_THROW(reader.resolve(""), ConfigError);
}

TEST_F(RegistryTest, RequestsAreAskedAndAnswered) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  const std::string id = registry.create(new_run());
  Requests requests(made);
  const std::int64_t stop = requests.ask(id, "stop-after-checkpoint", "somebody");
  requests.ask(id, "checkpoint", "somebody");
  EXPECT_EQ(Reader(made).run(id).state, "stopping");
  requests.acknowledge(stop, "announced for step 12");
  EXPECT_EQ(requests.get(stop)->stage, "announced for step 12");
  EXPECT_TRUE(requests.get(stop)->acknowledged_at.has_value());
  EXPECT_EQ(requests.of(id, true).size(), 2u);
  registry.finish(id, {"stopped", "on request", 5, 0});
  EXPECT_EQ(requests.of(id, true).size(), 0u);
  EXPECT_EQ(requests.of(id).size(), 2u);
  EXPECT_EQ(Reader(made).run(id).state, "stopped");
  EXPECT_THROW(requests.ask("no such run", "checkpoint", ""), WorkspaceError);
  EXPECT_THROW(requests.ask(id, "explode", ""), WorkspaceError);
}

TEST_F(RegistryTest, AnnotationsBelongToTheUser) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  const std::string id = registry.create(new_run("given"));
  Annotations annotations(made);
  annotations.rename(id, "mine");
  for (const std::string& name : {std::string("last"), std::string(" "), std::string("two\nlines"), std::string(201, 'x')})
    EXPECT_THROW(annotations.rename(id, name), ConfigError) << name;
  annotations.set_notes(id, "baseline for figure 3");
  annotations.add_tag(id, "fig3");
  annotations.add_tag(id, "fig3");
  EXPECT_THROW(annotations.add_tag(id, "two\nlines"), ConfigError);
  EXPECT_THROW(annotations.add_tag(id, " "), ConfigError);
  annotations.add_tag(id, "best");
  annotations.remove_tag(id, "best");
  annotations.set_starred(id, true);
  annotations.set_colour(id, "#123456");
  RunInfo run = Reader(made).run(id);
  EXPECT_EQ(run.name, "mine");
  EXPECT_EQ(run.given_name, "given");
  EXPECT_EQ(run.notes, "baseline for figure 3");
  EXPECT_EQ(run.tags, std::vector<std::string>{"fig3"});
  EXPECT_TRUE(run.starred);
  EXPECT_EQ(run.colour, "#123456");
  annotations.rename(id, "");
  annotations.set_trashed(id, true);
  run = Reader(made).runs().front();
  EXPECT_EQ(run.name, "given");
  EXPECT_TRUE(run.trashed);
  EXPECT_EQ(run.tags.size(), 1u);
  EXPECT_THROW(annotations.add_tag("no such run", "x"), WorkspaceError);
}

TEST_F(RegistryTest, DeletingRemovesRowsAndFilesButNotActiveOrLockedRuns) {
  const Workspace made = workspace();
  RunRegistry registry(made);
  const std::string gone = registry.create(new_run("gone")), kept = registry.create(new_run("kept"));
  {
    RunWriter writer(made, gone);
    for (int step = 0; step < 3000; ++step) {
      writer.position(axes_at(step));
      writer.scalar("loss", step, 1);
      writer.step(sums_at(step));
    }
    StepTrace trace;
    writer.trace(trace);
    writer.close();
  }
  EXPECT_THROW(registry.remove(gone, false), ConfigError);  // running: this process is its rank 0
  registry.finish(gone, {"finished", "", 0, 0});
  registry.finish(kept, {"finished", "", 0, 0});
  Annotations(made).set_locked(gone, true);
  EXPECT_THROW(registry.remove(gone, false), ConfigError);
  Annotations(made).set_locked(gone, false);
  registry.remove(gone, false);
  EXPECT_FALSE(std::filesystem::exists(made.run_folder(gone)));
  Database database = made.connect_read_only();
  for (const char* table : {"series", "point", "chunk", "bucket", "step_lane", "step", "step_chunk", "step_bucket", "trace", "trace_data",
                            "event", "progress", "summary", "annotation"}) {
    EXPECT_EQ(database.integer(std::string("SELECT count(*) FROM ") + table), 0) << table;
  }
  registry.remove(kept, true);
  EXPECT_TRUE(std::filesystem::exists(made.run_folder(kept) / "experiment.toml"));
}

RunInfo running_run() {
  RunInfo run;
  run.stored_state = "running";
  run.supervisor = {"here", "boot", 10, 1};
  run.rank0 = {"here", "boot", 11, 2};
  run.heartbeat = 1.7e9;
  return run;
}

TEST(ConcludeState, FollowsTheEvidence) {
  RunInfo run = running_run();
  const auto all_gone = [](const ProcessIdentity&) { return std::optional(false); };
  const auto rank0_lives = [](const ProcessIdentity& process) { return std::optional(process.pid == 11); };
  const auto cannot_ask = [](const ProcessIdentity&) { return std::optional<bool>(); };
  EXPECT_EQ(conclude_state(run, false, rank0_lives).state, "running");
  EXPECT_EQ(conclude_state(run, true, rank0_lives).state, "stopping");
  EXPECT_EQ(conclude_state(run, true, all_gone).state, "lost");
  EXPECT_EQ(conclude_state(run, false, cannot_ask).state, "unknown");
  EXPECT_EQ(conclude_state(run, false, cannot_ask).reason, "unknown since 2023-11-14 22:13:20 UTC");
  // The supervisor is known to be gone, rank 0 is on another host: nobody may say that the run is lost.
  const auto half = [](const ProcessIdentity& process) { return process.pid == 10 ? std::optional(false) : std::optional<bool>(); };
  EXPECT_EQ(conclude_state(run, false, half).state, "unknown");
  run.stored_state = "stopped";
  run.reason = "on request";
  EXPECT_EQ(conclude_state(run, true, all_gone).state, "stopped");
  EXPECT_EQ(conclude_state(run, true, all_gone).reason, "on request");
  RunInfo queued;
  queued.stored_state = "queued";
  EXPECT_EQ(conclude_state(queued, false, all_gone).state, "queued");
}

TEST(ProcessIdentityTest, KnowsTheLivingAndTheDead) {
  const ProcessIdentity self = this_process();
  EXPECT_GT(self.start_ticks, 0);
  EXPECT_EQ(process_exists(self), true);
  ProcessIdentity another_life = self;
  another_life.start_ticks += 1;
  EXPECT_EQ(process_exists(another_life), false);
  ProcessIdentity elsewhere = self;
  elsewhere.host = "another host";
  EXPECT_FALSE(process_exists(elsewhere).has_value());
  elsewhere = self;
  elsewhere.boot_id = "another boot";
  EXPECT_FALSE(process_exists(elsewhere).has_value());
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t information{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &information, WEXITED | WNOWAIT), 0);
  const auto zombie = process_of(child);
  ASSERT_TRUE(zombie.has_value());
  EXPECT_EQ(process_exists(*zombie), false);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(process_of(child).has_value());
}

TEST(BaselineKey, IgnoresWhatMayDifferAndNothingElse) {
  const std::string base =
      "name = 'a'\nseed = 1\n[cluster]\nworkers = 2\nservers = 0\n[cluster.link]\nlatency = 1\n[strategy]\nname = 'sync'\n";
  EXPECT_EQ(baseline_key(base).size(), 32u);
  EXPECT_EQ(baseline_key(base),
            baseline_key("seed = 1\nname = 'b'\n[checkpoint]\nkeep = 3\n[strategy]\nname = 'none'\n[cluster]\nservers = 1\n"
                         "workers = 2\n[[cluster.links]]\nfrom = 'x'\n"));
  EXPECT_NE(baseline_key(base), baseline_key("name = 'a'\nseed = 2\n[cluster]\nworkers = 2\n"));
  EXPECT_NE(baseline_key(base), baseline_key("name = 'a'\nseed = 1\n[cluster]\nworkers = 3\n"));
  EXPECT_EQ(baseline_key("= broken"), "");
}

}  // namespace
}  // namespace syncline
