// Projection by bisection for theta (002, algorithm 3), to |sum - C_i| <= tau C_i.
#pragma once

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexBisection final : public SimplexSolver<Real> {
 public:
  explicit SimplexBisection(double tau) : tau_(Real(tau)) {}

  void solve(const SimplexProblem<Real>& p) const override {
    Real above = shifted_target(p);
    Real below = above - p.total;
    Real theta = below;
    for (;;) {
      theta = below + (above - below) / 2;
      Real surplus = -p.total;
      for (int m = 0; m < p.size; ++m) surplus += std::max(p.target[m] - theta, Real(0));
      if (std::abs(surplus) <= tau_ * p.total) break;
      const Real last = surplus < 0 ? above : below;
      if (theta == last) break;  // tau is finer than the number format
      (surplus < 0 ? above : below) = theta;
    }
    threshold_target_feasibly(p, theta);
  }

 private:
  Real tau_;
};

}  // namespace polymargin
