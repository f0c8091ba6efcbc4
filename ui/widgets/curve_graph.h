// SPDX-License-Identifier: GPL-3.0-or-later
// A graph that draws dense curves as bars and few strokes (see pixel_line.h). Pictures for files get every vertex.
#pragma once

#include "ui/widgets/plot.h"

namespace syncline::ui {

class CurveGraph : public QCPGraph {
 public:
  using QCPGraph::QCPGraph;
  // Each pixel column stands for many samples: what lies between the columns of the data and those of the screen is no gap.
  void setReduced(bool on) { reduced_ = on; }
  // Where it is said that many curves are to be drawn in a hurry: without antialiasing and dashes. Outlives the graph.
  void setHurried(const bool* hurried) { hurried_ = hurried; }

 protected:
  void draw(QCPPainter*) override;

 private:
  bool reduced_ = false;
  const bool* hurried_ = nullptr;
};

}  // namespace syncline::ui
