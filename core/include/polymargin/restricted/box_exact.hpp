// Box with a rank-one coupling, exact, on whole packs. With t = sum of the change, stationarity is
// u_m = clip(start_m + (h_m - R t) / Q, 0, upper). Around a reference value h_0 for R t,
//     q_m = start_m + (h_m - h_0) / Q,   theta = (R t - h_0) / Q,   u_m = clip(q_m - theta, 0,
//     upper)
// and theta is the root of one decreasing, piecewise linear equation (DESIGN, section 2):
//     phi(theta) = [R (sum_m u_m - sum start) - h_0 - Q theta] / (Q + R) = 0,
// solved by Newton steps inside a bracket. Two counts tell the piece: how many variables are above
// their lower and how many above their upper bound; both only fall as theta grows, so when their
// sum does not change over a Newton step the step ended on its own piece, at the exact root.
//
// If the coupling is `Signed`, the label counts with the other sign: u_y = clip(q_y + theta, 0,
// upper), t = sum_{m != y} - u_y, and its counts are subtracted. Where all variables are free, phi
// may be flat then; what is not its root is left by the next bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "polymargin/restricted/box_problem.hpp"

namespace polymargin {

// The label's variable under signs.
template <class Real>
struct ReversedVariable {
  Real target = 0, upper = 0;  // q_y

  Real at(Real theta) const { return std::min(std::max(target + theta, Real(0)), upper); }
  bool is_free(Real theta) const { return target + theta > 0 && target + theta < upper; }
  int bounds_passed(Real theta) const {
    return int(target + theta > 0) + int(target + theta >= upper);
  }
};

template <bool Signed>
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

    V sum{}, label_target{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V start = lanes.dual(v);
      solution[v] = start + (gradient[v] - problem.reference) * inverse;
      if constexpr (Signed) {  // the label's target is kept apart
        label_target += lanes.is_label(v) ? solution[v] : V{};
        solution[v] = lanes.is_label(v) ? V{} + kNowhere<Real> : solution[v];
        sum += lanes.is_label(v) ? -start : start;
      } else {
        sum += start;
      }
    }
    if (!Signed && problem.coupling == 0) {  // the variables do not meet
      for (int v = 0; v < lanes.packs; ++v) solution[v] = min_of(max_of(solution[v], V{}), upper);
      return;
    }
    const Real start_sum = Lanes::sum(sum);
    ReversedVariable<Real> label;
    if constexpr (Signed) label = {Lanes::sum(label_target), problem.upper};

    Real theta = 0, below = kNowhere<Real>, above = -kNowhere<Real>;
    if (Signed && problem.upper < -kNowhere<Real>) {  // theta = -(sigma.d) / k
      const Real share = 1 / Real(lanes.classes());
      below = (start_sum * share - problem.upper) - problem.upper;
      above = (start_sum * share + problem.upper) + problem.upper;
    }
    int piece = kUnknown;
    for (int iteration = 0; iteration < 200; ++iteration) {
      V clipped{};
      int over_lower = 0, over_upper = 0;
      for (int v = 0; v < lanes.packs; ++v) {
        const V u = solution[v] - theta;
        over_lower += Lanes::count(u > V{});
        over_upper += Lanes::count(u >= upper);
        clipped += min_of(max_of(u, V{}), upper);
      }
      Real coupled = Lanes::sum(clipped);
      int free = over_lower - over_upper, counts = over_lower + over_upper;
      if constexpr (Signed) {
        coupled -= label.at(theta);
        free += label.is_free(theta);
        counts -= label.bounds_passed(theta);
      }
      const Real phi = coupling * (coupled - start_sum) - constant - diagonal * theta;
      Real next = theta + phi / (diagonal + coupling * Real(free));
      if constexpr (Signed) {
        if (free == lanes.classes()) {
          if (problem.along_signs > 0)
            next = theta + phi / (problem.along_signs * scale);
          else if (is_rounding(phi, coupling * (std::abs(coupled) + 2 * label.at(theta)), theta))
            break;
          else
            next = past_next_bound(lanes, solution, label, theta, phi > 0);
        }
      }
      if (counts == piece) {
        theta = next;  // the step here may have been long, and rounded as such: this one is not
        break;
      }
      (phi > 0 ? below : above) = theta;
      if (next > below && next < above) {
        piece = counts;
        theta = next;
      } else {
        piece = kUnknown;
        const Real middle = below + (above - below) / 2;
        if (next == theta || !(middle > below && middle < above)) break;
        theta = middle;
      }
    }
    for (int v = 0; v < lanes.packs; ++v) {
      solution[v] = min_of(max_of(solution[v] - theta, V{}), upper);
      if constexpr (Signed) solution[v] = lanes.is_label(v) ? V{} + label.at(theta) : solution[v];
    }
  }

 private:
  static constexpr int kUnknown = std::numeric_limits<int>::min();

  // Whether phi is zero up to the rounding of its terms.
  template <class Real>
  static bool is_rounding(Real phi, Real sums, Real theta) {
    const Real terms = std::abs(sums) + std::abs(theta);
    return std::abs(phi) <= 16 * std::numeric_limits<Real>::epsilon() * terms;
  }

  // Where all variables are free: a little beyond the theta at which the first one is no longer.
  template <class Lanes, class Packs, class Real>
  static Real past_next_bound(const Lanes& lanes, const Packs& q,
                              const ReversedVariable<Real>& label, Real theta, bool right) {
    using V = typename Lanes::V;
    V lowest = V{} - kNowhere<Real>, highest = V{} + kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) {
      const auto other = q[v] > V{} + theta;
      lowest = min_of(lowest, other ? q[v] : V{} - kNowhere<Real>);
      highest = max_of(highest, other ? q[v] : V{} + kNowhere<Real>);
    }
    const Real end = right ? std::min(Lanes::min(lowest), label.upper - label.target)
                           : std::max(Lanes::max(highest) - label.upper, -label.target);
    const Real beyond = 4 * std::numeric_limits<Real>::epsilon() *
                        (std::abs(end) + std::abs(label.target) + label.upper);
    return right ? end + beyond : end - beyond;
  }
};

}  // namespace polymargin
