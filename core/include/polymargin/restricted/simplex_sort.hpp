// Projection by sorting (002, algorithm 2): O(k log k), exact.
#pragma once

#include <algorithm>
#include <functional>

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexSort final : public SimplexSolver<Real> {
 public:
  void solve(const SimplexProblem<Real>& p) const override {
    shifted_target(p);
    Real* sorted = p.solution;
    std::copy_n(p.target, p.size, sorted);
    std::sort(sorted, sorted + p.size, std::greater<Real>());
    // theta = pi(rho), rho the last m with mu_m > pi(m) = (mu_1 + ... + mu_m - C_i) / m
    Real sum = 0, theta = 0;
    for (int m = 0; m < p.size; ++m) {
      sum += sorted[m];
      const Real pi = (sum - p.total) / Real(m + 1);
      if (!(sorted[m] > pi)) break;
      theta = pi;
    }
    threshold_target(p, theta);
  }
};

}  // namespace polymargin
