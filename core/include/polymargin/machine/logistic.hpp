// One-vs-rest logistic regression: loss_i = sum_m log(1 + exp(-Y_m s_m)). The block is
// 0 <= u_m <= C_i with b_m = Y_m u_m, and the dual (003, after eq. (3.12)) has the entropy
//     -sum_m [u_m log(u_m / C_i) + (C_i - u_m) log((C_i - u_m) / C_i)].
// At the optimum u_m / C_i = sigma(-Y_m s_m); the violation is the largest difference of the two. A
// block of zeros is feasible, though optimal for infinite margins only.
#pragma once

#include <cmath>

#include "polymargin/machine/block_change.hpp"
#include "polymargin/restricted/entropy_box.hpp"

namespace polymargin {

template <class Real>
class Logistic final : public Machine<Real> {
 public:
  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    return with_lanes(block, [&](const auto& lanes) { return step_lanes(lanes, threshold); });
  }

  void coefficients(const Block<Real>& block) const override { write_coefficients(margin_, block); }
  bool sums_to_zero() const override { return false; }
  bool fills_blocks() const override { return true; }

  double dual_term(const BlockEntries<Real>& entries) const override {
    double sum = 0;
    for (int c = 0; c < entries.count; ++c) {
      const double share = std::min(double(entries.value[c]) / double(entries.loss_weight), 1.0);
      sum += entropy(share) + entropy(1 - share);
    }
    return double(entries.loss_weight) * sum;
  }

  bool at_vertex(const BlockEntries<Real>&) const override { return false; }
  double loss_at_zero(int classes, int) const override { return classes * std::log(2.0); }

 private:
  static double entropy(double share) { return share > 0 ? -share * std::log(share) : 0; }

  template <class Lanes>
  Step<Real> step_lanes(const Lanes& lanes, Real threshold) const {
    using V = typename Lanes::V;
    constexpr int kBytes = int(sizeof(V));
    const Block<Real>& block = lanes.block;
    const Real a = block.curvature * block.loss_weight;
    const Real inverse_loss_weight = 1 / block.loss_weight;

    V worst{}, significant{}, loss{};
    auto margins = lanes.local(0);
    for (int v = 0; v < lanes.packs; ++v) {
      const V margin = lanes.is_label(v) ? lanes.score(v) : -lanes.score(v);
      const V odds = exp_pack<Real, kBytes>(margin > V{} ? -margin : margin);
      const V small = odds / (1 + odds);  // sigma(-|v|)
      const V target = margin > V{} ? small : 1 - small;
      const V lane_loss = max_of(-margin, V{}) + log1p_pack<Real, kBytes>(odds);
      loss += lanes.is_class(v) ? lane_loss : V{};
      const V share = lanes.dual(v) * inverse_loss_weight;
      const V difference = lanes.is_class(v) ? max_of(share - target, target - share) : V{};
      worst = max_of(worst, difference);
      significant = max_of(significant, difference - threshold * max_of(share, target));
      margins[v] = margin;
    }
    Step<Real> step;
    step.loss = Lanes::sum(loss);
    step.violation = Lanes::max(worst);
    // Shares may be tiny, and with a large C_i they still count: the threshold is relative.
    if (!(Lanes::max(significant) > 0)) return step;

    auto solution = lanes.local(1);
    V gain{}, norm_change{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V start = min_of(lanes.dual(v) * inverse_loss_weight, V{} + Real(1));
      const auto shares = EntropyBox::solve<Real, kBytes>(a, start, margins[v]);
      solution[v] = lanes.is_class(v) ? block.loss_weight * shares.share : V{};
      const V delta = solution[v] - lanes.dual(v);
      // The gain is C_i KL(p_0 | p) - d (v + logit(p) + 1/2 A d), the last part of which is
      // 1/2 A d^2 for an exact step. The divergence is at least 2 (p - p_0)^2, also when rounded.
      const V full = V{} + Real(1);
      const V ratio = start < full ? (1 - start) / shares.complement : 1 / shares.share;
      const V inside = ((start > V{}) & (start < full)) ? start : V{};
      const V divergence = log_pack<Real, kBytes>(ratio) - inside * shares.logit_change;
      const V least = 2 * (shares.share - start) * (shares.share - start);
      const V half = block.curvature / 2 * delta;
      const V lane_gain = block.loss_weight * max_of(divergence, least) -
                          delta * ((margins[v] + shares.logit) + half);
      gain += lanes.is_class(v) ? lane_gain : V{};
      norm_change += delta * (margins[v] + half);
    }
    step.gain = Lanes::sum(gain);
    step.moved = step.gain > 0;
    if (!step.moved) return step;
    step.norm_change = Lanes::sum(norm_change);
    commit(margin_, lanes, solution, Real(0));  // the classes do not meet
    return step;
  }

  AbsoluteMargin<Variables::all, false> margin_;
};

}  // namespace polymargin
