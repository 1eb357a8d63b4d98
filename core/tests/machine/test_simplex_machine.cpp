#include "machine_checks.hpp"

namespace polymargin::test::test_simplex_machine {

template <class Real>
void fill_block(Source& source, Visit<Real>& visit) {
  const auto beta = random_simplex_point(source, visit.classes, visit.loss_weight);
  for (int m = 0; m < visit.classes; ++m)
    if (m != visit.label) visit.arrays.dual[m] = beta[m];
}

// The projection; its input is h as the machine rounds it.
template <class Real>
std::vector<Wide> optimum(const Visit<Real>& visit) {
  SimplexBlock<Wide> p{visit.norm, visit.loss_weight, visit.margins(), visit.dual()};
  p.gradient[visit.label] = 0;
  p.start[visit.label] = std::max(visit.loss_weight - sum_of(visit.dual()), Wide(0));
  return simplex_optimum(p);
}

template <class Real>
void check_solver(const std::string& restricted, int visits) {
  const bool exact = restricted == "exact" || restricted == "sort" || restricted == "pivot";
  const auto machine = machine_of<Real>("cs", "hinge", 2, restricted, 1e-2);
  const Definition definition("cs", "hinge");
  Source source(1);
  for (int v = 0; v < visits; ++v) {
    auto visit = Visit<Real>::random(definition, source);
    fill_block(source, visit);
    if (restricted != "exact") visit.stored_slack = visit.loss_weight;
    check_block(*machine, visit);
    const auto expected = optimum(visit);
    const Wide tolerance = kExact<Real> * visit.loss_weight +
                           16 * kRounding<Real> * (1 + visit.largest_score) / visit.norm;
    check_step(*machine, visit, exact);
    if (!exact) continue;
    const auto solution = visit.dual();
    for (int m = 0; m < visit.classes; ++m)
      if (m != visit.label) CHECK_NEAR(solution[m], expected[m], tolerance);
  }
}

template <class Real>
void check_vertices() {
  const auto machine = machine_of<Real>("cs", "hinge", 7);
  const std::int32_t listed[] = {1, 4};
  const Real full[] = {3}, part[] = {2}, two[] = {2, 1};
  CHECK(machine->at_vertex({7, 0, 3, 0, listed, nullptr}));
  CHECK(machine->at_vertex({7, 0, 3, 1, listed, full}));
  CHECK(!machine->at_vertex({7, 0, 3, 1, listed, part}));
  CHECK(!machine->at_vertex({7, 0, 3, 2, listed, two}));
  CHECK_EQUAL(machine->loss_at_zero(7, 0), 1);
}

// A sum that misses C_i by rounding is put on it, by the largest variable; any other is left alone.
template <class Real>
void check_tighten() {
  const auto machine = machine_of<Real>("cs", "hinge", 7);
  const auto& margin = dynamic_cast<const MarginMachine<Real>&>(*machine);
  const Real loss_weight = 3;
  for (const Real units : {-500, -30, -9, 0, 9, 30, 500}) {
    BlockArrays<Real> arrays(5);
    const Real off = units * std::numeric_limits<Real>::epsilon() * loss_weight;
    arrays.dual[1] = Real(0.75);
    arrays.dual[3] = Real(2.25) - off;
    const Block<Real> block = arrays.block(0, Real(1), loss_weight);
    const Real before = arrays.dual[3];
    margin.tighten(block);
    CHECK_EQUAL(arrays.dual[1], Real(0.75));
    CHECK_EQUAL(arrays.dual[3], std::fabs(units) > 100 ? before : Real(2.25));
  }
}

void run_tests() {
  check_tighten<float>();
  check_tighten<double>();
  check_vertices<float>();
  check_vertices<double>();
  for (const char* restricted :
       {"exact", "sort", "pivot", "bisection", "fixed_point", "active_set", "smo", "frank_wolfe"}) {
    check_solver<double>(restricted, 3000);
    check_solver<float>(restricted, 3000);
  }
}

}  // namespace polymargin::test::test_simplex_machine
