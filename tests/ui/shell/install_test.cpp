// SPDX-License-Identifier: GPL-3.0-or-later
// What a desktop needs to know of the program, and what `cmake --install` puts where.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QProcess>
#include <QSet>
#include <QSvgRenderer>
#include <QTemporaryDir>

namespace syncline::ui {
namespace {

const QString source = QStringLiteral(SYNCLINE_SOURCE_DIR);

// Exit code and everything said; -1 when the program is not there.
std::pair<int, std::string> run(const QString& program, const QStringList& arguments) {
  QProcess process;
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(program, arguments);
  if (!process.waitForStarted() || !process.waitForFinished(120'000)) return {-1, program.toStdString() + " could not be run"};
  return {process.exitCode(), process.readAll().toStdString()};
}

TEST(Desktop, TheDesktopFileIsValid) {
  const auto [code, said] =
      run(QStringLiteral("desktop-file-validate"), {source + QStringLiteral("/resources/desktop/org.syncline.Syncline.desktop")});
  EXPECT_EQ(code, 0) << said;
  EXPECT_EQ(said, "");
}

TEST(Desktop, TheAppStreamDescriptionIsValid) {
  const auto [code, said] =
      run(QStringLiteral("appstreamcli"), {QStringLiteral("validate"), QStringLiteral("--no-net"),
                                           source + QStringLiteral("/resources/desktop/org.syncline.Syncline.metainfo.xml")});
  EXPECT_EQ(code, 0) << said;
}

TEST(Desktop, EveryPluralFormOfTheTranslationIsWritten) {
  QFile file(source + QStringLiteral("/resources/translations/syncline_en.ts"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(file.readAll());
  EXPECT_GT(text.count(QStringLiteral("<numerusform>")), 10);
  EXPECT_FALSE(text.contains(QStringLiteral("type=\"unfinished\"")));
  EXPECT_FALSE(text.contains(QStringLiteral("<numerusform></numerusform>")));
  // A text is looked up under the full name of its class; what stands under another one is never found.
  EXPECT_GT(text.count(QStringLiteral("<name>")), 5);
  EXPECT_EQ(text.count(QStringLiteral("<name>")), text.count(QStringLiteral("<name>syncline::ui::")));
}

TEST(Desktop, TheIconIsReadableAtSixteenPixels) {
  QSvgRenderer renderer(source + QStringLiteral("/resources/icons/syncline.svg"));
  ASSERT_TRUE(renderer.isValid());
  QImage image(16, 16, QImage::Format_ARGB32);
  image.fill(Qt::transparent);
  QPainter painter(&image);
  renderer.render(&painter);
  painter.end();
  // Down the middle: ground, layer, ground, layer ... six changes between dark and bright, or the layers have run into each other.
  int changes = 0;
  bool bright = false;
  for (int y = 1; y < 15; ++y) {
    const bool now = image.pixelColor(8, y).lightness() > 110;
    changes += now != bright ? 1 : 0;
    bright = now;
  }
  EXPECT_GE(changes, 5);
}

TEST(Desktop, InstallPutsProgramsIconDescriptionsExamplesAndTheSdkWhereTheyBelong) {
  const QTemporaryDir prefix;
  const auto [code, said] = run(QStringLiteral("cmake"), {QStringLiteral("--install"), QStringLiteral(SYNCLINE_BINARY_DIR),
                                                          QStringLiteral("--prefix"), prefix.path()});
  ASSERT_EQ(code, 0) << said;
  const QDir root(prefix.path());
  for (const char* file : {"bin/syncline", "bin/syncline-engine", "share/applications/org.syncline.Syncline.desktop",
                           "share/metainfo/org.syncline.Syncline.metainfo.xml", "share/icons/hicolor/scalable/apps/syncline.svg",
                           "share/syncline/experiments/quickstart.toml", "share/syncline/translations/syncline_en.qm",
                           "include/syncline/syncline_optimizer.h"}) {
    EXPECT_TRUE(root.exists(QLatin1String(file))) << file;
  }
  // The installed program runs from there: it says its version and knows what is wrong with its options.
  const auto [version_code, version] = run(root.filePath(QStringLiteral("bin/syncline")), {QStringLiteral("--version")});
  EXPECT_EQ(version_code, 0);
  EXPECT_EQ(version.rfind("syncline ", 0), 0U) << version;
  EXPECT_EQ(run(root.filePath(QStringLiteral("bin/syncline")), {QStringLiteral("--theme"), QStringLiteral("blue")}).first, 2);
}

}  // namespace
}  // namespace syncline::ui
