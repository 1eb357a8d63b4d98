// One Frank-Wolfe step inside the block (002, supplement B): towards the vertex of largest
// gradient, with the exact step length of eq. (8). Approximate.
#pragma once

#include <algorithm>

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexFrankWolfe final : public SimplexSolver<Real> {
 public:
  void solve(const SimplexProblem<Real>& p) const override {
    const int vertex = int(std::max_element(p.gradient, p.gradient + p.size) - p.gradient);
    Real slope = 0, length = 0;
    for (int m = 0; m < p.size; ++m) {
      const Real direction = (m == vertex ? p.total : Real(0)) - p.start[m];
      // The directions sum to zero: subtracting the largest gradient changes nothing but rounding.
      slope += (p.gradient[m] - p.gradient[vertex]) * direction;
      length += direction * direction;
    }
    const Real gamma =
        length > 0 ? std::clamp(slope / (p.curvature * length), Real(0), Real(1)) : Real(0);
    for (int m = 0; m < p.size; ++m)
      p.solution[m] = (1 - gamma) * p.start[m] + (m == vertex ? gamma * p.total : Real(0));
  }
};

}  // namespace polymargin
