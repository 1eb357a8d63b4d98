// Three ways to measure a margin. Each says, for a dual block u >= 0,
//   - h, the derivative of unit * sum u - 1/2 |W|^2 by u_m: by how much class m violates its margin
//     (kNowhere in lanes that have no variable);
//   - the coefficients b of a block, linear in u: w_m += b_m x;
//   - |b|^2 = |u|^2 + rho (sum u)^2, and b.s = unit * sum u - sum u_m h_m.
#pragma once

#include "polymargin/machine/block_lanes.hpp"

namespace polymargin {

// Crammer-Singer and Weston-Watkins: h_m = 1 + s_m - s_y for m != y (000, eq. (17), negated),
// b_m = -u_m, b_y = sum u. In DESIGN terms a_m = -u_m and a_y = sum u for cs, a_m = u_m for ww.
struct RelativeMargin {
  static constexpr bool kLocal = true;  // b is zero outside the support of u and the label
  static constexpr bool kLabelHasVariable = false;
  static double unit(int) { return 1; }
  static double rho(int) { return 1; }

  template <class Lanes>
  static auto violation(const Lanes& lanes, int v) {
    using V = typename Lanes::V;
    const auto& block = lanes.block;
    const V h = lanes.score(v) + (1 - block.score[block.label]);
    const auto usable = lanes.is_class(v) & ~lanes.is_label(v);
    return usable ? h : V{} + kNowhere<std::decay_t<decltype(h[0])>>;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real sum) {
    return lanes.is_label(v) ? V{} + sum : -u;
  }
};

// Lee-Lin-Wahba, with sum_m w_m = 0: h_m = 1/(k-1) + s_m for m != y, b_m = mean(u) - u_m.
struct SumToZeroMargin {
  static constexpr bool kLocal = false;
  static constexpr bool kLabelHasVariable = false;
  static double unit(int classes) { return 1.0 / (classes - 1); }
  static double rho(int classes) { return -1.0 / classes; }

  template <class Lanes>
  static auto violation(const Lanes& lanes, int v) {
    using V = typename Lanes::V;
    using Real = std::decay_t<decltype(V{}[0])>;
    const auto usable = lanes.is_class(v) & ~lanes.is_label(v);
    return usable ? lanes.score(v) + Real(unit(lanes.block.layout.classes)) : V{} + kNowhere<Real>;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real sum) {
    return lanes.is_class(v) ? sum / Real(lanes.block.layout.classes) - u : V{};
  }
};

// One against the rest: h_m = 1 - Y_m s_m, b_m = Y_m u_m, Y_m = 1 for the label and -1 otherwise.
// A binary problem has one class here, and examples of the other have a label outside of it.
struct OneVsRestMargin {
  static constexpr bool kLocal = true;
  static constexpr bool kLabelHasVariable = true;
  static double unit(int) { return 1; }
  static double rho(int) { return 0; }

  template <class Lanes>
  static auto violation(const Lanes& lanes, int v) {
    using V = typename Lanes::V;
    using Real = std::decay_t<decltype(V{}[0])>;
    const V h = lanes.is_label(v) ? 1 - lanes.score(v) : 1 + lanes.score(v);
    return lanes.is_class(v) ? h : V{} + kNowhere<Real>;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real) {
    return lanes.is_label(v) ? u : -u;
  }
};

// Writes the new block, and the coefficients of its change.
template <class Margin, class Lanes, class Solution, class Real>
inline void commit(const Lanes& lanes, const Solution& solution, Real sum_of_changes) {
  for (int v = 0; v < lanes.packs; ++v) {
    const auto delta = solution[v] - lanes.dual(v);
    store(lanes.block.change + v * Lanes::kLanes,
          Margin::coefficient(lanes, v, delta, sum_of_changes));
    store(lanes.block.dual + v * Lanes::kLanes, solution[v]);
  }
}

// Writes the coefficients of the block itself into block.change.
template <class Margin, class Real>
inline void write_coefficients(const Block<Real>& block) {
  with_lanes(block, [](const auto& lanes) {
    using Lanes = std::decay_t<decltype(lanes)>;
    typename Lanes::V total{};
    for (int v = 0; v < lanes.packs; ++v) total += lanes.dual(v);
    const Real sum = Lanes::sum(total);
    for (int v = 0; v < lanes.packs; ++v)
      store(lanes.block.change + v * Lanes::kLanes,
            Margin::coefficient(lanes, v, lanes.dual(v), sum));
  });
}

}  // namespace polymargin
