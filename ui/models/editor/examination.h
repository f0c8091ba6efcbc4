// SPDX-License-Identifier: GPL-3.0-or-later
// Everything that the editor says about a text: problems, the model layer by layer, data, messages, estimates. All of it comes from the
// functions that the engine itself uses. Pure and slow enough (it may look at data files) to run off the GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/sim/preview.h"

namespace syncline::ui {

struct LayerRow {
  QString name, type, in, out;
  std::optional<std::int64_t> parameters, activation_bytes;  // of one sample
  std::optional<double> flop;                                // forward and backward, one sample
  QString problem;                                           // why this layer is impossible
  int bucket = -1;      // the message that its gradients travel in; between two layers of one message: that one
  bool beyond = false;  // after the first impossible one: nothing is known
  int index = -1;       // in model.layers; -1: of a zoo model
};

struct BucketRow {
  QStringList layers;
  std::int64_t bytes = 0;
  std::optional<double> ready_s, start_s, end_s;  // with a profile
};

struct Estimate {
  QString name, value, origin, full;  // origin: "formula", or why there is none; full: for the tooltip
};

struct LearningRate {  // sampled over the run
  std::vector<double> steps, rates;
  double first = 0, last = 0, most = 0;
  QString note;  // why there is no curve
};

struct Examination {
  std::string text;
  std::vector<Problem> problems;         // the engine's, in order of line
  std::optional<Experiment> experiment;  // set when the text parses as one, its shapes may still be wrong

  std::vector<LayerRow> layers;
  std::vector<LayerSpec> layer_specs;  // of the whole model, a zoo model's too; empty while it does not fit
  QString model_problem;               // why there are no shapes ("data cannot be read: ...")
  QString input;                       // "28x28x1 · 10 classes"
  QString model_totals, gradient_order;
  std::optional<std::int64_t> parameters;

  std::optional<DataShape> data;
  QString data_problem;
  QStringList data_facts;  // samples, steps per epoch, remainder; one sentence each
  std::optional<std::int64_t> global_batch, steps_per_epoch, total_steps;

  std::vector<BucketRow> buckets;
  QString buckets_note;  // why there are none, or without times
  QString bucket_totals;
  std::optional<double> step_s;  // predicted, with a profile

  LearningRate learning_rate;
  std::vector<Estimate> estimates;
  std::optional<double> checkpoint_bytes;
};

// `profile`: measured layer times of this model and batch, where there are any; `profiled_run`: the name of the run that they are of.
Examination examine(const std::string& text, const std::optional<Profile>& profile, const Catalogue&, const QString& profiled_run = {});
Examination examine(const std::string& text);  // with the engine's own catalogue and no profile

}  // namespace syncline::ui
