#include "polymargin/driver/linear/adaptive.hpp"
#include "polymargin/driver/linear/dense_batches.hpp"
#include "polymargin/driver/linear/max_violation.hpp"
#include "training.hpp"

namespace polymargin::test::test_dense_batches {

// Too few for batches, too few for threads of few classes, and enough for both.
constexpr int kFeatures[] = {127, 128, 600, 800};

// The same optimum as without batches, from a duality gap that is closed.
template <class Real>
void check_training(const Choice& choice, int features, int classes, Real bias) {
  const Problem<Real> problem(7, 90, features, classes, 1);
  const auto driver = problem.driver(choice, Storage::dense_c, bias, 1);
  const Wide goal = kIsFloat<Real> ? 1e-3L : 1e-6L;
  CHECK_AT_MOST(train(*driver, 20000, goal), goal);
  const auto plain = problem.driver(choice, Storage::dense_f, bias, 1);
  CHECK_AT_MOST(train(*plain, 20000, goal), goal);
  const Wide primal = plain->certify(1).primal;
  CHECK_NEAR(driver->certify(1).primal, primal, 2 * goal * primal);
}

// A few epochs are those without batches, but for rounding.
template <class Real>
void check_steps(const Choice& choice, int classes) {
  const Problem<Real> problem(8, 100, 200, classes, 1);
  std::vector<Real> weights[2];
  for (const bool batches : {false, true}) {
    const auto driver = problem.driver(choice, batches ? Storage::dense_c : Storage::dense_f, 1, 5);
    for (int epoch = 0; epoch < 3; ++epoch) driver->epoch(never);
    weights[batches] = weights_of(*driver);
  }
  for (std::size_t at = 0; at < weights[0].size(); ++at)
    CHECK_NEAR(weights[1][at], weights[0][at], kIsFloat<Real> ? 1e-4L : 1e-12L);
}

enum class Order { permuted, adaptive, max_violation };

template <class Real>
void check_threads(const Choice& choice, int features, int classes, Order order) {
  const Problem<Real> problem(9, 120, features, classes, 1);
  std::vector<std::vector<Real>> weights;
  for (int threads : {1, 2, 3, 8}) {
    const auto driver = problem.driver(choice, Storage::dense_rows, 1, 5);
    driver->set_threads(threads);
    if (order == Order::adaptive)
      driver->set_schedule(std::make_unique<AdaptiveSchedule>(driver->visited(), 120));
    if (order == Order::max_violation)
      driver->set_schedule(std::make_unique<MaxViolationSchedule>(driver->visited()));
    driver->epoch(never, 0.3);  // ends in the middle of a batch
    for (int epoch = 0; epoch < 2; ++epoch) driver->epoch(never);
    weights.push_back(weights_of(*driver));
  }
  for (const auto& others : weights) CHECK(others == weights[0]);
}

// What stays of a range of features is that of all of them.
template <class Real>
void check_products() {
  Source source(3);
  for (int classes : {2, 5, 17, 40})
    for (int rows : {1, 3, 8, 16}) {
      const int features = 50;
      Weights<Real> weights(features + 1, ClassLayout::of<Real>(classes));
      const int stride = weights.layout().stride;
      for (int f = 0; f <= features; ++f)
        for (int m = 0; m < classes; ++m) weights.of_feature(f)[m] = Real(source.bell());
      Matrix<Real> matrix(source, rows, features, 0.7);
      std::vector<Real> values(rows * features);
      AlignedArray<Real> changes(std::size_t(rows) * stride), scores(std::size_t(rows) * stride);
      std::vector<const Real*> x, change;
      for (int r = 0; r < rows; ++r) {
        for (int f = 0; f < features; ++f) values[r * features + f] = matrix.at(r, f);
        for (int m = 0; m < classes; ++m) changes[r * stride + m] = Real(source.bell());
        x.push_back(values.data() + r * features);
        change.push_back(changes.data() + r * stride);
      }
      const FeatureRange range{11, features};
      const Real bias = 2;
      const auto weight = [&](int f, int m) { return Wide(weights.of_feature(f)[m]); };
      batch_scores(x.data(), rows, range, weights, bias, scores.data());
      for (int r = 0; r < rows; ++r)
        for (int m = 0; m < classes; ++m) {
          Wide sum = bias * weight(features, m);
          for (int f = 11; f < features; ++f) sum += matrix.at(r, f) * weight(f, m);
          CHECK_NEAR(scores[r * stride + m], sum, 100 * kRounding<Real>);
        }
      std::vector<Wide> before;
      for (int f = 0; f <= features; ++f)
        for (int m = 0; m < classes; ++m) before.push_back(weight(f, m));
      batch_add(x.data(), change.data(), rows, range, weights, bias);
      for (int f = 0; f <= features; ++f)
        for (int m = 0; m < classes; ++m) {
          Wide sum = before[f * classes + m];
          for (int r = 0; f >= 11 && r < rows; ++r)
            sum += (f == features ? bias : matrix.at(r, f)) * changes[r * stride + m];
          CHECK_NEAR(weight(f, m), sum, 100 * kRounding<Real>);
        }
      Real products[kGramBlock * kGramBlock];
      const int count = std::min(rows, kGramBlock);
      gram_block(x.data(), count, x.data(), count, features, products, kGramBlock);
      for (int r = 0; r < count; ++r)
        for (int l = 0; l < count; ++l) {
          Wide sum = 0;
          for (int f = 0; f < features; ++f) sum += Wide(matrix.at(r, f)) * matrix.at(l, f);
          CHECK_NEAR(products[r * kGramBlock + l], sum, 100 * kRounding<Real>);
        }
    }
}

template <class Real>
void check_real() {
  check_products<Real>();
  int turn = 0;
  for (const Choice& choice : kChoices) {
    if (choice.restricted != "exact") continue;
    const int features = kFeatures[turn++ % 4], classes = turn % 2 == 0 ? 3 : 20;
    check_training<Real>(choice, features, classes, Real(turn % 3));
    check_steps<Real>(choice, classes);
    for (Order order : {Order::permuted, Order::adaptive, Order::max_violation})
      check_threads<Real>(choice, features, classes, order);
  }
  // Blocks that are filled are dense for any number of classes.
  check_threads<Real>({"maxent", "log", "exact"}, 200, 70, Order::adaptive);
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_dense_batches
