// What machines do with a block and a change of it, d = solution - u, whatever the margin.
#pragma once

#include <algorithm>
#include <utility>

#include "polymargin/machine/machine.hpp"
#include "polymargin/machine/margin.hpp"

namespace polymargin {

// Sums over a change. Inlined always: a machine uses some of them only, and a sum over lanes that
// nobody uses should not be taken.
template <class Real>
struct ChangeSums {
  Real sum;             // 1.d
  Real signed_sum;      // sigma.d
  Real targets;         // t.d
  Real squares;         // |d|^2
  Real along_gradient;  // gradient.d
  Real along_dual;      // u.d
};

template <class Margin, class Lanes, class Packs>
[[gnu::always_inline]] inline auto sums_of_change(const Margin& margin, const Lanes& lanes,
                                                  const Packs& gradient, const Packs& solution) {
  using V = typename Lanes::V;
  using Real = typename Lanes::Number;
  constexpr bool kOneTarget = !Margin::kPairTargets && !Margin::kLabelHasVariable;
  const Real label_target = Real(margin.targets().label), other = Real(margin.targets().other);
  V sum{}, signed_sum{}, targets{}, squares{}, along_gradient{}, along_dual{};
  for (int v = 0; v < lanes.packs; ++v) {
    const V delta = solution[v] - lanes.dual(v);
    sum += delta;
    if constexpr (Margin::kSigned) signed_sum += margin.signed_value(lanes, v, delta);
    if constexpr (Margin::kPairTargets)
      targets += delta * margin.target(lanes, v);
    else if constexpr (Margin::kLabelHasVariable)
      targets += delta * (lanes.is_label(v) ? V{} + label_target : V{} + other);
    squares += delta * delta;
    along_gradient += delta * (delta != V{} ? gradient[v] : V{});  // kNowhere without a class
    along_dual += delta * lanes.dual(v);
  }
  const Real all = Lanes::sum(sum);
  return ChangeSums<Real>{all,
                          Margin::kSigned ? Lanes::sum(signed_sum) : all,
                          kOneTarget ? other * all : Lanes::sum(targets),
                          Lanes::sum(squares),
                          Lanes::sum(along_gradient),
                          Lanes::sum(along_dual)};
}

// sigma.u over the variables of a block.
template <class Margin, class Lanes>
inline typename Lanes::Number signed_sum_of(const Margin& margin, const Lanes& lanes) {
  typename Lanes::V total{};
  for (int v = 0; v < lanes.packs; ++v) total += margin.signed_value(lanes, v, lanes.dual(v));
  return Lanes::sum(total);
}

// t.u and |u|^2 or (1.u)^2, in double precision, from the non-zeros of a block.
struct DualSums {
  double targets = 0, sum = 0, squares = 0;
};

template <class Margin, class Real>
inline DualSums sums_of_duals(const Margin& margin, const BlockEntries<Real>& entries) {
  DualSums sums;
  double label = 0;
  for (int c = 0; c < entries.count; ++c) {
    const double u = double(entries.value[c]);
    sums.sum += u;
    sums.squares += u * u;
    if (entries.is_label(c)) label += u;
    if constexpr (Margin::kPairTargets)
      sums.targets += margin.pair_target(entries.label, entries.class_of(c)) * u;
  }
  if constexpr (Margin::kPairTargets) return sums;
  const Targets& targets = margin.targets();
  sums.targets = targets.other * sums.sum + (targets.label - targets.other) * label;
  return sums;
}

// Targets of examples of a class, or null if a margin has the same for all pairs.
template <class Real, class Margin>
inline const Real* row_of_targets(const Margin& margin, int label) {
  if constexpr (Margin::kPairTargets)
    return margin.row(label);
  else
    return nullptr;
}

// How far one can go along a direction from a block before a variable is zero or `loss_weight`.
template <class Lanes, class Real>
inline std::pair<Real, Real> feasible(const Lanes& lanes, const Real* direction, Real loss_weight) {
  using V = typename Lanes::V;
  V lower = V{} + kNowhere<Real>, upper = V{} - kNowhere<Real>;
  for (int v = 0; v < lanes.packs; ++v) {
    const V d = load<V>(direction + v * Lanes::kLanes);
    const V inverse = 1 / (d != V{} ? d : V{} + 1);
    const V zero = -lanes.dual(v) * inverse, full = (loss_weight - lanes.dual(v)) * inverse;
    lower = d != V{} ? max_of(lower, min_of(zero, full)) : lower;
    upper = d != V{} ? min_of(upper, max_of(zero, full)) : upper;
  }
  return {std::min(Lanes::max(lower), Real(0)), std::max(Lanes::min(upper), Real(0))};
}

// Writes the new block, and the coefficients of its change.
template <class Margin, class Lanes, class Solution, class Real>
[[gnu::always_inline]] inline void commit(const Margin& margin, const Lanes& lanes,
                                          const Solution& solution, Real signed_sum_of_changes) {
  for (int v = 0; v < lanes.packs; ++v) {
    const auto delta = solution[v] - lanes.dual(v);
    store(lanes.block.change + v * Lanes::kLanes,
          margin.coefficient(lanes, v, delta, signed_sum_of_changes));
    store(lanes.block.dual + v * Lanes::kLanes, solution[v]);
  }
}

// Writes the coefficients of the block itself into block.change.
template <class Margin, class Real>
inline void write_coefficients(const Margin& margin, const Block<Real>& block) {
  with_lanes(block, [&](const auto& lanes) {
    using Lanes = std::decay_t<decltype(lanes)>;
    const Real sum = signed_sum_of(margin, lanes);
    for (int v = 0; v < lanes.packs; ++v)
      store(lanes.block.change + v * Lanes::kLanes,
            margin.coefficient(lanes, v, lanes.dual(v), sum));
  });
}

}  // namespace polymargin
