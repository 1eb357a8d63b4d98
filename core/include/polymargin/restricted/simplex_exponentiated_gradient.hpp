// One exponentiated-gradient step (Collins, Globerson, Koo, Carreras and Bartlett, JMLR 2008):
//     b_m  proportional to  start_m exp(eta gradient_m),   sum b = C_i.
// It maximises gradient.d - KL(b | start) / eta, where d = b - start. Changes of shares obey
// KL >= |.|_1^2 / 2 >= |.|_2^2 (Pinsker, and because they sum to zero), so up to eta = 2 / (A C_i)
// the step gains at least what its curvature costs. Longer steps are mostly better: eta is kept as
// a multiple of that, by example, halved while the dual would fall and raised a little after a
// success, as Collins et al. do. Never a bound is reached, only approached.
//
// Everything is done in logarithms, from the largest one down, so that no exponential overflows.
// The share of the label is known as a difference only, to the rounding of C_i: below that a share
// is stored as zero, and a share of zero counts as that much, so that it can come back.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "polymargin/restricted/restricted.hpp"

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
  static constexpr Real kLeastShare = std::numeric_limits<Real>::epsilon();

  static void exponentiate(const SimplexProblem<Real>& p, Real eta) {
    const Real highest = *std::max_element(p.gradient, p.gradient + p.size);
    Real* logarithms = p.target;
    Real largest = -std::numeric_limits<Real>::infinity();
    for (int m = 0; m < p.size; ++m) {
      const Real share = std::max(p.start[m] / p.total, kLeastShare);
      logarithms[m] = std::log(share) + eta * (p.gradient[m] - highest);
      largest = std::max(largest, logarithms[m]);
    }
    Real sum = 0;
    for (int m = 0; m < p.size; ++m) {
      const Real weight = std::exp(logarithms[m] - largest);
      p.solution[m] = weight < kLeastShare ? Real(0) : weight;
      sum += p.solution[m];
    }
    for (int m = 0; m < p.size; ++m) p.solution[m] *= p.total / sum;
  }

  // Of the dual objective: gradient.d - A/2 |d|^2.
  static Real gain(const SimplexProblem<Real>& p) {
    Real slope = 0, squares = 0;
    for (int m = 0; m < p.size; ++m) {
      const Real change = p.solution[m] - p.start[m];
      slope += p.gradient[m] * change;
      squares += change * change;
    }
    return slope - p.curvature / 2 * squares;
  }
};

}  // namespace polymargin
