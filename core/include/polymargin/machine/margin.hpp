// Three ways to measure a margin. Each says, for a dual block u >= 0,
//   - h, the derivative of unit * sum u - 1/2 |W|^2 by u_m: by how much class m violates its margin
//     (kNowhere in lanes that have no variable); `shift` is the part that all classes share;
//   - the coefficients b of a block, linear in u: w_m += b_m x;
//   - |b|^2 = |u|^2 + rho (sum u)^2, and b.s = unit * sum u - sum u_m h_m.
#pragma once

#include "polymargin/machine/block_lanes.hpp"

namespace polymargin {

// Crammer-Singer and Weston-Watkins: h_m = 1 + s_m - s_y for m != y (000, eq. (17), negated),
// b_m = -u_m, b_y = sum u. In DESIGN terms a_m = -u_m and a_y = sum u for cs, a_m = u_m for ww.
struct RelativeMargin {
  static constexpr bool kSumsToZero = false;  // if so, b touches all classes
  static constexpr bool kLabelHasVariable = false;
  static double unit(int) { return 1; }
  static double rho(int) { return 1; }

  template <class Lanes>
  static auto shift(const Lanes& lanes) {
    return 1 - lanes.block.score[lanes.block.label];
  }
  template <class Lanes, class Real>
  static auto violation(const Lanes& lanes, int v, Real shift) {
    const auto usable = lanes.is_class(v) & ~lanes.is_label(v);
    return usable ? lanes.score(v) + shift : typename Lanes::V{} + kNowhere<Real>;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real sum) {
    return lanes.is_label(v) ? V{} + sum : -u;
  }
};

// Lee-Lin-Wahba, with sum_m w_m = 0: h_m = 1/(k-1) + s_m for m != y, b_m = mean(u) - u_m. The mean
// of the scores is zero but for rounding, which is taken out: W may leave the plane by a little.
struct SumToZeroMargin {
  static constexpr bool kSumsToZero = true;
  static constexpr bool kLabelHasVariable = false;
  static double unit(int classes) { return 1.0 / (classes - 1); }
  static double rho(int classes) { return -1.0 / classes; }

  template <class Lanes>
  static auto shift(const Lanes& lanes) {
    using Real = typename Lanes::Number;
    typename Lanes::V total{};
    for (int v = 0; v < lanes.packs; ++v) total += lanes.score(v);
    const int classes = lanes.block.layout.classes;
    return Real(unit(classes)) - Lanes::sum(total) / Real(classes);
  }
  template <class Lanes, class Real>
  static auto violation(const Lanes& lanes, int v, Real shift) {
    return RelativeMargin::violation(lanes, v, shift);
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real sum) {
    return lanes.is_class(v) ? sum / Real(lanes.block.layout.classes) - u : V{};
  }
};

// One against the rest: h_m = 1 - Y_m s_m, b_m = Y_m u_m, Y_m = 1 for the label and -1 otherwise.
// A binary problem has one class here, and examples of the other have a label outside of it.
struct OneVsRestMargin {
  static constexpr bool kSumsToZero = false;
  static constexpr bool kLabelHasVariable = true;
  static double unit(int) { return 1; }
  static double rho(int) { return 0; }

  template <class Lanes>
  static auto shift(const Lanes&) {
    return typename Lanes::Number(1);
  }
  template <class Lanes, class Real>
  static auto violation(const Lanes& lanes, int v, Real shift) {
    const auto h = lanes.is_label(v) ? shift - lanes.score(v) : shift + lanes.score(v);
    return lanes.is_class(v) ? h : typename Lanes::V{} + kNowhere<Real>;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real) {
    return lanes.is_label(v) ? u : -u;
  }
};

// Sums over a change of the block, d = solution - u. Inlined always: a machine uses some of them
// only, and a sum over lanes that nobody uses should not be taken.
template <class Real>
struct ChangeSums {
  Real sum;             // 1.d
  Real squares;         // |d|^2
  Real along_gradient;  // gradient.d
  Real along_dual;      // u.d
};

template <class Lanes, class Packs>
[[gnu::always_inline]] inline auto sums_of_change(const Lanes& lanes, const Packs& gradient,
                                                  const Packs& solution) {
  using V = typename Lanes::V;
  V sum{}, squares{}, along_gradient{}, along_dual{};
  for (int v = 0; v < lanes.packs; ++v) {
    const V delta = solution[v] - lanes.dual(v);
    sum += delta;
    squares += delta * delta;
    along_gradient += delta * (delta != V{} ? gradient[v] : V{});  // kNowhere without a class
    along_dual += delta * lanes.dual(v);
  }
  return ChangeSums{Lanes::sum(sum), Lanes::sum(squares), Lanes::sum(along_gradient),
                    Lanes::sum(along_dual)};
}

// Writes the new block, and the coefficients of its change.
template <class Margin, class Lanes, class Solution, class Real>
[[gnu::always_inline]] inline void commit(const Lanes& lanes, const Solution& solution,
                                          Real sum_of_changes) {
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

// Writes h, with kNowhere where there is no variable.
template <class Margin, class Real>
inline void write_violations(const Block<Real>& block, Real* h) {
  with_lanes(block, [&](const auto& lanes) {
    using Lanes = std::decay_t<decltype(lanes)>;
    const Real shift = Margin::shift(lanes);
    for (int v = 0; v < lanes.packs; ++v)
      store(h + v * Lanes::kLanes, Margin::violation(lanes, v, shift));
  });
}

}  // namespace polymargin
