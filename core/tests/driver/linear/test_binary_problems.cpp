#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "polymargin/driver/linear/make_schedule.hpp"
#include "polymargin/driver/linear/one_vs_one.hpp"
#include "polymargin/driver/linear/one_vs_rest.hpp"
#include "training.hpp"

namespace polymargin::test::test_binary_problems {

constexpr std::uint64_t kSeed = 11;
constexpr Choice kBinary[] = {
    {"ovr", "hinge", "exact"}, {"ovr", "squared_hinge", "exact"}, {"ovr", "logistic", "exact"}};

template <class Real>
std::shared_ptr<const Machine<Real>> machine_of(const Choice& choice) {
  return test::machine_of<Real>(choice.machine, choice.loss, 1, choice.restricted);
}

// One-vs-rest with a group for each class, or with so many groups.
template <template <class> class Problems, class Real>
std::unique_ptr<Problems<Real>> make(const Problem<Real>& problem,
                                     std::shared_ptr<const Machine<Real>> machine,
                                     Tolerance tolerance, int threads,
                                     const ScheduleOptions& options = {"permuted", false, false, 0},
                                     int groups = 0) {
  const auto make_with = [&](auto... counts) {
    return std::make_unique<Problems<Real>>(problem.matrix.view(Storage::csr32, 1), problem.labels,
                                            problem.loss_weights, counts..., std::move(machine),
                                            tolerance, kSeed, threads);
  };
  std::unique_ptr<Problems<Real>> result;
  if constexpr (std::is_same_v<Problems<Real>, OneVsRest<Real>>)
    result = make_with(problem.classes, groups == 0 ? problem.classes : groups);
  else
    result = make_with(problem.classes);
  for (auto& binary : result->problems()) set_schedule(*binary.driver, options);
  return result;
}

// The rows of a problem: of a pair first those of the first class, each in ascending order.
template <class Real>
std::vector<std::int32_t> rows_of(const Problem<Real>& problem, int first, int second) {
  std::vector<std::int32_t> rows;
  if (first == kRest)
    for (std::size_t i = 0; i < problem.labels.size(); ++i) rows.push_back(std::int32_t(i));
  else
    for (int label : {first, second})
      for (std::size_t i = 0; i < problem.labels.size(); ++i)
        if (problem.labels[i] == label) rows.push_back(std::int32_t(i));
  return rows;
}

// A binary problem, made by hand.
template <class Real>
std::unique_ptr<Sequential<Real>> driver_alone(const Problem<Real>& problem, const Choice& choice,
                                               int first, int second, std::uint64_t seed) {
  const auto chosen = rows_of(problem, first, second);
  std::vector<Example<Real>> examples;
  for (std::int32_t i : chosen)
    examples.push_back({0, problem.loss_weights[i], 0, problem.labels[i] == second ? 0 : -1});
  auto rows = std::make_shared<RowsSubset<Real>>(problem.matrix.view(Storage::csr32, 1), chosen);
  auto driver =
      std::make_unique<Sequential<Real>>(rows, examples, 1, machine_of<Real>(choice), seed);
  driver->set_schedule(std::make_unique<PermutedSchedule>(driver->visited()));
  return driver;
}

// Pairs are numbered (0, 1), (0, 2), ..., and every row is in those of its class, at the place that
// it has among the rows of the pair.
void check_pairs() {
  const Problem<double> problem(5, 40, 6, 5, 0.6);
  const auto all = make<OneVsOne>(problem, machine_of<double>(kBinary[0]), {1e-3, false}, 1);
  CHECK_EQUAL(all->problems().size(), 10u);
  CHECK_EQUAL(all->examples(), 40);
  std::size_t number = 0;
  std::map<std::pair<std::int64_t, std::int32_t>, std::int64_t> expected, found;
  for (int first = 0; first < 5; ++first)
    for (int second = first + 1; second < 5; ++second, ++number) {
      CHECK_EQUAL(all->problems()[number].first, first);
      CHECK_EQUAL(all->problems()[number].second, second);
      const auto rows = rows_of(problem, first, second);
      const auto& driver = *all->problems()[number].driver;
      CHECK_EQUAL(driver.rows().size(), std::int64_t(rows.size()));
      for (std::size_t local = 0; local < rows.size(); ++local) {
        expected[{std::int64_t(number), std::int32_t(local)}] = rows[local];
        CHECK_EQUAL(driver.examples()[local].label, problem.labels[rows[local]] == second ? 0 : -1);
        CHECK_EQUAL(driver.examples()[local].loss_weight, problem.loss_weights[rows[local]]);
      }
    }
  for (int i = 0; i < 40; ++i) {
    int problems = 0;
    std::int64_t last = -1;
    all->for_each_problem(i, [&](auto& pair, std::int64_t p, std::int32_t local) {
      CHECK(&pair == &all->problems()[p]);
      CHECK(p > last);
      CHECK(found.emplace(std::pair{p, local}, i).second);
      last = p;
      ++problems;
    });
    CHECK_EQUAL(problems, 4);
  }
  CHECK(found == expected);
}

// The problem of a class has all rows, each at its own place; the class is the positive one.
void check_classes() {
  const Problem<double> problem(5, 40, 6, 5, 0.6);
  const auto all = make<OneVsRest>(problem, machine_of<double>(kBinary[0]), {1e-3, false}, 1);
  CHECK_EQUAL(all->problems().size(), 5u);
  CHECK_EQUAL(all->examples(), 40);
  for (int i = 0; i < 40; ++i) {
    std::int64_t next = 0;
    all->for_each_problem(i, [&](auto& binary, std::int64_t p, std::int32_t local) {
      CHECK(&binary == &all->problems()[p]);
      CHECK_EQUAL(p, next++);
      CHECK_EQUAL(local, i);
      CHECK_EQUAL(binary.first, kRest);
      CHECK_EQUAL(binary.second, p);
      const Example<double>& example = binary.driver->examples()[i];
      CHECK_EQUAL(example.label, problem.labels[i] == p ? 0 : -1);
      CHECK_EQUAL(example.loss_weight, problem.loss_weights[i]);
    });
    CHECK_EQUAL(next, 5);
  }
}

// A group has its classes, one after the other; labels of other groups are outside.
void check_groups() {
  const Problem<double> problem(5, 60, 6, 7, 0.6);
  const auto all = make<OneVsRest>(problem, machine_of<double>(kBinary[0]), {1e-9, false}, 2,
                                   {"acf", true, false, 1e-3}, 3);
  CHECK_EQUAL(all->problems().size(), 3u);
  std::int32_t next = 0;
  for (const auto& group : all->problems()) {
    CHECK_EQUAL(group.second, next);
    CHECK(group.columns == 2 || group.columns == 3);
    for (int i = 0; i < 60; ++i) {
      const std::int32_t column = problem.labels[i] - next;
      const bool inside = column >= 0 && column < group.columns;
      CHECK_EQUAL(group.driver->examples()[i].label, inside ? column : -1);
    }
    next += group.columns;
  }
  CHECK_EQUAL(next, 7);
  // Its optimum is that of the classes one by one.
  const auto apart = make<OneVsRest>(problem, machine_of<double>(kBinary[0]), {1e-9, false}, 1);
  for (int epoch = 0; epoch < 5000; ++epoch) {
    all->epoch(never);
    apart->epoch(never);
  }
  const Certificate mine = all->certify(never), theirs = apart->certify(never);
  CHECK_AT_MOST(mine.primal - mine.dual, 1e-9L * mine.primal);
  CHECK_NEAR(mine.primal, theirs.primal, 2e-9L * mine.primal);
}

// Each problem takes the steps that it takes alone, and the reports are their sums.
template <template <class> class Problems, class Real>
void check_sums(const Choice& choice) {
  const Problem<Real> problem(4, 50, 8, 4, 0.5);
  constexpr double kNever = -1;
  const auto all = make<Problems>(problem, machine_of<Real>(choice), {kNever, false}, 1);
  std::vector<std::unique_ptr<Sequential<Real>>> alone;
  std::int64_t visits = 0;
  for (const auto& binary : all->problems()) {
    const std::uint64_t seed = kSeed + alone.size();
    alone.push_back(driver_alone(problem, choice, binary.first, binary.second, seed));
    visits += alone.back()->rows().size();
  }
  for (int epoch = 0; epoch < 5; ++epoch) {
    const EpochReport report = all->epoch(never);
    EpochReport sum;
    for (const auto& driver : alone) {
      const EpochReport own = driver->epoch(never);
      sum.visits += own.visits;
      sum.moves += own.moves;
      sum.violation = std::max(sum.violation, own.violation);
      sum.dual += own.dual;
      sum.half_norm += own.half_norm;
      sum.loss_sum += own.loss_sum;
    }
    CHECK(!report.stopped);
    CHECK_EQUAL(report.visits, visits);
    CHECK_EQUAL(report.visits, sum.visits);
    CHECK_EQUAL(report.moves, sum.moves);
    CHECK_EQUAL(report.violation, sum.violation);
    CHECK_EQUAL(report.dual, sum.dual);
    CHECK_EQUAL(report.half_norm, sum.half_norm);
    CHECK_EQUAL(report.loss_sum, sum.loss_sum);
  }
  all->rebuild_weights();
  const Certificate certificate = all->certify(never);
  Certificate sum;
  for (std::size_t p = 0; p < alone.size(); ++p) {
    alone[p]->rebuild_weights();
    CHECK(weights_of(*all->problems()[p].driver) == weights_of(*alone[p]));
    const Certificate own = alone[p]->certify(1);
    sum.primal += own.primal;
    sum.dual += own.dual;
    sum.violation = std::max(sum.violation, own.violation);
  }
  CHECK(certificate.complete);
  CHECK_EQUAL(certificate.primal, sum.primal);
  CHECK_EQUAL(certificate.dual, sum.dual);
  CHECK_EQUAL(certificate.violation, sum.violation);
  CHECK(certificate.dual > 0 && certificate.dual < certificate.primal);
}

// Trains to the end. A finished problem keeps its weights and its share of the report; the sum of
// the finished is within the tolerance, and the report says so.
template <template <class> class Problems, class Real>
void check_finished(const Choice& choice, Tolerance tolerance) {
  const Problem<Real> problem(6, 60, 8, 5, 0.5);
  const auto all = make<Problems>(problem, machine_of<Real>(choice), tolerance, 1);
  const std::size_t count = all->problems().size();
  std::map<std::size_t, std::vector<Real>> finished;
  std::size_t last = 0;
  bool some_went_on = false;
  for (int epoch = 0; epoch < 5000 && finished.size() < count; ++epoch) {
    const EpochReport report = all->epoch(never);
    std::int64_t visits = 0;
    for (std::size_t p = 0; p < count; ++p) {
      auto& binary = all->problems()[p];
      if (finished.contains(p)) {
        CHECK(binary.finished);
        CHECK(weights_of(*binary.driver) == finished[p]);
        CHECK_EQUAL(binary.report.visits, 0);
        continue;
      }
      visits += binary.driver->rows().size();
      if (binary.finished) {
        CHECK(tolerance.reached(binary.certificate.primal, binary.certificate.dual,
                                binary.certificate.violation));
        CHECK_EQUAL(binary.report.dual, binary.certificate.dual);
        CHECK_EQUAL(binary.report.half_norm + binary.report.loss_sum, binary.certificate.primal);
        finished[p] = weights_of(*binary.driver);
      }
    }
    CHECK_EQUAL(report.visits, visits);
    some_went_on |= last > 0 && last < count && finished.size() > last;
    last = finished.size();
  }
  CHECK_EQUAL(finished.size(), count);
  CHECK(some_went_on);
  all->rebuild_weights();
  const Certificate certificate = all->certify(never);
  for (auto& [p, weights] : finished) CHECK(weights_of(*all->problems()[p].driver) == weights);
  if (tolerance.by_violation)
    CHECK_AT_MOST(certificate.violation, tolerance.value);
  else
    CHECK_AT_MOST(certificate.primal - certificate.dual, tolerance.value * certificate.primal);
  CHECK_EQUAL(all->epoch(never).visits, 0);
}

// The number of threads changes no bit; the order of the visits, by its name, changes the weights.
template <template <class> class Problems, class Real>
void check_threads(const Choice& choice) {
  const Problem<Real> problem(7, 80, 8, 6, 0.5);
  const ScheduleOptions orders[] = {
      {"permuted", false, false, 0}, {"acf", false, false, 0}, {"permuted", true, true, 1e-3}};
  std::vector<std::vector<Real>> of_order;
  for (const ScheduleOptions& order : orders) {
    std::vector<EpochReport> reports;
    std::vector<std::vector<Real>> weights;
    for (int threads : {1, 3}) {
      const auto all =
          make<Problems>(problem, machine_of<Real>(choice), {1e-2, false}, threads, order);
      for (int epoch = 0; epoch < 8; ++epoch) reports.push_back(all->epoch(never));
      for (auto& binary : all->problems()) weights.push_back(weights_of(*binary.driver));
    }
    for (std::size_t epoch = 0; epoch < 8; ++epoch) {
      CHECK_EQUAL(reports[epoch].dual, reports[epoch + 8].dual);
      CHECK_EQUAL(reports[epoch].loss_sum, reports[epoch + 8].loss_sum);
      CHECK_EQUAL(reports[epoch].visits, reports[epoch + 8].visits);
    }
    const std::size_t count = weights.size() / 2;
    for (std::size_t p = 0; p < count; ++p) CHECK(weights[p] == weights[p + count]);
    of_order.push_back(weights[0]);
  }
  CHECK(of_order[1] != of_order[0] && of_order[1] != of_order[2]);
  // A logistic block is never at a vertex, and nothing shrinks.
  CHECK_EQUAL(of_order[0] != of_order[2], choice.loss != "logistic");
}

// Visits take so long at least that the clock is looked at after 64 of them: problems that come
// after the stop are not visited.
class SlowSchedule final : public Schedule {
 public:
  SlowSchedule(std::vector<std::int32_t> examples, std::atomic<int>& visits)
      : Schedule(std::move(examples)), visits_(visits) {}
  void next_round(std::vector<std::int32_t>& round, Random& random, Inspector&) override {
    all_permuted(round, random);
  }
  void report(std::int32_t, double, double) override {
    std::this_thread::sleep_for(std::chrono::microseconds(600));
    ++visits_;
  }

