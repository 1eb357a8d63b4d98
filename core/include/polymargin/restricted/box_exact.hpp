// Box with a rank-one coupling, exact, on whole packs. With t = sum of the change, stationarity is
//     u_m = clip(q_m - r t, 0, upper),   q = start + h / Q,   r = R / Q,
// one decreasing, piecewise linear equation in t:
//     phi(t) = sum_m clip(q_m - r t, 0, upper) - sum start - t = 0     (DESIGN, section 2)
// solved by Newton steps inside a bracket. Two counts tell the piece: how many variables are above
// their lower and how many above their upper bound; both only fall as t grows, so when their sum
// does not change over a Newton step the step ended on its own piece, at the exact root.
#pragma once

#include "polymargin/machine/boxed.hpp"

namespace polymargin {

struct BoxExact {
  template <class Lanes, class Packs, class Real>
  void solve(const Lanes& lanes, const BoxProblem<Real>& problem, const Packs& gradient,
             Packs& solution) const {
    using V = typename Lanes::V;
    const Real inverse = 1 / problem.diagonal;
    const Real ratio = problem.coupling * inverse;
    const V upper = V{} + problem.upper;

    V sum{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V start = lanes.dual(v);
      solution[v] = start + gradient[v] * inverse;
      sum += start;
    }
    const Real start_sum = Lanes::sum(sum);

    Real t = 0, below = -start_sum, above = -kNowhere<Real>;
    int piece = -1;  // unknown
    for (int iteration = 0; iteration < 200; ++iteration) {
      V clipped{};
      int over_lower = 0, over_upper = 0;
      for (int v = 0; v < lanes.packs; ++v) {
        const V u = solution[v] - ratio * t;
        over_lower += Lanes::count(u > V{});
        over_upper += Lanes::count(u >= upper);
        clipped += min_of(max_of(u, V{}), upper);
      }
      if (over_lower + over_upper == piece) break;
      const Real phi = Lanes::sum(clipped) - start_sum - t;
      (phi > 0 ? below : above) = t;
      const Real next = t + phi / (1 + ratio * Real(over_lower - over_upper));
      if (next > below && next < above) {
        piece = over_lower + over_upper;
        t = next;
      } else {
        piece = -1;
        const Real middle = below + (above - below) / 2;
        if (next == t || !(middle > below && middle < above)) break;
        t = middle;
      }
    }
    for (int v = 0; v < lanes.packs; ++v)
      solution[v] = min_of(max_of(solution[v] - ratio * t, V{}), upper);
  }
};

}  // namespace polymargin
