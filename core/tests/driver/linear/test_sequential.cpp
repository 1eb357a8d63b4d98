#include <chrono>
#include <thread>

#include "polymargin/driver/linear/max_violation.hpp"
#include "polymargin/driver/linear/random_draws.hpp"
#include "polymargin/driver/linear/sequential.hpp"
#include "training.hpp"

namespace polymargin::test::test_sequential {

enum class Order { permuted, shrinking, cooling, class_shrinking, max_violation, random };

template <class Real>
void set_order(Sequential<Real>& driver, Order order) {
  if (order == Order::shrinking || order == Order::cooling)
    driver.set_schedule(
        std::make_unique<ShrinkingSchedule>(driver.visited(), 1e-9, order == Order::cooling));
  if (order == Order::max_violation)
    driver.set_schedule(std::make_unique<MaxViolationSchedule>(driver.visited()));
  if (order == Order::random)
    driver.set_schedule(std::make_unique<RandomDrawsSchedule>(driver.visited()));
  driver.set_class_shrinking(order == Order::class_shrinking);
}

// The coefficients of every machine but ovr sum to zero over the classes, and so do its weights, up
// to a rounding of all the dual variables that they are made of.
template <class Real>
void check_sum_of_weights(Sequential<Real>& driver) {
  Wide size = 1;
  for (std::int32_t i : driver.visited())
    driver.blocks().for_each(i, [&](std::int32_t, Real u) { size += u; });
  const Weights<Real>& w = driver.weights();
  for (std::int64_t f = 0; f < w.features(); ++f) {
    Wide sum = 0;
    for (int m = 0; m < w.layout().classes; ++m) sum += w.of_feature(f)[m];
    CHECK_NEAR(sum, 0, 100 * kRounding<Real> * size);
  }
}

template <class Real>
void check_training(const Choice& choice, const Problem<Real>& problem, Storage storage,
                    Real bias) {
  const bool exact =
      choice.restricted == "exact" || choice.restricted == "sort" || choice.restricted == "pivot";
  const auto driver = problem.driver(choice, storage, bias, 1);
  // The dual of a smooth loss is strongly convex: the last digits cost little.
  const bool smooth = choice.loss == "logistic" || choice.loss == "log";
  const Wide goal = kIsFloat<Real> ? 1e-3L : smooth ? 1e-11L : 1e-6L;
  const Wide gap = train(*driver, exact ? 20000 : 40, goal);
  if (exact) CHECK_AT_MOST(gap, goal);
  CHECK_AT_MOST(gap, 0.5L);
  if (choice.machine != "ovr") check_sum_of_weights(*driver);
}

template <class Real>
void check_training(const Choice& choice) {
  for (int classes : {2, 3, 10, 20, 65, 200}) {
    const bool dense = classes % 2 == 1;
    const Problem<Real> problem(classes, 30, 12, classes, dense ? 1 : 0.4);
    check_training<Real>(choice, problem, dense ? Storage::dense_c : Storage::csr32, classes > 3);
  }
  if (choice.machine != "ovr") return;
  for (Real bias : {Real(0), Real(1)})
    check_training(choice, binary_problem<Real>(2, 30, 12, 0.4), Storage::csr32, bias);
}

template <class Real>
void check_orders() {
  for (const Choice& choice : kChoices) {
    if (choice.restricted != "exact") continue;
    for (int classes : {10, 65})
      for (Order order : {Order::shrinking, Order::cooling, Order::class_shrinking,
                          Order::max_violation, Order::random}) {
        const Problem<Real> problem(classes, 30, 12, classes, 0.4);
        const auto driver = problem.driver(choice, Storage::csr32, 1, 1);
        set_order(*driver, order);
        const Wide goal = kIsFloat<Real> ? 1e-3L : 1e-6L;
        CHECK_AT_MOST(train(*driver, 20000, goal), goal);
      }
  }
}

template <class Real>
void check_seeds(const Choice& choice, int classes) {
  const Problem<Real> problem(3, 30, 12, classes, 0.4);
  std::vector<Real> weights[3];
  for (int run = 0; run < 3; ++run) {
    const auto driver = problem.driver(choice, Storage::csr32, 1, run < 2 ? 5 : 6);
    for (int epoch = 0; epoch < 3; ++epoch) driver->epoch(never);
    weights[run] = weights_of(*driver);
  }
  CHECK(weights[0] == weights[1]);
  CHECK(weights[0] != weights[2]);
}

// The width of an index changes no bit. Between dense orders, and dense and sparse, only the
// rounding may differ: compilers contract multiplications and additions loop by loop.
template <class Real>
void check_storages(const Choice& choice, int classes) {
  for (double density : {0.4, 1.0}) {
    const Problem<Real> problem(4, 30, 12, classes, density);
    std::vector<std::vector<Real>> weights;
    for (Storage storage : kStorages) {
      const auto driver = problem.driver(choice, storage, 1, 5);
      for (int epoch = 0; epoch < 3; ++epoch) driver->epoch(never);
      weights.push_back(weights_of(*driver));
    }
    CHECK(weights[0] == weights[1]);
    for (std::size_t other = 2; other < weights.size(); ++other)
      for (std::size_t i = 0; i < weights[0].size(); ++i)
        CHECK_NEAR(weights[other][i], weights[0][i], kIsFloat<Real> ? 1e-4L : 1e-12L);
  }
}

// Enough classes and features for the threads to share a row.
template <class Real>
void check_threads(const Choice& choice) {
  const Problem<Real> problem(9, 12, 150, 600, 1);
  std::vector<Real> weights[3];
  for (int threads : {1, 2, 3}) {
    const auto driver = problem.driver(choice, Storage::csr32, 1, 5);
    driver->set_threads(threads);
    for (int epoch = 0; epoch < 3; ++epoch) driver->epoch(never);
    weights[threads - 1] = weights_of(*driver);
  }
  CHECK(weights[0] == weights[1]);
  CHECK(weights[0] == weights[2]);
}

template <class Real>
void check_left_alone(const Choice& choice, int classes) {
  Problem<Real> problem(5, 30, 12, classes, 0.4);
  const std::vector<std::int32_t> empty{0, 7}, weightless{3, 29};
  for (int i : empty) problem.matrix.clear_row(i);
  for (int i : weightless) problem.loss_weights[i] = 0;
  const auto driver = problem.driver(choice, Storage::csr32, 0, 1);
  CHECK_EQUAL(driver->visited().size(), 26u);
  const Wide goal = kIsFloat<Real> ? 1e-3L : 1e-6L;
  CHECK_AT_MOST(train(*driver, 20000, goal), goal);
  int non_zeros = 0;
  for (const auto& group : {empty, weightless})
    for (int i : group) driver->blocks().for_each(i, [&](auto, Real) { ++non_zeros; });
  CHECK_EQUAL(non_zeros, 0);
}

// Makes visits long enough for the clock.
class SlowSchedule final : public Schedule {
 public:
  using Schedule::Schedule;
  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector&) override {
    all_permuted(round, random);
  }
  void report(std::int32_t, double, double) override {
    std::this_thread::sleep_for(std::chrono::microseconds(400));
  }
};