 private:
  std::atomic<int>& visits_;
};

void check_poll() {
  const Problem<double> problem(8, 240, 4, 4, 1);
  for (int threads : {1, 3}) {
    const auto all =
        make<OneVsOne>(problem, machine_of<double>(kBinary[0]), {1e-3, false}, threads);
    std::atomic<int> visits = 0;
    for (auto& pair : all->problems())
      pair.driver->set_schedule(std::make_unique<SlowSchedule>(pair.driver->visited(), visits));
    // Other threads may be ahead of the one that looks at the clock by any number of visits.
    const auto few = [&](const EpochReport& report) { return threads > 1 || report.visits <= 128; };
    const EpochReport stopped = all->epoch([&] { return visits > 0; });
    CHECK(stopped.stopped);
    CHECK(stopped.visits > 0 && few(stopped));
    for (auto& pair : all->problems()) CHECK(!pair.finished);
    all->rebuild_weights();
    const Certificate certificate = all->certify(never);
    CHECK(certificate.complete);
    CHECK(certificate.dual > 0 && certificate.dual <= certificate.primal);

    int asked = 0;
    const EpochReport whole = all->epoch([&] { return ++asked < 0; });
    CHECK(!whole.stopped);
    CHECK_EQUAL(whole.visits, 3 * 240);
    CHECK(asked >= 2);
    // Nor are those of the epoch before counted again.
    CHECK(few(all->epoch([] { return true; })));
  }
}

// Two classes are one problem; a class without rows leaves problems of one sign.
void check_small() {
  Problem<double> problem(9, 20, 5, 3, 1);
  for (std::int32_t& label : problem.labels) label = label == 2 ? 0 : label;
  const auto all = make<OneVsOne>(problem, machine_of<double>(kBinary[2]), {1e-6, false}, 2);
  for (int epoch = 0; epoch < 500; ++epoch) all->epoch(never);
  for (const auto& pair : all->problems()) CHECK(pair.finished);
  const Certificate certificate = all->certify(never);
  CHECK_AT_MOST(certificate.primal - certificate.dual, 1e-6L * certificate.primal);

  problem.classes = 2;
  const auto one = make<OneVsOne>(problem, machine_of<double>(kBinary[2]), {1e-6, false}, 2);
  CHECK_EQUAL(one->problems().size(), 1u);
}

template <template <class> class Problems, class Real>
void check_training() {
  for (const Choice& choice : kBinary) {
    check_sums<Problems, Real>(choice);
    check_finished<Problems, Real>(choice, {1e-2, false});
    check_finished<Problems, Real>(choice, {1e-2, true});
    check_threads<Problems, Real>(choice);
  }
}

void run_tests() {
  check_pairs();
  check_classes();
  check_groups();
  check_training<OneVsOne, double>();
  check_training<OneVsOne, float>();
  check_training<OneVsRest, double>();
  check_training<OneVsRest, float>();
  check_poll();
  check_small();
}

}  // namespace polymargin::test::test_binary_problems
