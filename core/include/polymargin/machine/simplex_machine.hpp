// Machines that count the largest violated margin of an example: loss_i = max_m [h_m]_+ with
// h = t - E s (margin.hpp). The block is u >= 0, sum_m u_m <= C_i; with its slack C_i - sum u,
// whose h is zero, it is a simplex (000, eq. (4); as a projection, 002, lemma 1). The slack is
// never stored or differenced: where C_i is far from active, it would drown the u_m. The restricted
// problem is
//     min 1/2 A (delta |d|^2 + rho (sigma.d)^2) - h.d.
// Crammer-Singer is the one with relative margins: there the slack is the label's variable.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "polymargin/machine/block_change.hpp"

namespace polymargin {

// What does not depend on how the restricted problem is solved.
template <class Real, class Margin>
class SimplexBlocks : public MarginMachine<Real> {
 public:
  explicit SimplexBlocks(const Targets& targets) : margin_(targets) {}

  void coefficients(const Block<Real>& block) const override { write_coefficients(margin_, block); }
  bool sums_to_zero() const override { return Margin::kSumsToZero; }
  bool is_relative() const override { return Margin::kRelative; }
  BlockCoupling coupling() const override {
    return Margin::kSigned ? BlockCoupling::other : BlockCoupling::of_bound;
  }

  double dual_term(const BlockEntries<Real>& entries) const override {
    return sums_of_duals(margin_, entries).targets;
  }

  bool at_vertex(const BlockEntries<Real>& entries) const override {
    return entries.count == 0 ||
           (entries.count == 1 && entries.value[0] >= (1 - kZeroShare) * entries.loss_weight);
  }

  double loss_at_zero(int, int label) const override {
    if constexpr (Margin::kPairTargets)
      return margin_.loss_at_zero(label, [](double target) { return target; }, true);
    const double own = Margin::kLabelHasVariable ? margin_.targets().label : 0;
    return std::max(own, margin_.targets().other);
  }

  const Real* targets_of(int label) const override { return row_of_targets<Real>(margin_, label); }

  void violations(const ExampleBlocks<Real>& blocks, Real* found) const override {
    for_each_example_pack(blocks, [&](const auto& lanes) {
      using V = typename std::decay_t<decltype(lanes)>::V;
      const auto shift = margin_.shift(lanes);
      V total{}, highest{}, lowest = V{} - kNowhere<Real>;
      for (int m = 0; m < lanes.packs; ++m) {
        const V h = margin_.violation(lanes, m, shift);
        const V dual = lanes.dual(m);
        total += dual;
        highest = max_of(highest, h);
        const auto rival = (dual > V{}) & (h > V{} + kNowhere<Real>);  // not a label's surplus
        lowest = min_of(lowest, rival ? h : V{} - kNowhere<Real>);
      }
      if (lanes.packs > kPlainPacks) total = compensated_sum(lanes);
      const auto slack = total < (1 - kZeroShare) * lanes.loss_weight();
      store(found + lanes.first, highest - (slack ? min_of(lowest, V{}) : lowest));
    });
  }

