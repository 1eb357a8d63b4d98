// When a problem that is trained beside others is finished.
#pragma once

namespace polymargin {

// The relative gap or, if `by_violation`, the largest violation.
struct Tolerance {
  double value;
  bool by_violation;

  bool reached(double primal, double dual, double violation) const {
    if (by_violation) return violation <= value;
    return primal - dual <= value * primal;
  }
};

}  // namespace polymargin
