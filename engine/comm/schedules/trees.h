// SPDX-License-Identifier: Apache-2.0
// Spanning trees for allreduces that reduce to a root and broadcast from it: a set of trees ("colours") shares the vector.
#pragma once

#include <vector>

#include "engine/comm/schedules/schedule.h"

namespace syncline {

struct TreePlace {            // one rank's place in one tree
  int parent = -1;            // -1: the root
  std::vector<int> children;  // in the order of adding, and of sending down
  int height = 0;             // of the whole tree, in edges
};

// Multi-colour trees (card multicolor-allreduce, section B): k = min(colours, size) trees of different roots whose sets of inner ranks do
// not meet. arity 0: the smallest that floor(size / k) inner ranks allow. Every pair (parent, child) occurs in one colour at most.
TreePlace multicolor_place(int rank, int size, int colours, int colour, int arity);
int multicolor_arity(int size, int colours);

TreePlace binomial_place(int rank, int size);  // rooted at 0
// Two trees in which every rank is inner in one at most (Sanders, Speck, Träff 2009): which = 0 or 1.
TreePlace double_binary_place(int rank, int size, int which);

}  // namespace syncline
