// Three ways to measure a margin. Each says, for a dual block u >= 0,
//   - h, the derivative of unit * sum u - 1/2 |W|^2 by u_m: by how much class m violates its margin
//     (kNowhere in lanes that have no variable); `shift` is the part that all classes share;
//   - the coefficients b of a block, linear in u: w_m += b_m x;
//   - |b|^2 = |u|^2 + rho (sum u)^2, and b.s = unit * sum u - sum u_m h_m;
//   - c.b of a unit of u_m, for coefficients c of another block: `product`.
#pragma once

#include <algorithm>
#include <utility>

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
    return 1 - lanes.label_score();
  }
  template <class Lanes, class Shift>
  static auto violation(const Lanes& lanes, int v, Shift shift) {
    const auto usable = lanes.is_class(v) & ~lanes.is_label(v);
    return usable ? lanes.score(v) + shift : typename Lanes::V{} + kNowhere<typename Lanes::Number>;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real sum) {
    return lanes.is_label(v) ? V{} + sum : -u;
  }
  template <class Lanes, class V>
  static V product(const Lanes& lanes, int, V c, const typename Lanes::Number* all) {
    return all[lanes.block.label] - c;
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
    return Real(unit(lanes.classes())) - Lanes::sum(total) / Real(lanes.classes());
  }
  template <class Lanes, class Shift>
  static auto violation(const Lanes& lanes, int v, Shift shift) {
    return RelativeMargin::violation(lanes, v, shift);
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real sum) {
    return lanes.is_class(v) ? sum / Real(lanes.block.layout.classes) - u : V{};
  }
  template <class Lanes, class V>
  static V product(const Lanes&, int, V c, const typename Lanes::Number*) {
    return -c;  // the coefficients sum to zero
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
  template <class Lanes, class Shift>
  static auto violation(const Lanes& lanes, int v, Shift shift) {
    const auto h = lanes.is_label(v) ? shift - lanes.score(v) : shift + lanes.score(v);
    return lanes.is_class(v) ? h : typename Lanes::V{} + kNowhere<typename Lanes::Number>;
  }
  template <class Lanes, class V, class Real>
  static V coefficient(const Lanes& lanes, int v, V u, Real) {
    return lanes.is_label(v) ? u : -u;
  }
  template <class Lanes, class V>
  static V product(const Lanes& lanes, int v, V c, const typename Lanes::Number*) {
    return lanes.is_label(v) ? c : -c;
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

// How far one can go along a direction from a block before a variable is zero or `cap`.
template <class Lanes, class Real>
inline std::pair<Real, Real> feasible(const Lanes& lanes, const Real* direction, Real cap) {
  using V = typename Lanes::V;
  V lower = V{} + kNowhere<Real>, upper = V{} - kNowhere<Real>;
  for (int v = 0; v < lanes.packs; ++v) {
    const V d = load<V>(direction + v * Lanes::kLanes);
    const V inverse = 1 / (d != V{} ? d : V{} + 1);
    const V zero = -lanes.dual(v) * inverse, full = (cap - lanes.dual(v)) * inverse;
    lower = d != V{} ? max_of(lower, min_of(zero, full)) : lower;
    upper = d != V{} ? min_of(upper, max_of(zero, full)) : upper;
  }
  return {std::min(Lanes::max(lower), Real(0)), std::max(Lanes::min(upper), Real(0))};
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

}  // namespace polymargin
