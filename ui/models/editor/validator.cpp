// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/editor/validator.h"

#include "ui/models/editor/background.h"
#include "ui/models/editor/form_catalogue.h"

namespace syncline::ui {

Validator::Validator(ExperimentDocument& document, QObject* parent) : QObject(parent), document_(document) {
  delay_.setSingleShot(true);
  delay_.setInterval(delay_ms);
  connect(&delay_, &QTimer::timeout, this, &Validator::start);
  connect(&document_, &ExperimentDocument::changed, &delay_, qOverload<>(&QTimer::start));
  QTimer::singleShot(0, this, &Validator::examineNow);
}

void Validator::setProfile(std::optional<Profile> profile, const QString& of_run) {
  profile_ = std::move(profile);
  profiled_run_ = of_run;
  examineNow();
}

void Validator::examineNow() {
  delay_.stop();
  start();
}

void Validator::start() {
  if (running_) {
    again_ = true;
    return;
  }
  running_ = true;
  again_ = false;
  in_background(
      this,
      [text = document_.text(), profile = profile_, run = profiled_run_, &known = form_catalogue()] {
        return std::make_shared<const Examination>(examine(text, profile, known, run));
      },
      [this](const std::shared_ptr<const Examination>& result) {
        running_ = false;
        latest_ = result;
        if (again_) start();
        Q_EMIT examined();
      });
}

}  // namespace syncline::ui
