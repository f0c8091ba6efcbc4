// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/command_line.h"

#include <QFileInfo>
#include <QRegularExpression>

#include "ui/views/shell/page_area.h"

namespace syncline::ui {

namespace {

// Not translated: scripts and people read the command line in one language, as syncline-engine's.
QString text(const char* utf8) { return QString::fromUtf8(utf8); }

void read_value(CommandLine& line, const QString& option, const QString& value) {
  if (option == text("--workspace")) {
    line.workspace = value;
  } else if (option == text("--page")) {
    line.page = value;
    if (!place_named(value)) line.error = text("--page %1: there is no such page; there are %2").arg(value, place_names().join(text(", ")));
  } else if (option == text("--run")) {
    line.run = value;
  } else if (option == text("--tab")) {
    line.tab = value;
  } else if (option == text("--draft") || option == text("--start")) {
    (option == text("--draft") ? line.draft : line.start) = value;
    const QFileInfo file(value);
    if (!file.isFile() || !file.isReadable()) line.error = text("%1 %2: there is no such file to read").arg(option, value);
  } else if (option == text("--theme")) {
    line.theme = value;
    if (value != text("light") && value != text("dark")) line.error = text("--theme %1: it is light or dark").arg(value);
  } else if (option == text("--screenshot")) {
    line.screenshot = value;
    if (!value.endsWith(text(".png"), Qt::CaseInsensitive))
      line.error = text("--screenshot %1: the picture is a PNG; name it so").arg(value);
  } else if (option == text("--size")) {
    static const QRegularExpression form(text("^(\\d{2,5})x(\\d{2,5})$"));
    const QRegularExpressionMatch match = form.match(value);
    line.size = match.hasMatch() ? QSize(match.captured(1).toInt(), match.captured(2).toInt()) : QSize();
    const QRect possible(320, 240, 16000, 16000);
    if (!match.hasMatch() || !possible.contains(line.size.width(), line.size.height())) {
      line.error = text("--size %1: it is WIDTHxHEIGHT in pixels, at least 320x240, such as 1280x800").arg(value);
    }
  }
}

}  // namespace

CommandLine parse_command_line(const QStringList& arguments) {
  const QStringList with_value = {text("--workspace"), text("--page"), text("--run"),   text("--tab"),       text("--draft"),
                                  text("--theme"),     text("--size"), text("--start"), text("--screenshot")};
  CommandLine line;
  for (qsizetype i = 0; i < arguments.size() && line.error.isEmpty(); ++i) {
    QString option = arguments[i], value;
    const bool joined = option.startsWith(text("--")) && option.contains(u'=');
    if (joined) {
      value = option.section(u'=', 1);
      option = option.section(u'=', 0, 0);
    }
    if (option == text("--help") || option == text("-h")) {
      line.help = true;
    } else if (option == text("--version")) {
      line.version = true;
    } else if (option == text("--compare")) {
      if (joined) line.compare << value;
      while (i + 1 < arguments.size() && !arguments[i + 1].startsWith(text("--"))) line.compare << arguments[++i];
      if (line.compare.size() < 2) line.error = text("--compare needs two runs or more");
    } else if (!with_value.contains(option)) {
      line.error = text("unknown option \"%1\"; the options are %2, --compare, --help and --version")
                       .arg(option, QStringList(with_value).filter(QRegularExpression(text("^(?!--start)"))).join(text(", ")));
    } else if (!joined && (i + 1 >= arguments.size() || arguments[i + 1].startsWith(text("--")))) {
      line.error = text("%1 needs a value").arg(option);
    } else {
      read_value(line, option, joined ? value : arguments[++i]);
    }
  }
  if (line.error.isEmpty() && !line.tab.isEmpty() && line.run.isEmpty()) line.error = text("--tab belongs to --run: name the run");
  const int shown = !line.page.isEmpty() + !line.run.isEmpty() + !line.compare.isEmpty() + !line.draft.isEmpty();
  if (line.error.isEmpty() && shown > 1) line.error = text("--page, --run, --compare and --draft each name what to show; give one of them");
  return line;
}

QString usage() {
  return text(
             "Usage: syncline [--workspace DB] [--page NAME] [--run RUN [--tab NAME]] [--compare RUN RUN...] [--draft FILE]\n"
             "                [--theme light|dark] [--size WxH] [--screenshot PNG]\n"
             "\n"
             "  --workspace DB     the workspace to show; $SYNCLINE_WORKSPACE or the default place when absent, made when there is none\n"
             "  --page NAME        %1\n"
             "  --run RUN          an id, a name (the newest wins), the beginning of either, or last\n"
             "  --tab NAME         of the run's page: overview, communication, timeline, system, log, settings, files\n"
             "  --compare RUN...   two runs or more, side by side\n"
             "  --draft FILE       an experiment to edit\n"
             "  --theme, --size    of this window, without remembering it\n"
             "  --screenshot PNG   draw the page once its data is there, write the picture and end; needs no display\n"
             "\n"
             "Exit codes: 0 done, 2 the options are wrong, 6 the workspace cannot be read.\n")
      .arg(place_names().join(text(", ")));
}

}  // namespace syncline::ui
