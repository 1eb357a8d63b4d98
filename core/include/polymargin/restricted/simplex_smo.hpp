// Sequential minimal optimisation inside the block (002, supplement A): one sweep over the
// variables above zero, each paired with the class of largest derivative. Approximate.
#pragma once

#include <algorithm>

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexSmo final : public SimplexSolver<Real> {
 public:
  void solve(const SimplexProblem<Real>& p) const override {
    Real* derivative = p.target;
    std::copy_n(p.gradient, p.size, derivative);
    std::copy_n(p.start, p.size, p.solution);
    for (int giver = 0; giver < p.size; ++giver) {
      if (!(p.start[giver] > 0)) continue;
      const int taker = int(std::max_element(derivative, derivative + p.size) - derivative);
      if (taker == giver) continue;
      const Real wanted = (derivative[taker] - derivative[giver]) / (2 * p.curvature);
      const Real moved = std::min(wanted, p.solution[giver]);
      p.solution[giver] -= moved;
      p.solution[taker] += moved;
      derivative[giver] += p.curvature * moved;
      derivative[taker] -= p.curvature * moved;
    }
  }
};

}  // namespace polymargin
