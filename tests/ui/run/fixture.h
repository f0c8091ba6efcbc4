// SPDX-License-Identifier: GPL-3.0-or-later
// A workbench without a window over a workspace of its own, filled by the real engine.
#pragma once

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "ui/models/background_jobs.h"
#include "ui/models/engine_program.h"
#include "ui/models/problems.h"
#include "ui/models/settings.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

class TestWorkbench : public Workbench {
 public:
  explicit TestWorkbench(const QString& database) : store_(database), engine_(settings_, database) {
    settings_.set(QString::fromUtf16(EngineProgram::path_setting), enginePath());
  }
  static QString enginePath() { return QStringLiteral(SYNCLINE_BINARY_DIR "/app/syncline-engine"); }

  StoreService& store() override { return store_; }
  ActionRegistry& actions() override { return actions_; }
  Problems& problems() override { return problems_; }
  BackgroundJobs& jobs() override { return jobs_; }
  Settings& settings() override { return settings_; }
  EngineProgram& engine() override { return engine_; }
  void show(Place) override {}
  void openRun(const QString& id, const QString&) override { opened_runs << id; }
  void openComparison(const QStringList& ids, const QString&) override { compared = ids; }
  void openDraft(const QString&) override {}
  void newDraft(const QString& name, const QString& text) override {
    draft_name = name;
    draft_text = text;
  }
  void notice(const QString& text, const QString&, std::function<void()>, int) override { notices << text; }

  QStringList opened_runs, compared, notices;
  QString draft_name, draft_text;

 private:
  Settings settings_;
  StoreService store_;
  ActionRegistry actions_;
  Problems problems_;
  BackgroundJobs jobs_;
  EngineProgram engine_;
};

inline bool comes(const std::function<bool()>& condition, int limit_ms = 30000) {
  QElapsedTimer timer;
  timer.start();
  while (!condition() && timer.elapsed() < limit_ms) QTest::qWait(20);
  return condition();
}

// One workspace for all tests of a suite: a finished run is made once.
class EngineWorkspace {
 public:
  EngineWorkspace() { qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1"), qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"); }
  QString database() const { return folder_.filePath(QStringLiteral("w.db")); }

  QString experiment(const QString& name, const QString& length, const QString& more = {}) const {
    const QString path = folder_.filePath(name + QStringLiteral(".toml"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(QStringLiteral("name = \"%1\"\n"
                              "[model]\nzoo = \"mlp\"\n"
                              "[data]\nsource = \"synthetic\"\n"
                              "[train]\n%2\nbatch_per_worker = 32\n"
                              "[cluster]\nworkers = 2\nthreads_per_worker = 1\n"
                              "[cluster.link]\nbandwidth = \"1 Gbit/s\"\nlatency = \"100 us\"\nemulate = true\n"
                              "[strategy]\nname = \"sync\"\nplan = \"wfbp\"\n%3")
                   .arg(name, length, more)
                   .toUtf8());
    return path;
  }

  struct Answer {
    int exit_code = -1;
    QByteArray output, error;
  };
  Answer engine(const QStringList& arguments, int limit_ms = 90000) const {
    QProcess process;
    process.start(TestWorkbench::enginePath(), QStringList(arguments) << QStringLiteral("--workspace") << database());
    if (!process.waitForFinished(limit_ms)) process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace syncline::ui
