// SPDX-License-Identifier: GPL-3.0-or-later
// The chart against the budgets of the window: frames while panning and zooming, opening a million points, a live page. Prints figures;
// judges nothing. An argument ("frames", "opening", "live") runs that part alone. Run with QT_QPA_PLATFORM=offscreen for the same numbers
// on every machine with the same processor.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QGridLayout>
#include <QStyleFactory>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "engine/store/registry.h"
#include "engine/store/run_writer.h"
#include "ui/models/settings.h"
#include "ui/widgets/chart_plot.h"

namespace syncline::ui {
namespace {

constexpr int charts = 8, curves = 10, live_seconds = 10;
constexpr std::int64_t million = 1000000, live_from = 2000;

Axes axes_at(std::int64_t step) {
  Axes axes;
  axes.step = step;
  axes.samples = 128 * (step + 1);
  axes.active_s = axes.elapsed_s = 0.01 * static_cast<double>(step);
  axes.wall_s = static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000;
  return axes;
}

double value_at(std::int64_t step, int curve) {
  return 2 * std::exp(-1e-3 * static_cast<double>(step % 5000)) + 0.05 * std::sin(0.7 * static_cast<double>(step * (curve + 3)));
}

std::string new_run(const Workspace& workspace, int index) {
  NewRun run;
  run.name = fmt::format("curve {}", index);
  run.experiment_as_typed = run.experiment = "name = \"bench\"\n";
  run.group_key = run.name;
  run.state = "running";
  run.rank0 = this_process();
  return RunRegistry(workspace).create(run);
}

void record(const Workspace& workspace, const std::string& id, const std::vector<std::string>& series, std::int64_t count, int curve) {
  RunWriterOptions options;
  options.scalars = 1 << 18;
  RunWriter writer(workspace, id, options);
  for (std::int64_t step = 0; step < count; ++step) {
    writer.position(axes_at(step));
    for (const std::string& name : series) writer.scalar(name, step, value_at(step, curve));
    if (step % 10000 == 9999) writer.flush();
  }
  writer.close();
}

CurveSpec spec(const std::string& run, const std::string& series, int index) {
  CurveSpec made;
  made.id = QString::number(index);
  made.name = QStringLiteral("curve %1").arg(index);
  made.run_ids = {QString::fromStdString(run)};
  made.series = QString::fromStdString(series);
  made.palette = index;
  return made;
}

double percentile(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

double cpu_s() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) { return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Of this thread alone: what a busy machine does not change.
double thread_ms() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return 1e3 * static_cast<double>(used.tv_sec) + 1e-6 * static_cast<double>(used.tv_nsec);
}

ChartPlot* plot_of(SeriesChart& chart) { return chart.findChild<ChartPlot*>(); }

void wait_for(const SeriesChart& chart) {
  while (!chart.loaded()) QTest::qWait(1);
}

void frames(StoreService& store, Settings& settings, const std::vector<std::string>& runs) {
  ChartGroup group(store, settings, QStringLiteral("bench"));
  SeriesChart chart(group, QStringLiteral("bench.frames"), QStringLiteral("Twenty curves"));
  chart.resize(1000, 500);
  std::vector<CurveSpec> specs;
  for (std::size_t i = 0; i < runs.size(); ++i) specs.push_back(spec(runs[i], "train_loss", static_cast<int>(i)));
  chart.setCurves(specs);
  chart.show();
  QTest::qWait(50);
  wait_for(chart);
  ChartPlot& plot = *plot_of(chart);
  plot.zoomX(0.4, plot.xAxis->range().center());
  QTest::qWait(50);
  wait_for(chart);
  std::vector<double> pan, pan_cpu, zoom, zoom_cpu, crosshair;
  QElapsedTimer timer;
  const QCPRange range = plot.xAxis->range();
  for (int i = 0; i < 200; ++i) {
    const double shift = range.size() * 0.2 * std::sin(0.1 * i);
    timer.start();
    const double before = thread_ms();
    plot.setView(range.lower + shift, range.upper + shift, nothing, nothing, true);
    plot.replot(QCustomPlot::rpImmediateRefresh);
    pan.push_back(1e-6 * static_cast<double>(timer.nsecsElapsed()));
    pan_cpu.push_back(thread_ms() - before);
    QTest::qWait(5);
  }
  for (int i = 0; i < 60; ++i) {
    timer.start();
    const double cpu = thread_ms();
    plot.zoomX(i < 30 ? 0.9 : 1 / 0.9, range.center());
    const int before = plot.curveReplots();
    while (plot.curveReplots() == before) QTest::qWait(0);
    zoom.push_back(1e-6 * static_cast<double>(timer.nsecsElapsed()));
    zoom_cpu.push_back(thread_ms() - cpu);
  }
  for (int i = 0; i < 500; ++i) {
    timer.start();
    plot.setCrosshair(range.lower + range.size() * i / 500);
    crosshair.push_back(1e-6 * static_cast<double>(timer.nsecsElapsed()));
  }
  fmt::print("pan, 20 curves of 20,000 points  median {:.1f} ms, 99 % {:.1f} ms; of the processor {:.1f} ms\n", percentile(pan, 0.5),
             percentile(pan, 0.99), percentile(pan_cpu, 0.5));
  fmt::print("zoom until it is drawn           median {:.1f} ms, 99 % {:.1f} ms; of the processor {:.1f} ms, 99 % {:.1f} ms\n",
             percentile(zoom, 0.5), percentile(zoom, 0.99), percentile(zoom_cpu, 0.5), percentile(zoom_cpu, 0.99));
  fmt::print("crosshair                        median {:.2f} ms, 99 % {:.2f} ms\n", percentile(crosshair, 0.5),
             percentile(crosshair, 0.99));
  fmt::print("vertices                         {}\n", chart.counters().vertices);
}

void opening(StoreService& store, Settings& settings, const std::string& run) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    ChartGroup group(store, settings, QStringLiteral("bench"));
    SeriesChart chart(group, QStringLiteral("bench.open"), QStringLiteral("A million points"));
    chart.resize(1000, 500);
    QElapsedTimer timer;
    timer.start();
    chart.show();
    chart.setCurves({spec(run, "train_loss", 0)});
    const int before = chart.counters().curve_replots;
    wait_for(chart);
    while (chart.counters().curve_replots == before) QTest::qWait(0);
    times.push_back(1e-6 * static_cast<double>(timer.nsecsElapsed()));
  }
  fmt::print("opening 1,000,000 points         median {:.0f} ms\n", percentile(times, 0.5));
}

