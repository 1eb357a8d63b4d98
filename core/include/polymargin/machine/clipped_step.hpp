// The step of a machine whose variables do not meet, for one variable: hinge or squared hinge of a
// margin t - Y s. It is a Newton step, clipped.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "polymargin/machine/step.hpp"

namespace polymargin {

template <class Real>
class ClippedStep {
 public:
  ClippedStep(double label_target, double other_target, bool squared)
      : targets_{Real(other_target), Real(label_target)}, squared_(squared) {}

  // What a step changes: the variable, and what is added to w is `coefficient` times x.
  struct Change {
    Real dual, coefficient;
  };

  // As Machine::step: `positive` if the example is of the class, `curvature` is |x|^2.
  [[gnu::always_inline]] Step<Real> operator()(bool positive, Real score, Real curvature,
                                               Real loss_weight, Real dual, Real threshold,
                                               Change& change) const {
    const Real sign = positive ? Real(1) : Real(-1), target = targets_[positive];
    const Real penalty = squared_ ? 1 / (2 * loss_weight) : Real(0);
    const Real upper = squared_ ? std::numeric_limits<Real>::infinity() : loss_weight;
    const Real diagonal = curvature + penalty, inverse = 1 / diagonal;
    const Real margin = target - sign * score, slack = std::max(margin, Real(0));
    const Real h = margin - penalty * dual;

    Step<Real> step;
    step.loss = squared_ ? slack * slack : slack;
    // 000, eq. (18): only a derivative that leads into the box violates optimality.
    Real inward = dual > 0 ? h : std::max(h, Real(0));
    inward = dual < upper ? inward : std::min(inward, Real(0));
    step.violation = std::abs(inward);
    if (!(step.violation > threshold)) return step;

    change.dual = std::min(std::max(dual + h * inverse, Real(0)), upper);
    const Real d = change.dual - dual, quadratic = diagonal / 2 * (d * d);
    step.gain = std::max(d * h - quadratic, quadratic);  // the same but for rounding, or more
    step.moved = step.gain > 0;
    step.norm_change = target * d - d * (h + penalty * dual) + curvature / 2 * (d * d);
    change.coefficient = sign * d;
    return step;
  }

 private:
  Real targets_[2];  // of the others, of the label
  bool squared_;
};

}  // namespace polymargin
