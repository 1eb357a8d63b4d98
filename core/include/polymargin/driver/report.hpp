// What a driver says after an epoch.
#pragma once

#include <cstdint>

namespace polymargin {

struct EpochReport {
  std::int64_t visits = 0;
  std::int64_t moves = 0;
  std::int64_t evaluations = 0;  // of derivatives, one a class and visit
  double violation = 0;          // largest seen
  double dual = 0;               // running values: exact up to rounding
  double half_norm = 0;
  double loss_sum = 0;      // sum of C_i loss_i, each as last seen
  bool stopped = false;     // by poll()
  std::int64_t epochs = 1;  // the last of which it may be that was stopped
};

}  // namespace polymargin
