// Projection on the simplex, exact, on whole packs: Newton's method for
//     phi(theta) = sum_m [q_m - theta]_+ - C_i = 0,   q = start + gradient / A.
// phi is convex, decreasing and piecewise linear. A Newton step from anywhere lands left of the
// root and the next ones move right; each is the exact root of the piece it starts on, so the
// method ends, with the exact root, as soon as a step stays on its piece: after two or three steps,
// because theta = 0 in the shifted scale below is close to where a small change would put it.
#pragma once

#include "polymargin/machine/relative_margin.hpp"

namespace polymargin {

struct SimplexExact {
  template <class Lanes, class Packs, class Real>
  void solve(const Lanes& lanes, const Packs& gradient, const Packs& start, Real highest,
             Packs& solution) const {
    using V = typename Lanes::V;
    const Real inverse = 1 / lanes.block.curvature;
    const Real total = lanes.block.cap;
    // Subtracting the largest gradient shifts theta only, and makes the root lie in [-C_i, 0].
    V sum{}, count{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V q = start[v] + (gradient[v] - highest) * inverse;
      sum += q >= V{} ? q : V{};
      count += q >= V{} ? V{} + Real(1) : V{};
      solution[v] = q;
    }
    Real theta = (Lanes::sum(sum) - total) / Lanes::sum(count);
    for (;;) {
      sum = V{};
      count = V{};
      for (int v = 0; v < lanes.packs; ++v) {
        const auto above = solution[v] > V{} + theta;
        sum += above ? solution[v] : V{};
        count += above ? V{} + Real(1) : V{};
      }
      const Real next = (Lanes::sum(sum) - total) / Lanes::sum(count);
      if (!(next > theta)) break;
      theta = next;
    }
    for (int v = 0; v < lanes.packs; ++v) solution[v] = max_of(solution[v] - theta, V{});
  }
};

}  // namespace polymargin
