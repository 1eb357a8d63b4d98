#include "box_blocks.hpp"
#include "machine_checks.hpp"
#include "polymargin/machine/boxed.hpp"

namespace polymargin::test {

template <BoxLoss Loss>
struct BoxFormulas {
  static constexpr bool kShared = Loss == BoxLoss::squared_maximum;
  static constexpr bool kSquared = Loss != BoxLoss::hinge;

  template <class Real>
  static Wide sum(const Visit<Real>& visit) {
    Wide total = 0;
    for (Wide u : visit.dual()) total += u;
    return total;
  }
  template <class Real>
  static Wide term(const Visit<Real>& visit) {
    const Wide total = sum(visit);
    Wide squares = 0;
    for (Wide u : visit.dual()) squares += u * u;
    return total - (kShared ? total * total : kSquared ? squares : 0) / (4 * Wide(visit.cap));
  }
  template <class Real>
  static Wide loss(const Visit<Real>& visit) {
    Wide largest = 0, total = 0;
    for (int m = 0; m < visit.classes; ++m) {
      if (m == visit.label) continue;
      const Wide slack = std::max(visit.margin(m), Wide(0));
      largest = std::max(largest, slack);
      total += kSquared ? slack * slack : slack;
    }
    return kShared ? largest * largest : total;
  }
  // The derivative of the dual objective by u_m.
  template <class Real>
  static Wide derivative(const Visit<Real>& visit, int m) {
    const Wide penalised = kShared ? sum(visit) : kSquared ? visit.dual()[m] : 0;
    return visit.margin(m) - penalised / (2 * Wide(visit.cap));
  }
  template <class Real>
  static Wide violation(const Visit<Real>& visit) {
    Wide worst = 0;
    const auto dual = visit.dual();
    for (int m = 0; m < visit.classes; ++m) {
      if (m == visit.label) continue;
      const Wide slope = derivative(visit, m);
      if (dual[m] > 0) worst = std::max(worst, -slope);
      if (kSquared || dual[m] < visit.cap) worst = std::max(worst, slope);
    }
    return worst;
  }
  template <class Real>
  static bool feasible(const Visit<Real>& visit) {
    for (Wide u : visit.dual())
      if (!(u >= 0) || (!kSquared && u > visit.cap)) return false;
    return true;
  }
  // The variables are known to a rounding of theirs, which the penalty multiplies by 1/(2C_i) and
  // the coupling by their number.
  template <class Real>
  static Wide amplified(const Visit<Real>& visit, Wide tolerance) {
    const Wide penalty = kSquared ? 1 / (2 * Wide(visit.cap) * visit.norm) : 0;
    return tolerance * (1 + penalty * (kShared ? visit.classes : 1));
  }
};

template <BoxLoss Loss, class Real>
BoxBlock<Real> restricted_problem(const Visit<Real>& visit) {
  using Formulas = BoxFormulas<Loss>;
  const Wide penalty = Formulas::kSquared ? 1 / (2 * Wide(visit.cap)) : 0;
  BoxBlock<Real> p;
  p.shape.diagonal = Real(visit.norm + (Formulas::kShared ? 0 : penalty));
  p.shape.coupling = Real(visit.norm + (Formulas::kShared ? penalty : 0));
  p.shape.upper = Formulas::kSquared ? -kNowhere<Real> : visit.cap;
  for (int m = 0; m < visit.classes; ++m) {
    p.gradient.push_back(m == visit.label ? kNowhere<Real> : Real(Formulas::derivative(visit, m)));
    p.start.push_back(visit.arrays.dual[m]);
  }
  return p;
}

template <BoxLoss Loss, class Real>
void check_solver(const char* machine_name, const char* loss, const char* restricted, int visits) {
  const bool exact = std::string(restricted) == "exact";
  const auto machine = make_machine<Real>(machine_name, loss, restricted, 0);
  Source source(2);
  for (int v = 0; v < visits; ++v) {
    Visit<Real> visit(source);
    const auto start = random_box_point(source, visit.classes, visit.cap);
    for (int m = 0; m < visit.classes; ++m)
      if (m != visit.label) visit.arrays.dual[m] = start[m];
    check_dual_term<BoxFormulas<Loss>>(*machine, visit);
    const auto p = restricted_problem<Loss>(visit);
    const BoxOptimum expected = BoxOracle<Real>(p).optimum();
    const Wide rounding = kRounding<Real> * (16 * expected.free_terms + 2 * expected.sum_terms) +
                          visit.derivative_rounding() / p.shape.diagonal;
    check_step<BoxFormulas<Loss>>(*machine, visit, exact);
    if (!exact) continue;
    const auto solution = visit.dual();
    for (int m = 0; m < visit.classes; ++m)
      CHECK_NEAR(solution[m], expected.solution[m], kExact<Real> * expected.scale + rounding);
  }
}

template <class Real>
void check_vertices() {
  const Real full[] = {3, 3}, part[] = {3, 1};
  const auto hinge = make_machine<Real>("ww", "hinge", "exact", 0);
  CHECK(hinge->at_vertex(3, nullptr, 0));
  CHECK(hinge->at_vertex(3, full, 2));
  CHECK(!hinge->at_vertex(3, part, 2));
  CHECK_EQUAL(hinge->loss_at_zero(7), 6);
  for (const char* name : {"ww", "cs"}) {
    const auto squared = make_machine<Real>(name, "squared_hinge", "exact", 0);
    CHECK(squared->at_vertex(3, nullptr, 0));
    CHECK(!squared->at_vertex(3, full, 2));
    CHECK_EQUAL(squared->loss_at_zero(7), std::string(name) == "ww" ? 6 : 1);
  }
}

template <class Real>
void check_real() {
  check_vertices<Real>();
  for (const char* restricted : {"exact", "active_set"}) {
    check_solver<BoxLoss::hinge, Real>("ww", "hinge", restricted, 5000);
    check_solver<BoxLoss::squared_hinge, Real>("ww", "squared_hinge", restricted, 5000);
    check_solver<BoxLoss::squared_maximum, Real>("cs", "squared_hinge", restricted, 5000);
  }
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test
