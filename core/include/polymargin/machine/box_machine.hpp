// Machines whose variables have a bound each: the hinge or squared hinge of every violated margin,
// summed over classes, and the square of the largest one. With h = t - E s and |b|^2 of the margin
// (margin.hpp) the restricted problem is
//     min 1/2 Q |d|^2 + 1/2 R (sigma.d)^2 - h.d,   -u <= d <= upper - u      (000, eq. (21))
//   hinge                                  Q = delta A,            R = rho A,  upper = C_i
//   squared hinge, a slack per class       Q = delta A + 1/(2C_i), R = rho A,  no upper bound
//   squared hinge, one slack               Q = delta A,            R = rho A,  no upper bound, and
//                                          1/2 (1.d)^2 / (2C_i), which is a part of R without signs
// In the squared machines h carries the derivative of the penalty |u|^2 / (4C_i), or, for the
// square of one slack per example, (sum u)^2 / (4C_i).
#pragma once

#include <algorithm>
#include <tuple>

#include "polymargin/machine/block_change.hpp"
#include "polymargin/restricted/box_problem.hpp"

namespace polymargin {

enum class Penalty { none, of_each, of_sum };

// What does not depend on how the restricted problem is solved.
template <class Real, class Margin, Penalty Squares>
class BoxBlocks : public MarginMachine<Real> {
 public:
  explicit BoxBlocks(const Targets& targets) : margin_(targets) {}

  void coefficients(const Block<Real>& block) const override { write_coefficients(margin_, block); }
  bool sums_to_zero() const override { return Margin::kSumsToZero; }
  bool is_relative() const override { return Margin::kRelative; }
  BlockCoupling coupling() const override {
    return Squares == Penalty::of_sum ? BlockCoupling::other : BlockCoupling::none;
  }

  double dual_term(const BlockEntries<Real>& entries) const override {
    const DualSums sums = sums_of_duals(margin_, entries);
    const double squares = Squares == Penalty::of_sum ? sums.sum * sums.sum : sums.squares;
    const double penalty =
        Squares == Penalty::none ? 0 : squares / (4 * double(entries.loss_weight));
    return sums.targets - penalty;
  }

  bool at_vertex(const BlockEntries<Real>& entries) const override {
    if (Squares != Penalty::none) return entries.count == 0;
    return std::all_of(entries.value, entries.value + entries.count,
                       [&](Real u) { return u >= entries.loss_weight; });
  }

  bool at_bound(Real dual, Real loss_weight) const override {
    return Squares == Penalty::none && dual >= loss_weight;
  }

  double loss_at_zero(int classes, int label) const override {
    const auto slack = [](double target) {
      return Squares == Penalty::none ? target : target * target;
    };
    if constexpr (Margin::kPairTargets)
      return margin_.loss_at_zero(label, slack, Squares == Penalty::of_sum);
    const double own = Margin::kLabelHasVariable ? slack(margin_.targets().label) : 0;
    const double other = Margin::kOthersHaveVariables ? slack(margin_.targets().other) : 0;
    return Squares == Penalty::of_sum ? std::max(own, other) : (classes - 1) * other + own;
  }

  const Real* targets_of(int label) const override { return row_of_targets<Real>(margin_, label); }

  void violations(const ExampleBlocks<Real>& blocks, Real* found) const override {
    for_each_example_pack(blocks, [&](const auto& lanes) {
      using V = typename std::decay_t<decltype(lanes)>::V;
      const auto shift = margin_.shift(lanes);
      const V penalty = 1 / (2 * lanes.loss_weight());
      const V upper = Squares == Penalty::none ? lanes.loss_weight() : V{} - kNowhere<Real>;
      V sum{}, worst{};
      if (Squares == Penalty::of_sum)
        for (int m = 0; m < lanes.packs; ++m) sum += lanes.dual(m);
      for (int m = 0; m < lanes.packs; ++m) {
        const V dual = lanes.dual(m);
        V h = margin_.violation(lanes, m, shift);
        if (Squares != Penalty::none) h -= penalty * (Squares == Penalty::of_each ? dual : sum);
        worst = max_of(worst, violation(h, dual, upper));
      }
      store(found + lanes.first, worst);
    });
  }

  void near(const Block<Real>& block, Real margin) const override {
    with_lanes(block, [&](const auto& lanes) {
      using V = typename std::decay_t<decltype(lanes)>::V;
      const auto shift = margin_.shift(lanes);
      for (int v = 0; v < lanes.packs; ++v) {
        const V h = margin_.violation(lanes, v, shift);
        const auto matters = (h > -margin) | (lanes.dual(v) > V{});
        store(block.change + v * lanes.kLanes, matters ? V{} + 1 : V{});
      }
    });
  }

