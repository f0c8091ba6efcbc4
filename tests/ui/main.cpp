// SPDX-License-Identifier: GPL-3.0-or-later
// GoogleTest inside a QApplication with a fixed locale, zone, font and palette, so that texts and layouts do not depend on the machine.
#include <gtest/gtest.h>

#include <QApplication>
#include <QFont>
#include <QLocale>
#include <QStandardPaths>
#include <QStyleFactory>

int main(int argc, char** argv) {
  qputenv("TZ", "UTC");
  testing::InitGoogleTest(&argc, argv);
  QStandardPaths::setTestModeEnabled(true);
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedKingdom));
  QApplication application(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 10));
  QCoreApplication::setOrganizationName(QStringLiteral("syncline-tests"));
  QCoreApplication::setApplicationName(QStringLiteral("syncline-tests"));
  return RUN_ALL_TESTS();
}
