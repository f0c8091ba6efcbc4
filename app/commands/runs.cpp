// SPDX-License-Identifier: Apache-2.0
// runs: the list. show: one run with its summary.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/commands/output.h"
#include "engine/base/units.h"
#include "engine/experiment/experiment.h"
#include "engine/launch/leftovers.h"
#include "engine/sim/schema.h"
#include "engine/store/emulation.h"
#include "engine/store/filter.h"
#include "engine/store/reader.h"
#include "engine/store/summary.h"

namespace syncline::app {
namespace {

int list_runs(const std::string& expression, const Global& global) {
  const RunFilter filter(expression, experiment_filter_keys(catalogue()));
  const std::filesystem::path path = workspace_path(global.workspace);
  if (!std::filesystem::exists(path)) {  // nothing has been recorded yet, which is an answer; the first run makes the workspace
    if (global.json)
      print_document({{"runs", nlohmann::ordered_json::array()}});
    else
      std::printf("no runs yet: the workspace %s is made by the first run\n", path.c_str());
    return 0;
  }
  const Workspace workspace = Workspace::open_read_only(path);
  sweep_leftovers(workspace);
  Reader reader(workspace);
  std::vector<RunInfo> kept;
  for (RunInfo& run : reader.runs()) {
    if (filter.matches(run, filter.needs_summary() ? summarise(reader, run) : Summary{})) kept.push_back(std::move(run));
  }
  if (global.json) {
    print_document(runs_json(reader, kept));
    return 0;
  }
  if (kept.empty()) {
    std::printf("%s\n", expression.empty() ? "no runs yet" : "no run matches the filter");
    return 0;
  }
  // Named only where there is one: times of another machine beside times of this one.
  const bool any_emulated = std::any_of(kept.begin(), kept.end(), [](const RunInfo& run) { return !run.emulated.empty(); });
  std::vector<std::string> heads = {"name", "state", "strategy", "workers"};
  std::vector<bool> right = {false, false, false, true};
  if (any_emulated) heads.emplace_back("times of"), right.push_back(false);
  heads.insert(heads.end(), {"loss", "best accuracy", "samples/s", "step", "exposed", "started", "id"});
  right.insert(right.end(), {true, true, true, true, true, false, false});
  Table table(heads, right);
  for (const RunInfo& run : kept) {
    const Summary summary = summarise(reader, run);
    const std::string name = run.name + (run.kind == "prediction" ? " (prediction)" : "") + (run.trashed ? " (in the trash)" : "");
    std::vector<std::string> row = {name, run.state, run.strategy, std::to_string(run.workers)};
    if (any_emulated) row.push_back(run.emulated.empty() ? "this machine" : emulation_text(run));
    row.insert(row.end(), {text_or_dash(summary.final_train_loss, fixed), text_or_dash(summary.best_test_accuracy, accuracy),
                           text_or_dash(summary.samples_per_s, format_count),
                           times_withheld(summary) ? "overrun" : text_or_dash(summary.step_s, format_duration),
                           text_or_dash(exposed_share(summary), percent), run.started ? local_time(*run.started) : "-", run.id});
    table.row(std::move(row));
  }
  table.print();
  return 0;
}

void print_emulation(const RunInfo& run) {
  if (run.emulated.empty()) return;
  std::printf("%s: times are those of the emulated machine%s\n", emulation_text(run).c_str(),
              has_no_arithmetic(run) ? "; nothing was computed, so there is no loss" : "");
  for (const auto& [key, value] : settings_of(run.experiment)) {
    if (key == "cluster.profile" || key.starts_with("cluster.profile.") || (key == "cluster.time_scale" && value != "1.0"))
      std::printf("%s: %s\n", key.c_str(), value.c_str());
  }
}

void print_run(const RunInfo& run) {
  std::printf("%s  %s\n", run.name.c_str(), run.id.c_str());
  std::printf("%s%s%s\n", run.state.c_str(), run.reason.empty() ? "" : ": ", run.reason.c_str());
  std::printf("%s on %s, %s%s%s, %d worker%s", run.model.c_str(), run.dataset.c_str(), run.strategy.c_str(),
              run.plan.empty() ? "" : ", plan ", run.plan.c_str(), run.workers, run.workers == 1 ? "" : "s");
  if (run.servers > 0) std::printf(" and %d server%s", run.servers, run.servers == 1 ? "" : "s");
  std::printf(" of %d thread%s on %s, seed %llu\n", run.threads_per_worker, run.threads_per_worker == 1 ? "" : "s", run.host.c_str(),
              static_cast<unsigned long long>(run.seed));
  if (run.started)
    std::printf("started %s%s\n", local_time(*run.started).c_str(), run.ended ? (", ended " + local_time(*run.ended)).c_str() : "");
  if (!run.resumed_from.empty()) std::printf("resumed from %s\n", run.resumed_from.c_str());
  print_emulation(run);
  if (!run.tags.empty()) std::printf("tags: %s\n", fmt::format("{}", fmt::join(run.tags, ", ")).c_str());
  if (!run.notes.empty()) std::printf("notes: %s\n", run.notes.c_str());
}

void print_summary(const Summary& s) {
  const auto line = [](const char* what, const std::string& value, const std::string& note = {}) {
    std::printf("  %-26s %12s%s%s\n", what, value.c_str(), note.empty() ? "" : "   ", note.c_str());
  };
  const auto integer = [](const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : std::string("-"); };
  std::printf("\nresult\n");
  line("steps", integer(s.steps), s.epochs ? fmt::format("{:.4g} epochs, {} samples", *s.epochs, integer(s.samples)) : "");
  line("train loss, last step", text_or_dash(s.final_train_loss, [](double loss) { return fmt::format("{:.6g}", loss); }));
  line("test accuracy", text_or_dash(s.final_test_accuracy, accuracy),
       s.best_test_accuracy ? "best " + accuracy(*s.best_test_accuracy) : "");
  line("time to target", text_or_dash(s.time_to_target_s, format_duration));
  line("samples/s", text_or_dash(s.samples_per_s, format_count));
  line("wall time", text_or_dash(s.wall_s, format_duration));
  if (const auto why = times_withheld(s)) std::printf("\n%s\n", why->c_str());
  std::printf("\nwhere a step goes (medians of rank %s after %lld warm-up steps)\n",
              s.slowest_rank ? std::to_string(*s.slowest_rank).c_str() : "-", static_cast<long long>(s.warm_up_steps));
  line("step", text_or_dash(s.step_s, format_duration));
  line("forward", text_or_dash(s.forward_s, format_duration));
  line("backward", text_or_dash(s.backward_s, format_duration));
  line("update", text_or_dash(s.update_s, format_duration));
  line("waiting for data", text_or_dash(s.data_wait_s, format_duration));
  line("communication", text_or_dash(s.comm_s, format_duration),
       s.hidden_comm_fraction ? percent(*s.hidden_comm_fraction) + " hidden" : "none");
  line("exposed communication", text_or_dash(s.exposed_comm_s, format_duration),
       exposed_share(s) ? percent(*exposed_share(s)) + " of the step" : "");
  line("blocked", text_or_dash(s.blocked_s, format_duration), "the training thread waits for an exchange");
  line("waiting for peers", text_or_dash(s.peer_wait_s, format_duration));
  line("transfer", text_or_dash(s.transfer_s, format_duration),
       s.hidden_transfer_fraction ? percent(*s.hidden_transfer_fraction) + " hidden" : "");
  line("step minus its parts", text_or_dash(s.step_sum_error_s, format_duration), "compute + exposed + other, as a check");
  line("step without communication", text_or_dash(s.step_without_comm_s, format_duration),
       s.compute_inflation
           ? "compute " + percent(std::abs(*s.compute_inflation)) + (*s.compute_inflation < 0 ? " faster with it" : " slower with it")
           : "no compute-only run of this experiment");
  std::printf("\nper step and worker\n");
  line("sent", text_or_dash(s.bytes_sent_per_step_per_worker, format_size),
       s.messages_per_step_per_worker ? fixed(*s.messages_per_step_per_worker) + " messages" : "");
  std::printf("\n");
  line("peak memory of a rank", s.peak_memory_bytes ? format_size(static_cast<double>(*s.peak_memory_bytes)) : "-");
  line("processor", s.cpu_share ? percent(*s.cpu_share) : "-", "of the ranks' cores");
  line("gradients", integer(s.gradients), fmt::format("{} updates, {} skipped steps", integer(s.updates), integer(s.skipped_steps)));
  if (s.staleness_mean) line("staleness", fixed(*s.staleness_mean), "largest " + text_or_dash(s.staleness_max, fixed));
  if (s.emulation_overrun) line("overrun steps", percent(*s.emulation_overrun), "above 2 % no times are given");
}

int show(const std::string& what, const Global& global) {
  Reader reader(Workspace::open_read_only(workspace_path(global.workspace)));
  const RunInfo run = reader.resolve(what);
  if (global.json) {
    print_document(show_json(reader, run));
    return 0;
  }
  print_run(run);
  print_summary(summarise(reader, run));
  return 0;
}

}  // namespace

Action define_runs(CLI::App& sub, const Global& global) {
  auto filter = std::make_shared<std::string>();
  sub.add_option("--filter", *filter, "for example: state:finished strategy:sync loss<0.5")->type_name("EXPR");
  return [filter, &global] { return list_runs(*filter, global); };
}

Action define_show(CLI::App& sub, const Global& global) {
  auto run = std::make_shared<std::string>();
  sub.add_option("RUN", *run, "an id, a name, the beginning of either, or last")->required();
  return [run, &global] { return show(*run, global); };
}

}  // namespace syncline::app
