// SPDX-License-Identifier: GPL-3.0-or-later
// Every step of the editor drawn in both themes: something is drawn, nothing is cut off. With SYNCLINE_PICTURES=FOLDER they are kept to be
// looked at.
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QPixmap>
#include <QSet>

#include "tests/ui/editor/bench.h"
#include "ui/models/palette.h"
#include "ui/views/editor/editor_page.h"

namespace syncline::ui {
namespace {

class PicturesTest : public PageTest {
 protected:
  void TearDown() override {
    QApplication::setPalette(palette::light());
    PageTest::TearDown();
  }
  // The picture must have more than a handful of colours: an empty page would not.
  void look(const QString& name) {
    QCoreApplication::processEvents();
    const QImage image = window_->grab().toImage();
    QSet<QRgb> colours;
    for (int y = 0; y < image.height(); y += 3) {
      for (int x = 0; x < image.width(); x += 3) colours.insert(image.pixel(x, y));
    }
    EXPECT_GT(colours.size(), 12) << name.toStdString();
    const QByteArray folder = qgetenv("SYNCLINE_PICTURES");
    const bool kept = folder.isEmpty() || image.save(QString::fromUtf8(folder) + QStringLiteral("/%1.png").arg(name));
    EXPECT_TRUE(kept);
  }
};

TEST_F(PicturesTest, OfEveryStepInBothThemes) {
  QFile file(QStringLiteral(SYNCLINE_SOURCE_DIR "/resources/experiments/quickstart-wfbp.toml"));
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(file.readAll());
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? palette::dark() : palette::light());
    for (const QSize& size : {QSize(1100, 700), QSize(960, 600)}) {
      auto* page = new EditorPage(*bench_, {}, {}, text);
      open(page, size);
      for (const char* tab : {"model", "data", "topology", "strategy", "optimizer", "launch", "text"}) {
        page->showTab(QString::fromLatin1(tab));
        QTest::qWait(120);
        look(QStringLiteral("%1-%2-%3")
                 .arg(QString::fromLatin1(tab), dark ? QStringLiteral("dark") : QStringLiteral("light"))
                 .arg(size.width()));
      }
    }
    QString wrong = text;
    wrong.replace(QStringLiteral("lr = 0.02"), QStringLiteral("lr = -1"))
        .replace(QStringLiteral("epochs = 3"), QStringLiteral("epochs = 0"));
    auto* page = new EditorPage(*bench_, {}, {}, wrong);
    open(page, {960, 600});
    page->showTab(QStringLiteral("optimizer"));
    look(QStringLiteral("problems-%1").arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
    open(make_recipes_page(*bench_), {960, 600});
    look(QStringLiteral("recipes-%1").arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
    qputenv("SYNCLINE_PLUGINS", SYNCLINE_BINARY_DIR "/plugins");
    open(make_plugins_page(*bench_), {960, 600});
    look(QStringLiteral("plugins-%1").arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
    qunsetenv("SYNCLINE_PLUGINS");
  }
}

}  // namespace
}  // namespace syncline::ui
