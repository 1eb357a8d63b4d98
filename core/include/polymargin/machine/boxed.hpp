// Machines whose block is a box with a rank-one coupling: the restricted problem is
//     min 1/2 Q |d|^2 + 1/2 R (1.d)^2 - h.d,   -u <= d <= upper - u      (000, eq. (21))
//   hinge                                  Q = A,            R = rho A,        upper = C_i
//   squared hinge, a slack per class       Q = A + 1/(2C_i), R = rho A,        no upper bound
//   squared hinge, one slack (cs)          Q = A,            R = A + 1/(2C_i), no upper bound
// with rho = 1 for Weston-Watkins, -1/k for Lee-Lin-Wahba and 0 for one-vs-rest, whose classes do
// not meet. In the squared machines h carries the derivative of the penalty sum u^2 / (4C_i), or,
// because Crammer-Singer squares one slack per example, (sum u)^2 / (4C_i).
#pragma once

#include <algorithm>
#include <tuple>

#include "polymargin/machine/margin.hpp"

namespace polymargin {

enum class BoxLoss { hinge, squared_hinge, squared_maximum };

template <class Real>
struct BoxProblem {
  Real diagonal;  // Q
  Real coupling;  // R
  Real upper;
  Real reference = 0;  // a value near R (1.d) at the solution, for precision only
};

// `Box` solves the restricted problem: solve(lanes, problem, h, solution).
template <class Real, class Margin, BoxLoss Loss, class Box>
class Boxed final : public MarginMachine<Real> {
 public:
  explicit Boxed(Box box) : box_(std::move(box)) {}

  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    return with_lanes(block, [&](const auto& lanes) { return step_lanes(lanes, threshold); });
  }

  void coefficients(const Block<Real>& block) const override { write_coefficients<Margin>(block); }
  bool sums_to_zero() const override { return Margin::kSumsToZero; }

  double dual_term(int classes, Real cap, const Real* dual, int count) const override {
    double sum = 0, squares = 0;
    for (int c = 0; c < count; ++c) {
      sum += double(dual[c]);
      squares += double(dual[c]) * double(dual[c]);
    }
    if (Loss == BoxLoss::squared_maximum) squares = sum * sum;
    const double penalty = Loss == BoxLoss::hinge ? 0 : squares / (4 * double(cap));
    return Margin::unit(classes) * sum - penalty;
  }

  bool at_vertex(Real cap, const Real* dual, int count) const override {
    if (Loss != BoxLoss::hinge) return count == 0;
    return std::all_of(dual, dual + count, [=](Real u) { return u >= cap; });
  }

  double loss_at_zero(int classes) const override {
    const double unit = Margin::unit(classes);
    const int variables = classes - (Margin::kLabelHasVariable ? 0 : 1);
    if (Loss == BoxLoss::squared_maximum) return unit * unit;
    return variables * (Loss == BoxLoss::hinge ? unit : unit * unit);
  }

  static BoxProblem<Real> problem(int classes, Real curvature, Real cap) {
    const Real penalty = 1 / (2 * cap);
    const Real coupled = Real(Margin::rho(classes)) * curvature;
    constexpr Real kUnbounded = -kNowhere<Real>;
    if (Loss == BoxLoss::squared_hinge) return {curvature + penalty, coupled, kUnbounded};
    if (Loss == BoxLoss::squared_maximum) return {curvature, coupled + penalty, kUnbounded};
    return {curvature, coupled, cap};
  }

  void violations(const ExampleBlocks<Real>& blocks, Real* found) const override {
    for_each_example_pack(blocks, [&](const auto& lanes) {
      using V = typename std::decay_t<decltype(lanes)>::V;
      const V shift = V{} + Margin::shift(lanes);
      const V penalty = 1 / (2 * lanes.cap());
      const V upper = Loss == BoxLoss::hinge ? lanes.cap() : V{} - kNowhere<Real>;
      V sum{}, worst{};
      if (Loss == BoxLoss::squared_maximum)
        for (int m = 0; m < lanes.packs; ++m) sum += lanes.dual(m);
      for (int m = 0; m < lanes.packs; ++m) {
        const V dual = lanes.dual(m);
        V h = Margin::violation(lanes, m, shift);
        if (Loss != BoxLoss::hinge) h -= penalty * (Loss == BoxLoss::squared_hinge ? dual : sum);
        worst = max_of(worst, violation(h, dual, upper));
      }
      store(found + lanes.first, worst);
    });
  }

  void near(const Block<Real>& block, Real margin) const override {
    with_lanes(block, [&](const auto& lanes) {
      using V = typename std::decay_t<decltype(lanes)>::V;
      const Real shift = Margin::shift(lanes);
      for (int v = 0; v < lanes.packs; ++v) {
        const V h = Margin::violation(lanes, v, shift);
        const auto matters = (h > -margin) | (lanes.dual(v) > V{});
        store(block.change + v * lanes.kLanes, matters ? V{} + 1 : V{});
      }
    });
  }

