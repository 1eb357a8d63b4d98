// The step between two variables of one example: what one gains, the other loses (001, SMO-step).
#pragma once

#include <algorithm>

namespace polymargin {

struct PairStep {
  double length = 0;
  double gain = 0;       // of the dual
  bool clipped = false;  // by the bound of the variable that grows
};

// Maximises length * difference - curvature * length^2 over 0 <= length <= room, where `difference`
// is how much steeper the dual is in the variable that grows, and `curvature` is k(x, x).
inline PairStep pair_step(double difference, double curvature, double room) {
  if (!(difference > 0) || !(room > 0)) return {};
  const double best = curvature > 0 ? difference / (2 * curvature) : room;
  const double length = std::min(best, room);
  return {length, length * (difference - curvature * length), length == room};
}

}  // namespace polymargin
