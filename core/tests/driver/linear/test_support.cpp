// Visits to the support of a block and the label alone.
#include "definitions.hpp"
#include "training.hpp"

namespace polymargin::test::test_support {

class SupportSchedule final : public Schedule {
 public:
  using Schedule::Schedule;
  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector&) override {
    all_permuted(round, random);
  }
  void report(std::int32_t, double, double) override {}
  bool support_only() const override { return true; }
};

// The label's own variable can enter a block (one-vs-rest), in its place; other classes
// cannot.
template <class Real>
void check_label_enters(const Choice& choice) {
  const Problem<Real> problem(11, 20, 12, 100, 0.4);
  const auto driver = problem.driver(choice, Storage::csr32, 1, 1);
  const bool label_has_variable = Definition(choice.machine, choice.loss).label_has_variable();
  for (std::int32_t i : driver->visited()) {
    const std::int32_t other = problem.labels[i] == 99 ? 98 : 99;
    driver->blocks().set(i, {{other, problem.loss_weights[i] / 2}});
  }
  driver->rebuild_weights();
  driver->set_schedule(std::make_unique<SupportSchedule>(driver->visited()));
  const EpochReport report = driver->epoch(never);
  check_order_of_classes(*driver);
  int entered = 0;
  for (std::int32_t i : driver->visited())
    driver->blocks().for_each(i, [&](std::int32_t m, Real) { entered += m == problem.labels[i]; });
  CHECK_EQUAL(entered > 0, label_has_variable);
  driver->rebuild_weights();
  CHECK_NEAR(report.dual, driver->dual(),
             (kIsFloat<Real> ? 2e-5L : 1e-11L) * std::fabs(report.dual));
}

void run_tests() {
  for (const Choice& choice : kChoices) {
    if (choice.machine == "llw" || choice.restricted != "exact") continue;
    check_label_enters<double>(choice);
    check_label_enters<float>(choice);
  }
}

}  // namespace polymargin::test::test_support
