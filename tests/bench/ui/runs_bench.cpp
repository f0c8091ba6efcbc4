// SPDX-License-Identifier: GPL-3.0-or-later
// The Runs page with 10,000 runs: how long until the table can be used, and what a key in the filter and a sort cost. Prints the figures
// and ends with 1 when a budget is missed. Run it alone: it measures wall time.
#include <QAbstractItemView>
#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include "engine/metrics/statistics.h"
#include "tests/ui/runs/fixture.h"
#include "tests/ui/runs/many_runs.h"
#include "ui/views/runs/runs_page.h"

namespace {

using namespace syncline;
using namespace syncline::ui;

constexpr int runs = 10000;

double resident_mb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  }
  return 0;
}

int missed = 0;
void report(const char* what, double value, double most, const char* unit) {
  const bool good = value <= most;
  missed += good ? 0 : 1;
  std::printf("%-46s %9.1f %s   budget %.0f%s\n", what, value, unit, most, good ? "" : "   MISSED");
}

double milliseconds(const std::function<void()>& act) {
  QElapsedTimer timer;
  timer.start();
  act();
  return static_cast<double>(timer.nsecsElapsed()) / 1e6;
}

template <typename Holds>
void wait_for(Holds holds) {
  while (!holds()) QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents, 2);
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QStandardPaths::setTestModeEnabled(true);
  QApplication application(argc, argv);
  QCoreApplication::setOrganizationName(QStringLiteral("syncline-tests"));
  QCoreApplication::setApplicationName(QStringLiteral("syncline-tests"));
  QTemporaryDir folder;
  const QString path = folder.path() + QStringLiteral("/workspace.db");
  std::printf("writing %d runs\n", runs);
  write_many_runs(path.toStdString(), runs);
  const double before_mb = resident_mb();

  QElapsedTimer start;
  start.start();
  RecordingWorkbench bench(path);
  auto* page = static_cast<RunsPage*>(make_runs_page(bench));
  page->resize(1100, 700);
  page->show();
  QApplication::processEvents();
  const double first_paint_ms = static_cast<double>(start.nsecsElapsed()) / 1e6;
  wait_for([&] { return page->model().loaded(); });
  page->grab();  // the rows are painted
  report("first paint", first_paint_ms, 300, "ms");
  report("usable table", static_cast<double>(start.nsecsElapsed()) / 1e6, 1000, "ms");

  RunsModel& model = page->model();
  model.details().wantAll(model.snapshot()->rows);
  const double summaries_ms = milliseconds([&] { wait_for([&] { return model.detailsIdle(); }); });
  std::printf("%-46s %9.1f ms   (in the background)\n", "summaries of all runs", summaries_ms);

  const auto keystroke = [&](const QString& text) {
    return milliseconds([&] {
      model.setFilter(text);
      page->grab();
    });
  };
  std::vector<double> plain, numeric, sorts;
  const QString words = QStringLiteral("batch 3"), loss = QStringLiteral("loss<0.01 strategy:sync");
  for (int round = 0; round < 3; ++round) {
    for (int n = 1; n <= words.size(); ++n) plain.push_back(keystroke(words.left(n)));
    for (const QString& text :
         {QStringLiteral("loss<0.5"), loss, QStringLiteral("step_s<1"), QStringLiteral("batch_per_worker:64 train.epochs>2"), QString()})
      numeric.push_back(keystroke(text));
  }
  report("key in the filter, words (median)", median(plain), 100, "ms");
  report("key in the filter, words (worst)", *std::max_element(plain.begin(), plain.end()), 100, "ms");
  report("key in the filter, numbers (median)", median(numeric), 100, "ms");
  report("key in the filter, numbers (worst)", *std::max_element(numeric.begin(), numeric.end()), 100, "ms");

  for (const RunsGrouping grouping : {RunsGrouping::experiment, RunsGrouping::none}) {
    model.setGrouping(grouping);
    sorts.clear();
    double worst = 0;
    QString worst_column;
    for (const RunsColumn& column : model.columns()) {
      const double ms = milliseconds([&] {
        page->table().setSort(column.id, true);
        page->grab();
      });
      sorts.push_back(ms);
      if (ms > worst) {
        worst = ms;
        worst_column = column.id;
      }
    }
    const bool flat = grouping == RunsGrouping::none;
    report(flat ? "sort, 10,000 rows (median)" : "sort, grouped (median)", median(sorts), 150, "ms");
    report((std::string(flat ? "sort, 10,000 rows (worst: " : "sort, grouped (worst: ") + worst_column.toStdString() + ")").c_str(), worst,
           150, "ms");
  }
  report("memory of the page", resident_mb() - before_mb, 500, "MB");
  delete page;
  return missed == 0 ? 0 : 1;
}
