// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/schedules/trees.h"

#include <algorithm>
#include <bit>

namespace syncline {
namespace {

// A binary tree over positions first..first+count-1 whose in-order walk is their order, perfect on the left: leaves at even positions,
// inner ones at odd positions, as long as `first` is even.
void in_order(int first, int count, int parent, int depth, int wanted, TreePlace& place) {
  if (count == 0) return;
  const int half = static_cast<int>(std::bit_floor(static_cast<unsigned>(count)));  // the left part is perfect
  const int left = half - 1, root = first + left, right = count - half;
  place.height = std::max(place.height, depth);
  const auto root_of = [](int begin, int number) { return begin + static_cast<int>(std::bit_floor(static_cast<unsigned>(number))) - 1; };
  if (root == wanted) {
    place.parent = parent;
    if (left > 0) place.children.push_back(root_of(first, left));
    if (right > 0) place.children.push_back(root_of(root + 1, right));
  }
  in_order(first, left, root, depth + 1, wanted, place);
  in_order(root + 1, right, root, depth + 1, wanted, place);
}

}  // namespace

int multicolor_arity(int size, int colours) {
  const int k = std::min(colours, size), inner = size / k;
  return size <= 1 ? 1 : (size - 1 + inner - 1) / inner;
}

TreePlace multicolor_place(int rank, int size, int colours, int colour, int arity) {
  const int k = std::min(colours, size), shift = colour * (size / k), d = arity > 0 ? arity : multicolor_arity(size, k);
  const int place = ((rank - shift) % size + size) % size;
  const auto rank_at = [&](int virtual_place) { return (virtual_place + shift) % size; };
  TreePlace result;
  if (place > 0) result.parent = rank_at((place - 1) / d);
  for (std::int64_t child = static_cast<std::int64_t>(d) * place + 1; child <= static_cast<std::int64_t>(d) * place + d && child < size;
       ++child) {
    result.children.push_back(rank_at(static_cast<int>(child)));
  }
  for (int deepest = size - 1; deepest > 0; deepest = (deepest - 1) / d) ++result.height;
  return result;
}

TreePlace binomial_place(int rank, int size) {
  TreePlace result;
  const int lowest = rank == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) : rank & -rank;
  if (rank > 0) result.parent = rank - lowest;
  for (int bit = 1; bit < lowest; bit <<= 1) {  // the smallest subtree, which is ready first, is added first
    if (rank + bit < size) result.children.push_back(rank + bit);
  }
  result.height = std::bit_width(static_cast<unsigned>(size - 1));
  return result;
}

TreePlace double_binary_place(int rank, int size, int which) {
  // The second tree is the first one mirrored, or for an odd number of ranks shifted by one: what was at an even position is now at an odd.
  const bool odd = size % 2 == 1;
  const auto turn = [&](int position) {
    if (which == 0) return position;
    return odd ? (position + 1) % size : size - 1 - position;
  };
  const auto back = [&](int position) {
    if (which == 0) return position;
    return odd ? (position + size - 1) % size : size - 1 - position;
  };
  TreePlace place;
  in_order(0, size, -1, 0, turn(rank), place);
  if (place.parent >= 0) place.parent = back(place.parent);
  for (int& child : place.children) child = back(child);
  std::sort(place.children.begin(), place.children.end());
  return place;
}

}  // namespace syncline
