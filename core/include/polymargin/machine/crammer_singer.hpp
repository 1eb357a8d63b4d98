// Crammer-Singer: loss_i = max_m (e^m + s_m - s_y). The block is u >= 0, sum_m u_m <= C_i; with the
// slack beta_y = C_i - sum u it is a simplex (000, eq. (4); as a projection, 002, lemma 1). The
// slack is never stored or differenced: where C_i is far from active, it would drown the u_m.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "polymargin/machine/margin.hpp"

namespace polymargin {

// `Simplex` solves the restricted problem: solve(lanes, h, loss, sum u, solution).
template <class Real, class Simplex>
class CrammerSinger final : public MarginMachine<Real> {
 public:
  explicit CrammerSinger(Simplex simplex) : simplex_(std::move(simplex)) {}

  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    return with_lanes(block, [&](const auto& lanes) { return step_lanes(lanes, threshold); });
  }

  void coefficients(const Block<Real>& block) const override {
    write_coefficients<RelativeMargin>(block);
  }
  bool sums_to_zero() const override { return RelativeMargin::kSumsToZero; }

  double dual_term(int, Real, const Real* dual, int count) const override {
    double sum = 0;
    for (int c = 0; c < count; ++c) sum += double(dual[c]);
    return sum;
  }

  bool at_vertex(Real cap, const Real* dual, int count) const override {
    return count == 0 || (count == 1 && dual[0] >= (1 - kZeroShare) * cap);
  }

  double loss_at_zero(int) const override { return 1; }

  void violations(const ExampleBlocks<Real>& blocks, Real* found) const override {
    for_each_example_pack(blocks, [&](const auto& lanes) {
      using V = typename std::decay_t<decltype(lanes)>::V;
      const V shift = RelativeMargin::shift(lanes);
      V total{}, highest{}, lowest = V{} - kNowhere<Real>;
      for (int m = 0; m < lanes.packs; ++m) {
        const V h = RelativeMargin::violation(lanes, m, shift);
        const V dual = lanes.dual(m);
        total += dual;
        highest = max_of(highest, h);
        lowest = min_of(lowest, dual > V{} ? h : V{} - kNowhere<Real>);
      }
      if (lanes.packs > kPlainPacks) total = compensated_sum(lanes);
      const auto label_free = total < (1 - kZeroShare) * lanes.cap();
      store(found + lanes.first, highest - (label_free ? min_of(lowest, V{}) : lowest));
    });
  }

