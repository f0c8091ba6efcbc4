// SPDX-License-Identifier: GPL-3.0-or-later
// --screenshot of the real program: every page, in both themes and sizes, and nothing left behind.
#include <QImage>

#include "engine/store/saved.h"
#include "tests/ui/engine_workspace.h"

namespace syncline::ui {
namespace {

class Picture : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    workspace = std::make_unique<EngineWorkspace>();
    for (const char* name : {"first", "second"}) {
      const auto answer =
          workspace->engine({QStringLiteral("train"), workspace->experiment(QLatin1String(name), QStringLiteral("steps = 12"))});
      EXPECT_EQ(answer.exit_code, 0) << answer.error.toStdString();
    }
  }
  static void TearDownTestSuite() { workspace.reset(); }

  // Null where the program ended with another code than 0, which is said.
  static QImage picture(const QStringList& of, const char* scale = "1") {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("page.png"));
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), QLatin1String(scale));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), folder.path());
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(SYNCLINE_BINARY_DIR "/app/syncline"),
                  QStringList(of) << QStringLiteral("--workspace") << workspace->database() << QStringLiteral("--screenshot") << file);
    EXPECT_TRUE(program.waitForFinished(60'000));
    EXPECT_EQ(program.exitCode(), 0) << of.join(u' ').toStdString() << ": " << program.readAllStandardError().toStdString();
    const QImage image(file);
    const QString keep = qEnvironmentVariable("SYNCLINE_PICTURES");  // for people to look at
    if (!keep.isEmpty()) image.save(keep + u'/' + QString(of.join(u'_')).replace(u'/', u'-').right(80) + QLatin1String(scale) + u".png"_qs);
    return image;
  }

  static std::size_t drafts() {
    const Workspace opened = Workspace::open_existing(workspace->database().toStdString());
    Reader reader(opened);
    return static_cast<std::size_t>(reader.database().integer("SELECT count(*) FROM saved"));
  }

  static inline std::unique_ptr<EngineWorkspace> workspace;
};

int lightness(const QImage& image) { return QColor(image.pixel(image.width() / 2, image.height() - 3)).lightness(); }

TEST_F(Picture, every_page_is_drawn_light_and_dark_in_the_size_that_was_asked_for) {
  std::vector<QStringList> pages;
  for (const char* place : {"runs", "drafts", "recipes", "plugins"}) pages.push_back({QStringLiteral("--page"), QLatin1String(place)});
  for (const char* tab : {"overview", "communication", "timeline", "system", "log", "settings", "files"})
    pages.push_back({QStringLiteral("--run"), QStringLiteral("last"), QStringLiteral("--tab"), QLatin1String(tab)});
  pages.push_back({QStringLiteral("--compare"), QStringLiteral("first"), QStringLiteral("second")});
  for (const QStringList& page : pages) {
    SCOPED_TRACE(page.join(u' ').toStdString());
    const QStringList small = {QStringLiteral("--size"), QStringLiteral("960x600"), QStringLiteral("--theme")};
    const QImage light = picture(page + small + QStringList{QStringLiteral("light")});
    const QImage dark = picture(page + small + QStringList{QStringLiteral("dark")});
    EXPECT_EQ(light.size(), QSize(960, 600));
    EXPECT_GT(lightness(light), 200);
    EXPECT_LT(lightness(dark), 60);
  }
  EXPECT_EQ(picture({QStringLiteral("--page"), QStringLiteral("runs"), QStringLiteral("--size"), QStringLiteral("960x600")}, "2").size(),
            QSize(1920, 1200));
}

TEST_F(Picture, of_a_draft_leaves_no_draft_behind) {
  const std::size_t before = drafts();
  const QImage image = picture({QStringLiteral("--draft"), workspace->experiment(QStringLiteral("shown"), QStringLiteral("steps = 3"))});
  EXPECT_FALSE(image.isNull());
  EXPECT_EQ(drafts(), before);
}

}  // namespace
}  // namespace syncline::ui
