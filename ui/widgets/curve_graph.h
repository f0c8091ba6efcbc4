// SPDX-License-Identifier: GPL-3.0-or-later
// A graph that draws dense curves as bars and few strokes (see pixel_line.h). Pictures for files get every vertex.
#pragma once

#include "ui/widgets/plot.h"

namespace syncline::ui {

class CurveGraph : public QCPGraph {
 public:
  using QCPGraph::QCPGraph;

 protected:
  void draw(QCPPainter*) override;
};

}  // namespace syncline::ui
