#include "polymargin/driver/linear/make_schedule.hpp"
#include "training.hpp"

namespace polymargin::test::test_binary_visits {

constexpr Choice kClipped[] = {{"ovr", "hinge", "exact"}, {"ovr", "squared_hinge", "exact"}};

template <class Real>
std::unique_ptr<Sequential<Real>> make(const Problem<Real>& problem, const Choice& choice,
                                       Storage storage, Real bias, const std::string& order) {
  auto driver = problem.driver(choice, storage, bias, 3);
  set_schedule(*driver, {order, false, false, 1e-3});
  return driver;
}

template <class Real>
void check_near(const EpochReport& report, const EpochReport& other, Wide rounding) {
  CHECK_EQUAL(report.visits, other.visits);
  CHECK_EQUAL(report.moves, other.moves);
  CHECK_NEAR(report.violation, other.violation, rounding);
  CHECK_NEAR(report.dual, other.dual, rounding);
  CHECK_NEAR(report.half_norm, other.half_norm, rounding);
  CHECK_NEAR(report.loss_sum, other.loss_sum, rounding);
}

// Rows that have a loop of their own, and the same rows in a storage that has none: the same visits
// and the same steps, but for rounding. From the third round on "acf" goes by whether a visit has
// gained anything, which rounding may decide.
void check_same_steps(const Choice& choice, Storage storage, Storage general, double bias,
                      const std::string& order, double scale) {
  constexpr Wide kRounding = 1e-10L;
  for (int features : {1, 3, 16, 37, 61}) {
    const auto problem = binary_problem<double>(features, 60, features, is_dense(storage) ? 1 : .5);
    const auto driver = make(problem, choice, storage, bias, order);
    const auto other = make(problem, choice, general, bias, order);
    driver->set_scale(scale);
    other->set_scale(scale);
    for (int epoch = 0; epoch < (order == "acf" ? 2 : 6); ++epoch)
      check_near<double>(driver->epoch(never), other->epoch(never), kRounding);
    const auto same_weights = [&] {
      const auto mine = weights_of(*driver), theirs = weights_of(*other);
      for (std::size_t f = 0; f < mine.size(); ++f) CHECK_NEAR(mine[f], theirs[f], kRounding);
    };
    same_weights();
    const Certificate mine = driver->certify(2), theirs = other->certify(1);
    same_weights();
    CHECK_NEAR(mine.primal, theirs.primal, kRounding);
    CHECK_NEAR(mine.dual, theirs.dual, kRounding);
    CHECK_NEAR(mine.violation, theirs.violation, kRounding);
    CHECK(mine.dual > 0 && mine.dual <= mine.primal);
  }
}

// Some of the rows in another order: as the same rows by themselves.
void check_subset(const Choice& choice) {
  const auto problem = binary_problem<double>(7, 40, 21, 0.5);
  std::vector<std::int32_t> chosen;
  std::vector<Example<double>> examples;
  for (std::int32_t i = 39; i >= 0; i -= 3) {
    chosen.push_back(i);
    examples.push_back({0, problem.loss_weights[i], 0, problem.labels[i]});
  }
  const auto train = [&](Storage storage) {
    auto rows = std::make_shared<RowsSubset<double>>(problem.matrix.view(storage, 1), chosen);
    auto machine = machine_of<double>(choice.machine, choice.loss, 1, choice.restricted);
    Sequential<double> driver(rows, examples, 1, machine, 5);
    set_schedule(driver, {"permuted", false, false, 1e-3});
    for (int epoch = 0; epoch < 5; ++epoch) driver.epoch(never);
    return weights_of(driver);
  };
  const auto mine = train(Storage::csr32), theirs = train(Storage::csr64);
  for (std::size_t f = 0; f < mine.size(); ++f) CHECK_NEAR(mine[f], theirs[f], 1e-10L);
}

void run_tests() {
  for (const Choice& choice : kClipped) {
    for (const std::string order : {"acf", "permuted"}) {
      check_same_steps(choice, Storage::csr32, Storage::csr64, 0, order, 1);
      check_same_steps(choice, Storage::csr32, Storage::csr64, 1, order, 2);
      check_same_steps(choice, Storage::dense_c, Storage::dense_f, 0, order, 2);
      check_same_steps(choice, Storage::dense_c, Storage::dense_columns, 1, order, 1);
    }
    check_subset(choice);
  }
}

}  // namespace polymargin::test::test_binary_visits
