// SPDX-License-Identifier: Apache-2.0
// Arena-shaped vectors and the slices of layers in them. All parameters of a model are one contiguous vector, laid out in the order in
// which the backward pass completes their gradients, so a bucket or a merged group is a plain range: sending it costs no packing copy.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/view.h"

namespace syncline {

struct LayerSlice {                    // one run of parameters that becomes final at one moment of backward
  int index = 0;                       // 0: first to be final (output side); ascending = arena order = order of gradient_ready
  std::string name;                    // stable across runs; checkpoints and plugins go by it
  std::int64_t offset = 0, count = 0;  // elements in the arena
  bool decay = true;                   // weight decay applies
  bool dense = false;                  // fully connected: has factors, rows x cols
  std::int64_t rows = 0, cols = 0;
  int layer = -1;  // as Hooks count layers: slices of one layer become final at the same moment; -1: not known
};

struct Group {
  int first = 0, last = 0;
  std::int64_t offset = 0, count = 0;
};  // slices first..last, one message

class Vector {  // copies share storage
 public:
  Vector() = default;
  explicit Vector(View storage) : storage_(std::move(storage)) {}
  const View& all() const { return storage_; }
  operator View() const { return storage_; }  // NOLINT: a vector is the view of all of it
  View operator[](const LayerSlice& slice) const { return storage_.part(slice.offset, slice.count); }
  View operator[](const Group& group) const { return storage_.part(group.offset, group.count); }
  std::int64_t count() const { return storage_.count(); }

 private:
  View storage_;
};

struct Term {
  double factor;
  View x;
};
enum class Keep { saved, scratch };         // saved: in checkpoints under its name, by layer; scratch: not
enum class Sharing { exclusive, relaxed };  // relaxed: element-wise atomic load and store, updates may be lost (Hogwild)

class VectorSpace {  // what a strategy can do with numbers; calls are ordered on this rank's compute stream
 public:
  virtual ~VectorSpace() = default;
  virtual Vector make_vector(std::string_view name, Keep = Keep::saved) = 0;  // in start() only: nothing is allocated later
  // out = sum of factor * x, at most 4 terms, one pass, fixed order of addition; out may be one of the x.
  virtual void set(View out, std::initializer_list<Term> sum, Sharing = Sharing::exclusive) = 0;
  virtual double dot(View, View) = 0;  // fp64 sum in fixed chunk order; waits for the device; NaN on ghost vectors
  virtual void pointwise(std::string_view functor, std::initializer_list<View>, std::initializer_list<double> scalars) = 0;
};

}  // namespace syncline
