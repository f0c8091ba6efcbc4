// SPDX-License-Identifier: GPL-3.0-or-later
// The program's file dialog; Qt's own may not be used in a process that has a workspace open. Choosing an icon, Qt's (and a desktop's,
// where it runs inside the process) opens, reads and closes every file of the folder, and to close a file takes all POSIX locks of the
// process on it away: SQLite's on the workspace and its index, after which another process believes to be alone and truncates what this one
// has mapped.
#pragma once

#include <QFileDialog>

namespace syncline::ui {

class FileDialog : public QFileDialog {
  Q_OBJECT

 public:
  // start: a folder, or a file in one that is suggested; a bare name is suggested in the folder that was last chosen from.
  FileDialog(QWidget* parent, const QString& title, const QString& start, const QString& filters = {});

  // As QFileDialog's functions of these names; empty when nothing was chosen.
  static QString openFile(QWidget* parent, const QString& title, const QString& start, const QString& filters = {});
  static QString saveFile(QWidget* parent, const QString& title, const QString& start, const QString& filters, QString* filter = nullptr,
                          Options = {});
  static QString existingFolder(QWidget* parent, const QString& title, const QString& start);
};

}  // namespace syncline::ui
