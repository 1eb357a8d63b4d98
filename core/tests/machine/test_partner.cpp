// Directions of a block, and the best one beside a step of another block, against the dual
// objective from coefficients and dual terms.
#include "box_blocks.hpp"
#include "machine_checks.hpp"

namespace polymargin::test::test_partner {

template <class Real>
struct Case {
  Case(Source& source, const Definition& definition, int classes)
      : arrays(classes), direction(arrays.layout.stride), other(arrays.layout.stride) {
    label = source.integer(0, classes - 1);
    loss_weight = Real(source.power_of_ten(-1, 1));
    const bool simplex = definition.one_slack() && !definition.squared();
    const auto point = simplex ? random_simplex_point(source, classes, loss_weight)
                               : random_box_point(source, classes, loss_weight);
    Wide sum = 0;
    for (int m = 0; m < classes; ++m) {
      arrays.score[m] = Real(source.bell());
      sum += arrays.score[m];
      if (definition.has_variable(m, label)) arrays.dual[m] = point[m];
      other[m] = Real(source.bell());
    }
    if (!definition.sums_to_zero()) return;
    Wide others = 0;
    for (int m = 0; m < classes; ++m) others += other[m];
    for (int m = 0; m < classes; ++m) {
      arrays.score[m] -= Real(sum / classes);
      other[m] -= Real(others / classes);
    }
  }
  Block<Real> block() { return arrays.block(label, Real(0.7), loss_weight); }

