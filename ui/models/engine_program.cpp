// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/engine_program.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QTimer>
#include <algorithm>

#include "app/version.h"
#include "engine/launch/command.h"
#include "ui/models/settings.h"

namespace syncline::ui {

namespace {

constexpr qsizetype most_output = qsizetype{64} << 20;  // a child that prints without end must not fill the memory

QString engine_name() { return QStringLiteral("syncline-engine"); }

bool usable(const QString& path) {
  const QFileInfo file(path);
  return file.isFile() && file.isExecutable();
}

QString beside_this_program() { return QDir(QCoreApplication::applicationDirPath()).filePath(engine_name()); }

QString last_line(const QString& text) {
  const QStringList lines = text.split(u'\n', Qt::SkipEmptyParts);
  for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
    if (!line->trimmed().isEmpty()) return line->trimmed();
  }
  return {};
}

}  // namespace

EngineProgram::EngineProgram(Settings& settings, QString workspace, QObject* parent)
    : QObject(parent), settings_(settings), workspace_(std::move(workspace)) {
  connect(&settings_, &Settings::changed, this, [this](const QString& key) {
    if (key == QStringView(path_setting)) lookAgain();
  });
  QTimer::singleShot(0, this, &EngineProgram::askVersion);
}

EngineProgram::~EngineProgram() {
  for (const QPointer<QProcess>& child : children_) {
    if (!child || child->state() == QProcess::NotRunning) continue;
    // A QProcess that is destroyed kills its child and waits for it. An engine that is asked to end tidies up behind its ranks, so the
    // object is left to the end of this program, which is near.
    child->disconnect();
    child->setParent(nullptr);
    child->terminate();
  }
}

QString EngineProgram::path() const {
  const QString chosen = settings_.value(QString::fromUtf16(path_setting)).toString();
  if (!chosen.isEmpty()) return usable(chosen) ? chosen : QString();
  if (const QString beside = beside_this_program(); usable(beside)) return beside;
  return QStandardPaths::findExecutable(engine_name());
}

QString EngineProgram::why() const {
  if (!path().isEmpty()) return {};
  const QString chosen = settings_.value(QString::fromUtf16(path_setting)).toString();
  if (!chosen.isEmpty()) return tr("The engine chosen in the preferences, %1, is no program; choose a syncline-engine").arg(chosen);
  return tr("No syncline-engine was found, neither as %1 nor in PATH; choose one in the preferences").arg(beside_this_program());
}

QString EngineProgram::neededVersion() { return QString::fromLatin1(app::version); }

QString EngineProgram::problem() const {
  if (const QString missing = why(); !missing.isEmpty()) return missing;
  if (!version_problem_.isEmpty()) return version_problem_;
  if (version_ && *version_ != neededVersion())
    return tr("%1 is version %2 and this window is %3; both must be of one version").arg(path(), *version_, neededVersion());
  return {};
}

void EngineProgram::lookAgain() {
  version_.reset();
  version_problem_.clear();
  askVersion();
}

void EngineProgram::askVersion() {
  const QString program = path();
  asked_ = true;
  ++question_;
  if (program.isEmpty()) {
    asking_ = false;
    Q_EMIT changed();
    return;
  }
  asking_ = true;
  start(this, program, {QStringLiteral("--version")},
        [this, program, question = question_](const Answer& answer) {
          if (question != question_) return;  // another one has been chosen meanwhile
          asking_ = false;
          const QString text = QString::fromUtf8(answer.output).trimmed();
          const QString prefix = engine_name() + QStringLiteral(" ");
          if (answer.exit_code != 0) {
            version_problem_ = tr("%1 did not say its version: %2").arg(program, answer.sentence());
          } else if (!text.startsWith(prefix) || text.contains(u'\n') || text.size() > 60) {
            version_problem_ = tr("%1 is no syncline-engine: asked for its version it printed something else").arg(program);
          } else {
            version_ = text.mid(prefix.size());
          }
          Q_EMIT changed();
        },
        {});
}

