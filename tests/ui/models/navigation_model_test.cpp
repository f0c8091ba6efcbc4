// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/navigation_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QMimeData>
#include <QSignalSpy>

namespace syncline::ui {
namespace {

struct NavigationModelTest : ::testing::Test {
  NavigationModel model;
  QAbstractItemModelTester tester{&model};
  NavigationModelTest() {
    model.addPlace(QStringLiteral("runs"), QStringLiteral("Runs"), QStringLiteral("view-list-details"));
    model.addPlace(QStringLiteral("drafts"), QStringLiteral("Drafts"), QStringLiteral("document-edit"));
  }
  QString tree() const {
    QString text;
    for (int section = 0; section < model.rowCount(); ++section) {
      const QModelIndex top = model.index(section, 0);
      text += top.data().toString() + u':';
      for (int row = 0; row < model.rowCount(top); ++row) text += u' ' + model.index(row, 0, top).data().toString();
      text += u'\n';
    }
    return text;
  }
};

TEST_F(NavigationModelTest, PlacesComeFirstAndOpenPagesInTheOrderOfOpening) {
  model.addOpen(QStringLiteral("a"), {});
  model.addOpen(QStringLiteral("b"), {});
  EXPECT_EQ(tree(), QStringLiteral("Places: Runs Drafts\nOpen: a b\n"));
}

TEST_F(NavigationModelTest, AnUnsavedPageHasAStarAndSaysSoToAScreenReader) {
  const int id = model.addOpen(QStringLiteral("draft"), {});
  model.updateOpen(id, QStringLiteral("draft"), {}, true);
  EXPECT_EQ(model.indexOfOpen(id).data().toString(), QStringLiteral("draft *"));
  EXPECT_EQ(model.indexOfOpen(id).data(Qt::AccessibleTextRole).toString(), QStringLiteral("draft, not saved yet"));
}

TEST_F(NavigationModelTest, ACountIsToldOnlyWhenItChanges) {
  QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
  model.setCount(QStringLiteral("runs"), 214);
  model.setCount(QStringLiteral("runs"), 214);
  EXPECT_EQ(changed.count(), 1);
  EXPECT_EQ(model.indexOfPlace(QStringLiteral("runs")).data(NavigationModel::count_role).toInt(), 214);
  EXPECT_EQ(model.indexOfPlace(QStringLiteral("runs")).data(Qt::AccessibleTextRole).toString(), QStringLiteral("Runs, 214"));
}

TEST_F(NavigationModelTest, PagesAreReorderedByMovingAndByDropping) {
  const int a = model.addOpen(QStringLiteral("a"), {});
  model.addOpen(QStringLiteral("b"), {});
  model.addOpen(QStringLiteral("c"), {});
  model.moveOpen(0, 2);
  EXPECT_EQ(tree(), QStringLiteral("Places: Runs Drafts\nOpen: b c a\n"));
  const QModelIndex open = model.index(NavigationModel::open_section, 0);
  const std::unique_ptr<QMimeData> data(model.mimeData({model.indexOfOpen(a)}));
  EXPECT_TRUE(model.canDropMimeData(data.get(), Qt::MoveAction, 0, 0, open));
  // Moved here already: true would make the view remove the row a second time.
  EXPECT_FALSE(model.dropMimeData(data.get(), Qt::MoveAction, 0, 0, open));
  EXPECT_EQ(tree(), QStringLiteral("Places: Runs Drafts\nOpen: a b c\n"));
  EXPECT_FALSE(model.canDropMimeData(data.get(), Qt::MoveAction, 0, 0, model.index(NavigationModel::places_section, 0)));
}

TEST_F(NavigationModelTest, AClosedPageLeavesTheOthersTheirIds) {
  const int a = model.addOpen(QStringLiteral("a"), {});
  const int b = model.addOpen(QStringLiteral("b"), {});
  model.removeOpen(a);
  EXPECT_EQ(model.rowOfOpen(a), -1);
  EXPECT_EQ(model.openAt(0), b);
  EXPECT_NE(model.addOpen(QStringLiteral("c"), {}), a);
}

}  // namespace
}  // namespace syncline::ui
