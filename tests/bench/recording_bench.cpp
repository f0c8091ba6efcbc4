// SPDX-License-Identifier: Apache-2.0
// What recording costs: the training thread per step (spans, accounting, handing over), and the rows that the writer's thread can take.
// Usage: recording_bench [FOLDER]   (default: the temporary folder)
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>
#include <vector>

#include "engine/metrics/accounting.h"
#include "engine/metrics/clock.h"
#include "engine/metrics/statistics.h"
#include "engine/store/registry.h"
#include "engine/store/run_writer.h"

using namespace syncline;

namespace {

constexpr int layers = 60, buckets = 8, scalars = 4;  // a resnet20 with merged gradients

// One step's recording as the trainer does it; returns the seconds it took on this thread.
double record_step(SpanRing& ring, StepAccountant& accountant, RunWriter& writer, std::int64_t step, double step_s) {
  const double start = static_cast<double>(step) * step_s;
  const auto number = static_cast<std::uint32_t>(step);
  const double before = monotonic_s();
  for (int layer = 0; layer < layers; ++layer) {
    const double at = start + step_s * layer / (3.0 * layers);
    ring.span({at, at + step_s / (3.5 * layers), SpanKind::forward, static_cast<std::uint16_t>(layer), number});
  }
  for (int layer = layers; layer-- > 0;) {
    const double at = start + step_s / 3 + step_s * (layers - layer) / (2.0 * layers);
    ring.span({at, at + step_s / (2.5 * layers), SpanKind::backward, static_cast<std::uint16_t>(layer), number});
  }
  for (int bucket = 0; bucket < buckets; ++bucket) {
    Exchange exchange;
    exchange.issued_s = start + step_s * (0.4 + 0.05 * bucket);
    exchange.done_s = exchange.issued_s + 0.08 * step_s;
    exchange.id = static_cast<std::uint16_t>(bucket);
    exchange.label = "bucket";
    ring.exchange(exchange);
  }
  StepSums known;
  known.axes.step = step;
  known.axes.active_s = start + step_s;
  accountant.close_step(start, start + step_s, known);
  writer.position(known.axes);
  while (const auto sums = accountant.next()) writer.step(*sums);
  constexpr std::string_view names[scalars] = {"train_loss", "train_accuracy", "learning_rate", "samples_per_s"};
  for (const std::string_view name : names) writer.scalar(name, step, 1);
  return monotonic_s() - before;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder =
      (argc > 1 ? std::filesystem::path(argv[1]) : std::filesystem::temp_directory_path()) / fmt::format("syncline-recording-{}", getpid());
  {
    const Workspace workspace = Workspace::open(folder / "workspace.db");
    NewRun run;
    run.name = "recording";
    run.state = "running";
    run.rank0 = this_process();
    const std::string id = RunRegistry(workspace).create(run);
    SpanRing ring;
    StepAccountant accountant(ring, 0);
    RunWriter writer(workspace, id);
    std::vector<double> seconds;
    for (std::int64_t step = 0; step < 3000; ++step) {
      seconds.push_back(record_step(ring, accountant, writer, step, 0.02));
      std::this_thread::sleep_for(std::chrono::microseconds(300));
    }
    writer.flush();
    fmt::print(
        "training thread, per step of {} spans, {} exchanges, {} scalars: median {:.1f} us, 95th percentile {:.1f} us, worst {:.0f} us\n",
        2 * layers, buckets, scalars, 1e6 * quantile(seconds, 0.5), 1e6 * quantile(seconds, 0.95), 1e6 * quantile(seconds, 1));
    fmt::print("  of a step of 20 ms: {:.3f} %\n", 100 * quantile(seconds, 0.5) / 0.02);

    const std::int64_t before = writer.acknowledged();
    const double from = monotonic_s(), cpu_from = thread_cpu_s();
    for (std::int64_t step = 0; step < 40; ++step) {
      for (int i = 0; i < 5000; ++i) writer.scalar("rows", 5000 * step + i, i);
      writer.flush();
    }
    const double took = monotonic_s() - from;
    fmt::print("writer: {:.0f} points/s in batches of 5,000 (levels of detail and chunks included); the caller used {:.0f} ns a point\n",
               static_cast<double>(writer.acknowledged() - before) / took, 1e9 * (thread_cpu_s() - cpu_from) / 200000);
    writer.close();
    fmt::print("file: {:.1f} bytes a point\n", static_cast<double>(std::filesystem::file_size(workspace.path())) / 215000);
  }
  std::filesystem::remove_all(folder);
  return 0;
}
