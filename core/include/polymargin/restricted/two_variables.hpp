// Two variables of a quadratic problem (004, appendix A): with the others fixed, the changes mu of
// a and b solve
//     max g.mu - 1/2 mu' Q mu,   lower <= mu <= upper,
// with lower <= 0 <= upper and Q positive semidefinite, of rank two, one or zero. Bounds may be
// infinite where Q has full rank.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace polymargin {

// One variable: the Newton step, clipped (004, section 4.2). Without curvature, to the end that the
// gradient points to.
template <class Real>
inline Real one_variable_step(Real gradient, Real curvature, Real lower, Real upper) {
  if (curvature > 0) return std::clamp(gradient / curvature, lower, upper);
  return gradient > 0 ? upper : gradient < 0 ? lower : Real(0);
}

template <class Real>
struct TwoVariables {
  using Pair = std::array<Real, 2>;

  Pair gradient;
  Pair diagonal;  // Q_aa, Q_bb
  Real coupling;  // Q_ab
  Pair lower, upper;

  // Below this share of Q_aa Q_bb the determinant is rounding.
  static constexpr Real kRankShare = 8 * std::numeric_limits<Real>::epsilon();

  bool full_rank() const {
    const Real product = diagonal[0] * diagonal[1];
    return product - coupling * coupling > kRankShare * product;
  }

  // The gain without bounds (A.1). With a first, it is what a alone gains and what is left for b,
  //     g_a^2 / 2 Q_aa + r^2 / 2 S,   r = g_b - g_a Q_ab / Q_aa,   S = Q_bb - Q_ab^2 / Q_aa,
  // where S > 0 means full rank. Without it, r is the derivative along the null space of Q, and the
  // gain is infinite unless r vanishes.
  Real unbounded_gain() const {
    constexpr Real kInfinite = std::numeric_limits<Real>::infinity();
    const int a = diagonal[0] >= diagonal[1] ? 0 : 1, b = 1 - a;
    if (!(diagonal[a] > 0)) return gradient[0] != 0 || gradient[1] != 0 ? kInfinite : Real(0);
    const Real ratio = coupling / diagonal[a];
    const Real rest = gradient[b] - gradient[a] * ratio;
    const Real alone = gradient[a] * gradient[a] / (2 * diagonal[a]);
    if (full_rank()) return alone + rest * rest / (2 * (diagonal[b] - coupling * ratio));
    return std::fabs(rest) > kRankShare * std::fabs(gradient[b]) ? kInfinite : alone;
  }

  Real gain(const Pair& mu) const {
    return mu[0] * (gradient[0] - diagonal[0] * mu[0] / 2 - coupling * mu[1]) +
           mu[1] * (gradient[1] - diagonal[1] * mu[1] / 2);
  }

  // The optimum (A.2).
  Pair solve() const {
    Best best{*this};
    if (full_rank()) {
      const Real determinant = diagonal[0] * diagonal[1] - coupling * coupling;
      const Pair free = {(diagonal[1] * gradient[0] - coupling * gradient[1]) / determinant,
                         (diagonal[0] * gradient[1] - coupling * gradient[0]) / determinant};
      bool inside = true;
      for (int a : {0, 1}) {
        if (free[a] >= lower[a] && free[a] <= upper[a]) continue;
        // On this edge, or on the other one that the free optimum sees.
        best.try_edge(a, std::clamp(free[a], lower[a], upper[a]));
        inside = false;
      }
      return inside ? free : best.mu;
    }
    // The objective is linear along the null space of Q: some edge has an optimum. Which of the
    // four depends on signs that rounding may change, so all are tried. Where rounding has taken
    // the rank of an unbounded problem, there may be no edge ahead, but there is a step of each
    // variable.
    for (int a : {0, 1}) {
      best.try_edge(a, lower[a]);
      best.try_edge(a, upper[a]);
    }
    for (int a : {0, 1}) best.try_edge(a, 0);
    return best.mu;
  }

 private:
  struct Best {
    const TwoVariables& problem;
    Pair mu{};
    Real gain = 0;

    // The best point with mu_a = value, a one-dimensional problem.
    void try_edge(int a, Real value) {
      if (!std::isfinite(value)) return;
      const int b = 1 - a;
      Pair tried;
      tried[a] = value;
      tried[b] = one_variable_step(problem.gradient[b] - problem.coupling * value,
                                   problem.diagonal[b], problem.lower[b], problem.upper[b]);
      const Real reached = problem.gain(tried);
      if (!(reached > gain)) return;
      gain = reached;
      mu = tried;
    }
  };
};

}  // namespace polymargin
