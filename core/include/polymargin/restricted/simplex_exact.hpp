// Projection on the simplex, exact, on whole packs: Newton's method for the root of
//     phi(theta) = sum_{m != y} [q_m - theta]_+ + [q_y - theta]_+ - C_i,
// where q_m = u_m + (h_m - max h) / A and q_y = (C_i - sum u) - max h / A. Subtracting the largest
// h shifts theta only; the root then lies in [-C_i, 0]. phi is convex, decreasing and piecewise
// linear: a Newton step from anywhere lands left of the root and the next ones move right, each on
// the exact root of the piece it starts from. When a step does not move, it has found the root.
// While q_y is above theta, C_i cancels from the equation and is left out of it.
#pragma once

#include "polymargin/machine/relative_margin.hpp"

namespace polymargin {

struct SimplexExact {
  template <class Lanes, class Packs, class Real>
  void solve(const Lanes& lanes, const Packs& h, Real highest, Real start_sum,
             Packs& solution) const {
    using V = typename Lanes::V;
    const Real inverse = 1 / lanes.block.curvature;
    const Real cap = lanes.block.cap;
    const Real label_target = (cap - start_sum) - highest * inverse;
    const Real label_free_total = start_sum + highest * inverse;
    const auto root_of_piece = [&](V sum, V count, Real theta) {
      const Real others = Lanes::sum(count);
      if (label_target > theta || others == 0)
        return (Lanes::sum(sum) - label_free_total) / (others + 1);
      return (Lanes::sum(sum) - cap) / others;
    };

    V sum{}, count{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V q = lanes.dual(v) + (h[v] - highest) * inverse;
      sum += q >= V{} ? q : V{};
      count += q >= V{} ? V{} + Real(1) : V{};
      solution[v] = q;
    }
    Real theta = root_of_piece(sum, count, Real(0));
    for (;;) {
      sum = V{};
      count = V{};
      for (int v = 0; v < lanes.packs; ++v) {
        const auto above = solution[v] > V{} + theta;
        sum += above ? solution[v] : V{};
        count += above ? V{} + Real(1) : V{};
      }
      const Real next = root_of_piece(sum, count, theta);
      if (!(next > theta)) break;
      theta = next;
    }
    for (int v = 0; v < lanes.packs; ++v) solution[v] = max_of(solution[v] - theta, V{});
  }
};

}  // namespace polymargin
