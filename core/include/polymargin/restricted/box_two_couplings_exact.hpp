// Variables above zero with two couplings, exact, on whole packs:
//     min 1/2 A |d|^2 - 1/2 (A/k) (sigma.d)^2 + 1/2 P (1.d)^2 - h.d,   u >= 0,
// sigma = 1, and -1 at the label. Divided by A, with r = -1/k and p = P / A, t = sigma.d, s = 1.d,
//     u_m = [q_m - tau]_+,   tau = r t + p s,       u_y = [q_y + r t - p s]_+,
// and with S(tau) = sum of the u_m: if u_y = 0, then
//     tau = (r + p) S(tau) - r sigma.start - p 1.start.
// Otherwise u_y follows from tau and S linearly, and its own stationarity is an equation in tau,
// decreasing for k > 2 and flat for k = 2, where only the sum of both variables matters. As P grows
// it becomes that of a sum that is fixed (SimplexCoupledExact).
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "polymargin/restricted/box_problem.hpp"
#include "polymargin/restricted/threshold.hpp"

namespace polymargin {

struct BoxTwoCouplingsExact {
  static constexpr bool kExact = true;

  template <class Lanes, class Packs, class Real>
  void solve(const Lanes& lanes, const BoxProblem<Real>& problem, const Packs& gradient,
             Packs& solution) const {
    using V = typename Lanes::V;
    // Beside so large a P the shares of the classes hardly matter, only their sum does; a larger A
    // bounds the objective from below, and the numbers below keep half of their digits.
    const Real least = std::sqrt(std::numeric_limits<Real>::epsilon()) * problem.sum_coupling;
    const Real inverse = 1 / std::max(problem.diagonal, least);
    const Real r = problem.coupling / problem.diagonal, p = problem.sum_coupling * inverse;
    const Real reference = problem.reference * inverse;  // taken out of all q, and of tau
    V others{}, label_start{}, label_targets{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V start = lanes.dual(v);
      const V q = start + (gradient[v] - problem.reference) * inverse;
      const auto is_label = lanes.is_label(v);
      others += is_label ? V{} : start;
      label_start += is_label ? start : V{};
      label_targets += is_label ? q : V{};
      solution[v] = is_label ? V{} + kNowhere<Real> : q;
    }
    const Real start = Lanes::sum(label_start), label_target = Lanes::sum(label_targets);
    const Real coupled_start = Lanes::sum(others) - start, start_sum = Lanes::sum(others) + start;
    const Real offset = r * coupled_start + p * start_sum;

    Real tau =
        threshold_root(lanes, solution, ThresholdEquation<Real>{-offset - reference, -1, r + p});
    const Real sum = sum_above(lanes, solution, tau);
    const Real by_coupling = r * (sum - coupled_start), by_sum = p * (sum - start_sum);
    const Real label_slope = label_target + reference + by_coupling - by_sum;
    // With two classes only the sum matters, and the other class may have all of it: what is left
    // of the slope is rounding, and the equation below is flat.
    const Real rounding = 8 * std::numeric_limits<Real>::epsilon() *
                          (std::fabs(label_target) + std::fabs(reference) + std::fabs(by_coupling) +
                           std::fabs(by_sum));
    if (lanes.classes() == 2 || !(label_slope > rounding)) {
      cut_at(lanes, tau, solution);
      for (int v = 0; v < lanes.packs; ++v) solution[v] = lanes.is_label(v) ? V{} : solution[v];
      return;
    }
    // Multiplied out, so that nothing cancels as p grows.
    const Real scale = 1 / (p - r);
    const Real constant =
        label_target -
        (r * coupled_start * (2 * p + 1) + (p * start_sum + reference) * (1 + 2 * r)) * scale;
    tau = threshold_root(
        lanes, solution,
        ThresholdEquation<Real>{constant, -(1 + r + p) * scale, (4 * p * r + r + p) * scale});
    const Real rest = cut_at(lanes, tau, solution);
    const Real label = (tau + reference - (r + p) * rest + offset) * scale;
    for (int v = 0; v < lanes.packs; ++v)
      solution[v] = lanes.is_label(v) ? V{} + std::max(label, Real(0)) : solution[v];
  }

 private:
  template <class Lanes, class Packs, class Real>
  static Real sum_above(const Lanes& lanes, const Packs& q, Real tau) {
    typename Lanes::V sum{};
    for (int v = 0; v < lanes.packs; ++v) sum += max_of(q[v] - tau, typename Lanes::V{});
    return Lanes::sum(sum);
  }
};

}  // namespace polymargin
