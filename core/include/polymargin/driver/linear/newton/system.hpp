// The Newton system of a linear machine: (I + sum_i E^T J_i E (x) x_i x_i^T) D = G.
//
// J_i is zero for most examples; the others are few, and only their rows count. It is solved in the
// form that costs least: primal, of the order of the weights; class by class, where
// these meet only in that their weights sum to zero; dual, of the order of the free variables; or
// by conjugate gradients, preconditioned by the diagonal, or as if classes met in nothing else.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "polymargin/access/double_rows.hpp"
#include "polymargin/driver/linear/newton/class_system.hpp"
#include "polymargin/driver/linear/newton/dual_system.hpp"
#include "polymargin/driver/linear/newton/primal_system.hpp"
#include "polymargin/driver/linear/newton/system_costs.hpp"
#include "polymargin/machine/curvature.hpp"

namespace polymargin {

class NewtonSystem {
 public:
  explicit NewtonSystem(const ChosenRows& rows) : rows_(rows) {}

  double operations() const { return operations_; }

  // step <- D for a gradient; both of shape (features, classes)
  template <class Poll>
  void solve(const Curvature& curvature, const double* gradient, double* step, Poll&& poll) {
    const SystemCosts costs = costs_of(curvature);
    for (const SystemForm form : costs.order()) {
      if (std::isinf(costs[form])) continue;
      operations_ += costs[form];
      // The cheapest form that survives rounding; nothing is asked of the last.
      if (solve_in(form, curvature, gradient, step, poll)) return;
    }
  }

  // The same in one form; false if rounding keeps its matrix from being definite, or leaves too
  // little of the solution: the dual form adds 1 to products of rows, which is lost where one
  // feature is a million times the others; the primal form does not mind the scales of features.
  template <class Poll>
  bool solve_in(SystemForm form, const Curvature& curvature, const double* gradient, double* step,
                Poll&& poll, double accuracy = kAccuracy) {
    if (curvature.size() == 0) {
      std::copy_n(gradient, rows_.features() * curvature.blocks().columns(), step);
      return true;
    }
    std::vector<std::int32_t> chosen(curvature.rows);
    for (auto& row : chosen) row = rows_[row];
    const ChosenRows active(rows_.all(), std::move(chosen));
    if (form == SystemForm::kConjugateGradients) {
      const std::vector<double> scale = inverse_diagonal(active, curvature);
      const auto scaled = [&](const double* from, double* to) {
        for (std::size_t e = 0; e < scale.size(); ++e) to[e] = scale[e] * from[e];
      };
      return conjugate_gradients(scaled, active, curvature, gradient, step, poll, accuracy, steps_);
    }
    if (form == SystemForm::kConjugateByClass) {
      ClassSystem system(rows_, curvature);
      if (!system.factorise(poll)) return false;
      const auto by_class = [&](const double* from, double* to) { system.solve(from, to); };
      return conjugate_gradients(by_class, active, curvature, gradient, step, poll, accuracy,
                                 steps_by_class_);
    }
    if (form == SystemForm::kByClass) {
      ClassSystem system(rows_, curvature);
      return system.factorise(poll) && corrected(system, active, curvature, gradient, step, poll);
    }
    if (form == SystemForm::kPrimal) {
      PrimalSystem system(rows_, curvature, matrix_);
      return system.factorise(poll) && corrected(system, active, curvature, gradient, step, poll);
    }
    DualSystem system(active, curvature, matrix_);
    return system.factorise(poll) && corrected(system, active, curvature, gradient, step, poll);
  }

 private:
  static constexpr int kCorrections = 4;     // at most, of a solution
  static constexpr double kGood = 1e-3;      // the last correction of a solution, of the whole
  static constexpr double kAccuracy = 1e-3;  // of conjugate gradients
  static constexpr int kMostSteps = 1000;

  SystemCosts costs_of(const Curvature& curvature) const {
    const bool centred = curvature.blocks().is_centred();
    const bool apart = centred && std::all_of(curvature.gamma.begin(), curvature.gamma.end(),
                                              [](double g) { return g == 0; });
    return SystemCosts(
        {double(rows_.features()), double(curvature.blocks().columns()), rows_.row_entries(),
         rows_.all().is_sparse(), double(curvature.size()), double(curvature.variables()),
         curvature.pairs(), apart, centred || curvature.blocks().is_relative()},
        steps_, steps_by_class_);
  }

