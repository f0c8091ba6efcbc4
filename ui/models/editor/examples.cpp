// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/examples.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

#include "engine/sim/schema.h"
#include "ui/models/editor/examination.h"
#include "ui/models/format.h"

namespace syncline::ui {

namespace {

QString say(const char* text) { return QCoreApplication::translate("Examples", text); }
QString words(const std::string& text) { return QString::fromStdString(text); }

QString leading_comment(const std::string& text) {
  QStringList lines;
  for (const QString& line : words(text).split(u'\n')) {
    if (!line.startsWith(u'#')) break;
    lines << line.mid(1).trimmed();
  }
  return lines.join(u' ');
}

}  // namespace

QString resource_folder(const QString& name) {
  const QDir program(QCoreApplication::applicationDirPath());
  QStringList places = {
      program.filePath(QStringLiteral("../share/syncline/") + name), program.filePath(QStringLiteral("../resources/") + name),
      program.filePath(QStringLiteral("../../resources/") + name), program.filePath(QStringLiteral("../../../resources/") + name)};
  places << QStandardPaths::locate(QStandardPaths::GenericDataLocation, QStringLiteral("syncline/") + name,
                                   QStandardPaths::LocateDirectory);
  for (const QString& place : places) {
    if (!place.isEmpty() && QFileInfo(place).isDir()) return QDir::cleanPath(place);
  }
  return {};
}

Example read_example(const QString& file, const std::string& text) {
  Example example;
  example.file = file;
  example.name = QFileInfo(file).completeBaseName();
  example.text = text;
  example.comment = leading_comment(text);
  const Examination examination = examine(text);
  if (!examination.problems.empty()) example.problem = words(examination.problems.front().message);
  if (!examination.experiment) return example;
  const Experiment& experiment = *examination.experiment;
  example.name = words(experiment.name);
  example.workers = experiment.cluster.workers;
  const QString model = experiment.model.zoo.empty() ? say("own layers") : words(experiment.model.zoo);
  example.facts = say("%1 on %2 · strategy %3").arg(model, words(experiment.data.source), words(experiment.strategy.name));
  if (experiment.strategy.name != "none") example.facts += say(", plan %1").arg(words(experiment.strategy.plan));
  QStringList needs = {format::counted(experiment.cluster.workers, say("%1 rank"), say("%1 ranks"))};
  needs << (experiment.train.epochs ? format::counted(*experiment.train.epochs, say("%1 epoch"), say("%1 epochs"))
                                    : format::counted(experiment.train.steps.value_or(0), say("%1 step"), say("%1 steps")));
  if (!examination.data_problem.isEmpty() && example.problem.isEmpty()) example.problem = examination.data_problem;
  example.needs = needs.join(QStringLiteral(" · "));
  return example;
}

std::vector<Example> read_examples(const QString& folder) {
  std::vector<Example> examples;
  if (folder.isEmpty()) return examples;
  const QDir directory(folder);
  for (const QString& name : directory.entryList({QStringLiteral("*.toml")}, QDir::Files, QDir::Name)) {
    QFile file(directory.filePath(name));
    if (!file.open(QIODevice::ReadOnly)) {
      Example example;
      example.file = file.fileName();
      example.name = name;
      example.problem = say("cannot be read: %1").arg(file.errorString());
      examples.push_back(std::move(example));
      continue;
    }
    examples.push_back(read_example(file.fileName(), file.readAll().toStdString()));
  }
  return examples;
}

}  // namespace syncline::ui
