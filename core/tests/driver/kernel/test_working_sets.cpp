// The block method, against objectives and optimality conditions from the definitions.
#include "working_set_rounds.hpp"

namespace polymargin::test::test_working_sets {

std::vector<KernelMachine> all_machines() {
  std::vector<KernelMachine> machines(std::begin(kKernelMachines), std::end(kKernelMachines));
  for (const char* machine : {"ats", "mmr", "rm"}) machines.push_back({machine, "hinge"});
  machines.push_back({"cs", "squared_hinge"});
  return machines;
}

template <class Real>
void check_training(const KernelMachine& choice, const KernelProblem<Real>& problem, double goal) {
  WorkingSetTrained<Real> trained(problem, choice, problem.size, 1);
  trained.train(goal, 30, 12);
  trained.check_scores();
  trained.rebuild();
  trained.check_scores();
  // Scores without rounding may show a violation again.
  trained.train(goal, 30, 12);
  trained.check_optimum(goal);
}

// The violation of every example, from the definitions.
std::vector<Wide> violations_of(const WorkingSetTrained<double>& trained) {
  const KernelProblem<double>& problem = trained.problem;
  const std::vector<Vector> scores = trained.scores();
  std::vector<Wide> result;
  for (int i = 0; i < problem.size; ++i)
    result.push_back(problem.loss_weights[i] == 0
                         ? Wide(0)
                         : trained.definition.violation(
                               trained.definition.margins(scores[i], problem.labels[i]),
                               trained.dual(i), problem.loss_weights[i], 16 * kRounding<double>));
  return result;
}

// The worst examples are chosen, in order and once each; with few new rows, the worst of those.
void check_selection(const KernelMachine& choice, unsigned seed) {
  KernelProblem<double> problem(seed, 70, 4, 1.0, 1.0);
  for (int i : {3, 30, 31}) problem.loss_weights[i] = 0;
  WorkingSetTrained<double> trained(problem, choice, 25, seed);
  Source source(seed);
  for (int r = 0; r < 12; ++r) {
    const std::vector<Wide> violation = violations_of(trained);
    const int size = source.integer(1, 25), fresh = source.integer(0, 10);
    const auto chosen = trained.solver.select(size, fresh);
    CHECK(std::int64_t(chosen.size()) <= size);
    CHECK(std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) == chosen.end());
    CHECK_NEAR(trained.solver.violation(), *std::max_element(violation.begin(), violation.end()),
               1e-11L);

    // Of those with a row and of those without: how many, the least chosen, the largest left.
    int count[2] = {};
    Wide least[2] = {1e30L, 1e30L}, left[2] = {};
    for (int i = 0; i < problem.size; ++i) {
      const bool without = !trained.state->cache().at(i);
      if (std::binary_search(chosen.begin(), chosen.end(), i)) {
        ++count[without];
        least[without] = std::min(least[without], violation[i]);
      } else {
        left[without] = std::max(left[without], violation[i]);
      }
    }
    CHECK(count[1] <= fresh);
    CHECK(least[0] > 0 && least[1] > 0);
    for (int without : {0, 1}) CHECK_AT_MOST(left[without], least[without] + 1e-11L);
    const bool full = std::int64_t(chosen.size()) == size;
    if (full) CHECK_AT_MOST(left[0], std::min(least[0], least[1]) + 1e-11L);
    if (!full) CHECK_AT_MOST(left[0], 1e-11L);
    if (!full && count[1] < fresh) CHECK_AT_MOST(left[1], 1e-11L);
    trained.round(25, 10);
  }
}

// Classes on a grid in the plane: an example has few that are near.
template <class Real>
KernelProblem<Real> grid_problem(int size, int classes) {
  KernelProblem<Real> problem(1, size, classes, 1.0, 10.0);
  const int side = int(std::ceil(std::sqrt(classes)));
  Source source(1);
  std::vector<double> points;
  for (int label : problem.labels)
    for (int centre : {label % side, label / side}) points.push_back(centre + 0.3 * source.bell());
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j)
      problem.kernel[i * size + j] =
          Real(std::exp(-std::pow(points[2 * i] - points[2 * j], 2) -
                        std::pow(points[2 * i + 1] - points[2 * j + 1], 2)));
  return problem;
}

