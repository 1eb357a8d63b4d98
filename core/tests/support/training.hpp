// Small training problems and drivers for them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "axes.hpp"
#include "polymargin/driver/linear/sequential.hpp"
#include "polymargin/driver/linear/shrinking.hpp"
#include "problems.hpp"

namespace polymargin::test {

struct Choice {
  std::string_view machine, loss, restricted;
};
inline constexpr Choice kChoices[] = {{"cs", "hinge", "exact"},
                                      {"cs", "hinge", "sort"},
                                      {"cs", "hinge", "pivot"},
                                      {"cs", "hinge", "bisection"},
                                      {"cs", "hinge", "fixed_point"},
                                      {"cs", "hinge", "active_set"},
                                      {"cs", "hinge", "smo"},
                                      {"cs", "hinge", "frank_wolfe"},
                                      {"ww", "hinge", "exact"},
                                      {"ww", "hinge", "active_set"},
                                      {"ww", "squared_hinge", "exact"},
                                      {"ww", "squared_hinge", "active_set"},
                                      {"cs", "squared_hinge", "exact"},
                                      {"cs", "squared_hinge", "active_set"},
                                      {"llw", "hinge", "exact"},
                                      {"llw", "hinge", "active_set"},
                                      {"llw", "squared_hinge", "exact"},
                                      {"llw", "squared_hinge", "active_set"},
                                      {"ovr", "hinge", "exact"},
                                      {"ovr", "hinge", "active_set"},
                                      {"ovr", "squared_hinge", "exact"},
                                      {"ovr", "squared_hinge", "active_set"},
                                      {"ovr", "logistic", "exact"},
                                      {"maxent", "log", "exact"}};
inline constexpr Choice kFamily[] = {kChoices[0], kChoices[8], kChoices[14], kChoices[18]};

template <class Real>
struct Problem {
  Problem(unsigned seed, int examples, int features, int classes, double density)
      : source(seed), matrix(source, examples, features, density), classes(classes) {
    std::vector<double> map(features * classes);
    for (double& value : map) value = source.bell();
    for (int i = 0; i < examples; ++i) {
      // The best class of a random linear map, with some noise.
      int best = 0;
      double most = -1e300;
      for (int m = 0; m < classes; ++m) {
        double score = source.bell();
        for (int f = 0; f < features; ++f) score += matrix.at(i, f) * map[f * classes + m];
        if (score > most) {
          most = score;
          best = m;
        }
      }
      labels.push_back(best);
      loss_weights.push_back(Real(source.power_of_ten(-1, 0)));
    }
  }

  std::vector<Example<Real>> examples() const {
    std::vector<Example<Real>> result;
    for (std::size_t i = 0; i < labels.size(); ++i)
      result.push_back({0, loss_weights[i], 0, labels[i]});
    return result;
  }

  std::unique_ptr<Sequential<Real>> driver(const Choice& choice, Storage storage, Real bias,
                                           std::uint64_t seed) const {
    return driver(machine_of<Real>(choice.machine, choice.loss, classes, choice.restricted, 1e-3),
                  storage, bias, seed);
  }
  std::unique_ptr<Sequential<Real>> driver(std::shared_ptr<const Machine<Real>> machine,
                                           Storage storage, Real bias, std::uint64_t seed) const {
    auto result = std::make_unique<Sequential<Real>>(matrix.view(storage, bias), examples(),
                                                     classes, std::move(machine), seed);
    result->set_schedule(std::make_unique<PermutedSchedule>(result->visited()));
    return result;
  }

  Source source;
  Matrix<Real> matrix;
  int classes;
  std::vector<std::int32_t> labels;
  std::vector<Real> loss_weights;
};

// Two classes as one-vs-rest has them: one machine, and examples that are of its class or of none.
template <class Real>
Problem<Real> binary_problem(unsigned seed, int examples, int features, double density) {
  Problem<Real> problem(seed, examples, features, 2, density);
  problem.classes = 1;
  for (std::int32_t& label : problem.labels) label = label == 1 ? 0 : -1;
  return problem;
}

template <class Real>
std::vector<Real> weights_of(Sequential<Real>& driver) {
  const Weights<Real>& w = driver.weights();
  return {w.of_feature(0), w.of_feature(w.features())};
}

// Blocks list their classes in ascending order.
template <class Real, class W>
void check_order_of_classes(Sequential<Real, W>& driver) {
  for (std::int32_t i : driver.visited()) {
    std::int32_t last = -1;
    driver.blocks().for_each(i, [&](std::int32_t m, Real) {
      CHECK(m > last);
      last = m;
    });
  }
}

// Trains until the gap is closed. After every epoch: the dual has not fallen, its running value and
// that of 1/2 |W|^2 are the rebuilt ones, and it is below the primal. Returns the relative gap.
template <class Real, class W>
Wide train(Sequential<Real, W>& driver, int epochs, Wide goal) {
  const Wide rounding = kIsFloat<Real> ? 2e-5L : 1e-11L;
  Wide last = driver.dual(), gap = 1;
  for (int epoch = 0; epoch < epochs && gap > goal; ++epoch) {
    const EpochReport report = driver.epoch(never);
    CHECK_EQUAL(report.visits, std::int64_t(driver.visited().size()));
    CHECK(report.moves <= report.visits);
    if (!W::kReduced) CHECK(report.dual >= last);
    check_order_of_classes(driver);
    driver.rebuild_weights();
    const Certificate certificate = driver.certify(1);
    const Wide scale = std::fabs(certificate.primal);
    CHECK_NEAR(report.dual, driver.dual(), rounding * scale);
    CHECK_NEAR(report.half_norm, driver.weights().squared_norm() / 2, rounding * scale);
    CHECK_AT_MOST(certificate.dual, certificate.primal + rounding * scale);
    CHECK_AT_MOST(last, driver.dual() + rounding * scale);
    last = driver.dual();
    gap = (certificate.primal - certificate.dual) / scale;
  }
  return gap;
}

}  // namespace polymargin::test
