// Projection on the simplex, exact, on whole packs: Newton's method for the root of
//     phi(theta) = sum_{m != y} [q_m - theta]_+ + [q_y - theta]_+ - C_i,
// where q_m = u_m + (h_m - max h) / A and q_y = (C_i - sum u) - max h / A. Subtracting the largest
// h shifts theta only; the root then lies in [-C_i, 0]. phi is convex, decreasing and piecewise
// linear: a Newton step from anywhere lands left of the root and the next ones move right, each on
// the exact root of the piece it starts from. The variables above theta are nested sets, so when
// their number does not change over a step, the step stayed on its piece and has found the root.
// While q_y is above theta, C_i cancels from the equation and is left out of it.
#pragma once

#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

struct SimplexExact {
  static constexpr bool kExact = true;
  bool adapts_step() const { return false; }

  template <class Lanes, class Packs, class Real>
  [[gnu::always_inline]] void solve(const Lanes& lanes, const Packs& h, Real highest,
                                    Real start_sum, Packs& solution) const {
    using V = typename Lanes::V;
    const Real inverse = 1 / lanes.block.curvature;
    const Real loss_weight = lanes.block.loss_weight;
    const Real label_target = (loss_weight - start_sum) - highest * inverse;
    const Real label_free_total = start_sum + highest * inverse;

    V sum{};
    int others = 0;
    for (int v = 0; v < lanes.packs; ++v) {
      const V q = lanes.dual(v) + (h[v] - highest) * inverse;
      const auto above = q >= V{};
      sum += above ? q : V{};
      others += Lanes::count(above);
      solution[v] = q;
    }
    bool with_label = label_target >= 0 || others == 0;
    Real theta = -kNowhere<Real>;
    for (bool first = true;; first = false) {
      const Real root = with_label ? (Lanes::sum(sum) - label_free_total) / Real(others + 1)
                                   : (Lanes::sum(sum) - loss_weight) / Real(others);
      if (!first && !(root > theta)) break;  // rounding
      theta = root;
      int others_now = 0;
      for (int v = 0; v < lanes.packs; ++v) others_now += Lanes::count(solution[v] > V{} + theta);
      const bool with_label_now = label_target > theta || others_now == 0;
      if (others_now == others && with_label_now == with_label) break;
      others = others_now;
      with_label = with_label_now;
      sum = V{};
      for (int v = 0; v < lanes.packs; ++v) sum += solution[v] > V{} + theta ? solution[v] : V{};
    }
    for (int v = 0; v < lanes.packs; ++v) solution[v] = max_of(solution[v] - theta, V{});
  }
};

}  // namespace polymargin
