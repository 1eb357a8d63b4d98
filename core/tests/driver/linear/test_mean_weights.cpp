#include "polymargin/driver/linear/make_schedule.hpp"
#include "training.hpp"

namespace polymargin::test::test_mean_weights {

constexpr Choice kSome[] = {{"cs", "hinge", "exact"},
                            {"ww", "hinge", "exact"},
                            {"ovr", "hinge", "exact"},
                            {"llw", "squared_hinge", "exact"},
                            {"ovr", "logistic", "exact"}};

template <class Real>
std::unique_ptr<Sequential<Real>> make(const Problem<Real>& problem, const Choice& choice) {
  auto driver = problem.driver(choice, Storage::dense_c, 1, 3);
  set_schedule(*driver, {"acf", false, false, 1e-3});
  return driver;
}

// A driver that keeps means visits as one that does not. Its certificate is never worse, and is
// that of the weights which it says are the model. Returns how often these are a mean.
int check_certificates(const Problem<double>& problem, const Choice& choice) {
  const auto driver = make(problem, choice), plain = make(problem, choice);
  driver->keep_mean();
  CHECK(driver->keeps_mean() && !plain->keeps_mean());
  int means = 0;
  for (int epoch = 0; epoch < 20; ++epoch) {
    CHECK_EQUAL(driver->epoch(never).dual, plain->epoch(never).dual);
    CHECK(&driver->model() == &driver->weights());
    const Certificate mine = driver->certify(1), theirs = plain->certify(2);
    CHECK_EQUAL(mine.dual, theirs.dual);
    CHECK_AT_MOST(mine.primal, theirs.primal);
    CHECK(mine.primal >= mine.dual);
    const bool is_mean = &driver->model() != &driver->weights();
    CHECK_EQUAL(mine.primal < theirs.primal, is_mean);
    means += is_mean;
    const auto kept = weights_of(*plain);
    Weights<double>& w = plain->weights();
    std::copy_n(driver->model().of_feature(0), kept.size(), w.of_feature(0));
    const Tally tally = plain->measure(1, never);
    CHECK_NEAR(tally.losses + w.squared_norm() / 2, mine.primal, 1e-12L * mine.primal);
    CHECK_EQUAL(tally.violation, mine.violation);
    std::copy(kept.begin(), kept.end(), w.of_feature(0));
    plain->measure(1, never);
  }
  return means;
}

void check_mean() {
  const ClassLayout layout = ClassLayout::of<double>(3);
  MeanWeights<double> mean(1, layout);
  Weights<double> w(1, layout);
  const double seen[] = {2, 5, -1};
  double sum = 0, total = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    w.of_feature(0)[1] = seen[epoch];
    mean.add(w);
    CHECK_EQUAL(mean.is_mean(), epoch > 0);
    sum = 0.7 * sum + seen[epoch];
    total = 0.7 * total + 1;
    CHECK_NEAR(mean.weights().of_feature(0)[1], sum / total, 1e-14L);
  }
  mean.forget();
  CHECK(!mean.is_mean());
  mean.add(w);
  CHECK_EQUAL(mean.weights().of_feature(0)[1], seen[2]);
}

void run_tests() {
  check_mean();
  int means = 0;
  for (const Choice& choice : kSome)
    means += check_certificates(Problem<double>(5, 200, 3, 6, 1), choice);
  CHECK(means > 10);  // of 100; 31 on the compiler of its author

  // Where rows have few entries for each feature there is none, nor for binary problems.
  const auto few = make(Problem<double>(5, 60, 9, 6, 1), kSome[0]);
  few->keep_mean();
  CHECK(!few->keeps_mean());
  const auto binary = make(binary_problem<double>(7, 400, 3, 1), kSome[2]);
  binary->keep_mean();
  CHECK(!binary->keeps_mean());
}

}  // namespace polymargin::test::test_mean_weights
