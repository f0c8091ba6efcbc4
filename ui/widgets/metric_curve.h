// SPDX-License-Identifier: GPL-3.0-or-later
// A line that may turn back: one series over another. Of more samples than a line can be followed through, how densely they lie is drawn.
#pragma once

#include "ui/widgets/plot.h"

namespace syncline::ui {

class MetricCurve : public QCPCurve {
 public:
  using QCPCurve::QCPCurve;

 protected:
  void draw(QCPPainter*) override;
};

}  // namespace syncline::ui