  // Variables gather where h is highest, or on the slack, whose h is zero.
  void near(const Block<Real>& block, Real margin) const override {
    with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const auto shift = margin_.shift(lanes);
      V highest{};
      for (int v = 0; v < lanes.packs; ++v)
        highest = max_of(highest, margin_.violation(lanes, v, shift));
      const Real least = Lanes::max(highest) - margin;
      for (int v = 0; v < lanes.packs; ++v) {
        const V h = margin_.violation(lanes, v, shift);
        const auto matters = (h >= least) | (lanes.dual(v) > V{});
        store(block.change + v * Lanes::kLanes, matters ? V{} + 1 : V{});
      }
    });
  }

  Line<Real> line(const Block<Real>& block, const Real* direction) const override {
    return with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const auto shift = margin_.shift(lanes);
      V sum{}, signed_sum{}, squares{}, along{}, total{};
      for (int v = 0; v < lanes.packs; ++v) {
        const V d = load<V>(direction + v * Lanes::kLanes);
        sum += d;
        signed_sum += margin_.signed_value(lanes, v, d);
        squares += d * d;
        along += d != V{} ? d * margin_.violation(lanes, v, shift) : V{};
        total += lanes.dual(v);
      }
      const Real all = Lanes::sum(sum);
      Line<Real> line;
      line.gradient = Lanes::sum(along);
      line.curvature =
          block.curvature * squared_norm(block, Lanes::sum(squares), Lanes::sum(signed_sum));
      std::tie(line.lower, line.upper) = feasible(lanes, direction, block.loss_weight);
      const Real slack = std::max(block.loss_weight - Lanes::sum(total), Real(0));
      if (all > 0) line.upper = std::min(line.upper, slack / all);
      if (all < 0) line.lower = std::max(line.lower, slack / all);
      return line;
    });
  }

  void tighten(const Block<Real>& block) const override {
    Real* const end = block.dual + block.layout.classes;
    const double slack = double(block.loss_weight) - std::accumulate(block.dual, end, 0.0);
    if (std::fabs(slack) > 4 * double(kZeroShare) * double(block.loss_weight)) return;
    Real& largest = *std::max_element(block.dual, end);
    largest = Real(double(largest) + slack);
  }

  Exchange<Real> partner(const Block<Real>& block, const Real* coefficients, Real kernel,
                         Real inverse) const override {
    Real* const products = block.workspace;
    with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const auto shift = margin_.shift(lanes);
      for (int v = 0; v < lanes.packs; ++v) {
        const V c = load<V>(coefficients + v * Lanes::kLanes);
        store(block.change + v * Lanes::kLanes, margin_.violation(lanes, v, shift));
        store(products + v * Lanes::kLanes, margin_.product(lanes, v, c, coefficients));
      }
    });
    Real sum = 0;
    for (int m = 0; m < block.layout.classes; ++m) sum += block.dual[m];
    const bool slack =
        sum < (1 - kZeroShare) * block.loss_weight;  // a variable with h = 0, class -1
    Real highest = 0, lowest = slack ? Real(0) : -kNowhere<Real>;
    int up = -1, down = -1;
    for (int m = 0; m < block.layout.classes; ++m) {
      const Real h = block.change[m];  // kNowhere without a variable
      if (h > highest) highest = h, up = m;
      if (block.dual[m] > 0 && h < lowest) lowest = h, down = m;
    }
    Real met = 0, squares = 0, signed_sum = 0;
    const auto take_part = [&](int m, Real direction) {
      if (m < 0) return;
      met += kernel * products[m] * direction;
      squares += 1;
      signed_sum += Margin::kSigned && m == block.label ? -direction : direction;
    };
    take_part(up, 1);
    take_part(down, -1);
    const Real curvature = block.curvature * squared_norm(block, squares, signed_sum);
    if (met == 0 || !(highest > lowest) || !(curvature > 0)) return {};
    const Real rest = std::max(curvature - met * met * inverse, kLeastShare<Real> * curvature);
    return {(highest - lowest) * (highest - lowest) / rest, up, down};
  }

 protected:
  // Below this share of C_i the slack counts as zero: it is a difference.
  static constexpr Real kZeroShare = 8 * std::numeric_limits<Real>::epsilon();
  // One after the other, more variables than these may lose that much of C_i.
  static constexpr int kPlainPacks = 16;

  // sum u in every lane, with what each addition rounds off carried to the next.
  template <class Lanes>
  static typename Lanes::V compensated_sum(const Lanes& lanes) {
    using V = typename Lanes::V;
    V sum{}, excess{};
    for (int v = 0; v < lanes.packs; ++v) {
      const V added = lanes.dual(v) - excess;
      const V next = sum + added;
      excess = (next - sum) - added;
      sum = next;
    }
    return sum;
  }

  // |b|^2 from |d|^2 and sigma.d.
  Real squared_norm(const Block<Real>& block, Real squares, Real signed_sum) const {
    const int classes = block.layout.classes;
    return Real(margin_.delta(classes)) * squares +
           Real(margin_.rho(classes)) * (signed_sum * signed_sum);
  }

  Margin margin_;
};

// `Simplex` solves the restricted problem: solve(lanes, h, loss, sum u, solution).
template <class Real, class Margin, class Simplex>
class SimplexMachine final : public SimplexBlocks<Real, Margin> {
 public:
  explicit SimplexMachine(const Targets& targets, Simplex simplex = {})
      : SimplexBlocks<Real, Margin>(targets), simplex_(std::move(simplex)) {}

  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    const auto visit = [&](const auto& lanes) { return step_lanes(lanes, threshold); };
    if constexpr (Simplex::kExact)
      return with_lanes(block, visit);
    else
      return with_lanes_in_memory(block, visit);
  }

  bool adapts_step() const override { return simplex_.adapts_step(); }

  // step() of a block in lanes, for loops without calls.
  template <class Lanes>
  [[gnu::always_inline]] Step<Real> step_lanes(const Lanes& lanes, Real threshold) const {
    using V = typename Lanes::V;
    const Block<Real>& block = lanes.block;
    const auto shift = margin_.shift(lanes);
    auto gradient = lanes.local(0);  // h

    V total{};
    V highest{};
    V lowest = V{} - kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) {
      const V h = margin_.violation(lanes, v, shift);
      const V dual = lanes.dual(v);
      total += dual;
      highest = max_of(highest, h);
      lowest = min_of(lowest, dual > V{} ? h : V{} - kNowhere<Real>);
      gradient[v] = h;
    }
    Real start_sum = Lanes::sum(total);
    if (lanes.packs > kPlainPacks && start_sum > block.loss_weight / 2)
      start_sum = Lanes::sum(this->compensated_sum(lanes));
    const bool slack = start_sum < (1 - kZeroShare) * block.loss_weight;
    Step<Real> step;
    step.loss = Lanes::max(highest);
    const Real least = Lanes::min(lowest);
    step.violation = step.loss - (slack ? std::min(least, Real(0)) : least);  // 000, eq. (6)
    if (!(step.violation > threshold)) return step;

    auto solution = lanes.local(1);
    simplex_.solve(lanes, gradient, step.loss, start_sum, solution);

    const ChangeSums<Real> change = sums_of_change(margin_, lanes, gradient, solution);
    const Real quadratic =
        block.curvature / 2 * this->squared_norm(block, change.squares, change.signed_sum);
    step.gain = change.along_gradient - quadratic;
    // An exact step gains at least this much; near the optimum the difference above is rounding.
    if (Simplex::kExact) step.gain = std::max(step.gain, quadratic);
    step.moved = step.gain > 0;
    if (!step.moved) return step;
    step.norm_change = change.targets - step.gain;  // gain = t.d - change of 1/2 |W|^2
    commit(margin_, lanes, solution, change.signed_sum);
    return step;
  }

 private:
  using SimplexBlocks<Real, Margin>::margin_, SimplexBlocks<Real, Margin>::kZeroShare,
      SimplexBlocks<Real, Margin>::kPlainPacks;

  Simplex simplex_;
};

}  // namespace polymargin
