// SPDX-License-Identifier: GPL-3.0-or-later
// Finds `syncline-engine` and runs it as a child for what the window itself must not do: launching, dry runs, checking plugins. The window
// knows a started job only through the workspace and the run's log.
#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

namespace syncline::ui {

class Settings;

class EngineProgram : public QObject {
  Q_OBJECT

 public:
  static constexpr char16_t path_setting[] = u"engine/path";  // chosen in the preferences; empty: searched

  EngineProgram(Settings&, QString workspace, QObject* parent = nullptr);
  ~EngineProgram() override;  // children still running are asked to end and not waited for

  // The one chosen in the preferences, else beside this program, else in PATH. Empty: none, and why() says what was tried.
  QString path() const;
  QString why() const;
  // Of the engine found ("0.1.0"), once known; the window and the engine must be of one version.
  std::optional<QString> version() const { return version_; }
  static QString neededVersion();
  // One sentence when this engine cannot be used: not found, of another version, no engine at all. Empty: it can, or is being asked.
  QString problem() const;
  bool known() const { return asked_ && !asking_; }  // the question for the version has been answered, well or badly
  void lookAgain();                                  // the file may have come or changed

  struct Answer {
    int exit_code = -1;  // -1: it could not be started or crashed
    QByteArray output;   // standard output
    QString error;       // standard error, or why it could not be started
    // What went wrong in one sentence: the engine's own, from its JSON or its last line, else what is known of its end. Empty at code 0.
    QString sentence() const;
  };
  // Asynchronous; `answered` on the GUI thread unless context is gone. `--workspace` is added. Returns the process, to end it early.
  QProcess* run(QObject* context, const QStringList& arguments, std::function<void(const Answer&)> answered,
                std::function<void(const QByteArray& line)> output_line = {});
  // As a person would type it, for showing.
  QString commandText(const QStringList& arguments) const;
  QString workspace() const { return workspace_; }

 Q_SIGNALS:
  void changed();  // path, version or problem

 private:
  QProcess* start(QObject* context, const QString& program, const QStringList& arguments, std::function<void(const Answer&)> answered,
                  std::function<void(const QByteArray& line)> output_line);
  void askVersion();

  Settings& settings_;
  QString workspace_;
  std::optional<QString> version_;
  QString version_problem_;
  bool asked_ = false, asking_ = false;
  int question_ = 0;  // answers to earlier ones come too late
  std::vector<QPointer<QProcess>> children_;
};

}  // namespace syncline::ui
