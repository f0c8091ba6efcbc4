// SPDX-License-Identifier: GPL-3.0-or-later
// Examines a document 200 ms after its last change, off the GUI thread. One examination runs at a time; of texts that come meanwhile only
// the newest is examined.
#pragma once

#include <QObject>
#include <QTimer>
#include <memory>
#include <optional>

#include "ui/models/editor/examination.h"
#include "ui/models/editor/experiment_document.h"

namespace syncline::ui {

class Validator : public QObject {
  Q_OBJECT

 public:
  static constexpr int delay_ms = 200;

  explicit Validator(ExperimentDocument&, QObject* parent = nullptr);

  // Of the newest text that has been examined; null before the first.
  std::shared_ptr<const Examination> latest() const { return latest_; }
  bool upToDate() const { return latest_ && !running_ && !delay_.isActive() && latest_->text == document_.text(); }
  void setProfile(std::optional<Profile>, const QString& of_run = {});
  bool hasProfile() const { return profile_.has_value(); }
  void examineNow();

 Q_SIGNALS:
  void examined();

 private:
  void start();

  ExperimentDocument& document_;
  QTimer delay_;
  std::shared_ptr<const Examination> latest_;
  std::optional<Profile> profile_;
  QString profiled_run_;
  bool running_ = false, again_ = false;
};

}  // namespace syncline::ui
