#include <chrono>
#include <thread>

#include "definitions.hpp"
#include "training.hpp"

namespace polymargin::test::test_measured_rows {

// Primal, dual and violation from the definitions: scores are sums over dual variables, so neither
// the weights nor the machine of the driver are used.
template <class Real>
class FromDefinition {
 public:
  FromDefinition(const Problem<Real>& problem, const Choice& choice, Real bias,
                 Sequential<Real>& driver)
      : problem_(problem), definition_(choice.machine, choice.loss), bias_(bias) {
    const int n = problem.matrix.rows();
    duals_.assign(n, Vector(problem.classes));
    for (int i = 0; i < n; ++i) {
      driver.blocks().for_each(i, [&](std::int32_t m, Real u) { duals_[i][m] = u; });
      coefficients_.push_back(definition_.coefficients(duals_[i], problem.labels[i]));
    }
    for (int i = 0; i < n; ++i) add_example(i);
    primal += half_norm_;
    dual -= half_norm_;
  }

  Wide primal = 0, dual = 0, violation = 0;

 private:
  Wide product(int i, int j) const {
    Wide sum = Wide(bias_) * bias_;
    for (int f = 0; f < problem_.matrix.columns(); ++f)
      sum += Wide(problem_.matrix.at(i, f)) * problem_.matrix.at(j, f);
    return sum;
  }

  void add_example(int i) {
    const int k = problem_.classes;
    const Wide loss_weight = problem_.loss_weights[i];
    Vector score(k);
    for (int j = 0; j < problem_.matrix.rows(); ++j) {
      const Wide p = product(i, j);
      for (int m = 0; m < k; ++m) score[m] += coefficients_[j][m] * p;
    }
    for (int m = 0; m < k; ++m) half_norm_ += coefficients_[i][m] * score[m] / 2;
    const Vector margins = definition_.margins(score, problem_.labels[i]);
    primal += loss_weight * definition_.loss(margins);
    dual += definition_.term(duals_[i], problem_.labels[i], loss_weight);
    violation = std::max(violation, definition_.violation(margins, duals_[i], loss_weight, kFull));
    CHECK(definition_.feasible(duals_[i], problem_.labels[i], loss_weight, kFull));
  }

  static constexpr Wide kFull = 1e-12L;

  const Problem<Real>& problem_;
  const Definition definition_;
  const Real bias_;
  std::vector<Vector> coefficients_, duals_;
  Wide half_norm_ = 0;
};

void check_definition(const Choice& choice, const Problem<double>& problem) {
  const auto driver = problem.driver(choice, Storage::csr64, 1.5, 1);
  for (int epochs : {0, 1, 5}) {
    for (int epoch = 0; epoch < epochs; ++epoch) driver->epoch(never);
    driver->rebuild_weights();
    const Certificate certificate = driver->certify(1);
    const FromDefinition<double> expected(problem, choice, 1.5, *driver);
    const Wide tolerance = 1e-11L * (1 + expected.primal);
    CHECK_NEAR(certificate.primal, expected.primal, tolerance);
    CHECK_NEAR(certificate.dual, expected.dual, tolerance);
    CHECK_NEAR(certificate.violation, expected.violation, 1e-10L);
  }
}

// More than one chunk of examples, so that threads have something to share.
template <class Real>
void check_threads(int classes) {
  const Problem<Real> problem(7, 3000, 5, classes, 0.6);
  const auto driver = problem.driver(kChoices[0], Storage::csr32, 1, 1);
  driver->epoch(never);
  driver->rebuild_weights();
  const Certificate one = driver->certify(1);
  std::vector<Real> losses;
  for (const auto& example : driver->examples()) losses.push_back(example.loss);
  for (int threads : {2, 4}) {
    const Certificate many = driver->certify(threads);
    CHECK(many.primal == one.primal);
    CHECK(many.dual == one.dual);
    CHECK(many.violation == one.violation);
    for (std::size_t i = 0; i < losses.size(); ++i) CHECK(driver->examples()[i].loss == losses[i]);
  }
}

class SlowMachine final : public Machine<double> {
 public:
  Step<double> step(const Block<double>& block, double threshold) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
    return machine_->step(block, threshold);
  }
  void coefficients(const Block<double>& block) const override { machine_->coefficients(block); }
  bool sums_to_zero() const override { return machine_->sums_to_zero(); }
  double dual_term(const BlockEntries<double>& entries) const override {
    return machine_->dual_term(entries);
  }
  bool at_vertex(const BlockEntries<double>& entries) const override {
    return machine_->at_vertex(entries);
  }
  double loss_at_zero(int classes, int label) const override {
    return machine_->loss_at_zero(classes, label);
  }

 private:
  std::shared_ptr<const Machine<double>> machine_ = machine_of<double>("cs", "hinge", 3);
};

void check_poll() {
  const Problem<double> problem(9, 2500, 2, 3, 1);
  const auto driver = problem.driver(std::make_shared<SlowMachine>(), Storage::dense_c, 0, 1);
  CHECK(!driver->certify(1, [] { return true; }).complete);
  int asked = 0;
  const Certificate whole = driver->certify(1, [&] { return ++asked < 0; });
  CHECK(whole.complete);
  CHECK(asked >= 2);  // before each chunk but the first
  Wide loss_weights = 0;
  for (double loss_weight : problem.loss_weights) loss_weights += loss_weight;
  CHECK_NEAR(whole.primal, loss_weights, 1e-10L * loss_weights);
}

// Measuring neither moves the dual variables nor leaves anything behind.
template <class Real>
void check_no_trace(int classes) {
  const Problem<Real> problem(8, 30, 12, classes, 0.4);
  std::vector<Real> weights[2];
  for (int run = 0; run < 2; ++run) {
    const auto driver = problem.driver(kChoices[0], Storage::csr32, 1, 5);
    for (int epoch = 0; epoch < 4; ++epoch) {
      driver->epoch(never);
      if (run == 1) driver->measure(2, never);
    }
    weights[run] = weights_of(*driver);
  }
  CHECK(weights[0] == weights[1]);
}

void run_tests() {
  for (const Choice& choice : kChoices) {
    for (int classes : {2, 3, 10, 20, 65, 200})
      check_definition(choice, Problem<double>(classes, 25, 8, classes, 0.5));
    if (choice.machine == "ovr") check_definition(choice, binary_problem<double>(2, 25, 8, 0.5));
  }
  check_poll();
  for (int classes : {3, 66}) {
    check_threads<float>(classes);
    check_threads<double>(classes);
    check_no_trace<float>(classes);
    check_no_trace<double>(classes);
  }
}

}  // namespace polymargin::test::test_measured_rows
