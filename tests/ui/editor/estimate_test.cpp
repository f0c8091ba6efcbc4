// SPDX-License-Identifier: GPL-3.0-or-later
// The step time of a draft, estimated by a run that the real engine traced.
#include <QLabel>

#include "tests/ui/engine_workspace.h"
#include "ui/models/format.h"
#include "ui/views/editor/editor_page.h"

namespace syncline::ui {
namespace {

TEST(StepTimeEstimate, ComesFromTheNewestTracedRunOfTheSameModelAndBatchWithoutAChoice) {
  const EngineWorkspace workspace;
  const QString path = workspace.experiment(QStringLiteral("traced"), QStringLiteral("steps = 120"));
  ASSERT_EQ(workspace.engine({QStringLiteral("train"), path}).exit_code, 0);
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  RecordingWorkbench bench(workspace.database(), RecordingWorkbench::builtEngine());
  EditorPage page(bench, {}, QStringLiteral("draft"), QString::fromUtf8(file.readAll()));
  page.resize(1100, 700);
  page.show();
  const auto estimate = [&page] {
    const auto* label = page.findChild<QLabel*>(QStringLiteral("estimate.Step time"));
    return label == nullptr ? QString() : label->text();
  };
  EXPECT_TRUE(comes([&] { return !estimate().isEmpty() && estimate() != format::missing; })) << estimate().toStdString();
  const auto* label = page.findChild<QLabel*>(QStringLiteral("estimate.Step time"));
  ASSERT_NE(label, nullptr);
  EXPECT_TRUE(label->toolTip().contains(QStringLiteral("traced"))) << label->toolTip().toStdString();
  ASSERT_TRUE(page.document()->setValue({"train", "batch_per_worker"}, "64"));
  EXPECT_TRUE(comes([&] { return estimate() == format::missing; })) << "no run of that batch";
}

}  // namespace
}  // namespace syncline::ui
