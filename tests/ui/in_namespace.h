// SPDX-License-Identifier: GPL-3.0-or-later
// A test on a file system of its own: it starts itself again in a mount namespace, where the folder is prepared by a line of sh.
#pragma once

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QProcess>

namespace syncline::ui {

inline bool namespaces() { return QProcess::execute(QStringLiteral("unshare"), {QStringLiteral("-m"), QStringLiteral("true")}) == 0; }

// The folder, where this is the second start.
inline QString folder_inside() { return qEnvironmentVariable("SYNCLINE_TEST_INSIDE"); }

// prepare: sh, with $F for the folder. The second start must pass.
inline void run_inside(const QString& prepare, const QString& folder) {
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  const QString name = QString::fromUtf8(info->test_suite_name()) + u'.' + QString::fromUtf8(info->name());
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(QStringLiteral("SYNCLINE_TEST_INSIDE"), folder);
  environment.insert(QStringLiteral("F"), folder);
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(QStringLiteral("unshare"),
                {QStringLiteral("-m"), QStringLiteral("sh"), QStringLiteral("-c"),
                 QStringLiteral("set -e; mount --make-rprivate /; %1; exec \"$0\" --gtest_filter=\"$1\"").arg(prepare),
                 QCoreApplication::applicationFilePath(), name});
  const bool ended = process.waitForFinished(60000);
  const QByteArray output = process.readAll();
  ASSERT_TRUE(ended) << output.toStdString();
  EXPECT_EQ(process.exitCode(), 0) << output.toStdString();
  EXPECT_TRUE(output.contains("[  PASSED  ] 1 test")) << output.toStdString();
}

}  // namespace syncline::ui
