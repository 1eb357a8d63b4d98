#include "box_blocks.hpp"
#include "machine_checks.hpp"

namespace polymargin::test::test_box_machine {

template <class Real>
BoxBlock<Real> restricted_problem(const Visit<Real>& visit) {
  const Definition& definition = visit.definition;
  const Wide penalty = definition.squared() ? 1 / (2 * Wide(visit.loss_weight)) : 0;
  const Wide coupling = definition.rho(visit.classes) * visit.norm;
  BoxBlock<Real> p;
  p.shape.diagonal = Real(visit.norm + (definition.one_slack() ? 0 : penalty));
  p.shape.coupling = Real(coupling + (definition.one_slack() ? penalty : 0));
  p.shape.upper = definition.squared() ? -kNowhere<Real> : visit.loss_weight;
  const Vector slopes = definition.slopes(visit.margins(), visit.dual(), visit.loss_weight);
  for (int m = 0; m < visit.classes; ++m) {
    const bool variable = definition.has_variable(m, visit.label);
    p.gradient.push_back(variable ? Real(slopes[m]) : kNowhere<Real>);
    p.start.push_back(visit.arrays.dual[m]);
  }
  return p;
}

template <class Real>
void check_solver(const char* machine_name, const char* loss, const char* restricted, int visits) {
  const bool exact = std::string(restricted) == "exact";
  const Definition definition(machine_name, loss);
  Source source(2);
  for (int v = 0; v < visits; ++v) {
    auto visit = Visit<Real>::random(definition, source);
    const auto machine = machine_of<Real>(machine_name, loss, visit.classes, restricted);
    const auto start = random_box_point(source, visit.classes, visit.loss_weight);
    for (int m = 0; m < visit.classes; ++m)
      if (definition.has_variable(m, visit.label)) visit.arrays.dual[m] = start[m];
    check_block(*machine, visit);
    const auto p = restricted_problem(visit);
    const BoxOptimum expected = BoxOracle<Real>(p).optimum();
    const Wide rounding = kRounding<Real> * (16 * expected.free_terms + 2 * expected.sum_terms) +
                          visit.score_rounding() / p.shape.diagonal;
    check_step(*machine, visit, exact);
    if (!exact) continue;
    const auto solution = visit.dual();
    for (int m = 0; m < visit.classes; ++m)
      CHECK_NEAR(solution[m], expected.solution[m], kExact<Real> * expected.scale + rounding);
  }
}

template <class Real>
void check_vertices() {
  const std::int32_t listed[] = {1, 4};
  const Real full[] = {3, 3}, part[] = {3, 1};
  for (const char* name : {"ww", "llw", "ovr"}) {
    const auto hinge = machine_of<Real>(name, "hinge", 5);
    CHECK(hinge->at_vertex({5, 0, 3, 0, listed, nullptr}));
    CHECK(hinge->at_vertex({5, 0, 3, 2, listed, full}));
    CHECK(!hinge->at_vertex({5, 0, 3, 2, listed, part}));
  }
  for (const char* name : {"cs", "ww", "llw", "ovr"}) {
    const auto squared = machine_of<Real>(name, "squared_hinge", 5);
    CHECK(squared->at_vertex({5, 0, 3, 0, listed, nullptr}));
    CHECK(!squared->at_vertex({5, 0, 3, 2, listed, full}));
  }
}

// Scores of zero, through the definition.
template <class Real>
void check_loss_at_zero() {
  for (const char* name : {"cs", "ww", "llw", "ovr"})
    for (const char* loss : {"hinge", "squared_hinge"})
      for (int classes : {1, 2, 7, 200}) {
        if (classes == 1 && std::string(name) != "ovr") continue;
        const Definition definition(name, loss);
        const auto machine = machine_of<Real>(name, loss, classes);
        const Wide expected = definition.loss(definition.margins(Vector(classes), 0));
        CHECK_NEAR(machine->loss_at_zero(classes, 0), expected, 1e-15L * expected);
      }
}

template <class Real>
void check_real() {
  check_vertices<Real>();
  check_loss_at_zero<Real>();
  for (const char* restricted : {"exact", "active_set"}) {
    check_solver<Real>("cs", "squared_hinge", restricted, 5000);
    for (const char* machine : {"ww", "llw", "ovr"})
      for (const char* loss : {"hinge", "squared_hinge"})
        check_solver<Real>(machine, loss, restricted, 5000);
  }
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_box_machine
