// What the two machines with an entropy are held to: their steps are exact but for the square of
// the solver's last step, so they are visited until nothing is left.
#pragma once

#include "machine_checks.hpp"

namespace polymargin::test {

// Visits end with shares that are the probabilities of the scores. The variables are known to a
// rounding of theirs, and a = A C_i makes scores of them.
template <class Real>
void check_visits(const Machine<Real>& machine, Visit<Real>& visit) {
  check_block(machine, visit);
  check_step(machine, visit, false);
  check_block(machine, visit);
  const Block<Real> block = visit.block();
  const Wide rounding = visit.derivative_rounding() * (1 + visit.norm * visit.loss_weight);
  Wide last = 1;
  for (int repeat = 0; repeat < 8 && last > rounding; ++repeat) {
    visit.measure();
    check_step(machine, visit, false);
    visit.measure();
    last = machine.step(block, std::numeric_limits<Real>::infinity()).violation;
  }
  CHECK_AT_MOST(last, rounding);
}

// Weights, curvature and loss_weight of every size; `fill` makes the block.
template <class Real, class Fill>
void check_random_visits(const char* name, const char* loss, int visits, Fill&& fill) {
  const auto machine = machine_of<Real>(name, loss, 2);  // whose targets are none of the classes'
  const Definition definition(name, loss);
  CHECK(machine->fills_blocks());
  Source source(3);
  for (int v = 0; v < visits; ++v) {
    auto visit = Visit<Real>::random(definition, source);
    if (source.chance(0.3)) visit.loss_weight *= Real(source.power_of_ten(-4, 4));
    fill(source, visit);
    check_visits(*machine, visit);
  }
}

// At the optimum a step finds nothing to do: no violation, and no gain.
template <class Real>
void check_at_zero(const char* name, const char* loss, int classes, Real share) {
  const auto machine = machine_of<Real>(name, loss, classes);
  const Definition definition(name, loss);
  BlockArrays<Real> arrays(classes);
  for (int m = 0; m < classes; ++m)
    if (definition.has_variable(m, 0)) arrays.dual[m] = share * Real(8);
  const Step<Real> step = machine->step(arrays.block(0, 2, 8), Real(0));
  CHECK_AT_MOST(step.violation, kRounding<Real>);
  CHECK_AT_MOST(step.gain, 8 * classes * kRounding<Real>);
  const Wide expected = definition.loss(definition.margins(Vector(classes), 0));
  CHECK_NEAR(step.loss, expected, 4 * kRounding<Real> * expected);
  CHECK_NEAR(machine->loss_at_zero(classes, 0), expected, 1e-15L * expected);
  CHECK(!machine->at_vertex({classes, 0, 8, 0, nullptr, nullptr}));
  CHECK(!machine->at_vertex({classes, 0, 8, classes, nullptr, arrays.dual.data()}));
}

}  // namespace polymargin::test
