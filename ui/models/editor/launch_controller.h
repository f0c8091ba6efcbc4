// SPDX-License-Identifier: GPL-3.0-or-later
// From a draft to a run: the list of what is looked at before, the command, the dry run, the launch. Everything that touches disks or
// programs happens elsewhere than on the GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>
#include <vector>

#include "ui/models/editor/draft.h"
#include "ui/models/editor/launch_queue.h"
#include "ui/models/editor/launching.h"
#include "ui/models/editor/validator.h"

namespace syncline::ui {

class LaunchController : public QObject {
  Q_OBJECT

 public:
  LaunchController(ExperimentDocument&, Validator&, Draft&, EngineProgram&, StoreService&, QObject* parent = nullptr);

  const std::vector<PreflightItem>& items() const { return items_; }
  QString command() const { return command_; }  // empty: not known, with commandNote() saying why
  QString commandNote() const { return command_note_; }
  bool busy() const { return busy_; }  // a dry run or a launch is under way
  int queued() const;                  // runs with further seeds that wait for the one before

  void lookAround();      // reads the surroundings again; itemsChanged() follows
  void refreshCommand();  // asks the engine, when the text is valid and differs from what was asked last
  void dryRun();
  void endDryRun();
  void launch(const std::vector<std::uint64_t>& seeds);

 Q_SIGNALS:
  void itemsChanged();
  void commandChanged();
  void busyChanged();
  void dryRunAnswered(bool ok, const QStringList& sentences);
  void launched(const QString& run_id, int number, int of);
  void failed(const QString& sentence);

 private:
  void setBusy(bool);
  void judge();
  // Writes the text where the engine can read it, then `go` with the file.
  void withFile(std::function<void(const QString& file)> go);

  ExperimentDocument& document_;
  Validator& validator_;
  Draft& draft_;
  EngineProgram& engine_;
  StoreService& store_;
  Surroundings around_;
  std::vector<PreflightItem> items_;
  QString command_, command_note_;
  std::string command_of_;
  bool busy_ = false;
  QPointer<QProcess> dry_run_;
  QPointer<LaunchQueue> queue_;
};

}  // namespace syncline::ui