  // image <- v + X^T E^T J E X v
  void product(const ChosenRows& active, const Curvature& curvature, const double* v,
               double* image) {
    const int k = curvature.blocks().columns();
    scores_.resize(std::size_t(active.size()) * k);
    active.products(v, k, scores_.data());
    curvature.apply(scores_.data());
    active.transposed_products(scores_.data(), k, image);
    for (std::int64_t e = 0; e < rows_.features() * k; ++e) image[e] += v[e];
  }

  static double inner(const std::vector<double>& a, const double* b) {
    double sum = 0;
    for (std::size_t e = 0; e < a.size(); ++e) sum += a[e] * b[e];
    return sum;
  }

  // Solves, and corrects the rounding of large entries, as long as that helps; returns whether a
  // solution was found.
  template <class System, class Poll>
  bool corrected(const System& system, const ChosenRows& active, const Curvature& curvature,
                 const double* gradient, double* step, Poll&& poll) {
    const std::size_t size = std::size_t(rows_.features()) * curvature.blocks().columns();
    std::vector<double> residual(size), correction(size);
    const auto measure = [&] {
      product(active, curvature, step, residual.data());
      for (std::size_t e = 0; e < size; ++e) residual[e] = gradient[e] - residual[e];
    };
    system.solve(gradient, step);
    measure();
    double last = HUGE_VAL, along = 0;
    for (int round = 0; round < kCorrections; ++round) {
      poll();
      system.solve(residual.data(), correction.data());
      const double now = std::abs(inner(residual, correction.data()));
      if (now > last / 4) break;
      last = now;
      along = 0;
      for (std::size_t e = 0; e < size; ++e) {
        step[e] += correction[e];
        along += gradient[e] * step[e];
      }
      if (now <= 1e-16 * std::abs(along)) break;
      measure();
    }
    return last <= kGood * std::abs(along);
  }

  // By a preconditioner, which writes what is about the solution for a right hand side; counts the
  // steps. Returns whether the solution is of numbers.
  template <class Preconditioner, class Poll>
  bool conjugate_gradients(const Preconditioner& precondition, const ChosenRows& active,
                           const Curvature& curvature, const double* gradient, double* step,
                           Poll&& poll, double accuracy, double& steps) {
    const std::size_t size = std::size_t(rows_.features()) * curvature.blocks().columns();
    std::vector<double> residual(gradient, gradient + size), image(size), z(size), direction(size);
    std::fill_n(step, size, 0.0);
    precondition(residual.data(), z.data());
    direction = z;
    double old = inner(residual, z.data());
    const double enough = accuracy * accuracy * old;
    int round = 0;
    for (; round < kMostSteps && old > enough; ++round) {
      poll();
      product(active, curvature, direction.data(), image.data());
      const double length = old / inner(direction, image.data());
      for (std::size_t e = 0; e < size; ++e) {
        step[e] += length * direction[e];
        residual[e] -= length * image[e];
      }
      precondition(residual.data(), z.data());
      const double now = inner(residual, z.data());
      for (std::size_t e = 0; e < size; ++e) direction[e] = z[e] + now / old * direction[e];
      old = now;
    }
    steps = std::max<double>(round, steps);
    return std::isfinite(old);
  }

  // One over the diagonal of the system, with E^T diag(q) E in place of E^T J E.
  std::vector<double> inverse_diagonal(const ChosenRows& active, const Curvature& curvature) const {
    const int k = curvature.blocks().columns();
    std::vector<double> diagonal(std::size_t(rows_.features()) * k, 1.0), of_row(k);
    for (std::int64_t j = 0; j < curvature.size(); ++j) {
      std::fill(of_row.begin(), of_row.end(), 0.0);
      const int y = curvature.blocks().label(curvature.rows[j]);
      for (std::int64_t v = curvature.starts[j]; v < curvature.starts[j + 1]; ++v) {
        of_row[curvature.classes[v]] += curvature.q[v];
        if (curvature.blocks().is_relative()) of_row[y] += curvature.q[v];
      }
      active.for_each_entry(j, [&](std::int64_t f, double x) {
        for (int m = 0; m < k; ++m) diagonal[f * k + m] += x * x * of_row[m];
      });
    }
    for (auto& value : diagonal) value = 1 / value;
    return diagonal;
  }

  const ChosenRows& rows_;
  std::vector<double> matrix_, scores_;
  double operations_ = 0;
  // The most steps that conjugate gradients took so far, at least.
  double steps_ = SystemCosts::kSteps, steps_by_class_ = SystemCosts::kStepsByClass;
};

}  // namespace polymargin
