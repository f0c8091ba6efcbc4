// SPDX-License-Identifier: GPL-3.0-or-later
// Where a run comes from and what came of it.
#pragma once

#include <QString>
#include <vector>

#include "ui/models/runs_rows.h"

namespace syncline::ui {

struct RelatedRun {
  enum Kind { resumed_from, resumed_by, cloned_from, cloned_by, same_experiment, compute_only } kind;
  QString id, name;  // of the newest attempt
};
// Not its own attempts: a resume that goes on with the same run is that run. Of the same experiment with other seeds at most `most`.
std::vector<RelatedRun> read_related(Reader&, const RunRow&, int most = 5);
QString text_of(RelatedRun::Kind);

}  // namespace syncline::ui
