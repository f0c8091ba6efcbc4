// SPDX-License-Identifier: GPL-3.0-or-later
// GoogleTest inside a QApplication with a fixed locale, zone, font and palette, so that texts and layouts do not depend on the machine, and
// with settings of its own, so that programs that run at the same time do not change each other's.
#include <gtest/gtest.h>

#include <QApplication>
#include <QFile>
#include <QFont>
#include <QLocale>
#include <QStyleFactory>
#include <QTemporaryDir>

int main(int argc, char** argv) {
  qputenv("TZ", "UTC");
  testing::InitGoogleTest(&argc, argv);
  const QTemporaryDir home;
  for (const char* place : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"})
    qputenv(place, QFile::encodeName(home.path()));
  QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedKingdom));
  QApplication application(argc, argv);
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setFont(QFont(QStringLiteral("DejaVu Sans"), 10));
  QCoreApplication::setOrganizationName(QStringLiteral("syncline-tests"));
  QCoreApplication::setApplicationName(QStringLiteral("syncline-tests"));
  return RUN_ALL_TESTS();
}
