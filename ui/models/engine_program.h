// SPDX-License-Identifier: GPL-3.0-or-later
// Finds `syncline-engine` and runs it as a child for what the window itself must not do: launching, dry runs, checking plugins. The window
// knows a started job only through the workspace and the run's log.
#pragma once

#include <QObject>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>

namespace syncline::ui {

class Settings;

class EngineProgram : public QObject {
  Q_OBJECT

 public:
  EngineProgram(Settings&, QString workspace, QObject* parent = nullptr);

  // The one chosen in the preferences, else beside this program, else in PATH. Empty: none, and why() says what was tried.
  QString path() const;
  QString why() const;
  // Of the engine found ("0.1.0"), once known; the window and the engine must be of one version.
  std::optional<QString> version() const;

  struct Answer {
    int exit_code = -1;  // -1: it could not be started or crashed
    QByteArray output;   // standard output
    QString error;       // standard error, or why it could not be started
  };
  // Asynchronous; `answered` on the GUI thread unless context is gone. `--workspace` is added. Returns the process, to end it early.
  QProcess* run(QObject* context, const QStringList& arguments, std::function<void(const Answer&)> answered,
                std::function<void(const QByteArray& line)> output_line = {});
  // As a person would type it, for showing.
  QString commandText(const QStringList& arguments) const;

 private:
  Settings& settings_;
  QString workspace_;
};

}  // namespace syncline::ui