QProcess* EngineProgram::run(QObject* context, const QStringList& arguments, std::function<void(const Answer&)> answered,
                             std::function<void(const QByteArray& line)> output_line) {
  QStringList all = arguments;
  all << QStringLiteral("--workspace") << workspace_;
  const QString program = path();
  if (!program.isEmpty()) return start(context, program, all, std::move(answered), std::move(output_line));
  // The answer comes later here too, so that callers need not expect it during the call.
  auto* none = new QProcess(this);
  QTimer::singleShot(0, this, [none, text = why(), context = QPointer<QObject>(context), answered = std::move(answered)] {
    if (context && answered) answered({-1, {}, text});
    none->deleteLater();
  });
  return none;
}

QProcess* EngineProgram::start(QObject* context, const QString& program, const QStringList& arguments,
                               std::function<void(const Answer&)> answered, std::function<void(const QByteArray& line)> output_line) {
  struct State {
    QByteArray output, errors, unfinished;
    bool done = false;
  };
  auto* process = new QProcess(this);
  std::erase_if(children_, [](const QPointer<QProcess>& child) { return child.isNull(); });
  children_.emplace_back(process);
  const auto state = std::make_shared<State>();
  const QPointer<QObject> guard(context);
  const auto take_output = [process, state, guard, output_line] {
    const QByteArray part = process->readAllStandardOutput();
    if (state->output.size() < most_output) state->output += part;
    if (!output_line) return;
    state->unfinished += part;
    for (qsizetype end = 0; (end = state->unfinished.indexOf('\n')) >= 0; state->unfinished.remove(0, end + 1)) {
      if (guard) output_line(state->unfinished.left(end));
    }
  };
  const auto answer = [process, state, guard, answered](int code, const QString& error) {
    if (state->done) return;
    state->done = true;
    process->deleteLater();
    if (guard && answered) answered({code, state->output, error});
  };
  connect(process, &QProcess::readyReadStandardOutput, this, take_output);
  connect(process, &QProcess::readyReadStandardError, this, [process, state] {
    const QByteArray part = process->readAllStandardError();
    if (state->errors.size() < most_output) state->errors += part;
  });
  connect(process, &QProcess::finished, this, [this, process, state, take_output, answer](int code, QProcess::ExitStatus status) {
    take_output();
    state->errors += process->readAllStandardError();
    QString text = QString::fromUtf8(state->errors);
    if (status == QProcess::CrashExit) text += (text.isEmpty() ? QString() : QStringLiteral("\n")) + tr("the engine was ended by a signal");
    answer(status == QProcess::NormalExit ? code : -1, text);
  });
  connect(process, &QProcess::errorOccurred, this, [this, process, program, answer](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) answer(-1, tr("%1 could not be started: %2").arg(program, process->errorString()));
  });
  process->setProcessChannelMode(QProcess::SeparateChannels);
  process->setStandardInputFile(QProcess::nullDevice());
  process->start(program, arguments);
  return process;
}

QString EngineProgram::Answer::sentence() const {
  if (exit_code == 0) return {};
  const QJsonObject said = QJsonDocument::fromJson(output).object().value(QStringLiteral("error")).toObject();
  if (const QString message = said.value(QStringLiteral("message")).toString(); !message.isEmpty()) return message;
  QString line = last_line(error);
  if (line.startsWith(QStringLiteral("syncline-engine: "))) line.remove(0, 17);
  if (!line.isEmpty()) return line;
  return EngineProgram::tr("the engine ended with code %1 and said nothing").arg(exit_code);
}

QString EngineProgram::commandText(const QStringList& arguments) const {
  const QString program = path();
  QStringList words = {program.isEmpty() ? engine_name() : program};
  words << arguments << QStringLiteral("--workspace") << workspace_;
  QStringList quoted;
  for (const QString& word : words) quoted << QString::fromStdString(shell_quote(word.toStdString()));
  return quoted.join(u' ');
}

}  // namespace syncline::ui
