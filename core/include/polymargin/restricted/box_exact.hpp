// Box with a rank-one coupling, exact, on whole packs. With t = sum of the change, stationarity is
// u_m = clip(start_m + (h_m - R t) / Q, 0, upper). Around a reference value h_0 for R t,
//     q_m = start_m + (h_m - h_0) / Q,   theta = (R t - h_0) / Q,   u_m = clip(q_m - theta, 0,
//     upper)
// and theta is the root of one decreasing, piecewise linear equation (DESIGN, section 2):
//     phi(theta) = [R (sum_m u_m - sum start) - h_0 - Q theta] / (Q + R) = 0,
// solved by Newton steps inside a bracket. Two counts tell the piece: how many variables are above
// their lower and how many above their upper bound; both only fall as theta grows, so when their
// sum does not change over a Newton step the step ended on its own piece, at the exact root.
#pragma once

#include "polymargin/machine/boxed.hpp"

namespace polymargin {

struct BoxExact {
  static constexpr bool kExact = true;

  template <class Lanes, class Packs, class Real>
  void solve(const Lanes& lanes, const BoxProblem<Real>& problem, const Packs& gradient,
             Packs& solution) const {
    using V = typename Lanes::V;
    const Real inverse = 1 / problem.diagonal;
    const Real scale = 1 / (problem.diagonal + problem.coupling);
    const Real coupling = problem.coupling * scale;
    const Real diagonal = problem.diagonal * scale;
    const Real constant = problem.reference * scale;
    const V upper = V{} + problem.upper;

    V sum{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V start = lanes.dual(v);
      solution[v] = start + (gradient[v] - problem.reference) * inverse;
      sum += start;
    }
    if (problem.coupling == 0) {  // the variables do not meet
      for (int v = 0; v < lanes.packs; ++v) solution[v] = min_of(max_of(solution[v], V{}), upper);
      return;
    }
    const Real start_sum = Lanes::sum(sum);

    Real theta = 0, below = kNowhere<Real>, above = -kNowhere<Real>;
    int piece = -1;  // unknown
    for (int iteration = 0; iteration < 200; ++iteration) {
      V clipped{};
      int over_lower = 0, over_upper = 0;
      for (int v = 0; v < lanes.packs; ++v) {
        const V u = solution[v] - theta;
        over_lower += Lanes::count(u > V{});
        over_upper += Lanes::count(u >= upper);
        clipped += min_of(max_of(u, V{}), upper);
      }
      const Real phi = coupling * (Lanes::sum(clipped) - start_sum) - constant - diagonal * theta;
      const Real next = theta + phi / (diagonal + coupling * Real(over_lower - over_upper));
      if (over_lower + over_upper == piece) {
        theta = next;  // the step here may have been long, and rounded as such: this one is not
        break;
      }
      (phi > 0 ? below : above) = theta;
      if (next > below && next < above) {
        piece = over_lower + over_upper;
        theta = next;
      } else {
        piece = -1;
        const Real middle = below + (above - below) / 2;
        if (next == theta || !(middle > below && middle < above)) break;
        theta = middle;
      }
    }
    for (int v = 0; v < lanes.packs; ++v)
      solution[v] = min_of(max_of(solution[v] - theta, V{}), upper);
  }
};

}  // namespace polymargin
