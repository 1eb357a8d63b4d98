// The block u >= 0, sum u <= C_i whose weights sum to zero, exact, on whole packs:
//     min 1/2 A (|d|^2 - (sigma.d)^2 / k) - h.d,   sigma = 1, and -1 at the label if `Signed`.
// With q = start + h / A, theta = -(sigma.d) / k and lambda >= 0 for the bound on the sum,
//     u_m = [q_m - theta - lambda]_+,   u_y = [q_y + theta - lambda]_+   (only if Signed).
// - The sum is slack: lambda = 0, one equation in theta, without and with the label.
// - The sum is C_i. Without signs sigma.d is known, and it is a projection. With signs, in terms of
//   tau = theta + lambda: u_y = C_i - S(tau), sigma.u = 2 S(tau) - C_i, and u_y is stationary where
//       q_y - u_y + 2 theta - tau = 0,
//   whose slope in tau is -1 - (1 - 4/k) |free| <= 0, zero for k = 2 alone, where all is flat.
#pragma once

#include <algorithm>

#include "polymargin/restricted/threshold.hpp"

namespace polymargin {

template <bool Signed>
struct SimplexCoupledExact {
  static constexpr bool kExact = true;
  bool adapts_step() const { return false; }

  template <class Lanes, class Packs, class Real>
  void solve(const Lanes& lanes, const Packs& h, Real, Real start_sum, Packs& solution) const {
    using V = typename Lanes::V;
    const Block<Real>& block = lanes.block;
    Label<Real> label;
    if constexpr (Signed) {
      V gradient{};
      for (int v = 0; v < lanes.packs; ++v) gradient += lanes.is_label(v) ? h[v] : V{};
      label = {Lanes::sum(gradient), block.dual[block.label]};
    }
    const Real coupled_start = start_sum - 2 * label.start;
    Real label_solution = solve_slack(lanes, h, label, coupled_start, solution);
    if (label_solution + sum_of(lanes, solution) > block.loss_weight)
      label_solution = solve_full(lanes, h, label, coupled_start, solution);
    if constexpr (Signed)
      for (int v = 0; v < lanes.packs; ++v)
        solution[v] = lanes.is_label(v) ? V{} + label_solution : solution[v];
  }

 private:
  template <class Real>
  struct Label {
    Real gradient = 0, start = 0;
  };

  template <class Lanes, class Packs>
  static typename Lanes::Number sum_of(const Lanes& lanes, const Packs& packs) {
    typename Lanes::V sum{};
    for (int v = 0; v < lanes.packs; ++v) sum += packs[v];
    return Lanes::sum(sum);
  }

  // q less `highest` / A of all variables but the label's, which is nowhere.
  template <class Lanes, class Packs, class Real>
  static void write_targets(const Lanes& lanes, const Packs& h, Real highest, Packs& targets) {
    using V = typename Lanes::V;
    const Real inverse = 1 / lanes.block.curvature;
    for (int v = 0; v < lanes.packs; ++v) {
      targets[v] = lanes.dual(v) + (h[v] - highest) * inverse;
      if constexpr (Signed) targets[v] = lanes.is_label(v) ? V{} + kNowhere<Real> : targets[v];
    }
  }

  // Without the bound on the sum. Returns the label's variable.
  template <class Lanes, class Packs, class Real>
  static Real solve_slack(const Lanes& lanes, const Packs& h, const Label<Real>& label,
                          Real coupled_start, Packs& solution) {
    const Real classes = Real(lanes.classes());
    write_targets(lanes, h, Real(0), solution);
    Real theta =
        threshold_root(lanes, solution, ThresholdEquation<Real>{coupled_start, -classes, -1});
    Real label_solution = 0;
    if constexpr (Signed) {
      const Real target = label.start + label.gradient / lanes.block.curvature;
      if (target + theta > 0) {
        theta =
            threshold_root(lanes, solution,
                           ThresholdEquation<Real>{target + coupled_start, 1 - classes, Real(-1)});
        label_solution = std::max(target + theta, Real(0));
      }
    }
    cut_at(lanes, theta, solution);
    return label_solution;
  }

  // With a sum of C_i. Only differences of h matter here, so the largest of the others is taken
  // out: a tiny A would drown what is left.
  template <class Lanes, class Packs, class Real>
  static Real solve_full(const Lanes& lanes, const Packs& h, const Label<Real>& label,
                         Real coupled_start, Packs& solution) {
    using V = typename Lanes::V;
    const Real loss_weight = lanes.block.loss_weight;
    V highest_h = V{} + kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) highest_h = max_of(highest_h, other(lanes, v, h[v]));
    const Real highest = Lanes::max(highest_h);
    write_targets(lanes, h, highest, solution);
    V largest = V{} + kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) largest = max_of(largest, solution[v]);
    Real tau = threshold_root(lanes, solution, ThresholdEquation<Real>{-loss_weight, 0, 1},
                              Lanes::max(largest) - loss_weight);
    if constexpr (Signed) {
      const Real share = 1 / Real(lanes.classes());
      const Real target = label.start + (label.gradient - highest) / lanes.block.curvature;
      if (target - 2 * share * (loss_weight - coupled_start) - tau > 0) {
        const ThresholdEquation<Real> stationary{
            (target - loss_weight) + 2 * share * (loss_weight + coupled_start), -1, 1 - 4 * share};
        tau = threshold_root(lanes, solution, stationary);
        return std::max(loss_weight - cut_at(lanes, tau, solution), Real(0));
      }
    }
    cut_at(lanes, tau, solution);
    return 0;
  }

  template <class Lanes, class V>
  static V other(const Lanes& lanes, int v, V h) {
    if constexpr (Signed)
      return lanes.is_label(v) ? V{} + kNowhere<typename Lanes::Number> : h;
    else
      return h;
  }
};

}  // namespace polymargin
