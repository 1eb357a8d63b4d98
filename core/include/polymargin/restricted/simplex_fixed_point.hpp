// Crammer and Singer's fixed-point iteration (JMLR 2001, section 6), approximate:
//     theta <- (1/k) sum_m max(theta, q_m) - C_i / k,
// a contraction whose rate is the share of classes below theta; stopped when theta moves by less
// than tau C_i / k.
#pragma once

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexFixedPoint final : public SimplexSolver<Real> {
 public:
  explicit SimplexFixedPoint(double tau) : tau_(Real(tau)) {}

  void solve(const SimplexProblem<Real>& p) const override {
    Real theta = shifted_target(p) - p.total;
    // The sum of max(theta, q) is k theta + sum [q - theta]_+, so the step is surplus / k. From
    // the left the surplus falls towards zero; when it does not, tau is finer than the format.
    for (Real last = std::numeric_limits<Real>::infinity();;) {
      Real surplus = -p.total;
      for (int m = 0; m < p.size; ++m) surplus += std::max(p.target[m] - theta, Real(0));
      if (surplus <= tau_ * p.total || !(surplus < last)) break;
      theta += surplus / Real(p.size);
      last = surplus;
    }
    threshold_target_feasibly(p, theta);
  }

 private:
  Real tau_;
};

}  // namespace polymargin
