// The order of largest violation inside a driver, against violations from the definitions.
#include "definitions.hpp"
#include "polymargin/driver/linear/max_violation.hpp"
#include "training.hpp"

namespace polymargin::test::test_max_violation {

// The violation of every example: scores are sums over dual variables, and the weights and the
// machine of the driver are not used.
template <class Real>
Vector violations_of(const Problem<Real>& problem, const Choice& choice, Sequential<Real>& driver) {
  const Definition definition(choice.machine, choice.loss);
  const int n = problem.matrix.rows(), k = problem.classes;
  std::vector<Vector> duals(n, Vector(k)), coefficients;
  for (int i = 0; i < n; ++i) {
    driver.blocks().for_each(i, [&](std::int32_t m, Real u) { duals[i][m] = u; });
    coefficients.push_back(definition.coefficients(duals[i], problem.labels[i]));
  }
  Vector violations;
  for (int i = 0; i < n; ++i) {
    Vector score(k);
    for (int j = 0; j < n; ++j) {
      Wide product = 0;
      for (int f = 0; f < problem.matrix.columns(); ++f)
        product += Wide(problem.matrix.at(i, f)) * problem.matrix.at(j, f);
      for (int m = 0; m < k; ++m) score[m] += coefficients[j][m] * product;
    }
    const Vector margins = definition.margins(score, problem.labels[i]);
    violations.push_back(
        definition.violation(margins, duals[i], problem.loss_weights[i], 8 * kRounding<Real>));
  }
  return violations;
}

// Compares every choice of the schedule with the largest violation there is.
class Checked final : public Schedule {
 public:
  Checked(std::vector<std::int32_t> examples, std::function<Vector()> violations)
      : Schedule(examples), schedule_(examples), violations_(std::move(violations)) {}

  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector& inspector) override {
    schedule_.next_round(round, random, inspector);
    if (round.size() != 1) return;  // everybody, after a visit without gain
    const Vector violations = violations_();
    Wide largest = 0;
    for (std::int32_t i : examples_) largest = std::max(largest, violations[i]);
    CHECK_NEAR(violations[round[0]], largest, 1e-10L);
    ++choices;
  }
  void report(std::int32_t i, double violation, double gain) override {
    schedule_.report(i, violation, gain);
  }

  int choices = 0;

 private:
  MaxViolationSchedule schedule_;
  std::function<Vector()> violations_;
};

void check_choices(const Choice& choice, int classes) {
  Problem<double> problem(classes, 20, 8, classes, 0.5);
  problem.loss_weights[3] = 0;  // never chosen
  const auto driver = problem.driver(choice, Storage::csr32, 0, 1);
  auto checked = std::make_unique<Checked>(driver->visited(),
                                           [&] { return violations_of(problem, choice, *driver); });
  const Checked& schedule = *checked;
  driver->set_schedule(std::move(checked));
  for (int epoch = 0; epoch < 4; ++epoch) driver->epoch(never);
  CHECK(schedule.choices > 40);
}

// Rows so many that one search is longer than the pause between two polls.
void check_poll() {
  const Problem<double> problem(6, 60000, 40, 3, 1);
  const auto driver = problem.driver(kChoices[0], Storage::dense_c, 0, 1);
  driver->set_schedule(std::make_unique<MaxViolationSchedule>(driver->visited()));
  int asked = 0;
  const EpochReport report = driver->epoch([&] { return ++asked == 3; });
  CHECK(report.stopped);
  CHECK_EQUAL(asked, 3);
  CHECK(report.visits < 1000);  // of the 60000 of an epoch
}

void run_tests() {
  for (const Choice& choice : kChoices)
    if (choice.restricted == "exact")
      for (int classes : {3, 70}) check_choices(choice, classes);
  check_poll();
}

}  // namespace polymargin::test::test_max_violation
