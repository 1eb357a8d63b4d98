// What one step of any machine is held to, on an explicit row x and explicit weights.
#pragma once

#include <string>

#include "axes.hpp"
#include "definitions.hpp"

namespace polymargin::test {

// One example with its weights and its block.
template <class Real>
struct Visit {
  static constexpr int kFeatures = 3;

  Visit(const Definition& definition, Source& source, int classes, int label)
      : definition(definition),
        classes(classes),
        label(label),
        loss_weight(Real(source.power_of_ten(-2, 2))),
        arrays(classes),
        weights(std::size_t(classes) * kFeatures) {
    const double length = source.power_of_ten(-1, 1);
    for (Wide& value : x) {
      value = Real(length * source.bell());
      norm += value * value;
    }
    const double size = source.power_of_ten(-1, 1) / length;
    for (Wide& w : weights) w = Real(size * source.bell());
    if (definition.sums_to_zero()) centre_weights();
    measure();
  }

  // Labels outside of the classes, and one class alone, are for one-vs-rest.
  static Visit random(const Definition& definition, Source& source) {
    const bool alone = definition.label_may_be_outside() && source.chance(0.1);
    const int classes = alone ? 1 : source.block_size();
    const int first = definition.label_may_be_outside() ? -1 : 0;
    return Visit(definition, source, classes, source.integer(first, classes - 1));
  }

  Block<Real> block() { return arrays.block(label, Real(norm), loss_weight); }

  // Scores of the current weights, rounded once.
  void measure() {
    for (int m = 0; m < classes; ++m) arrays.score[m] = Real(score(m));
    for (int m = 0; m < classes; ++m) largest_score = std::max(largest_score, std::fabs(score(m)));
  }
  Wide score(int m) const {
    Wide sum = 0;
    for (int f = 0; f < kFeatures; ++f) sum += weights[m * kFeatures + f] * x[f];
    return sum;
  }
  // Adds change x to the weights. Returns the increase of 1/2 |W|^2, weight by weight: the
  // difference of two norms would lose it.
  Wide apply_change() {
    Wide increase = 0;
    for (int m = 0; m < classes; ++m)
      for (int f = 0; f < kFeatures; ++f) {
        Wide& w = weights[m * kFeatures + f];
        const Wide added = arrays.change[m] * x[f];
        increase += added * (w + added / 2);
        w += added;
      }
    return increase;
  }
  Vector dual() const { return {arrays.dual.data(), arrays.dual.data() + classes}; }
  // From the rounded scores, which are all that the machine sees.
  Vector margins() const {
    return definition.margins({arrays.score.data(), arrays.score.data() + classes}, label);
  }
  Wide term() const { return definition.term(dual(), label, loss_weight); }
  Wide violation() const {
    return definition.violation(margins(), dual(), loss_weight, 8 * kRounding<Real>);
  }
  bool feasible() const {
    return definition.feasible(dual(), label, loss_weight, 8 * (1 + classes) * kRounding<Real>);
  }
  // Derivatives are sums of terms of about this size, and the solution is a sum over classes.
  Wide score_rounding() const {
    const Wide size = 1 + largest_score + norm * (sum_of(dual()) + stored_slack);
    return (32 + 2 * classes) * kRounding<Real> * size;
  }
  // The variables are known to a rounding of theirs, which the penalty of the squared machines
  // multiplies by 1/(2C_i), and one slack for all classes by their number.
  Wide derivative_rounding() const {
    const Wide penalty = definition.squared() ? 1 / (2 * Wide(loss_weight) * norm) : 0;
    return score_rounding() * (1 + penalty * (definition.one_slack() ? classes : 1));
  }
  // An entropy of the block is known to a rounding of C_i in each class, and the entropic solvers
  // end with a step whose fifth power they leave out.
  Wide entropy_rounding() const {
    return definition.entropic() ? (64 * kRounding<Real> + 1e-11L) * loss_weight * classes : 0;
  }

  const Definition& definition;
  int classes, label;
  Real loss_weight;
  BlockArrays<Real> arrays;
  Wide x[kFeatures], norm = 0;
  Vector weights;
  Wide largest_score = 0;
  Wide stored_slack = 0;  // C_i - sum u, where a solver works with it as one more variable

