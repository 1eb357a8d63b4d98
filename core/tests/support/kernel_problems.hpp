// Small kernel problems: Gaussian kernels of random points, and drivers whose kernel rows come from
// the whole matrix.
#pragma once

#include <memory>
#include <string>

#include "axes.hpp"
#include "definitions.hpp"
#include "polymargin/driver/kernel/two_variable.hpp"

namespace polymargin::test {

struct KernelMachine {
  std::string machine, loss;
  MachineAxes axes(int classes) const { return axes_of(machine, loss, classes); }
};
inline const KernelMachine kKernelMachines[] = {
    {"ww", "hinge"},         {"llw", "hinge"},         {"ovr", "hinge"},
    {"cs", "hinge"},         {"adm", "hinge"},         {"atm", "hinge"},
    {"ww", "squared_hinge"}, {"llw", "squared_hinge"}, {"ovr", "squared_hinge"}};

// Points around centres, one for each class; some are there twice, some have a wrong label.
template <class Real>
struct KernelProblem {
  KernelProblem(unsigned seed, int size, int classes, double gamma, double loss_weight)
      : size(size), classes(classes), kernel(size * size) {
    constexpr int kDimensions = 3;
    Source source(seed);
    std::vector<double> centres(classes * kDimensions), points;
    for (double& value : centres) value = source.bell();
    for (int i = 0; i < size; ++i) {
      const int label = i < classes ? i : source.integer(0, classes - 1);
      if (i >= classes && source.chance(0.1)) {  // the same point again, with some label
        const int other = source.integer(0, i - 1);
        for (int f = 0; f < kDimensions; ++f) points.push_back(points[other * kDimensions + f]);
      } else {
        for (int f = 0; f < kDimensions; ++f)
          points.push_back(centres[label * kDimensions + f] + 0.5 * source.bell());
      }
      labels.push_back(label);
      loss_weights.push_back(Real(loss_weight * source.power_of_ten(-0.5, 0.5)));
    }
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < size; ++j) {
        double distance = 0;
        for (int f = 0; f < kDimensions; ++f) {
          const double d = points[i * kDimensions + f] - points[j * kDimensions + f];
          distance += d * d;
        }
        kernel[i * size + j] = Real(std::exp(-gamma * distance));
      }
  }

  template <class Scores>
  std::unique_ptr<Decomposition<Real, Scores>> decomposition(const KernelMachine& choice,
                                                             std::int64_t cached_rows) const {
    std::vector<Example<Real>> examples;
    for (int i = 0; i < size; ++i)
      examples.push_back({kernel[i * size + i], loss_weights[i], 0, labels[i]});
    return std::make_unique<Decomposition<Real, Scores>>(
        std::move(examples), classes, machine_of<Real>(choice.machine, choice.loss, classes),
        machine_of<double>(choice.machine, choice.loss, classes),
        cached_rows * (size * std::int64_t(sizeof(Real)) + kNativeBytes), 1);
  }

  int size, classes;
  std::vector<Real> kernel;
  std::vector<std::int32_t> labels;
  std::vector<Real> loss_weights;
};

// A decomposition and what it is worth, from its dual variables and the whole kernel.
template <class Real, class Scores = ScoresByExample<Real>>
struct KernelState {
  KernelState(const KernelProblem<Real>& problem, const KernelMachine& choice,
              std::int64_t cached_rows)
      : problem(problem),
        definition(choice.machine, choice.loss),
        state(problem.template decomposition<Scores>(choice, cached_rows)) {}

  Vector dual(int i) const { return Vector(state->dual(i), state->dual(i) + problem.classes); }

  // The scores of all examples.
  std::vector<Vector> scores() const {
    std::vector<Vector> result(problem.size, Vector(problem.classes));
    for (int j = 0; j < problem.size; ++j) {
      const Vector b = definition.coefficients(dual(j), problem.labels[j]);
      for (int i = 0; i < problem.size; ++i)
        for (int m = 0; m < problem.classes; ++m)
          result[i][m] += Wide(problem.kernel[j * problem.size + i]) * b[m];
    }
    return result;
  }

  struct Values {
    Wide primal = 0, dual = 0, violation = 0;
  };
  Values values() const {
    Values result;
    const std::vector<Vector> score = scores();
    for (int i = 0; i < problem.size; ++i) {
      const int label = problem.labels[i];
      const Wide loss_weight = problem.loss_weights[i];
      const Vector u = dual(i), b = definition.coefficients(u, label);
      const Vector h = definition.margins(score[i], label);
      result.primal += loss_weight * definition.loss(h);
      CHECK(loss_weight > 0 || sum_of(u) == 0);
      if (loss_weight == 0) continue;
      CHECK(
          definition.feasible(u, label, loss_weight, 8 * (1 + problem.classes) * kRounding<Real>));
      result.dual += definition.term(u, label, loss_weight);
      for (int m = 0; m < problem.classes; ++m) {
        result.primal += b[m] * score[i][m] / 2;
        result.dual -= b[m] * score[i][m] / 2;
      }
      result.violation =
          std::max(result.violation, definition.violation(h, u, loss_weight, 16 * kRounding<Real>));
    }
    return result;
  }

  const KernelProblem<Real>& problem;
  Definition definition;
  std::unique_ptr<Decomposition<Real, Scores>> state;
};

// One that is trained with one or two variables at a time.
template <class Real>
struct Trained : KernelState<Real> {
  using KernelState<Real>::problem, KernelState<Real>::state;

  Trained(const KernelProblem<Real>& problem, const KernelMachine& choice,
          const TwoVariableOptions& options, std::int64_t cached_rows)
      : KernelState<Real>(problem, choice, cached_rows),
        driver(
            *state,
            make_selection<Real>(*state, choice.axes(problem.classes), options.working_set == 1),
            [this](auto... arguments) { compute(arguments...); }, options) {}

  void compute(std::span<const std::int32_t> examples, std::int64_t first, std::int64_t last,
               Real* values) {
    CHECK(first < last && last <= problem.size);
    shortest = std::min(shortest, last);
    for (std::int32_t i : examples)
      for (std::int64_t c = first; c < last; ++c)
        *values++ = problem.kernel[i * problem.size + state->columns()[c]];
    evaluations += std::int64_t(examples.size()) * (last - first);
    CHECK(state->cache().size() <= state->cache().capacity());
  }

  TwoVariable<Real> driver;
  std::int64_t evaluations = 0;
  std::int64_t shortest = this->problem.size;  // row
};

}  // namespace polymargin::test
