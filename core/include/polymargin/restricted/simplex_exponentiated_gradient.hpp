// One exponentiated-gradient step (Collins, Globerson, Koo, Carreras and Bartlett, JMLR 2008):
//     b_m  proportional to  start_m exp(eta gradient_m),   sum b = C_i.
// It maximises gradient.d - KL(b | start) / eta, where d = b - start. Changes of shares obey
// KL >= |.|_1^2 / 2 >= |.|_2^2 (Pinsker, and because they sum to zero), so up to eta = 2 / (A C_i)
// the step gains at least what its curvature costs. Longer steps are mostly better: eta is kept as
// a multiple of that, by example, halved while the dual would fall and raised a little after a
// success, as Collins et al. do.
//
// Exponents are taken from the largest gradient down: none overflows, and one is zero. What is
// smaller than the rounding of its block can neither be paid for nor judged by its gain: a variable
// that falls below a share of epsilon^(2/3) is stored as zero, and a zero counts as that much when
// it would rise from there. The share is one of C_i for the label, which is known as a difference
// only, and one of the sum of the others for the others, because C_i may be far from active.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexExponentiatedGradient final : public SimplexSolver<Real> {
 public:
  bool adapts_step() const override { return true; }

  void solve(const SimplexProblem<Real>& p) const override {
    const Real safe = 2 / (p.curvature * p.total);
    Real multiple = p.step != nullptr && *p.step > 0 ? *p.step : kFirst;
    for (;; multiple = std::max(multiple / 2, Real(1))) {
      exponentiate(p, std::min(multiple * safe, std::numeric_limits<Real>::max()));
      if (gain(p) > 0) {
        multiple = std::min(multiple * kGrowth, kMost);
        break;
      }
      if (multiple == 1) {  // rounding
        std::copy_n(p.start, p.size, p.solution);
        break;
      }
    }
    if (p.step != nullptr) *p.step = multiple;
  }

 private:
  static constexpr Real kFirst = 8, kGrowth = 1.05, kMost = 1e6;
  // epsilon^(2/3)
  static constexpr Real kLeastShare = std::is_same_v<Real, float> ? Real(2.4e-5) : Real(3.7e-11);

  static void exponentiate(const SimplexProblem<Real>& p, Real eta) {
    const Real highest = *std::max_element(p.gradient, p.gradient + p.size);
    const Real label_share = p.start[p.label] / p.total;
    const Real least_of_label = std::min(kLeastShare, Real(0.5) / Real(p.size));
    const Real least_of_others = least_of_label * std::max(1 - label_share, kLeastShare);
    const auto least = [&](int m) { return m == p.label ? least_of_label : least_of_others; };
    double present = 0;  // of the variables that are not zero
    for (int m = 0; m < p.size; ++m) {
      const Real share = p.start[m] > 0 ? p.start[m] / p.total : least(m);
      const double weight = share * std::exp(double(eta) * double(p.gradient[m] - highest));
      if (p.start[m] > 0) present += weight;
      p.solution[m] = Real(weight);
    }
    // Twice: first for zeros that would not rise, then for what has fallen because others rose.
    const double risen = sum_above(p, least, present);
    const double sum = sum_above(p, least, risen);
    for (int m = 0; m < p.size; ++m) p.solution[m] = Real(p.solution[m] / sum * p.total);
  }

  // Sets weights below their least share of `whole` to zero, and returns the sum of the others.
  template <class Least>
  static double sum_above(const SimplexProblem<Real>& p, const Least& least, double whole) {
    double sum = 0;
    for (int m = 0; m < p.size; ++m) {
      if (!(p.solution[m] > least(m) * whole)) p.solution[m] = 0;
      sum += p.solution[m];
    }
    return sum;
  }

  // Of the dual objective: gradient.d - A/2 |d|^2. The change of the label, which the machine takes
  // from those of the others, counts as what makes them sum to zero.
  static Real gain(const SimplexProblem<Real>& p) {
    Real slope = 0, squares = 0;
    for (int m = 0; m < p.size; ++m) {
      const Real change = p.solution[m] - p.start[m];
      slope += (p.gradient[m] - p.gradient[p.label]) * change;
      squares += change * change;
    }
    return slope - p.curvature / 2 * squares;
  }
};

}  // namespace polymargin
