// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a run over a workspace in which the real engine has finished one; further runs are launched by the tests.
#pragma once

#include <QAction>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>

#include "tests/ui/engine_workspace.h"

namespace syncline::ui {

class RunPageTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace = std::make_unique<EngineWorkspace>();
    const QString file = workspace->experiment(QStringLiteral("finished"), QStringLiteral("steps = 60"));
    const auto answer = workspace->engine({QStringLiteral("train"), file});
    ASSERT_EQ(answer.exit_code, 0) << answer.error.toStdString();
    const QJsonObject show = json(workspace->engine({QStringLiteral("show"), QStringLiteral("last"), QStringLiteral("--json")}).output);
    finished = show.value(QStringLiteral("run")).toObject().value(QStringLiteral("id")).toString();
    summary = show.value(QStringLiteral("summary")).toObject();
    ASSERT_FALSE(finished.isEmpty());
  }
  static void TearDownTestSuite() { workspace.reset(); }

  static QJsonObject json(const QByteArray& text) { return QJsonDocument::fromJson(text).object(); }

  void SetUp() override { workbench = std::make_unique<RecordingWorkbench>(workspace->database(), RecordingWorkbench::builtEngine()); }
  void TearDown() override {
    page.reset();
    workbench.reset();
  }

  void open(const QString& id, const QString& tab = QStringLiteral("overview")) {
    page.reset(make_run_page(*workbench, id, tab));
    page->resize(1100, 700);
    page->show();
    ASSERT_TRUE(comes([this] { return page->loaded(); })) << tab.toStdString();
  }
  template <typename Widget>
  Widget* find(const char* name) const {
    auto* found = page->findChild<Widget*>(QString::fromLatin1(name));
    if (found == nullptr) ADD_FAILURE() << "no " << name;
    return found;
  }
  QString text(const char* name) const { return find<QLabel>(name)->text(); }
  QAction* action(const char* id) const { return workbench->actions().find(QString::fromLatin1(id)); }
  static std::optional<double> number(const char* key) {
    const QJsonValue value = summary.value(QLatin1String(key));
    return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
  }
  // A run that goes on for as long as the test wants.
  QString launch(const QString& name) const {
    const QString file = workspace->experiment(name, QStringLiteral("steps = 1000000"), QStringLiteral("[fault]\ngrace_s = 20\n"));
    const auto answer = workspace->engine({QStringLiteral("launch"), file, QStringLiteral("--on"), QStringLiteral("local"),
                                           QStringLiteral("--detach"), QStringLiteral("--json")});
    EXPECT_EQ(answer.exit_code, 0) << answer.error.toStdString();
    return json(answer.output).value(QStringLiteral("id")).toString();
  }

  static inline std::unique_ptr<EngineWorkspace> workspace;
  static inline QString finished;
  static inline QJsonObject summary;
  std::unique_ptr<RecordingWorkbench> workbench;
  std::unique_ptr<Page> page;
};

}  // namespace syncline::ui
