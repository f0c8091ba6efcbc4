// SPDX-License-Identifier: GPL-3.0-or-later
// The program's options as values. What cannot be meant is said in one sentence.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

namespace syncline::ui {

struct CommandLine {
  QString workspace;  // empty: the default one
  QString page, run, tab, draft, theme, screenshot;
  QString start;  // an experiment to start at once; for app/demo, not in the help
  QStringList compare;
  QSize size;  // logical pixels; invalid: as it was
  bool help = false, version = false;
  QString error;  // not empty: the rest means nothing
};

CommandLine parse_command_line(const QStringList& arguments);  // without the program's name
QString usage();

}  // namespace syncline::ui
