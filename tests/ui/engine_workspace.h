// SPDX-License-Identifier: GPL-3.0-or-later
// A workspace of its own, filled by the real engine.
#pragma once

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "tests/ui/recording_workbench.h"

namespace syncline::ui {

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
    process.start(RecordingWorkbench::builtEngine(), QStringList(arguments) << QStringLiteral("--workspace") << database());
    if (!process.waitForFinished(limit_ms)) process.kill();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAllStandardOutput(),
            process.readAllStandardError()};
  }

 private:
  QTemporaryDir folder_;
};

}  // namespace syncline::ui
