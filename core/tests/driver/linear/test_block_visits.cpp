#include "polymargin/driver/linear/make_schedule.hpp"
#include "training.hpp"

namespace polymargin::test::test_block_visits {

constexpr Choice kVisited[] = {{"cs", "hinge", "exact"},
                               {"ww", "hinge", "exact"},
                               {"ovr", "hinge", "exact"},
                               {"ovr", "squared_hinge", "exact"}};

template <class Real>
std::unique_ptr<BlockVisits<Real>> visits_of(const Problem<Real>& problem, const Choice& choice,
                                             Storage storage) {
  const auto machine =
      machine_of<Real>(choice.machine, choice.loss, problem.classes, choice.restricted);
  return make_block_visits(*problem.matrix.view(storage, 0), *machine,
                           ClassLayout::of<Real>(problem.classes));
}

// Rows that have a loop of their own, and the same rows in a storage that has none: the same visits
// and the same steps, but for rounding.
template <class Real>
void check_same_steps(const Choice& choice, int classes, Storage storage, Storage general,
                      double bias, double scale) {
  constexpr Wide kRounding = 1e-10L;
  const Problem<Real> problem(classes, 60, 13, classes, is_dense(storage) ? 1 : 0.5);
  CHECK(visits_of(problem, choice, storage) != nullptr);
  CHECK(visits_of(problem, choice, general) == nullptr);
  const auto make = [&](Storage stored) {
    auto driver = problem.driver(choice, stored, Real(bias), 3);
    set_schedule(*driver, {"acf", false, false, 1e-3});
    driver->set_scale(Real(scale));
    return driver;
  };
  const auto driver = make(storage), other = make(general);
  for (int epoch = 0; epoch < 6; ++epoch) {
    const EpochReport mine = driver->epoch(never), theirs = other->epoch(never);
    CHECK_EQUAL(mine.visits, theirs.visits);
    CHECK_EQUAL(mine.moves, theirs.moves);
    CHECK_EQUAL(mine.evaluations, theirs.evaluations);
    CHECK_NEAR(mine.violation, theirs.violation, kRounding);
    CHECK_NEAR(mine.dual, theirs.dual, kRounding);
    CHECK_NEAR(mine.half_norm, theirs.half_norm, kRounding);
    CHECK_NEAR(mine.loss_sum, theirs.loss_sum, kRounding);
  }
  const auto mine = weights_of(*driver), theirs = weights_of(*other);
  for (std::size_t f = 0; f < mine.size(); ++f) CHECK_NEAR(mine[f], theirs[f], kRounding);
}

// Some of the rows in another order: as the same rows by themselves.
void check_subset(const Choice& choice) {
  const Problem<double> problem(7, 40, 21, 5, 0.5);
  std::vector<std::int32_t> chosen;
  std::vector<Example<double>> examples;
  for (std::int32_t i = 39; i >= 0; i -= 3) {
    chosen.push_back(i);
    examples.push_back({0, problem.loss_weights[i], 0, problem.labels[i]});
  }
  const auto train = [&](Storage storage) {
    auto rows = std::make_shared<RowsSubset<double>>(problem.matrix.view(storage, 1), chosen);
    auto machine = machine_of<double>(choice.machine, choice.loss, 5, choice.restricted);
    Sequential<double> driver(rows, examples, 5, machine, 5);
    set_schedule(driver, {"acf", false, false, 1e-3});
    for (int epoch = 0; epoch < 5; ++epoch) driver.epoch(never);
    return weights_of(driver);
  };
  const auto mine = train(Storage::csr32), theirs = train(Storage::csr64);
  for (std::size_t f = 0; f < mine.size(); ++f) CHECK_NEAR(mine[f], theirs[f], 1e-10L);
}

// The optimum, in single precision too.
template <class Real>
void check_training(const Choice& choice, int classes) {
  const Problem<Real> problem(classes, 40, 9, classes, 1);
  const auto driver = problem.driver(choice, Storage::dense_c, 1, 1);
  set_schedule(*driver, {"acf", false, false, 1e-3});
  const Wide goal = kIsFloat<Real> ? 1e-3L : 1e-6L;
  CHECK_AT_MOST(train(*driver, 20000, goal), goal);
}

void run_tests() {
  constexpr int kLanes = kNativeBytes / int(sizeof(double));
  for (const Choice& choice : kVisited) {
    // all numbers of packs, of half the native size and of the whole
    for (int classes : {2, kLanes, kLanes + 1, 2 * kLanes, 2 * kLanes + 1, 4 * kLanes}) {
      check_same_steps<double>(choice, classes, Storage::csr32, Storage::csr64, 0, 1);
      check_same_steps<double>(choice, classes, Storage::csr32, Storage::csr64, 1, 2);
      check_same_steps<double>(choice, classes, Storage::dense_c, Storage::dense_f, 0, 2);
      check_same_steps<double>(choice, classes, Storage::dense_c, Storage::dense_columns, 1, 1);
    }
    check_subset(choice);
    for (int classes : {3, 11}) {
      check_training<float>(choice, classes);
      check_training<double>(choice, classes);
    }
  }
  const Problem<double> many(1, 20, 9, 4 * kLanes + 1, 1);
  CHECK(visits_of(many, kVisited[0], Storage::dense_c) == nullptr);
}

}  // namespace polymargin::test::test_block_visits
