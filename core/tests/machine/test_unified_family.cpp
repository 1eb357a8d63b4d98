// The machines of the unified view whose label has a variable under weights that sum to zero, or
// whose largest violation counts there: each step against its definition, and small blocks against
// brute force.
#include "block_oracle.hpp"
#include "box_blocks.hpp"
#include "machine_checks.hpp"

namespace polymargin::test::test_unified_family {

template <class Real>
void fill_block(Source& source, Visit<Real>& visit) {
  const bool simplex = visit.definition.one_slack() && !visit.definition.squared();
  const auto point = simplex ? random_simplex_point(source, visit.classes + 1, visit.loss_weight)
                             : random_box_point(source, visit.classes, visit.loss_weight);
  for (int m = 0; m < visit.classes; ++m)
    if (visit.definition.has_variable(m, visit.label)) visit.arrays.dual[m] = point[m];
}

// Rows of every length, under the same scores; no weights, so that all classes are tied; weights
// C_i far from what is natural.
template <class Real>
void degenerate(Source& source, Visit<Real>& visit) {
  const double range = kIsFloat<Real> ? 1.5 : 4;
  if (source.chance(0.3)) visit.loss_weight *= Real(source.power_of_ten(-range, range));
  if (source.chance(0.3)) {
    const Wide factor = std::ldexp(1.0L, source.integer(-int(2 * range), int(2 * range)));
    for (Wide& value : visit.x) value *= factor;
    for (Wide& w : visit.weights) w /= factor;
    visit.norm *= factor * factor;
  }
  if (source.chance(0.1)) std::fill(visit.weights.begin(), visit.weights.end(), Wide(0));
  visit.measure();
}

template <class Real>
void check_machine(const char* name, const char* loss, const char* restricted, int visits) {
  const bool exact = std::string(restricted) == "exact";
  const Definition definition(name, loss);
  Source source(6);
  for (int v = 0; v < visits; ++v) {
    constexpr int kSizes[] = {2, 3, 3, 4, 5, 5, 16, 70};
    const int classes = kSizes[source.integer(0, 7)];
    const auto machine = machine_of<Real>(name, loss, classes, restricted);
    Visit<Real> visit(definition, source, classes, source.integer(0, classes - 1));
    degenerate(source, visit);
    fill_block(source, visit);
    check_block(*machine, visit);
    const BlockObjective f{definition,
                           visit.label,
                           visit.norm,
                           visit.loss_weight,
                           {visit.arrays.score.data(), visit.arrays.score.data() + classes},
                           visit.dual()};
    const Vector before = visit.dual();
    check_step(*machine, visit, exact);
    if (classes > 5) continue;
    const Vector best = best_block(f), found = visit.dual();
    const Wide terms =
        (sum_of(before) + sum_of(best) + sum_of(found)) * visit.derivative_rounding();
    CHECK_AT_MOST(f(found), f(best) + terms);  // the oracle is one
    if (exact) CHECK_AT_MOST(f(best) - terms, f(found));
  }
}

// With two classes there is one wrong class: its maximum is its sum.
template <class Real>
void check_two_classes(const char* maximum, const char* sum, const char* loss) {
  const Definition definition(sum, loss);
  const auto one = machine_of<Real>(maximum, loss, 2), other = machine_of<Real>(sum, loss, 2);
  Source source(7);
  for (int v = 0; v < 500; ++v) {
    Visit<Real> visit(definition, source, 2, source.integer(0, 1));
    degenerate(source, visit);
    visit.arrays.dual[1 - visit.label] = Real(visit.loss_weight * source.uniform(0, 1));
    BlockArrays<Real> copy(2);
    for (int m : {0, 1}) {
      copy.score[m] = visit.arrays.score[m];
      copy.dual[m] = visit.arrays.dual[m];
    }
    const Block<Real> block = visit.block(),
                      same = copy.block(visit.label, block.curvature, visit.loss_weight);
    const Step<Real> a = one->step(block, Real(0)), b = other->step(same, Real(0));
    CHECK_NEAR(a.loss, b.loss, 8 * kRounding<Real> * (1 + a.loss));
    CHECK_NEAR(a.violation, b.violation, visit.derivative_rounding());
    for (int m : {0, 1})
      CHECK_NEAR(
          block.dual[m], same.dual[m],
          16 * kRounding<Real> * (visit.loss_weight + (1 + visit.largest_score) / visit.norm));
  }
}

template <class Real>
void check_real() {
  for (const char* loss : {"hinge", "squared_hinge"}) {
    for (const char* name : {"ats", "rm", "mmr"})
      for (const char* restricted : {"exact", "active_set"})
        check_machine<Real>(name, loss, restricted, 3000);
    for (const char* name : {"adm", "atm"}) check_machine<Real>(name, loss, "exact", 3000);
    check_two_classes<Real>("cs", "ww", loss);
    check_two_classes<Real>("adm", "llw", loss);
  }
  check_machine<Real>("adm", "squared_hinge", "active_set", 3000);
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_unified_family