// Steps of pairs gain until there is nothing left to gain, or for a while. Those of machines whose
// variables share a penalty are not built.
template <class Real>
void check_pairs(WorkingSetTrained<Real>& trained, WorkingSet<Real>& working, Source& source) {
  const std::vector<Real> before(working.violations().begin(), working.violations().end());
  const Real worst = before.empty() ? 0 : *std::max_element(before.begin(), before.end());
  if (!working.has_pairs() || !(worst > Real(1e-3))) return;
  const double dual = trained.state->dual();
  const Real target = worst * Real(source.uniform(0.01, 1));
  const std::int64_t steps = working.descend(before, worst, target);
  if (steps == 0) return;  // too many variables
  CHECK(trained.state->dual() > dual);
}

// What a working set knows of its examples while they move is what all scores say afterwards, but
// for classes that it has left out; every step gains. Returns how often some were left out.
template <class Real>
int check_working_set(const KernelMachine& choice, unsigned seed,
                      const KernelProblem<Real>& problem, double trained_to) {
  WorkingSetTrained<Real> trained(problem, choice, problem.size, seed);
  trained.train(trained_to, problem.size, problem.size);
  WorkingSet<Real> working(*trained.state, 1e9);
  Source source(seed);
  const Wide largest = *std::max_element(problem.loss_weights.begin(), problem.loss_weights.end());
  const Wide rounding = 1000 * kRounding<Real> * (1 + largest);
  int sparse = 0;
  for (int r = 0; r < 8; ++r) {
    std::vector<std::int32_t> some;
    for (int i = 0; i < problem.size; ++i)
      if (source.chance(0.6)) some.push_back(i);
    trained.fetch(some);
    working.gather(some, Real(r % 2 ? 0 : 0.01));
    sparse += !working.whole();
    std::vector<std::int32_t> taken = working.examples();
    std::sort(taken.begin(), taken.end());
    CHECK(taken == some);
    for (int v = 0; v < 60 && !some.empty(); ++v) {
      const int p = source.integer(0, int(some.size()) - 1);
      const Wide violation = working.violations()[p];
      const double before = trained.state->dual();
      const bool moved = working.visit(p, Real(1e-3), v % 2 == 0);
      CHECK_EQUAL(moved, violation > 1e-3L);
      // What a variable next to its bound can still gain may be less than the last digit holds.
      if (moved) CHECK(trained.state->dual() >= before - kRounding<double> * std::abs(before));
    }
    check_pairs(trained, working, source);
    const std::span<const Real> violations = working.violations();
    working.commit();
    trained.check_scores();
    trained.check_dual();
    for (std::size_t p = 0; p < some.size(); ++p) {
      const Wide all = trained.state->measure(working.examples()[p]).violation;
      CHECK_AT_MOST(violations[p], all + rounding);
      if (working.whole()) CHECK_NEAR(violations[p], all, rounding);
    }
  }
  return sparse;
}

// A working set is solved to the accuracy that is asked for.
void check_accuracy(const KernelMachine& choice) {
  const KernelProblem<double> problem(4, 60, 3, 1.0, 0.5);
  std::vector<std::int32_t> all(problem.size);
  std::iota(all.begin(), all.end(), 0);
  for (double accuracy : {0.1, 1e-3}) {
    WorkingSetTrained<double> trained(problem, choice, problem.size, 1);
    trained.fetch(all);
    CHECK(!trained.solver.solve(all, accuracy, never));
    CHECK(trained.solver.visits() < 100 * problem.size);
    CHECK_AT_MOST(trained.values().violation, accuracy + 1e-12L);
  }
}

// The same optimum with room for all kernel rows and for few, in working sets large and small.
void check_cache(const KernelMachine& choice) {
  const KernelProblem<double> problem(6, 60, 3, 1.0, 2.0);
  Wide first = 0;
  for (int rows : {60, 9, 2})
    for (int size : {60, 2}) {
      WorkingSetTrained<double> trained(problem, choice, rows, 7);
      trained.train(1e-5, size, size);
      CHECK(trained.state->cache().size() <= rows);
      trained.check_optimum(1e-5);
      const Wide dual = trained.values().dual;
      if (first == 0) first = dual;
      CHECK_NEAR(dual, first, 1e-4L * first);
    }
}