  Line<Real> line(const Block<Real>& block, const Real* direction) const override {
    return with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const BoxProblem<Real> problem =
          Boxed::problem(block.layout.classes, block.curvature, block.cap);
      const Real shift = Margin::shift(lanes), penalty = 1 / (2 * block.cap);
      V sum{}, squares{}, along_margin{}, along_dual{}, total{};
      for (int v = 0; v < lanes.packs; ++v) {
        const V d = load<V>(direction + v * Lanes::kLanes);
        sum += d;
        squares += d * d;
        along_margin += d != V{} ? d * Margin::violation(lanes, v, shift) : V{};
        along_dual += d * lanes.dual(v);
        total += lanes.dual(v);
      }
      Line<Real> line;
      const Real all = Lanes::sum(sum);
      line.gradient = Lanes::sum(along_margin);
      if (Loss == BoxLoss::squared_hinge) line.gradient -= penalty * Lanes::sum(along_dual);
      if (Loss == BoxLoss::squared_maximum) line.gradient -= penalty * all * Lanes::sum(total);
      line.curvature = problem.diagonal * Lanes::sum(squares) + problem.coupling * all * all;
      std::tie(line.lower, line.upper) = feasible(lanes, direction, problem.upper);
      return line;
    });
  }

  Exchange<Real> partner(const Block<Real>& block, const Real* coefficients, Real kernel,
                         Real inverse) const override {
    with_lanes(block, [&](const auto& lanes) {
      using Lanes = std::decay_t<decltype(lanes)>;
      using V = typename Lanes::V;
      const BoxProblem<Real> problem =
          Boxed::problem(block.layout.classes, block.curvature, block.cap);
      const Real shift = Margin::shift(lanes), penalty = 1 / (2 * block.cap);
      V total{};
      for (int v = 0; v < lanes.packs; ++v) total += lanes.dual(v);
      const Real shared = Loss == BoxLoss::squared_maximum ? penalty * Lanes::sum(total) : Real(0);
      const Real curvature = problem.diagonal + problem.coupling;
      for (int v = 0; v < lanes.packs; ++v) {
        V h = Margin::violation(lanes, v, shift) - shared;
        if (Loss == BoxLoss::squared_hinge) h -= penalty * lanes.dual(v);
        const V worst = violation(h, lanes.dual(v), V{} + problem.upper);
        const V c = load<V>(coefficients + v * Lanes::kLanes);
        const V met = kernel * Margin::product(lanes, v, c, coefficients);
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

 private:
  // 000, eq. (18): only a derivative that leads into the box violates optimality.
  template <class V>
  static V violation(V h, V dual, V upper) {
    V inward = dual > V{} ? h : max_of(h, V{});
    inward = dual < upper ? inward : min_of(inward, V{});
    return max_of(inward, -inward);
  }

  template <class Lanes>
  Step<Real> step_lanes(const Lanes& lanes, Real threshold) const {
    using V = typename Lanes::V;
    const Block<Real>& block = lanes.block;
    const int classes = block.layout.classes;
    BoxProblem<Real> problem = Boxed::problem(classes, block.curvature, block.cap);
    const Real penalty = 1 / (2 * block.cap);
    const Real shift = Margin::shift(lanes);
    auto gradient = lanes.local(0);  // h

    V total{};
    if (Loss == BoxLoss::squared_maximum)
      for (int v = 0; v < lanes.packs; ++v) total += lanes.dual(v);
    const Real shared_penalty =
        Loss == BoxLoss::squared_maximum ? penalty * Lanes::sum(total) : Real(0);

    V worst{}, loss{}, highest = V{} + kNowhere<Real>;
    for (int v = 0; v < lanes.packs; ++v) {
      const V margin = Margin::violation(lanes, v, shift);
      const V dual = lanes.dual(v);
      const V slack = max_of(margin, V{});
      if (Loss == BoxLoss::hinge) loss += slack;
      if (Loss == BoxLoss::squared_hinge) loss += slack * slack;
      if (Loss == BoxLoss::squared_maximum) loss = max_of(loss, slack);
      V h = margin - shared_penalty;
      if (Loss == BoxLoss::squared_hinge) h -= penalty * dual;
      worst = max_of(worst, violation(h, dual, V{} + problem.upper));
      highest = max_of(highest, h);
      gradient[v] = h;
    }
    Step<Real> step;
    step.loss =
        Loss == BoxLoss::squared_maximum ? Lanes::max(loss) * Lanes::max(loss) : Lanes::sum(loss);
    step.violation = Lanes::max(worst);
    if (!(step.violation > threshold)) return step;

    // A small A beside 1/(2C_i) leaves the largest h to decide: the block is nearly a simplex.
    if (Loss == BoxLoss::squared_maximum) problem.reference = Lanes::max(highest);
    auto solution = lanes.local(1);
    box_.solve(lanes, problem, gradient, solution);

    const ChangeSums<Real> change = sums_of_change(lanes, gradient, solution);
    const Real coupled = change.sum * change.sum;
    const Real quadratic = (problem.diagonal * change.squares + problem.coupling * coupled) / 2;
    step.gain = change.along_gradient - quadratic;
    // An exact step gains at least this much; near the optimum the difference above is rounding.
    if (Box::kExact) step.gain = std::max(step.gain, quadratic);
    step.moved = step.gain > 0;
    if (!step.moved) return step;
    // 1/2 |W|^2 grows by b.s + 1/2 A |b|^2; h without its penalty is the violation of the margin.
    Real along_margin = change.along_gradient + shared_penalty * change.sum;
    if (Loss == BoxLoss::squared_hinge) along_margin += penalty * change.along_dual;
    step.norm_change =
        Real(Margin::unit(classes)) * change.sum - along_margin +
        block.curvature / 2 * (change.squares + Real(Margin::rho(classes)) * coupled);
    commit<Margin>(lanes, solution, change.sum);
    return step;
  }

  Box box_;
};

}  // namespace polymargin