// The runs go on in another process, as they do in life. It is there before there are threads, and begins when it is told.
class OtherProcess {
 public:
  explicit OtherProcess(const std::filesystem::path& path) {
    if (pipe(ends_) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) goOn(path);
    close(ends_[0]);
  }
  ~OtherProcess() {
    close(ends_[1]);
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  void begin(const std::vector<std::string>& runs) const {
    std::string lines;
    for (const std::string& run : runs) lines += run + "\n";
    if (write(ends_[1], lines.data(), lines.size()) != static_cast<ssize_t>(lines.size())) std::abort();
  }

 private:
  [[noreturn]] void goOn(const std::filesystem::path& path) const {
    close(ends_[1]);
    std::vector<std::string> runs(1);
    for (char one = 0; static_cast<int>(runs.size()) <= curves;) {
      if (read(ends_[0], &one, 1) != 1) _exit(0);
      if (one == '\n')
        runs.emplace_back();
      else
        runs.back() += one;
    }
    runs.pop_back();
    const Workspace workspace = Workspace::open(path);
    std::vector<std::unique_ptr<RunWriter>> writers;
    for (const std::string& run : runs) writers.push_back(std::make_unique<RunWriter>(workspace, run));
    for (std::int64_t step = live_from;; ++step) {
      for (std::size_t i = 0; i < writers.size(); ++i) {
        writers[i]->position(axes_at(step));
        for (int series = 0; series < charts; ++series)
          writers[i]->scalar(fmt::format("series_{}", series), step, value_at(step, static_cast<int>(i)));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
  int ends_[2] = {-1, -1};
  pid_t child_ = -1;
};

void live(StoreService& store, Settings& settings, const std::vector<std::string>& runs) {
  ChartGroup group(store, settings, QStringLiteral("bench"));
  QWidget page;
  auto* grid = new QGridLayout(&page);
  std::vector<SeriesChart*> all;
  for (int i = 0; i < charts; ++i) {
    auto* chart = new SeriesChart(group, QStringLiteral("bench.live.%1").arg(i), QStringLiteral("Series %1").arg(i), &page);
    chart->setCompact(true);
    std::vector<CurveSpec> specs;
    for (std::size_t run = 0; run < runs.size(); ++run)
      specs.push_back(spec(runs[run], fmt::format("series_{}", i), static_cast<int>(run)));
    chart->setCurves(specs);
    grid->addWidget(chart, i / 2, i % 2);
    all.push_back(chart);
  }
  page.resize(1400, 1100);
  page.show();
  QObject::connect(&store, &StoreService::changed, &group, [&group] { group.refresh(); });
  for (const SeriesChart* chart : all) wait_for(*chart);
  QTest::qWait(500);
  int redraws = 0;
  for (const SeriesChart* chart : all) redraws -= chart->counters().curve_replots;
  const double before = cpu_s();
  QElapsedTimer timer;
  timer.start();
  QTest::qWait(1000 * live_seconds);
  const double share = (cpu_s() - before) / (1e-3 * static_cast<double>(timer.elapsed()));
  for (const SeriesChart* chart : all) redraws += chart->counters().curve_replots;
  fmt::print("live page, {} charts x {} curves  {:.0f} % of a core, {:.1f} redraws a second\n", charts, curves, 100 * share,
             redraws / (1e-3 * static_cast<double>(timer.elapsed())));
}

// `only`: "frames", "opening" or "live"; empty: all three.
int run(const std::string& only) {
  const auto wanted = [&](const char* part) { return only.empty() || only == part; };
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  // In memory where there is such a file system: a disk's pauses are not what is measured.
  const bool memory = access("/dev/shm", W_OK) == 0;
  std::string folder =
      ((memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) / "syncline-chart-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  const std::filesystem::path path = std::filesystem::path(folder) / "w.db";
  {
    const OtherProcess other(path);
    const Workspace workspace = Workspace::open(path);
    std::vector<std::string> twenty, ten;
    for (int i = 0; i < 20; ++i) {
      twenty.push_back(new_run(workspace, i));
      record(workspace, twenty.back(), {"train_loss"}, 20000, i);
    }
    const std::string large = new_run(workspace, 20);
    if (wanted("opening")) record(workspace, large, {"train_loss"}, million, 0);
    for (int i = 0; i < curves; ++i) {
      ten.push_back(new_run(workspace, 30 + i));
      std::vector<std::string> series;
      for (int one = 0; one < charts; ++one) series.push_back(fmt::format("series_{}", one));
      record(workspace, ten.back(), series, live_from, i);
    }
    Settings settings;
    {
      StoreService store(QString::fromStdString(path.string()));
      if (wanted("frames")) frames(store, settings, twenty);
      if (wanted("opening")) opening(store, settings, large);
      if (wanted("live")) {
        other.begin(ten);
        live(store, settings, ten);
      }
    }
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace syncline::ui

int main(int argc, char** argv) {
  QStandardPaths::setTestModeEnabled(true);
  QApplication application(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QCoreApplication::setOrganizationName(QStringLiteral("syncline-bench"));
  QCoreApplication::setApplicationName(QStringLiteral("syncline-bench"));
  return syncline::ui::run(argc > 1 ? argv[1] : "");
}
