// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that have been in the trash for long: what the page says of them, and what the dialog shows.
#include <QDir>
#include <QLabel>
#include <QTreeWidget>

#include "engine/metrics/clock.h"
#include "tests/ui/runs/runs_page_fixture.h"
#include "ui/models/format.h"
#include "ui/models/trash_keeper.h"
#include "ui/views/runs/runs_dialogs.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {
namespace {

class TrashTest : public RunsPageTest {
 protected:
  double put(const std::string& id, double days_ago) {
    const double at = utc_s() - days_ago * 24 * 3600;
    Annotations(workspace()).set_trashed(id, true);
    Database(path_.toStdString(), Database::Mode::write)
        .execute("UPDATE annotation SET trashed_at = " + std::to_string(at) + " WHERE run_id = '" + id + "'");
    return at;
  }
};

TEST_F(TrashTest, AnOldRunIsNamedAndStaysUntilALaterStart) {
  const std::string old = make({.name = "an old one"}), fresh = make({.name = "a fresh one"});
  make({.name = "at home"});
  put(old, 40);
  put(fresh, 1);
  open();
  ASSERT_TRUE(until([this] { return !bench_->notices.isEmpty(); }));
  EXPECT_TRUE(bench_->notices.front().contains(QStringLiteral("an old one"))) << bench_->notices.front().toStdString();
  EXPECT_TRUE(bench_->notices.front().contains(QStringLiteral("30 days"))) << bench_->notices.front().toStdString();
  EXPECT_FALSE(bench_->notices.front().contains(QStringLiteral("fresh")));
  EXPECT_TRUE(stored(old).trashed);
}

TEST_F(TrashTest, TheDialogSaysSinceWhenEachRunIsThereAndForHowLong) {
  const std::string id = make({.name = "thrown away"});
  make({.name = "at home"});
  const double at = put(id, 3);
  open();
  inDialog<TrashDialog>([at](TrashDialog& dialog) {
    const auto* list = dialog.findChild<QTreeWidget*>(QStringLiteral("runs.trash.list"));
    constexpr int since_column = 4;
    const QString expected = format::moment(at, QTimeZone::systemTimeZone());
    EXPECT_TRUE(until([&] { return list->topLevelItem(0)->text(since_column) == expected; }));
    EXPECT_TRUE(dialog.findChild<QLabel*>(QStringLiteral("runs.trash.stay"))->text().contains(QStringLiteral("30 day")));
    if (const QString folder = qEnvironmentVariable("SYNCLINE_PICTURES"); !folder.isEmpty())
      dialog.grab().save(QDir(folder).filePath(QStringLiteral("trash.png")));
    dialog.accept();
  });
  bench_->actions().find(QStringLiteral("runs.show-trash"))->trigger();
}

TEST_F(TrashTest, AListThatIsEmptySaysThatTheTrashIsNot) {
  put(make({.name = "thrown away"}), 1);
  open();
  EXPECT_TRUE(find<QLabel>("runs.empty.text")->isVisible());
  const QString text = find<QLabel>("runs.empty.text")->text();
  EXPECT_TRUE(text.contains(QStringLiteral("trash has 1 run"))) << text.toStdString();
}

}  // namespace
}  // namespace syncline::ui