// Columns of examples that are done are left out. The others are trained by themselves, and with
// all of them again the optimum is the one without shrinking.
template <class Real>
void check_shrinking(const KernelMachine& choice) {
  const double goal = kIsFloat<Real> ? 2e-3 : 1e-4;
  const KernelProblem<Real> problem(3, 120, 3, 0.3, 3.0);
  WorkingSetTrained<Real> whole(problem, choice, 120, 5), trained(problem, choice, 30, 5);
  whole.train(goal, 40, 40);

  trained.solver.select(40, 40);
  CHECK(!trained.solver.shrink());  // all violate their conditions
  CHECK(!trained.state->shrunk());
  int shrunk = 0;
  for (int r = 0; r < 2000; ++r) {
    const bool moved = trained.round(30, 20, goal);
    if (!moved && !trained.state->shrunk()) break;
    if (!moved) {
      trained.rebuild();
      CHECK(!trained.state->shrunk() && trained.state->columns().size() == 120);
      trained.check_scores();
      continue;
    }
    trained.solver.select(30, 20);
    const std::size_t before = trained.state->columns().size();
    const std::vector<Real> duals = trained.duals();
    if (trained.solver.shrink()) {
      ++shrunk;
      CHECK(trained.state->columns().size() <= 0.8 * before);
      CHECK(!trained.state->columns().empty());
      CHECK(trained.state->cache().length() == std::int64_t(trained.state->columns().size()));
      trained.check_scores();
      trained.round(30, 20);
      for (int i = 0; i < problem.size; ++i)  // who has no column does not move
        if (trained.state->column_of(i) < 0)
          CHECK(std::equal(trained.state->dual(i), trained.state->dual(i) + problem.classes,
                           duals.begin() + i * trained.state->layout().stride));
    }
  }
  CHECK(shrunk > 0 && !trained.state->shrunk());
  trained.check_optimum(goal);
  const auto expected = whole.values();
  CHECK_NEAR(
      trained.values().dual, expected.dual,
      2 * (expected.primal - expected.dual) + (kIsFloat<Real> ? 1e-3L : 1e-6L) * expected.primal);
}

// The same twice, to the last bit; another seed chooses among equals in another way.
template <class Real>
void check_determinism(const KernelMachine& choice) {
  const KernelProblem<Real> problem(8, 60, 3, 0.5, 1.0);
  std::vector<Real> duals[2];
  std::vector<std::int32_t> chosen[2];
  for (int run : {0, 1}) {
    WorkingSetTrained<Real> trained(problem, choice, 20, 5);
    for (int r = 0; r < 10; ++r) trained.round(15, 10);
    duals[run] = trained.duals();
    chosen[run] = WorkingSetTrained<Real>(problem, choice, 20, run).solver.select(15, 15);
  }
  CHECK(duals[0] == duals[1]);
  CHECK(chosen[0] != chosen[1]);
}

// Neither without weight nor without a feature has an example variables, and the certificate is as
// tight as without them.
void check_without_variables(const KernelMachine& choice) {
  KernelProblem<double> problem(9, 50, 3, 0.5, 1.0);
  for (int i : {0, 13, 49}) problem.loss_weights[i] = 0;
  for (int i : {4, 20})
    for (int j = 0; j < problem.size; ++j)
      problem.kernel[i * problem.size + j] = problem.kernel[j * problem.size + i] = 0;
  WorkingSetTrained<double> trained(problem, choice, 50, 1);
  const int without[] = {0, 4, 13, 20, 49};
  for (int r = 0; r < 1000; ++r) {
    const auto chosen = trained.solver.select(20, 20);
    if (trained.solver.violation() <= 1e-7) break;
    for (int i : without) CHECK(!std::binary_search(chosen.begin(), chosen.end(), i));
    trained.fetch(chosen);
    trained.solver.solve(chosen, 0.1 * trained.solver.violation(), never);
  }
  for (int i : without) CHECK_EQUAL(sum_of(trained.dual(i)), 0);
  const Certificate certificate = trained.state->certify();
  CHECK_AT_MOST(certificate.violation, 1e-7);
  CHECK_NEAR(certificate.primal, certificate.dual, 1e-4L * certificate.primal);
  CHECK_NEAR(certificate.primal, trained.values().primal, 1e-11L * certificate.primal);
}