// Visits the same example again and again, and tells who was visited.
class StubbornSchedule final : public Schedule {
 public:
  StubbornSchedule(std::vector<std::int32_t> examples, std::vector<int>& visits)
      : Schedule(std::move(examples)), visits_(visits) {}
  void next_round(std::vector<std::int32_t>& round, Random&, Inspector&) override {
    round.assign(7, examples_.front());
  }
  void report(std::int32_t i, double, double) override { ++visits_[i]; }

 private:
  std::vector<int>& visits_;
};

// Two epochs without a move mean that nothing can move, whatever the schedule.
void check_everyone_is_asked() {
  const Problem<double> problem(6, 20, 4, 3, 1);
  const auto driver = problem.driver(kChoices[0], Storage::dense_c, 0, 1);
  std::vector<int> visits(20);
  driver->set_schedule(std::make_unique<StubbornSchedule>(driver->visited(), visits));
  int epochs = 1;
  while (driver->epoch(never).moves > 0) CHECK(++epochs < 1000);
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(visits[i], i == 0 ? 20 * epochs : 0);
  CHECK(driver->epoch(never).moves > 0);
  for (int i = 0; i < 20; ++i) CHECK_EQUAL(visits[i], i == 0 ? 20 * epochs + 1 : 1);
  driver->epoch(never);
  CHECK_EQUAL(visits[0], 20 * epochs + 21);
}

void check_poll() {
  const Problem<double> problem(6, 150, 4, 3, 1);
  const auto driver = problem.driver(kChoices[0], Storage::dense_c, 0, 1);
  driver->set_schedule(std::make_unique<SlowSchedule>(driver->visited()));
  const EpochReport stopped = driver->epoch([] { return true; });
  CHECK(stopped.stopped);
  CHECK_EQUAL(stopped.visits, 64);
  driver->rebuild_weights();
  const Certificate certificate = driver->certify(1);
  CHECK(certificate.dual > 0 && certificate.dual <= certificate.primal);

  int asked = 0;
  const EpochReport whole = driver->epoch([&] { return ++asked < 0; });
  CHECK(!whole.stopped);
  CHECK_EQUAL(whole.visits, 150);
  CHECK(asked >= 2);
}

template <class Real>
void check_real() {
  for (const Choice& choice : kChoices) {
    check_training<Real>(choice);
    if (choice.restricted == "exact")
      for (int classes : {3, 65}) check_left_alone<Real>(choice, classes);
  }
  check_orders<Real>();
  for (const Choice& choice : kFamily) {
    check_threads<Real>(choice);
    for (int classes : {3, 20, 65}) {
      check_seeds<Real>(choice, classes);
      check_storages<Real>(choice, classes);
    }
  }
}

void run_tests() {
  check_real<double>();
  check_real<float>();
  check_poll();
  check_everyone_is_asked();
}

}  // namespace polymargin::test::test_sequential
