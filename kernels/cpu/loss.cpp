// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>

#include "kernels/cpu/ops.h"

namespace syncline::cpu {

// log p = (logit - largest) - log(sum of exp(logit - largest)), all in double: the loss of a run is compared over thousands of steps.
Backend::LossResult softmax_cross_entropy(Context& context, std::int64_t rows, std::int64_t classes, const View& logits, const View& labels,
                                          double scale, const View& dlogits) {
  require_rows(rows, "softmax cross-entropy");
  if (classes < 1) throw std::invalid_argument("softmax cross-entropy needs at least 1 class");
  require(logits, rows * classes, "softmax cross-entropy's logits");
  require(labels, rows, "softmax cross-entropy's labels");
  if (!dlogits.empty()) require(dlogits, rows * classes, "softmax cross-entropy's gradient");
  context.enter();
  Backend::LossResult result;
  for (std::int64_t row = 0; row < rows; ++row) {
    const float* x = logits.data() + row * classes;
    const std::int32_t label = labels.ints()[row];
    if (label < 0 || label >= classes) {
      throw std::out_of_range("label " + std::to_string(label) + " of sample " + std::to_string(row) + " is not one of " +
                              std::to_string(classes) + " classes");
    }
    std::int64_t best = 0;
    for (std::int64_t c = 1; c < classes; ++c) {
      if (x[c] > x[best]) best = c;
    }
    const double largest = static_cast<double>(x[best]);
    double sum = 0;
    for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(static_cast<double>(x[c]) - largest);
    result.loss_sum += std::log(sum) - (static_cast<double>(x[label]) - largest);
    if (best == label) ++result.correct;
    if (dlogits.empty()) continue;
    float* d = dlogits.data() + row * classes;
    const double factor = scale / sum;
    for (std::int64_t c = 0; c < classes; ++c) {
      const double p = factor * std::exp(static_cast<double>(x[c]) - largest);
      d[c] = static_cast<float>(c == label ? p - scale : p);
    }
  }
  return result;
}

}  // namespace syncline::cpu