// One class against the rest: labels are 0, or -1 for those outside.
template <class Real>
KernelProblem<Real> binary_problem() {
  KernelProblem<Real> problem(12, 80, 2, 1.0, 1.0);
  problem.classes = 1;
  for (std::int32_t& label : problem.labels) --label;
  return problem;
}

// Stopped in the middle: what has moved is in the scores.
void check_stop() {
  const KernelProblem<double> problem(2, 1000, 10, 0.01, 1e6);
  std::vector<std::int32_t> all(problem.size);
  std::iota(all.begin(), all.end(), 0);
  WorkingSetTrained<double> trained(problem, {"ww", "hinge"}, problem.size, 1);
  trained.fetch(all);
  trained.solver.select(problem.size, problem.size);
  int asked = 0;
  CHECK(trained.solver.solve(all, 0, [&] { return ++asked > 0; }));
  CHECK_EQUAL(asked, 1);
  CHECK(trained.solver.visits() < 100 * problem.size);
  const auto expected = trained.scores();
  for (int i = 0; i < problem.size; ++i)
    for (int m = 0; m < problem.classes; ++m)
      CHECK_NEAR(trained.state->score(i)[m], expected[i][m], 1e-2L);
  CHECK(!trained.solver.solve({}, 0, never));
}

// Where violations are no more than rounding, and no step moves, examples are visited once.
void check_rounding() {
  const KernelProblem<float> problem(6, 30, 5, 1.0, 200.0);
  std::vector<std::int32_t> all(problem.size);
  std::iota(all.begin(), all.end(), 0);
  int idle = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    WorkingSetTrained<float> trained(problem, {"ww", "hinge"}, problem.size, seed);
    trained.fetch(all);
    for (int r = 0; r < 50; ++r) {
      const std::int64_t visits = trained.solver.visits(), moves = trained.solver.moves();
      trained.solver.solve(all, 0, never);
      if (trained.solver.moves() > moves || trained.solver.visits() == visits) continue;
      ++idle;
      CHECK_AT_MOST(trained.solver.visits() - visits, problem.size);
    }
  }
  CHECK(idle > 0);
}

void run_tests() {
  for (const KernelMachine& choice : all_machines()) {
    for (int classes : {2, 3, 20, 70}) {
      check_training<double>(choice, {unsigned(classes), 80, classes, 1.0, 1.0}, 1e-6);
      check_training<float>(choice, {unsigned(classes), 80, classes, 1.0, 1.0}, 2e-3);
    }
    // Nearly all points alike, and no two alike but those that are there twice.
    for (double gamma : {1e-9, 1e4}) check_training<double>(choice, {5, 60, 3, gamma, 1.0}, 1e-5);
    for (unsigned seed = 20; seed < 25; ++seed) check_selection(choice, seed);
    int sparse = check_working_set<float>(choice, 29, grid_problem<float>(500, 36), 0.02);
    for (unsigned seed = 30; seed < 35; ++seed) {
      sparse += check_working_set<double>(choice, seed, {seed, 50, 4, 0.2, 1e3}, 2.0);
      sparse += check_working_set<float>(choice, seed, {seed, 50, 4, 0.5, 1.0}, 2.0);
    }
    CHECK_EQUAL(sparse > 0, choice.machine == "ww" || choice.machine == "cs");
    check_accuracy(choice);
    check_cache(choice);
    check_shrinking<double>(choice);
    check_shrinking<float>(choice);
    check_determinism<float>(choice);
    check_determinism<double>(choice);
    check_without_variables(choice);
    if (choice.machine == "ovr") {
      check_training<double>(choice, binary_problem<double>(), 1e-6);
      check_training<float>(choice, binary_problem<float>(), 2e-3);
    }
  }
  check_rounding();
  check_stop();
}

}  // namespace polymargin::test::test_working_sets
