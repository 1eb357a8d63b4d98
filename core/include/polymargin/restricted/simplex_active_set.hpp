// Active-set method over M_i and the inactive variables only (000, section 2, after eq. (11)):
// candidates are the variables above zero and the one of largest gradient. Starting from no change,
// it walks to the minimiser of the current face and stops at the first bound in the way; a variable
// that met its bound is never needed again, because the mean derivative of the others only rises.
// Exact on the candidates, blind to other classes.
#pragma once

#include <algorithm>

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexActiveSet final : public SimplexSolver<Real> {
 public:
  void solve(const SimplexProblem<Real>& p) const override {
    Real* free = p.target;  // 1 where the variable is free, 0 at its bound or if no candidate
    const int most = int(std::max_element(p.gradient, p.gradient + p.size) - p.gradient);
    for (int m = 0; m < p.size; ++m) {
      p.solution[m] = p.start[m];
      free[m] = p.start[m] > 0 || m == most ? Real(1) : Real(0);
    }
    const Real highest = p.gradient[most];
    while (!walk_to_face_minimiser(p, highest, free)) {
    }
  }

 private:
  // The derivative at the current point, gradient - A (solution - start), less the largest
  // gradient: the constant changes no direction, and with it large gradients would hide small
  // differences.
  static Real derivative(const SimplexProblem<Real>& p, Real highest, int m) {
    return (p.gradient[m] - highest) - p.curvature * (p.solution[m] - p.start[m]);
  }

  static Real mean_derivative(const SimplexProblem<Real>& p, Real highest, const Real* free) {
    Real sum = 0;
    int count = 0;
    for (int m = 0; m < p.size; ++m) {
      if (free[m] <= 0) continue;
      sum += derivative(p, highest, m);
      ++count;
    }
    return sum / Real(std::max(count, 1));
  }

  // On a face the Hessian is A times the identity: the minimiser is derivative minus mean, over A.
  // False if a bound was in the way; the face then has one variable less.
  static bool walk_to_face_minimiser(const SimplexProblem<Real>& p, Real highest, Real* free) {
    const Real mean = mean_derivative(p, highest, free);
    Real length = 1;
    int blocking = -1;
    for (int m = 0; m < p.size; ++m) {
      if (free[m] <= 0) continue;
      const Real direction = (derivative(p, highest, m) - mean) / p.curvature;
      if (direction < 0 && p.solution[m] + length * direction < 0) {
        length = -p.solution[m] / direction;
        blocking = m;
      }
    }
    for (int m = 0; m < p.size; ++m) {
      if (free[m] <= 0) continue;
      const Real direction = (derivative(p, highest, m) - mean) / p.curvature;
      p.solution[m] = std::max(p.solution[m] + length * direction, Real(0));
    }
    if (blocking < 0) return true;
    p.solution[blocking] = 0;
    free[blocking] = 0;
    return false;
  }
};

}  // namespace polymargin
