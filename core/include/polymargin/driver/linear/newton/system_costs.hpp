// What the forms of the Newton system cost, in nanoseconds of one machine: only ratios matter. The
// factors were measured once, with OpenBLAS on one thread.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace polymargin {

enum class SystemForm { kPrimal, kByClass, kDual, kConjugateGradients, kConjugateByClass };

// How large a system is: its weights, and the variables that are free.
struct SystemSize {
  double features, classes;
  double entries;  // numbers in a row
  bool sparse;     // whether these are not all features
  double rows;     // that have free variables
  double free;     // variables
  double pairs;    // of classes in the blocks E^T J E of these rows, summed up
  bool apart;      // whether classes meet only in a sum that is zero
  bool balanced;   // whether that sum is zero
};

// Infinite where a matrix would be too large.
class SystemCosts {
 public:
  static constexpr int kForms = 5;
  // Most entries of a matrix to be factorised (512 MB).
  static constexpr double kMostEntries = 1 << 26;
  // Conjugate gradient steps that are expected, before some were taken.
  static constexpr double kSteps = 60, kStepsByClass = 8;

  explicit SystemCosts(const SystemSize& size, double steps = kSteps,
                       double steps_by_class = kStepsByClass) {
    const double d = size.features, k = size.classes, order = d * k;
    const double squares = size.entries * size.entries / 2 * (size.sparse ? 1 : 0.1);
    const double products = size.rows * size.entries * k * (size.sparse ? 1 : 0.2);
    const auto if_it_fits = [](double numbers, double cost) {
      return numbers > kMostEntries ? HUGE_VAL : cost;
    };
    costs_[int(SystemForm::kPrimal)] =
        if_it_fits(order * order, size.pairs * squares + factor(order));
    const double by_class =
        if_it_fits(d * d * (k + 1), size.free * squares + k * (factor(d) + 0.08 * d * d * d));
    costs_[int(SystemForm::kByClass)] = size.apart ? by_class : HUGE_VAL;
    const double gram = size.rows * size.rows / 2 * size.entries * (size.sparse ? 1 : 0.1);
    costs_[int(SystemForm::kDual)] = if_it_fits(
        size.free * size.free, gram + size.free * size.free * (0.03 * k + 0.5) + factor(size.free));
    const double of_step = 2 * products + 10 * size.free + 5 * order;
    costs_[int(SystemForm::kConjugateGradients)] = steps * of_step;
    costs_[int(SystemForm::kConjugateByClass)] =
        size.balanced && !size.apart ? by_class + steps_by_class * (of_step + 2 * d * d * k)
                                     : HUGE_VAL;
  }

  double operator[](SystemForm form) const { return costs_[int(form)]; }
  double least() const { return *std::min_element(costs_.begin(), costs_.end()); }

  // From the cheapest to the dearest.
  std::array<SystemForm, kForms> order() const {
    std::array<SystemForm, kForms> forms{SystemForm::kByClass, SystemForm::kPrimal,
                                         SystemForm::kDual, SystemForm::kConjugateByClass,
                                         SystemForm::kConjugateGradients};
    std::stable_sort(forms.begin(), forms.end(),
                     [&](SystemForm a, SystemForm b) { return (*this)[a] < (*this)[b]; });
    return forms;
  }

 private:
  // Of a Cholesky factor.
  static double factor(double order) { return 0.01 * order * order * order + 1.2 * order * order; }

  std::array<double, kForms> costs_;
};

// What the systems of a machine would cost where its dual variables are these: blocks as CSR.
struct SystemPrediction {
  double features;
  int columns;
  double entries;  // numbers in a row
  bool sparse;
  bool separate;  // whether columns are problems of their own
  bool coupled;   // whether the variables of a block meet in their sum
  bool relative;  // margins
  bool centred;   // whether weights sum to zero
  bool bounded;   // whether variables at C_i are not free
  bool entropy;   // whether all variables are free

  template <class Value>
  double cost(std::span<const std::int64_t> starts, std::span<const std::int32_t> classes,
              std::span<const Value> values, std::span<const double> loss_weights) const {
    const std::size_t rows = loss_weights.size();
    std::vector<double> of_column(separate ? columns : 0);
    SystemSize size{
        features,           separate ? 1.0 : columns, entries, sparse, 0, 0, 0, centred && !coupled,
        centred || relative};
    for (std::size_t i = 0; i < rows; ++i) {
      const double most = loss_weights[i] * (1 - 1e-6);
      double free = 0;
      for (std::int64_t e = starts[i]; e < starts[i + 1] && !entropy; ++e) {
        const bool counts = values[e] > 0 && (!bounded || values[e] < most);
        free += counts;
        if (counts && separate) ++of_column[classes[e]];
      }
      if (entropy) free = columns;
      if (free == 0) continue;
      size.rows += 1;
      size.free += free;
      size.pairs += coupled ? free * (free + 1) / 2 : relative ? 2 * free + 1 : free;
    }
    if (!separate) return SystemCosts(size).least();
    double sum = 0;
    for (const double count : of_column) {
      size.rows = size.free = size.pairs = entropy ? double(rows) : count;
      sum += SystemCosts(size).least();
    }
    return sum;
  }
};

}  // namespace polymargin
