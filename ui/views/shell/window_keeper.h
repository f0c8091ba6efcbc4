// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the one window there is: opens another workspace in its place, carries out what the command line asks for, takes the picture.
#pragma once

#include <QObject>
#include <QPointer>
#include <functional>

#include "ui/models/settings.h"
#include "ui/views/shell/command_line.h"
#include "ui/views/shell/main_window.h"
#include "ui/views/shell/theme.h"

namespace syncline::ui {

class WindowKeeper : public QObject {
  Q_OBJECT

 public:
  // finished: the exit code of a program that has taken its picture, or could not.
  WindowKeeper(PageFactories, std::function<void(int code, const QString& sentence)> finished, QObject* parent = nullptr);
  ~WindowKeeper() override;
  void start(const CommandLine&);
  MainWindow* window() const { return window_; }
  Settings& settings() { return settings_; }
  Theme& theme() { return theme_; }

 private:
  void open(const WindowOptions&);
  void replace(const QString& workspace);
  void carry_out(const CommandLine&);
  void complain(const CommandLine&, const QString& sentence);
  void take_picture(const QString& file);
  PageFactories factories_;
  std::function<void(int, const QString&)> finished_;
  Settings settings_;
  Theme theme_;
  QPointer<MainWindow> window_;
};

}  // namespace syncline::ui
