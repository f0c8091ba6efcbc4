// SPDX-License-Identifier: Apache-2.0
// When something that happens "every N steps", "every N epochs" or "every N seconds" is due. By steps and epochs every rank knows by
// itself; by time only rank 0 decides, and the decision travels in the control word.
#pragma once

#include <cstdint>

#include "engine/experiment/experiment.h"

namespace syncline {

class Due {
 public:
  explicit Due(Every every) : every_(every) {}
  // `epochs` done, whole ones and the part of the present one.
  bool at(std::int64_t step, double epochs) const;
  bool by_time(double now_s) const { return every_.unit == Every::seconds && now_s - last_s_ >= every_.amount; }
  void done(std::int64_t step, double epochs, double now_s);  // also at start and after a resume: counting begins here

 private:
  Every every_;
  std::int64_t last_step_ = 0;
  double last_epochs_ = 0, last_s_ = 0;
};

}  // namespace syncline