  // Variables gather where h is highest, or on the label, whose h is zero.
  void near(const Block<Real>& block, Real margin) const override {
    with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const Real shift = RelativeMargin::shift(lanes);
      V highest{};
      for (int v = 0; v < lanes.packs; ++v)
        highest = max_of(highest, RelativeMargin::violation(lanes, v, shift));
      const Real least = Lanes::max(highest) - margin;
      for (int v = 0; v < lanes.packs; ++v) {
        const V h = RelativeMargin::violation(lanes, v, shift);
        const auto matters = (h >= least) | (lanes.dual(v) > V{});
        store(block.change + v * Lanes::kLanes, matters ? V{} + 1 : V{});
      }
    });
  }

  Line<Real> line(const Block<Real>& block, const Real* direction) const override {
    return with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const Real shift = RelativeMargin::shift(lanes);
      V sum{}, squares{}, along{}, total{};
      for (int v = 0; v < lanes.packs; ++v) {
        const V d = load<V>(direction + v * Lanes::kLanes);
        sum += d;
        squares += d * d;
        along += d != V{} ? d * RelativeMargin::violation(lanes, v, shift) : V{};
        total += lanes.dual(v);
      }
      const Real all = Lanes::sum(sum);
      Line<Real> line;
      line.gradient = Lanes::sum(along);
      line.curvature = block.curvature * (Lanes::sum(squares) + all * all);
      std::tie(line.lower, line.upper) = feasible(lanes, direction, block.cap);
      const Real slack = std::max(block.cap - Lanes::sum(total), Real(0));
      if (all > 0) line.upper = std::min(line.upper, slack / all);
      if (all < 0) line.lower = std::max(line.lower, slack / all);
      return line;
    });
  }

  void tighten(const Block<Real>& block) const override {
    Real* const end = block.dual + block.layout.classes;
    const double slack = double(block.cap) - std::accumulate(block.dual, end, 0.0);
    if (std::fabs(slack) > 4 * double(kZeroShare) * double(block.cap)) return;
    Real& largest = *std::max_element(block.dual, end);
    largest = Real(double(largest) + slack);
  }

  Exchange<Real> partner(const Block<Real>& block, const Real* coefficients, Real kernel,
                         Real inverse) const override {
    Real sum = 0;
    for (int m = 0; m < block.layout.classes; ++m) sum += block.dual[m];
    // The label's own variable is the slack, with h = 0.
    const bool slack = sum < (1 - kZeroShare) * block.cap;
    Real highest = 0, lowest = slack ? Real(0) : -kNowhere<Real>;
    int up = block.label, down = block.label;
    for (int m = 0; m < block.layout.classes; ++m) {
      if (m == block.label) continue;
      const Real h = 1 + block.score[m] - block.score[block.label];
      if (h > highest) highest = h, up = m;
      if (block.dual[m] > 0 && h < lowest) lowest = h, down = m;
    }
    const Real met = kernel * (coefficients[down] - coefficients[up]);
    if (met == 0 || !(highest > lowest)) return {};
    const Real curvature = 2 * block.curvature;
    const Real rest = std::max(curvature - met * met * inverse, kLeastShare<Real> * curvature);
    return {(highest - lowest) * (highest - lowest) / rest, up == block.label ? -1 : up,
            down == block.label ? -1 : down};
  }

  bool adapts_step() const override { return simplex_.adapts_step(); }

 private:
  // Below this share of C_i the label's own variable counts as zero: it is a difference.
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

  template <class Lanes>
  Step<Real> step_lanes(const Lanes& lanes, Real threshold) const {
    using V = typename Lanes::V;
    const Block<Real>& block = lanes.block;
    const Real shift = RelativeMargin::shift(lanes);
    auto gradient = lanes.local(0);  // h; nowhere at the label, where it is zero by definition

    V total{};
    V highest{};
    V lowest = V{} - kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) {
      const V h = RelativeMargin::violation(lanes, v, shift);
      const V dual = lanes.dual(v);
      total += dual;
      highest = max_of(highest, h);
      lowest = min_of(lowest, dual > V{} ? h : V{} - kNowhere<Real>);
      gradient[v] = h;
    }
    Real start_sum = Lanes::sum(total);
    if (lanes.packs > kPlainPacks && start_sum > block.cap / 2)
      start_sum = Lanes::sum(compensated_sum(lanes));
    const bool label_free = start_sum < (1 - kZeroShare) * block.cap;
    Step<Real> step;
    step.loss = Lanes::max(highest);
    const Real least = Lanes::min(lowest);
    step.violation = step.loss - (label_free ? std::min(least, Real(0)) : least);  // 000, eq. (6)
    if (!(step.violation > threshold)) return step;

    auto solution = lanes.local(1);
    simplex_.solve(lanes, gradient, step.loss, start_sum, solution);

    const ChangeSums<Real> change = sums_of_change(lanes, gradient, solution);
    const Real quadratic = block.curvature / 2 * (change.squares + change.sum * change.sum);
    step.gain = change.along_gradient - quadratic;
    // An exact step gains at least this much; near the optimum the difference above is rounding.
    if (Simplex::kExact) step.gain = std::max(step.gain, quadratic);
    step.moved = step.gain > 0;
    if (!step.moved) return step;
    step.norm_change = change.sum - step.gain;  // gain = sum of du - change of 1/2 |W|^2
    commit<RelativeMargin>(lanes, solution, change.sum);
    return step;
  }

  Simplex simplex_;
};

}  // namespace polymargin
