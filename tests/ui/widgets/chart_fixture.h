// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace with runs, a store service over it, and a window to put charts into.
#pragma once

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>
#include <cmath>
#include <limits>
#include <memory>

#include "tests/unit/store/fixture.h"
#include "ui/models/palette.h"
#include "ui/models/settings.h"
#include "ui/models/store_service.h"
#include "ui/widgets/series_chart.h"

namespace syncline::ui {

class ChartTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    workspace();
    settings_.remove(QStringLiteral("charts/test/x"));
    QApplication::setPalette(palette::light());
    store_ = std::make_unique<StoreService>(QString::fromStdString((folder_ / "workspace.db").string()));
    group_ = std::make_unique<ChartGroup>(*store_, settings_, QStringLiteral("test"));
    window_ = std::make_unique<QWidget>();
    new QVBoxLayout(window_.get());
    window_->resize(700, 420);
  }

  void TearDown() override {
    window_.reset();
    group_.reset();
    store_.reset();
    QApplication::setPalette(palette::light());
    StoreTest::TearDown();
  }

  QString record(const std::vector<double>& values, const std::string& name = "run", std::int64_t first_step = 0,
                 const std::string& attempt_of = {}, const std::string& strategy = "sync", const std::string& series = "train_loss") {
    RunRegistry registry(workspace());
    NewRun run = new_run(name, strategy);
    run.attempt_of = attempt_of;
    const std::string id = registry.create(run);
    append(id, values, first_step, series);
    return QString::fromStdString(id);
  }

  void append(const std::string& id, const std::vector<double>& values, std::int64_t first_step, const std::string& series = "train_loss") {
    RunWriterOptions options;
    options.scalars = 1 << 18;
    RunWriter writer(workspace(), id, options);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t step = first_step + static_cast<std::int64_t>(i);
      Axes axes = axes_at(step);
      axes.wall_s = now() - 0.01 * static_cast<double>(values.size() - i);
      writer.position(axes);
      writer.scalar(series, step, values[i]);
      if (i % 100000 == 99999) writer.flush();
    }
    writer.close();
  }

  void finish(const QString& id) { RunRegistry(workspace()).finish(id.toStdString(), {"finished", "", 0, 0}); }

  static double now() { return static_cast<double>(QDateTime::currentMSecsSinceEpoch()) / 1000; }

  SeriesChart* chart(const QString& name = QStringLiteral("test.loss")) {
    auto* made = new SeriesChart(*group_, name, QStringLiteral("Training loss"), window_.get());
    window_->layout()->addWidget(made);
    return made;
  }

  static CurveSpec curve(const QStringList& runs, const QString& name, int palette = 0,
                         const QString& series = QStringLiteral("train_loss")) {
    CurveSpec spec;
    spec.id = QString(name % runs.join(u','));
    spec.name = name;
    spec.run_ids = runs;
    spec.series = series;
    spec.palette = palette;
    return spec;
  }

  void show() {
    window_->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get()));
  }

  static bool settled(SeriesChart* made) {
    if (!QTest::qWaitFor([made] { return made->loaded(); }, 20000)) return false;
    QTest::qWait(150);  // queued redraws and the pause between two requests
    return made->loaded();
  }

  static QWidget* plot_of(QWidget* made) { return made->findChild<QWidget*>(QString(made->objectName() % QStringLiteral(".plot"))); }

  static std::vector<double> falling(int steps, double noise = 0.05) {
    std::vector<double> values;
    std::uint32_t state = 12345;
    for (int i = 0; i < steps; ++i) {
      state = state * 1664525U + 1013904223U;
      values.push_back(0.2 + 2.1 * std::exp(-3.0 * i / steps) + noise * (state / 4294967296.0 - 0.5));
    }
    return values;
  }

  Settings settings_;
  std::unique_ptr<StoreService> store_;
  std::unique_ptr<ChartGroup> group_;
  std::unique_ptr<QWidget> window_;
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
};

}  // namespace syncline::ui
