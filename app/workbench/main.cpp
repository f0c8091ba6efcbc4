// SPDX-License-Identifier: GPL-3.0-or-later
// syncline: the desktop workbench. It reads the workspace and starts syncline-engine; it does not train.
#include <QApplication>
#include <QDir>
#include <QIcon>
#include <QLibraryInfo>
#include <QTranslator>
#include <cstdio>

#include "app/version.h"
#include "ui/views/pages.h"
#include "ui/views/shell/command_line.h"
#include "ui/views/shell/window_keeper.h"

namespace {

using namespace syncline::ui;

void say(FILE* to, const QString& sentence) { std::fprintf(to, "%s\n", sentence.toUtf8().constData()); }

// Beside the program in a build, in share/ where it is installed.
void load_translation(QApplication& application, QTranslator& translator) {
  const QDir here(QCoreApplication::applicationDirPath());
  for (const char* folder : {".", "../share/syncline/translations"}) {
    if (translator.load(QLocale(), QStringLiteral("syncline"), QStringLiteral("_"), here.filePath(QLatin1String(folder)))) {
      application.installTranslator(&translator);
      return;
    }
  }
  // English plural forms for every other language.
  for (const char* folder : {".", "../share/syncline/translations"}) {
    if (translator.load(QStringLiteral("syncline_en"), here.filePath(QLatin1String(folder)))) {
      application.installTranslator(&translator);
      return;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  QStringList arguments;
  for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  const CommandLine line = parse_command_line(arguments);
  if (!line.error.isEmpty()) {
    say(stderr, QStringLiteral("syncline: ") + line.error);
    return 2;
  }
  if (line.help || line.version) {
    say(stdout, line.help ? usage().trimmed() : QStringLiteral("syncline ") + QLatin1String(syncline::app::version));
    return 0;
  }
  // Qt aborts where it finds no display; a sentence is kinder, and a picture needs none.
  const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  if (!display && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    if (line.screenshot.isEmpty()) {
      say(stderr, QStringLiteral("syncline: there is no display; log in to a desktop, or use syncline-engine, which needs none"));
      return 2;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }

  int qt_argc = 1;  // Qt's own options (-style, -platform) are not part of this program's
  QApplication application(qt_argc, argv);
  QCoreApplication::setOrganizationName(QStringLiteral("syncline"));
  QCoreApplication::setApplicationName(QStringLiteral("syncline"));
  QCoreApplication::setApplicationVersion(QLatin1String(syncline::app::version));
  QGuiApplication::setApplicationDisplayName(QStringLiteral("Syncline"));
  QGuiApplication::setDesktopFileName(QStringLiteral("org.syncline.Syncline"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/syncline.svg")));
  QTranslator translator;
  load_translation(application, translator);

  WindowKeeper keeper(every_page(), [](int code, const QString& sentence) {
    if (!sentence.isEmpty()) say(stderr, QStringLiteral("syncline: ") + sentence);
    QCoreApplication::exit(code);
  });
  keeper.start(line);
  return QApplication::exec();
}
