// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/preferences.h"

#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTimeZone>
#include <QToolButton>

#include "tests/ui/shell/fixture.h"
#include "ui/models/palette.h"

namespace syncline::ui {
namespace {

class PreferencesTest : public ShellTest {
 protected:
  Preferences& preferences(const char* page) {
    open();
    window->showPreferences(QLatin1String(page));
    return *window->findChild<Preferences*>();
  }
  static void choose(QComboBox* combo, const char* value) {
    const int at = combo->findData(QLatin1String(value));
    ASSERT_GE(at, 0) << value;
    combo->setCurrentIndex(at);
    Q_EMIT combo->activated(at);
  }
};

TEST_F(PreferencesTest, TheThemeRecoloursAtOnceAndGoesBackWithRestoreDefaults) {
  Preferences& dialog = preferences("appearance");
  auto* combo = dialog.findChild<QComboBox*>(QStringLiteral("preferences.appearance.theme"));
  choose(combo, "dark");
  EXPECT_TRUE(palette::isDark(QApplication::palette()));
  EXPECT_TRUE(QTest::qWaitFor([this] { return palette::isDark(window->navigationView().palette()); }, 2000));
  window->strips().show(QStringLiteral("a"), StripKind::warning,
                        QStringLiteral("The workspace is busy: 3 changes wait. Training goes on."));
  window->strips().show(QStringLiteral("b"), StripKind::error, QStringLiteral("A change was not kept: the disk is full"),
                        {{QStringLiteral("Show &Problems"), {}}});
  window->workbench().notice(QStringLiteral("Moved 3 runs to trash"), QStringLiteral("&Undo"));
  window->workbench().openRun(QStringLiteral("easgd-p8 s1"));
  QTest::qWait(50);
  keep_picture(*window, QStringLiteral("strips-dark"));
  keep_picture(dialog, QStringLiteral("preferences-dark"));
  EXPECT_TRUE(action("view.theme-dark")->isChecked());
  choose(combo, "light");
  EXPECT_FALSE(palette::isDark(QApplication::palette()));
  choose(combo, "dark");
  dialog.findChild<QPushButton*>(QStringLiteral("preferences.restore"))->click();
  EXPECT_EQ(combo->currentData().toString(), QStringLiteral("system"));
  EXPECT_EQ(theme->choice(), QStringLiteral("system"));
}

TEST_F(PreferencesTest, IconsFollowTheThemeWithoutBeingSetAgain) {
  open();
  settings->set(keys::theme, QStringLiteral("light"));
  const QIcon icon = action("view.back")->icon();
  const auto ink = [&icon] {
    const QImage image = icon.pixmap(32).toImage();
    int sum = 0, count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        if (image.pixelColor(x, y).alpha() > 200) sum += image.pixelColor(x, y).lightness(), ++count;
      }
    }
    return count == 0 ? -1 : sum / count;
  };
  const int light = ink();
  settings->set(keys::theme, QStringLiteral("dark"));
  const int dark = ink();
  ASSERT_GE(light, 0);
  EXPECT_GT(dark, light + 80);
}

TEST_F(PreferencesTest, TheTextSizeChangesTheFontOfTheWindow) {
  Preferences& dialog = preferences("appearance");
  const double before = QApplication::font().pointSizeF();
  dialog.findChild<QSpinBox*>(QStringLiteral("preferences.appearance.text-size"))->setValue(150);
  EXPECT_NEAR(QApplication::font().pointSizeF(), before * 1.5, 0.01);
}