  Line<Real> line(const Block<Real>& block, const Real* direction) const override {
    return with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const BoxProblem<Real> problem = this->problem(block);
      const auto shift = margin_.shift(lanes);
      const Real penalty = 1 / (2 * block.loss_weight);
      V sum{}, signed_sum{}, squares{}, along_margin{}, along_dual{}, total{};
      for (int v = 0; v < lanes.packs; ++v) {
        const V d = load<V>(direction + v * Lanes::kLanes);
        sum += d;
        signed_sum += margin_.signed_value(lanes, v, d);
        squares += d * d;
        along_margin += d != V{} ? d * margin_.violation(lanes, v, shift) : V{};
        along_dual += d * lanes.dual(v);
        total += lanes.dual(v);
      }
      Line<Real> line;
      const Real all = Lanes::sum(sum);
      line.gradient = Lanes::sum(along_margin);
      if (Squares == Penalty::of_each) line.gradient -= penalty * Lanes::sum(along_dual);
      if (Squares == Penalty::of_sum) line.gradient -= penalty * all * Lanes::sum(total);
      line.curvature = curvature_of(problem, Lanes::sum(squares), Lanes::sum(signed_sum), all);
      std::tie(line.lower, line.upper) = feasible(lanes, direction, problem.upper);
      return line;
    });
  }

  Exchange<Real> partner(const Block<Real>& block, const Real* coefficients, Real kernel,
                         Real inverse) const override {
    with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const BoxProblem<Real> problem = this->problem(block);
      const auto shift = margin_.shift(lanes);
      const Real penalty = 1 / (2 * block.loss_weight);
      V total{};
      for (int v = 0; v < lanes.packs; ++v) total += lanes.dual(v);
      const Real shared = Squares == Penalty::of_sum ? penalty * Lanes::sum(total) : Real(0);
      const Real curvature = curvature_of(problem, 1, 1, 1);
      for (int v = 0; v < lanes.packs; ++v) {
        V h = margin_.violation(lanes, v, shift) - shared;
        if (Squares == Penalty::of_each) h -= penalty * lanes.dual(v);
        const V worst = violation(h, lanes.dual(v), V{} + problem.upper);
        const V c = load<V>(coefficients + v * Lanes::kLanes);
        const V met = kernel * margin_.product(lanes, v, c, coefficients);
        const V rest = max_of(curvature - met * met * inverse, V{} + kLeastShare<Real> * curvature);
        const auto useful = lanes.is_class(v) & (met != V{});
        store(block.change + v * Lanes::kLanes, useful ? worst * worst / rest : V{});
      }
    });
    Exchange<Real> best;
    for (int m = 0; m < block.layout.classes; ++m)
      if (block.change[m] > best.gain) best = {block.change[m], m, -1};
    return best;
  }

 protected:
  BoxProblem<Real> problem(const Block<Real>& block) const {
    const int classes = block.layout.classes;
    const Real penalty = Squares == Penalty::none ? Real(0) : 1 / (2 * block.loss_weight);
    BoxProblem<Real> problem{Real(margin_.delta(classes)) * block.curvature,
                             Real(margin_.rho(classes)) * block.curvature,
                             Squares == Penalty::none ? block.loss_weight : -kNowhere<Real>};
    if (Squares == Penalty::of_each) problem.diagonal += penalty;
    if (Squares == Penalty::of_sum) {
      if constexpr (Margin::kSigned)
        problem.sum_coupling = penalty;
      else
        problem.coupling += penalty;
    }
    if constexpr (Margin::kSigned) {
      problem.reversed = block.label;
      problem.along_signs = Squares == Penalty::of_each ? penalty : Real(0);
    }
    return problem;
  }

  // Of d, from |d|^2, sigma.d and 1.d.
  static Real curvature_of(const BoxProblem<Real>& problem, Real squares, Real signed_sum,
                           Real sum) {
    Real curvature = problem.diagonal * squares + problem.coupling * (signed_sum * signed_sum);
    if constexpr (Margin::kSigned && Squares == Penalty::of_sum)
      curvature += problem.sum_coupling * (sum * sum);
    return curvature;
  }

  // 000, eq. (18): only a derivative that leads into the box violates optimality.
  template <class V>
  static V violation(V h, V dual, V upper) {
    V inward = dual > V{} ? h : max_of(h, V{});
    inward = dual < upper ? inward : min_of(inward, V{});
    return max_of(inward, -inward);
  }

  Margin margin_;
};

