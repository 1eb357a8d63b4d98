// Maximum entropy, or multinomial logistic regression: loss_i = log sum_m exp(s_m) - s_y. The block
// is a >= 0, sum_m a_m = C_i, with b_m = C_i [m = y] - a_m and the dual term -sum a log(a / C_i)
// (003, eq. (2.12), C = sigma^2 / l). Stored is u_m = a_m for m != y; what is missing to C_i is the
// label's, so that a block of zeros is feasible and adds nothing to W: the start (3.15) with an
// epsilon of zero. At the optimum a / C_i is the softmax of the scores; the violation is the
// largest difference of the two.
#pragma once

#include <algorithm>
#include <cmath>

#include "polymargin/base/transcendental.hpp"
#include "polymargin/machine/block_change.hpp"

namespace polymargin {

// `Simplex` solves the restricted problem: solve(lanes, a, highest score, start, shares, logs).
template <class Real, class Simplex>
class MaxEntropy final : public Machine<Real> {
 public:
  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    return with_lanes(block, [&](const auto& lanes) { return step_lanes(lanes, threshold); });
  }

  void coefficients(const Block<Real>& block) const override { write_coefficients(margin_, block); }
  bool sums_to_zero() const override { return false; }
  bool fills_blocks() const override { return true; }

  double dual_term(const BlockEntries<Real>& entries) const override {
    double entropy = 0, rest = 1;
    for (int c = 0; c < entries.count; ++c) {
      const double share = double(entries.value[c]) / double(entries.loss_weight);
      rest -= share;
      entropy -= share * std::log(share);
    }
    if (rest > 0) entropy -= rest * std::log(rest);
    return double(entries.loss_weight) * entropy;
  }

  bool at_vertex(const BlockEntries<Real>&) const override { return false; }
  double loss_at_zero(int classes, int) const override { return std::log(double(classes)); }

 private:
  template <class Lanes>
  Step<Real> step_lanes(const Lanes& lanes, Real threshold) const {
    using V = typename Lanes::V;
    constexpr int kBytes = int(sizeof(V));
    const Block<Real>& block = lanes.block;
    const Real a = block.curvature * block.loss_weight;
    const Real inverse_loss_weight = 1 / block.loss_weight;
    const Real label_score = block.score[block.label];

    V highest_lanes = V{} + label_score, total{};
    for (int v = 0; v < lanes.packs; ++v) {
      highest_lanes = max_of(highest_lanes, lanes.is_class(v) ? lanes.score(v) : V{} + label_score);
      total += lanes.dual(v);
    }
    const Real highest = Lanes::max(highest_lanes);
    const Real label_share = std::max(1 - Lanes::sum(total) * inverse_loss_weight, Real(0));

    auto start = lanes.local(0);
    auto shares = lanes.local(1);
    V sum{}, wrong{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V power = exp_pack<Real, kBytes>(lanes.score(v) - highest);
      shares[v] = lanes.is_class(v) ? power : V{};
      sum += shares[v];
      wrong += lanes.is_label(v) ? V{} : shares[v];
      start[v] = lanes.is_label(v) ? V{} + label_share : lanes.dual(v) * inverse_loss_weight;
    }
    const Real partition = Lanes::sum(sum);
    const Real inverse_partition = 1 / partition;
    V worst{}, significant{};
    for (int v = 0; v < lanes.packs; ++v) {
      shares[v] *= inverse_partition;  // the softmax
      const V difference = max_of(shares[v] - start[v], start[v] - shares[v]);
      worst = max_of(worst, difference);
      significant = max_of(significant, difference - threshold * max_of(shares[v], start[v]));
    }
    Step<Real> step;
    // Where the label is far ahead the loss is far below the rounding of the partition.
    step.loss = label_score == highest ? std::log1p(Lanes::sum(wrong))
                                       : std::log(partition) + (highest - label_score);
    step.violation = Lanes::max(worst);
    // Shares may be tiny, and with a large C_i they still count: the threshold is relative.
    if (!(Lanes::max(significant) > 0)) return step;

    // A small curvature ends near the softmax, a large one near the start.
    const Real near = 1 / (1 + a), far = a / (1 + a);
    for (int v = 0; v < lanes.packs; ++v) shares[v] = near * shares[v] + far * start[v];
    auto logs = lanes.local(2);
    Simplex::solve(lanes, a, highest, start, shares, logs);

    V divergence{}, squares{}, changes{}, along{}, along_logs{}, label_log{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V solution = lanes.is_label(v) ? V{} : block.loss_weight * shares[v];
      const V delta = solution - lanes.dual(v);
      const V ratio = start[v] > V{} ? start[v] / shares[v] : V{} + Real(1);
      divergence += start[v] * log_pack<Real, kBytes>(ratio);
      squares += delta * delta;
      changes += delta;
      along += delta * (lanes.score(v) - label_score);
      along_logs += delta * logs[v];
      label_log += lanes.is_label(v) ? logs[v] : V{};
      shares[v] = solution;
    }
    // Over all classes with the label, whose d is -change, 1/2 |W|^2 grows by 1/2 A |d|^2 - d.s and
    // the entropy by C_i KL(p_0 | p) - d.log(p). The divergence is at least |p - p_0|^2, also when
    // rounded.
    const Real change = Lanes::sum(changes);
    const Real all_squares = Lanes::sum(squares) + change * change;
    const Real least = all_squares * inverse_loss_weight * inverse_loss_weight;
    step.norm_change = block.curvature / 2 * all_squares - Lanes::sum(along);
    step.gain = block.loss_weight * std::max(Lanes::sum(divergence), least) -
                (Lanes::sum(along_logs) - change * Lanes::sum(label_log)) - step.norm_change;
    step.moved = step.gain > 0;
    if (!step.moved) return step;
    commit(margin_, lanes, shares, change);
    return step;
  }

  RelativeMargin margin_;
};

}  // namespace polymargin