TEST_F(PreferencesTest, TheDecimalSignAndTheZoneTakeEffectAtOnce) {
  Preferences& dialog = preferences("numbers");
  choose(dialog.findChild<QComboBox*>(QStringLiteral("preferences.numbers.decimal-sign")), "comma");
  EXPECT_EQ(QLocale().toString(0.5), QStringLiteral("0,5"));
  choose(dialog.findChild<QComboBox*>(QStringLiteral("preferences.numbers.decimal-sign")), "point");
  EXPECT_EQ(QLocale().toString(0.5), QStringLiteral("0.5"));
  qputenv("TZ", "Asia/Tokyo");
  choose(dialog.findChild<QComboBox*>(QStringLiteral("preferences.numbers.zone")), "utc");
  EXPECT_EQ(child<QToolButton>("status.zone")->text(), QStringLiteral("times: UTC"));
  EXPECT_EQ(QDateTime::currentDateTime().offsetFromUtc(), 0);
  EXPECT_EQ(QTimeZone::systemTimeZone().offsetFromUtc(QDateTime::currentDateTimeUtc()), 0);
  choose(dialog.findChild<QComboBox*>(QStringLiteral("preferences.numbers.zone")), "local");
  EXPECT_EQ(QDateTime::currentDateTime().offsetFromUtc(), 9 * 3600);
  EXPECT_EQ(child<QToolButton>("status.zone")->text(), QStringLiteral("times: local (UTC+9)"));
  qputenv("TZ", "UTC");
  tzset();
}

TEST_F(PreferencesTest, TheStartPlaceIsShownAtTheNextStart) {
  Preferences& dialog = preferences("general");
  choose(dialog.findChild<QComboBox*>(QStringLiteral("preferences.general.start-place")), "plugins");
  dialog.findChild<QCheckBox*>(QStringLiteral("preferences.general.restore-pages"))->click();
  window->close();
  open();
  EXPECT_EQ(window->area().currentPlace(), QStringLiteral("plugins"));
}

TEST_F(PreferencesTest, TheSpaceUsedIsCounted) {
  Preferences& dialog = preferences("storage");
  auto* used = dialog.findChild<QLabel*>(QStringLiteral("preferences.storage.used"));
  EXPECT_TRUE(QTest::qWaitFor([used] { return used->text().contains(QStringLiteral("KiB database")); }, 5000))
      << used->text().toStdString();
}

TEST_F(PreferencesTest, AnEngineThatIsNoneIsSaidSo) {
  Preferences& dialog = preferences("advanced");
  auto* path = dialog.findChild<QLineEdit*>(QStringLiteral("preferences.engine.path"));
  path->setText(QStringLiteral("/nowhere/engine"));
  Q_EMIT path->editingFinished();
  auto* answer = dialog.findChild<QLabel*>(QStringLiteral("preferences.engine.answer"));
  EXPECT_TRUE(QTest::qWaitFor([answer] { return answer->text().contains(QStringLiteral("/nowhere/engine")); }, 5000))
      << answer->text().toStdString();
  dialog.findChild<QPushButton*>(QStringLiteral("preferences.restore"))->click();
  EXPECT_TRUE(path->text().isEmpty());
  EXPECT_FALSE(settings->value(keys::engine).isValid());
}

TEST_F(PreferencesTest, EveryPageHasNamedControlsAndFitsWithoutScrollingSideways) {
  Preferences& dialog = preferences("general");
  auto* list = dialog.findChild<QListWidget*>(QStringLiteral("preferences.list"));
  EXPECT_EQ(list->count(), 8);
  for (int row = 0; row < list->count(); ++row) {
    list->setCurrentRow(row);
    QTest::qWait(10);
    keep_picture(dialog, QStringLiteral("preferences-%1").arg(row));
    for (const QScrollArea* scroll : dialog.findChildren<QScrollArea*>()) {
      if (!scroll->isVisible()) continue;
      EXPECT_EQ(scroll->horizontalScrollBar()->maximum(), 0) << list->item(row)->text().toStdString();
    }
    for (const QWidget* widget : dialog.findChildren<QWidget*>()) {
      const bool reachable = widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus) != 0;
      if (!reachable || qobject_cast<const QScrollArea*>(widget) != nullptr || widget->objectName().startsWith(QStringLiteral("qt_")))
        continue;
      const QAccessibleInterface* spoken = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
      ASSERT_NE(spoken, nullptr);
      const bool label = qobject_cast<const QLabel*>(widget) != nullptr;
      EXPECT_TRUE(label || !spoken->text(QAccessible::Name).isEmpty())
          << list->item(row)->text().toStdString() << ": " << widget->metaObject()->className() << " "
          << widget->objectName().toStdString();
    }
  }
}

}  // namespace
}  // namespace syncline::ui
