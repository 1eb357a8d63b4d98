// Crammer-Singer: loss_i = max_m (e^m + s_m - s_y). The block is a simplex: with beta_m = u_m for
// m != y and beta_y = C_i - sum u it reads beta >= 0, sum_m beta_m = C_i (000, eq. (4); the
// reduction to a projection is 002, lemma 1).
#pragma once

#include <cmath>

#include "polymargin/machine/relative_margin.hpp"

namespace polymargin {

// `Simplex` solves the restricted problem: solve(lanes, gradient, start, solution).
template <class Real, class Simplex>
class CrammerSinger final : public Machine<Real> {
 public:
  explicit CrammerSinger(Simplex simplex) : simplex_(std::move(simplex)) {}

  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    return with_lanes(block, [&](const auto& lanes) { return step_lanes(lanes, threshold); });
  }

  double dual_term(Real, const Real* dual, int count) const override {
    double sum = 0;
    for (int c = 0; c < count; ++c) sum += double(dual[c]);
    return sum;
  }

  bool at_vertex(Real cap, const Real* dual, int count) const override {
    return count == 0 || (count == 1 && dual[0] >= (1 - kZeroShare) * cap);
  }

  double loss_at_zero(int) const override { return 1; }

 private:
  // Below this share of C_i the label's own variable counts as zero: it is a difference.
  static constexpr Real kZeroShare = 8 * std::numeric_limits<Real>::epsilon();

  template <class Lanes>
  Step<Real> step_lanes(const Lanes& lanes, Real threshold) const {
    using V = typename Lanes::V;
    const Block<Real>& block = lanes.block;
    auto gradient = lanes.local(0);  // g_m = h_m, g_y = 0
    auto start = lanes.local(1);     // beta

    V total{};
    for (int v = 0; v < lanes.packs; ++v) total += lanes.dual(v);
    Real at_label = block.cap - Lanes::sum(total);
    if (at_label < kZeroShare * block.cap) at_label = 0;

    V highest = V{} + kNowhere<Real>;
    V lowest = V{} - kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) {
      gradient[v] = lanes.margin_violation(v, Real(0));
      start[v] = lanes.is_label(v) ? V{} + at_label : lanes.dual(v);
      highest = max_of(highest, gradient[v]);
      lowest = min_of(lowest, start[v] > V{} ? gradient[v] : V{} - kNowhere<Real>);
    }
    Step<Real> step;
    step.loss = Lanes::max(highest);
    step.violation = step.loss - Lanes::min(lowest);  // 000, eq. (6)
    if (!(step.violation > threshold)) return step;

    auto solution = lanes.local(2);
    simplex_.solve(lanes, gradient, start, step.loss, solution);

    // change_m = beta_m - beta_m^new in every lane, the label's included.
    V gain{}, moved{}, norm{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V delta = solution[v] - start[v];
      gain += delta * (gradient[v] - (block.curvature / 2) * delta);
      moved = max_of(moved, max_of(delta, -delta));
      store(block.change + v * Lanes::kLanes, -delta);
      norm += lanes.is_label(v) ? -delta : V{};
    }
    step.gain = Lanes::sum(gain);
    step.moved = Lanes::max(moved) > 0 && step.gain > 0;
    if (!step.moved) return step;
    step.norm_change = Lanes::sum(norm) - step.gain;  // gain = sum of du - change of 1/2 |W|^2
    for (int v = 0; v < lanes.packs; ++v)
      store(block.dual + v * Lanes::kLanes, lanes.is_label(v) ? V{} : solution[v]);
    return step;
  }

  Simplex simplex_;
};

}  // namespace polymargin
