// What a machine says of a visit.
#pragma once

namespace polymargin {

template <class Real>
struct Step {
  Real violation = 0;    // of the optimality conditions, before the step
  Real loss = 0;         // before the step
  Real gain = 0;         // increase of the dual objective
  Real norm_change = 0;  // increase of 1/2 |W|^2
  bool moved = false;
};

}  // namespace polymargin