  BlockArrays<Real> arrays;
  AlignedArray<Real> direction, other;  // other: coefficients of another block
  int label;
  Real loss_weight;
};

// The coefficients of a direction, which may be negative.
template <class Real>
std::vector<Wide> coefficients_of(const Machine<Real>& machine, Case<Real>& some) {
  Block<Real> block = some.block();
  block.dual = some.direction.data();
  machine.coefficients(block);
  return {block.change, block.change + block.layout.classes};
}

// What the dual objective gains at u + t d.
template <class Real>
Wide gain_at(const Machine<Real>& machine, Case<Real>& some, Wide t) {
  const Block<Real> block = some.block();
  const int classes = block.layout.classes;
  std::vector<Real> moved(classes);
  for (int m = 0; m < classes; ++m) moved[m] = Real(block.dual[m] + t * some.direction[m]);
  const auto term = [&](const Real* u) {
    return Wide(machine.dual_term({classes, some.label, some.loss_weight, classes, nullptr, u}));
  };
  Wide gain = term(moved.data()) - term(block.dual);
  const auto b = coefficients_of(machine, some);
  for (int m = 0; m < classes; ++m)
    gain -= t * b[m] * block.score[m] + block.curvature * t * t * b[m] * b[m] / 2;
  return gain;
}

template <class Real>
void check_line(const MarginMachine<Real>& machine, const Definition& definition, Source& source,
                Case<Real>& some) {
  const Block<Real> block = some.block();
  const int classes = block.layout.classes;
  some.direction.clear();
  for (int m = 0; m < classes; ++m)
    if (definition.has_variable(m, some.label) && source.chance(0.6))
      some.direction[m] = Real(source.bell());
  const Line<Real> line = machine.line(block, some.direction.data());
  for (Wide t : {-0.5L, 0.01L, 1.0L})
    CHECK_NEAR(line.gradient * t - line.curvature * t * t / 2, gain_at(machine, some, t),
               200 * kRounding<Real> * classes * (1 + some.loss_weight));

  CHECK(line.lower <= 0 && line.upper >= 0);
  const bool simplex = definition.one_slack() && !definition.squared();
  const Wide rounding = 50 * kRounding<Real> * some.loss_weight;
  for (Wide t : {Wide(line.lower), Wide(line.upper)}) {
    if (std::fabs(t) > 1e20L) continue;  // no bound
    Wide sum = 0, nearest = 1e30L;
    for (int m = 0; m < classes; ++m) {
      const Wide u = block.dual[m] + t * some.direction[m];
      sum += u;
      const Wide upper = definition.squared() ? 1e30L : Wide(some.loss_weight);
      CHECK(u >= -rounding && u <= upper + rounding);
      if (some.direction[m] != 0) nearest = std::min({nearest, std::fabs(u), std::fabs(upper - u)});
    }
    if (simplex) {
      CHECK_AT_MOST(sum, some.loss_weight + rounding * classes);
      nearest = std::min(nearest, std::fabs(some.loss_weight - sum));
    }
    CHECK_AT_MOST(nearest, rounding * classes);
  }
}

// The gain that partner() promises for a direction, from its line; zero if it leads out.
template <class Real>
Wide promised(const MarginMachine<Real>& machine, Case<Real>& some, Real kernel, Real inverse) {
  const Line<Real> line = machine.line(some.block(), some.direction.data());
  if (!(line.gradient > 0 ? line.upper > 0 : line.lower < 0)) return 0;
  Wide met = 0;
  const auto b = coefficients_of(machine, some);
  for (std::size_t m = 0; m < b.size(); ++m) met += kernel * b[m] * some.other[m];
  const Wide rest = std::max(line.curvature - met * met * inverse, 1e-6L * line.curvature);
  return met == 0 ? Wide(0) : line.gradient * line.gradient / rest;
}

template <class Real>
void check_partner(const MarginMachine<Real>& machine, const Definition& definition, Source& source,
                   Case<Real>& some) {
  const Real kernel = Real(0.6), inverse = Real(source.power_of_ten(-2, -0.5));
  const int classes = some.arrays.layout.classes;
  const Exchange<Real> found = machine.partner(some.block(), some.other.data(), kernel, inverse);
  some.direction.clear();
  if (found.up >= 0) some.direction[found.up] = 1;
  if (found.down >= 0) some.direction[found.down] = -1;
  const Wide rounding = 1000 * kRounding<Real> * (1 + found.gain) * (1 + 1 / some.loss_weight);
  CHECK((found.gain > 0) == (found.up >= 0 || found.down >= 0));
  CHECK_NEAR(found.gain, promised(machine, some, kernel, inverse), rounding);
  if (definition.one_slack() && !definition.squared()) {
    // The two that violate most; the step is upwards.
    if (!(found.gain > 0)) return;
    const Wide violation =
        machine.step(some.block(), std::numeric_limits<Real>::infinity()).violation;
    CHECK_NEAR(machine.line(some.block(), some.direction.data()).gradient, violation,
               20 * kRounding<Real> * (1 + violation));
    return;
  }
  for (int m = 0; m < classes; ++m) {
    if (!definition.has_variable(m, some.label)) continue;
    some.direction.clear();
    some.direction[m] = 1;
    CHECK_AT_MOST(promised(machine, some, kernel, inverse), found.gain + rounding);
  }
}

// Classes that may get a variable above zero when scores change by less than the margin.
template <class Real>
void check_near(const MarginMachine<Real>& machine, const Definition& definition, Case<Real>& some,
                Real margin) {
  const Block<Real> block = some.block();
  machine.near(block, margin);
  const Vector scores(block.score, block.score + block.layout.classes);
  const Vector h = definition.margins(scores, some.label);
  Wide level = 0;
  if (definition.one_slack() && !definition.squared())
    for (int m = 0; m < block.layout.classes; ++m)
      if (definition.has_variable(m, some.label)) level = std::max(level, h[m]);
  for (int m = 0; m < block.layout.classes; ++m) {
    if (!definition.has_variable(m, some.label)) continue;
    const Wide distance = level - margin - h[m];
    if (std::fabs(distance) < 20 * kRounding<Real>) continue;
    CHECK_EQUAL(block.change[m] > 0, distance < 0 || block.dual[m] > 0);
  }
}

template <class Real>
void check_machine(const std::string& name, const std::string& loss) {
  const Definition definition(name, loss);
  Source source(4);
  for (int trial = 0; trial < 300; ++trial) {
    const int classes = source.integer(2, 20);
    const auto machine = machine_of<Real>(name, loss, classes);
    const auto& margin_machine = dynamic_cast<const MarginMachine<Real>&>(*machine);
    Case<Real> some(source, definition, classes);
    check_line(margin_machine, definition, source, some);
    check_partner(margin_machine, definition, source, some);
    if (!definition.sums_to_zero())
      check_near(margin_machine, definition, some, Real(source.power_of_ten(-2, 0)));
  }
}

void run_tests() {
  for (const char* name : {"ww", "llw", "ovr", "cs"})
    for (const char* loss : {"hinge", "squared_hinge"}) {
      check_machine<double>(name, loss);
      check_machine<float>(name, loss);
    }
}

}  // namespace polymargin::test::test_partner
