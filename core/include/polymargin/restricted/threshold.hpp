// The equation that exact restricted solvers on whole packs come down to: with
//     S(theta) = sum_m [q_m - theta]_+,
// the root of  phi(theta) = constant + slope theta + weight S(theta),  which must be decreasing. S
// is convex and piecewise linear, so phi is convex or concave: a Newton step from anywhere ends on
// one side of the root, and those that follow stay there. The number of q_m above theta tells the
// piece; when it does not change over a step, the step ended on its own piece, at the root.
#pragma once

#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

template <class Real>
struct ThresholdEquation {
  Real constant, slope, weight;
};

// Lanes that do not take part hold kNowhere. Where phi is flat, the first theta of that piece.
template <class Lanes, class Packs, class Real>
inline Real threshold_root(const Lanes& lanes, const Packs& q,
                           const ThresholdEquation<Real>& equation, Real start) {
  using V = typename Lanes::V;
  Real theta = start;
  int piece = -1;
  for (int iteration = 0; iteration < 100; ++iteration) {
    V sum{};
    int above = 0;
    for (int v = 0; v < lanes.packs; ++v) {
      const V u = q[v] - theta;
      above += Lanes::count(u > V{});
      sum += max_of(u, V{});
    }
    const Real phi =
        (equation.constant + equation.slope * theta) + equation.weight * Lanes::sum(sum);
    const Real descent = equation.slope - equation.weight * Real(above);
    if (!(descent < 0)) return theta;
    const Real next = theta - phi / descent;
    if (above == piece || next == theta) return next;
    piece = above;
    theta = next;
  }
  return theta;
}

// The same, from the root of the piece in which nothing is above theta.
template <class Lanes, class Packs, class Real>
inline Real threshold_root(const Lanes& lanes, const Packs& q,
                           const ThresholdEquation<Real>& equation) {
  return threshold_root(lanes, q, equation, -equation.constant / equation.slope);
}

// packs[v] = [packs[v] - theta]_+; returns the sum.
template <class Lanes, class Packs, class Real>
inline Real cut_at(const Lanes& lanes, Real theta, Packs& packs) {
  typename Lanes::V sum{};
  for (int v = 0; v < lanes.packs; ++v) {
    packs[v] = max_of(packs[v] - theta, typename Lanes::V{});
    sum += packs[v];
  }
  return Lanes::sum(sum);
}

}  // namespace polymargin
