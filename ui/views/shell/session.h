// SPDX-License-Identifier: GPL-3.0-or-later
// What was open in a workspace when its window was last seen, and whether that window closed or broke off. After one crash the pages come
// back with an offer not to; a layout that crashed twice stays closed.
#pragma once

#include <QString>
#include <QStringList>

namespace syncline::ui {

class Settings;

class Session {
 public:
  enum class Start { fresh, resumed, after_crash, crashed_twice, second_window };

  Session(Settings&, const QString& workspace);
  // Marks this process as the one that shows the workspace; once, at the start. second_window: another living process does already, and
  // nothing of this one is remembered.
  Start begin();
  // What to open: as it was saved before begin(). Kept over later saves.
  QStringList pages() const { return pages_; }
  QString current() const { return current_; }
  void save(const QStringList& pages, const QString& current);
  void end();  // the window closed as it should

 private:
  QString key(const char* name) const;
  Settings& settings_;
  QString group_;
  QStringList pages_;
  QString current_;
  bool owner_ = false;
};

}  // namespace syncline::ui