// `Box` solves the restricted problem: solve(lanes, problem, h, solution).
template <class Real, class Margin, Penalty Squares, class Box>
class BoxMachine final : public BoxBlocks<Real, Margin, Squares> {
 public:
  explicit BoxMachine(const Targets& targets, Box box = {})
      : BoxBlocks<Real, Margin, Squares>(targets), box_(std::move(box)) {}

  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    const auto visit = [&](const auto& lanes) { return step_lanes(lanes, threshold); };
    if constexpr (Box::kExact)
      return with_lanes(block, visit);
    else
      return with_lanes_in_memory(block, visit);
  }

  std::optional<ClippedStep<Real>> clipped_step() const override {
    constexpr bool kMeet = Margin::kSumsToZero || Margin::rho(2) != 0 || Squares == Penalty::of_sum;
    if constexpr (kMeet || !Box::kExact)
      return std::nullopt;
    else
      return ClippedStep<Real>(margin_.targets().label, margin_.targets().other,
                               Squares == Penalty::of_each);
  }

  // step() of a block in lanes, for loops without calls.
  template <class Lanes>
  [[gnu::always_inline]] Step<Real> step_lanes(const Lanes& lanes, Real threshold) const {
    using V = typename Lanes::V;
    const Block<Real>& block = lanes.block;
    const int classes = block.layout.classes;
    BoxProblem<Real> problem = this->problem(block);
    const Real penalty = 1 / (2 * block.loss_weight);
    const auto shift = margin_.shift(lanes);
    auto gradient = lanes.local(0);  // h

    V total{};
    if (Squares == Penalty::of_sum)
      for (int v = 0; v < lanes.packs; ++v) total += lanes.dual(v);
    const Real shared_penalty = Squares == Penalty::of_sum ? penalty * Lanes::sum(total) : Real(0);

    V worst{}, loss{}, highest = V{} + kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) {
      const V margin = margin_.violation(lanes, v, shift);
      const V dual = lanes.dual(v);
      const V slack = max_of(margin, V{});
      if (Squares == Penalty::none) loss += slack;
      if (Squares == Penalty::of_each) loss += slack * slack;
      if (Squares == Penalty::of_sum) loss = max_of(loss, slack);
      V h = margin - shared_penalty;
      if (Squares == Penalty::of_each) h -= penalty * dual;
      worst = max_of(worst, this->violation(h, dual, V{} + problem.upper));
      highest = max_of(highest, h);
      gradient[v] = h;
    }
    Step<Real> step;
    step.loss = Squares == Penalty::of_sum ? Lanes::max(loss) * Lanes::max(loss) : Lanes::sum(loss);
    step.violation = Lanes::max(worst);
    if (!(step.violation > threshold)) return step;

    // A small A beside 1/(2C_i) leaves the largest h to decide: the block is nearly a simplex.
    if (Squares == Penalty::of_sum && (margin_.rho(classes) > 0 || penalty > block.curvature))
      problem.reference = Lanes::max(highest);
    auto solution = lanes.local(1);
    box_.solve(lanes, problem, gradient, solution);

    const ChangeSums<Real> change = sums_of_change(margin_, lanes, gradient, solution);
    const Real quadratic =
        this->curvature_of(problem, change.squares, change.signed_sum, change.sum) / 2;
    step.gain = change.along_gradient - quadratic;
    // An exact step gains at least this much; near the optimum the difference above is rounding.
    if (Box::kExact) step.gain = std::max(step.gain, quadratic);
    step.moved = step.gain > 0;
    if (!step.moved) return step;
    // 1/2 |W|^2 grows by b.s + 1/2 A |b|^2; h without its penalty is the violation of the margin.
    Real along_margin = change.along_gradient + shared_penalty * change.sum;
    if (Squares == Penalty::of_each) along_margin += penalty * change.along_dual;
    const Real squared_norm = Real(margin_.delta(classes)) * change.squares +
                              Real(margin_.rho(classes)) * (change.signed_sum * change.signed_sum);
    step.norm_change = change.targets - along_margin + block.curvature / 2 * squared_norm;
    commit(margin_, lanes, solution, change.signed_sum);
    return step;
  }

 private:
  using BoxBlocks<Real, Margin, Squares>::margin_;

  Box box_;
};

}  // namespace polymargin
