// What one step of any machine is held to, on an explicit row x and explicit weights.
#pragma once

#include <string>

#include "blocks.hpp"
#include "polymargin/machine/catalog.hpp"

namespace polymargin::test {

// One example with its weights and its block.
template <class Real>
struct Visit {
  static constexpr int kFeatures = 3;

  explicit Visit(Source& source)
      : classes(source.block_size()),
        label(source.integer(0, classes - 1)),
        cap(Real(source.power_of_ten(-2, 2))),
        arrays(classes),
        weights(std::size_t(classes) * kFeatures) {
    const double length = source.power_of_ten(-1, 1);
    for (Wide& value : x) {
      value = Real(length * source.bell());
      norm += value * value;
    }
    const double size = source.power_of_ten(-1, 1) / length;
    for (Wide& w : weights) w = Real(size * source.bell());
    measure();
  }

  Block<Real> block() { return arrays.block(label, Real(norm), cap); }

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
  // h_m = 1 + s_m - s_y
  Wide margin(int m) const { return 1 + Wide(arrays.score[m]) - arrays.score[label]; }
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
  std::vector<Wide> dual() const { return {arrays.dual.data(), arrays.dual.data() + classes}; }
  // Derivatives are sums of terms of about this size, and the solution is a sum over classes.
  Wide derivative_rounding() const {
    Wide sum = 0;
    for (Wide u : dual()) sum += u;
    return (32 + 2 * classes) * kRounding<Real> * (1 + largest_score + norm * (sum + stored_slack));
  }

  int classes, label;
  Real cap;
  BlockArrays<Real> arrays;
  Wide x[kFeatures], norm = 0;
  std::vector<Wide> weights;
  Wide largest_score = 0;
  Wide stored_slack = 0;  // C_i - sum u, where a solver works with it as one more variable
};

// The formulas of a machine, in long double: term, loss, violation and feasible take a visit.
template <class Formulas, class Real>
void check_step(const Machine<Real>& machine, Visit<Real>& visit, bool exact) {
  const Block<Real> block = visit.block();
  const std::vector<Wide> before = visit.dual();
  const Wide tolerance = visit.derivative_rounding();

  const Step<Real> measured = machine.step(block, std::numeric_limits<Real>::infinity());
  CHECK(!measured.moved);
  CHECK(visit.dual() == before);
  CHECK_NEAR(measured.violation, Formulas::violation(visit), Formulas::amplified(visit, tolerance));
  const Wide loss = Formulas::loss(visit);
  CHECK_NEAR(measured.loss, loss,
             tolerance * (visit.classes + 2 * std::sqrt(loss * visit.classes)));

  const Wide term = Formulas::term(visit);
  const Step<Real> step = machine.step(block, Real(0));
  CHECK_EQUAL(step.violation, measured.violation);
  CHECK_EQUAL(step.loss, measured.loss);
  if (!step.moved) {
    CHECK(visit.dual() == before);
    if (exact) CHECK_NEAR(step.violation, 0, Formulas::amplified(visit, tolerance));
    return;
  }
  CHECK(step.gain > 0);
  const Wide norm_change = visit.apply_change();

  const std::vector<Wide> after = visit.dual();
  Wide sum = 0, rounded = 0;  // a change is the difference of two rounded variables
  for (int m = 0; m < visit.classes; ++m) {
    const Wide delta = after[m] - before[m];
    sum += delta;
    if (delta != 0) rounded += after[m] + before[m];
    if (m != visit.label)
      CHECK_NEAR(block.change[m], -delta, kRounding<Real> * (after[m] + before[m]));
  }
  CHECK_NEAR(block.change[visit.label], sum, (8 + visit.classes) * kRounding<Real> * rounded);
  CHECK_EQUAL(after[visit.label], 0);
  for (int m = visit.classes; m < block.layout.stride; ++m) {
    CHECK_EQUAL(block.dual[m], 0);
    CHECK_EQUAL(block.change[m], 0);
  }
  CHECK(Formulas::feasible(visit));

  const Wide terms =
      rounded * Formulas::amplified(visit, std::max(tolerance, visit.derivative_rounding()));
  CHECK_NEAR(step.norm_change, norm_change, terms);
  CHECK_NEAR(step.gain, Formulas::term(visit) - term - norm_change, terms);

  if (!exact) return;
  visit.measure();
  const Step<Real> again = machine.step(block, std::numeric_limits<Real>::infinity());
  CHECK_AT_MOST(again.violation, Formulas::amplified(visit, visit.derivative_rounding()));
}

template <class Formulas, class Real>
void check_dual_term(const Machine<Real>& machine, const Visit<Real>& visit) {
  std::vector<Real> values;
  for (Wide u : visit.dual())
    if (u != 0) values.push_back(Real(u));
  const Wide term = Formulas::term(visit);
  CHECK_NEAR(machine.dual_term(visit.classes, visit.cap, values.data(), int(values.size())), term,
             1e-12L * (1 + std::fabs(term)));
}

}  // namespace polymargin::test