 private:
  void centre_weights() {
    for (int f = 0; f < kFeatures; ++f) {
      Wide sum = 0;
      for (int m = 0; m < classes; ++m) sum += weights[m * kFeatures + f];
      for (int m = 0; m < classes; ++m) weights[m * kFeatures + f] -= sum / classes;
    }
  }
};

// block.change holds the coefficients of `changes`, each known up to a rounding of its `sizes`.
template <class Real>
void check_coefficients(const Visit<Real>& visit, const Block<Real>& block, const Vector& changes,
                        const Vector& sizes) {
  const Vector expected = visit.definition.coefficients(changes, visit.label);
  const Wide rounded = (8 + visit.classes) * kRounding<Real> * sum_of(sizes);
  const bool relative = visit.definition.relative();
  const bool coupled = relative || visit.definition.sums_to_zero();
  Wide total = 0;
  for (int m = 0; m < visit.classes; ++m) {
    const bool has_sum = relative ? m == visit.label : coupled;
    const Wide share = visit.definition.sums_to_zero() ? rounded / visit.classes : rounded;
    CHECK_NEAR(block.change[m], expected[m], 2 * kRounding<Real> * sizes[m] + has_sum * share);
    total += block.change[m];
  }
  if (coupled) CHECK_NEAR(total, 0, 2 * rounded);
  for (int m = visit.classes; m < block.layout.stride; ++m) CHECK_EQUAL(block.change[m], 0);
}

template <class Real>
void check_step(const Machine<Real>& machine, Visit<Real>& visit, bool exact) {
  const Block<Real> block = visit.block();
  const Vector before = visit.dual();
  const Wide tolerance = visit.derivative_rounding();

  const Step<Real> measured = machine.step(block, std::numeric_limits<Real>::infinity());
  CHECK(!measured.moved);
  CHECK(visit.dual() == before);
  CHECK_NEAR(measured.violation, visit.violation(), tolerance);
  const Wide loss = visit.definition.loss(visit.margins());
  CHECK_NEAR(measured.loss, loss,
             visit.score_rounding() * (visit.classes + 2 * std::sqrt(loss * visit.classes)));

  const Wide term = visit.term();
  const Step<Real> step = machine.step(block, Real(0));
  CHECK_EQUAL(step.violation, measured.violation);
  CHECK_EQUAL(step.loss, measured.loss);
  if (!step.moved) {
    CHECK(visit.dual() == before);
    if (exact) CHECK_NEAR(step.violation, 0, tolerance);
    return;
  }
  CHECK(step.gain > 0);
  const Wide norm_change = visit.apply_change();

  const Vector after = visit.dual();
  Vector changes(visit.classes), sizes(visit.classes);
  for (int m = 0; m < visit.classes; ++m) {
    changes[m] = after[m] - before[m];  // the difference of two rounded variables
    if (changes[m] != 0) sizes[m] = after[m] + before[m];
  }
  check_coefficients(visit, block, changes, sizes);
  for (int m = visit.classes; m < block.layout.stride; ++m) CHECK_EQUAL(block.dual[m], 0);
  CHECK(visit.feasible());

  const Wide terms = sum_of(sizes) * std::max(tolerance, visit.derivative_rounding());
  CHECK_NEAR(step.norm_change, norm_change, terms);
  CHECK_NEAR(step.gain, visit.term() - term - norm_change, terms + visit.entropy_rounding());

  if (!exact) return;
  visit.measure();
  const Step<Real> again = machine.step(block, std::numeric_limits<Real>::infinity());
  CHECK_AT_MOST(again.violation, visit.derivative_rounding());
}

// Over the support and the label alone, the coefficients are the same, and there are no others.
template <class Real>
void check_compact(const Machine<Real>& machine, Visit<Real>& visit) {
  const Vector u = visit.dual();
  std::vector<int> listed;
  int label = -1;
  for (int m = visit.classes - 1; m >= 0; --m) {
    if (m == visit.label) label = int(listed.size());
    if (u[m] != 0 || m == visit.label) listed.push_back(m);
  }
  const int count = int(listed.size());
  if (count == 0) return;
  BlockArrays<Real> compact(count);
  for (int c = 0; c < count; ++c) compact.dual[c] = Real(u[listed[c]]);
  const Block<Real> block = compact.block(label, Real(visit.norm), visit.loss_weight);
  machine.coefficients(block);
  Vector spread(visit.classes);
  for (int c = 0; c < count; ++c) spread[listed[c]] = block.change[c];
  for (int m = 0; m < visit.classes; ++m)
    CHECK_NEAR(spread[m], visit.arrays.change[m],
               m == visit.label ? visit.classes * kRounding<Real> * sum_of(u) : 0);
}

// What the machine says of the block itself.
template <class Real>
void check_block(const Machine<Real>& machine, Visit<Real>& visit) {
  const Vector u = visit.dual();
  std::vector<std::int32_t> listed;
  std::vector<Real> values;
  for (int m = visit.classes - 1; m >= 0; --m) {
    if (u[m] == 0) continue;
    listed.push_back(m);
    values.push_back(Real(u[m]));
  }
  const Wide term = visit.term();
  const Wide entropy = visit.definition.entropic() ? visit.loss_weight * visit.classes : 0;
  CHECK_NEAR(machine.dual_term({visit.classes, visit.label, visit.loss_weight, int(values.size()),
                                listed.data(), values.data()}),
             term, 1e-12L * (1 + std::fabs(term)) + 1e-14L * entropy);
  CHECK_EQUAL(machine.sums_to_zero(), visit.definition.sums_to_zero());

  const Block<Real> block = visit.block();
  std::fill_n(block.change, block.layout.stride, Real(-77));
  machine.coefficients(block);
  CHECK(visit.dual() == u);
  check_coefficients(visit, block, u, u);
  if (!machine.sums_to_zero()) check_compact(machine, visit);
}

}  // namespace polymargin::test
