// Training on reduced features, where |x|^2 is only a bound of the curvature of a class.
#include "training.hpp"

namespace polymargin::test::test_packed_training {

template <class Real>
using Reduced = Sequential<Real, PackedWeights<Real>>;

template <class Real>
std::vector<bool> occurring(const Problem<Real>& problem, Real bias) {
  const int features = problem.matrix.columns() + (bias != 0);
  std::vector<bool> kept(features * problem.classes);
  for (int i = 0; i < problem.matrix.rows(); ++i)
    for (int f = 0; f < features; ++f)
      if (problem.labels[i] >= 0 && (f == problem.matrix.columns() || problem.matrix.at(i, f) != 0))
        kept[f * problem.classes + problem.labels[i]] = true;
  return kept;
}

template <class Real>
std::unique_ptr<Reduced<Real>> reduced_driver(const Problem<Real>& problem, const Choice& choice,
                                              Storage storage, Real bias) {
  const auto rows = problem.matrix.view(storage, bias);
  PackedWeights<Real> weights(rows->features(), ClassLayout::of<Real>(problem.classes));
  const std::vector<bool> kept = occurring(problem, bias);
  for (int p = 0; p < int(kept.size()); ++p)
    if (kept[p]) weights.add_pair(p / problem.classes, p % problem.classes);
  weights.pack();
  auto driver = std::make_unique<Reduced<Real>>(
      rows, problem.examples(),
      machine_of<Real>(choice.machine, choice.loss, problem.classes, choice.restricted, 1e-3), 1,
      std::make_shared<PackedWeights<Real>>(std::move(weights)));
  driver->set_schedule(std::make_unique<PermutedSchedule>(driver->visited()));
  return driver;
}

// W is what the dual variables say, on the pairs that occur.
template <class Real>
void check_weights(Reduced<Real>& driver, const Problem<Real>& problem, const Choice& choice,
                   Real bias) {
  const int classes = problem.classes, features = int(driver.rows().features());
  const std::vector<bool> kept = occurring(problem, bias);
  std::vector<Wide> expected(features * classes);
  Wide size = 1;
  for (std::int32_t i : driver.visited())
    driver.blocks().for_each(i, [&](std::int32_t m, Real u) {
      const int label = problem.labels[i];
      size += u;
      for (int f = 0; f < features; ++f) {
        const Wide x = f < problem.matrix.columns() ? problem.matrix.at(i, f) : bias;
        const bool own = m == label;
        expected[f * classes + m] += (own ? 1 : -1) * x * u;
        if (choice.machine != "ovr") expected[f * classes + label] += x * u;
      }
    });
  for (int p = 0; p < int(kept.size()); ++p) {
    const Real* weight = driver.weights().of_pair(p / classes, p % classes);
    CHECK_EQUAL(weight != nullptr, kept[p]);
    if (weight) CHECK_NEAR(*weight, expected[p], 100 * kRounding<Real> * size);
  }
}

template <class Real>
void check_training(const Choice& choice, const Problem<Real>& problem, Storage storage, Real bias,
                    bool class_shrinking) {
  const auto driver = reduced_driver(problem, choice, storage, bias);
  driver->set_class_shrinking(class_shrinking);
  const Wide goal = kIsFloat<Real> ? 1e-3L : 1e-7L;
  CHECK_AT_MOST(train(*driver, 20000, goal), goal);
  check_weights(*driver, problem, choice, bias);
}

// Where every pair occurs, the model is that of all features.
template <class Real>
void check_all_pairs(const Choice& choice) {
  const Problem<Real> problem(7, 40, 8, 3, 1);
  const auto reduced = reduced_driver(problem, choice, Storage::dense_c, Real(1));
  const auto full = problem.driver(choice, Storage::dense_c, 1, 1);
  CHECK_EQUAL(reduced->weights().size(), 9 * 3);
  for (int epoch = 0; epoch < 3; ++epoch) {
    const EpochReport one = reduced->epoch(never), other = full->epoch(never);
    CHECK_NEAR(one.dual, other.dual, (kIsFloat<Real> ? 1e-4L : 1e-12L) * std::fabs(other.dual));
  }
  for (int f = 0; f < 9; ++f)
    for (int m = 0; m < 3; ++m)
      CHECK_NEAR(*reduced->weights().of_pair(f, m), full->weights().of_feature(f)[m],
                 kIsFloat<Real> ? 1e-3L : 1e-11L);
}

template <class Real>
void check_real() {
  for (const Choice& choice : kChoices) {
    if (choice.restricted != "exact" || choice.machine == "llw") continue;
    for (int classes : {2, 3, 17, 40, 150}) {
      const Problem<Real> problem(classes, 40, 25, classes, 0.2);
      const Storage storage = classes == 17 ? Storage::dense_c : Storage::csr32;
      for (Real bias : {Real(0), Real(1)})
        check_training<Real>(choice, problem, storage, bias, classes == 150);
    }
    check_all_pairs<Real>(choice);
    if (choice.machine == "ovr")
      check_training(choice, binary_problem<Real>(2, 40, 25, 0.2), Storage::csr32, Real(1), false);
  }
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_packed_training
