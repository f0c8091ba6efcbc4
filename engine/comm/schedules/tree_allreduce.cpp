// SPDX-License-Identifier: Apache-2.0
// Allreduces that reduce along trees and broadcast back along them: `tree` (binomial, or two binary trees that share the vector) and
// `multicolor` (card multicolor-allreduce). Each colour owns a range of the vector, cut into segments that follow each other up and down;
// the segments of the colours alternate, so that all links are busy at once.
#include <algorithm>

#include "engine/comm/schedules/flow.h"
#include "engine/comm/schedules/trees.h"

namespace syncline {

using namespace schedule_detail;

namespace {

struct Colour {
  TreePlace tree;
  Part range;
  std::int64_t segment = 1;
  int segments = 0;
};

// In every segment first all colours up, then all down. Each rank begins with another colour: else all would send to the same inner ranks
// at once, and the links of the others would idle.
CollectiveSchedule along_trees(const ScheduleRequest& request, const std::vector<Colour>& colours, int window, bool ordered) {
  int rounds = 0;
  std::vector<int> slots;
  std::int64_t largest = 0;
  for (const Colour& colour : colours) {
    rounds = std::max(rounds, colour.segments);
    slots.push_back(window * static_cast<int>(colour.tree.children.size()));
    largest = std::max(largest, std::min(colour.segment, colour.range.count));
  }
  Flow flow(request, slots, largest, window);
  const int count = static_cast<int>(colours.size());
  for (int s = 0; s < rounds; ++s) {
    for (const bool up : {true, false}) {
      for (int turn = 0; turn < count; ++turn) {
        const int c = (turn + request.rank) % count;
        const Colour& colour = colours[static_cast<std::size_t>(c)];
        if (s >= colour.segments) continue;
        flow.use_lane(c);
        const Chunk chunk = chunk_of(colour.range, s, colour.segment);
        const int channel = (s * 2 + (up ? 0 : 1)) * count + c, parent = colour.tree.parent;
        if (up) {
          for (const int child : colour.tree.children) flow.receive_add(child, channel, chunk.offset, chunk.count, ordered);
          if (parent >= 0) flow.send(parent, channel, chunk.offset, chunk.count);
        } else {
          if (parent >= 0) flow.receive(parent, channel, chunk.offset, chunk.count);
          for (const int child : colour.tree.children) flow.send(child, channel, chunk.offset, chunk.count);
        }
      }
    }
  }
  return flow.take();
}

// segments 0: as many as chunks. No message is larger than a chunk.
Colour colour_of(const ScheduleRequest& request, TreePlace tree, int index, int count, std::int64_t segments) {
  Colour colour;
  colour.tree = std::move(tree);
  const std::int64_t each = request.count / count;
  colour.range = {index * each, index + 1 < count ? each : request.count - index * each};
  colour.segment = request.chunk;
  if (segments > 0) colour.segment = std::clamp<std::int64_t>((colour.range.count + segments - 1) / segments, 1, request.chunk);
  colour.segments = chunk_count(colour.range, colour.segment);
  return colour;
}

std::vector<Colour> tree_colours(const ScheduleRequest& request) {
  if (request.options->choice("shape") == "binomial") return {colour_of(request, binomial_place(request.rank, request.size), 0, 1, 0)};
  return {colour_of(request, double_binary_place(request.rank, request.size, 0), 0, 2, 0),
          colour_of(request, double_binary_place(request.rank, request.size, 1), 1, 2, 0)};
}

std::vector<Colour> multicolor_colours(const ScheduleRequest& request) {
  const Params& options = *request.options;
  const int count = static_cast<int>(std::min<std::int64_t>(options.integer("colors"), request.size));
  std::vector<Colour> colours;
  for (int c = 0; c < count; ++c) {
    TreePlace place = multicolor_place(request.rank, request.size, count, c, static_cast<int>(options.integer("tree_arity")));
    colours.push_back(colour_of(request, std::move(place), c, count, options.integer("segments")));
  }
  return colours;
}

Traffic traffic_along(const std::vector<Colour>& colours) {
  Traffic sent;
  for (const Colour& colour : colours) {
    const auto times = static_cast<std::int64_t>(colour.tree.children.size()) + (colour.tree.parent >= 0 ? 1 : 0);
    sent += {times * colour.range.count, times * colour.segments};
  }
  return sent;
}

}  // namespace

CollectiveSchedule tree_allreduce(const ScheduleRequest& request) {
  return along_trees(request, tree_colours(request), chunk_window, true);
}

Traffic tree_traffic(const ScheduleRequest& request) { return traffic_along(tree_colours(request)); }

CollectiveSchedule multicolor_allreduce(const ScheduleRequest& request) {
  const Params& options = *request.options;
  return along_trees(request, multicolor_colours(request), static_cast<int>(options.integer("recv_window")),
                     options.flag("deterministic_reduce"));
}

Traffic multicolor_traffic(const ScheduleRequest& request) { return traffic_along(multicolor_colours(request)); }

// The card's model: 2h segments of latency and transfer, then the bytes of the busiest rank, k - 1 colours up and d children down.
double multicolor_cost(const ScheduleCost& c) {
  if (c.size <= 1) return 0;
  const int colours = static_cast<int>(std::min<std::int64_t>(c.options->integer("colors"), c.size));
  const int arity = static_cast<int>(c.options->integer("tree_arity")), d = arity > 0 ? arity : multicolor_arity(c.size, colours);
  const TreePlace root = multicolor_place(0, c.size, colours, 0, arity);
  const double share = c.bytes / colours,
               segment = std::min(share / static_cast<double>(c.options->integer("segments")), c.options->real("chunk_bytes"));
  return 2 * root.height * (c.alpha_s + segment * c.beta_s) + share * (colours + d) * c.beta_s + share * c.gamma_s;
}

}  // namespace syncline
