// Active-set method for the box with a rank-one coupling (000, section 3, after eq. (21)), over the
// variables inside their bounds and those that violate optimality. The Hessian of a face is
// Q I + R sigma sigma^T, inverted in closed form.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "polymargin/restricted/box_problem.hpp"

namespace polymargin {

template <class Real>
class BoxActiveSet final : public BoxSolver<Real> {
 public:
  void solve(const BoxBlockProblem<Real>& p) const override {
    Real change = 0;  // t = sigma.(solution - start)
    for (int m = 0; m < p.size; ++m) {
      p.solution[m] = p.start[m];
      const bool rises = p.start[m] < p.shape.upper && p.gradient[m] > 0;
      const bool falls = p.start[m] > 0 && p.gradient[m] < 0;
      const bool inside = p.start[m] > 0 && p.start[m] < p.shape.upper;
      p.state[m] = rises || falls || inside ? kFree : kOutside;
    }
    for (int iteration = 0; iteration < 20 * p.size + 20; ++iteration) {
      if (walk_to_face_minimiser(p, change) && !take_one_back(p, change)) break;
    }
  }

 private:
  // States of a variable; numbers, because they live in the workspace of the block.
  static constexpr Real kOutside = 0, kFree = 1, kBounded = 2;

  static Real derivative(const BoxBlockProblem<Real>& p, int m, Real change) {
    return p.gradient[m] - p.shape.diagonal * (p.solution[m] - p.start[m]) -
           p.shape.coupling * p.sign(m) * change;
  }

  // The sum of sigma d on the current face: (Q I + R sigma sigma^T) d = derivative. Where that is
  // flat along sigma and the derivative is not zero, far enough for a bound to be in the way.
  static Real total_step(const BoxBlockProblem<Real>& p, Real change) {
    Real sum = 0, terms = 0;
    int count = 0;
    for (int m = 0; m < p.size; ++m) {
      if (p.state[m] != kFree) continue;
      const Real slope = derivative(p, m, change);
      sum += p.sign(m) * slope;
      terms += std::abs(slope);
      ++count;
    }
    if (p.shape.reversed < 0 || count < p.size)
      return sum / (p.shape.diagonal + p.shape.coupling * Real(count));
    if (p.shape.along_signs > 0) return sum / p.shape.along_signs;
    const Real rounding = 16 * std::numeric_limits<Real>::epsilon() * terms;
    return std::abs(sum) <= rounding ? Real(0)
                                     : std::copysign(4 * Real(count) * p.shape.upper, sum);
  }

  static bool walk_to_face_minimiser(const BoxBlockProblem<Real>& p, Real& change) {
    const Real total = total_step(p, change);
    const auto direction = [&](int m) {
      return (derivative(p, m, change) - p.shape.coupling * p.sign(m) * total) / p.shape.diagonal;
    };
    Real length = 1;
    int blocking = -1;
    bool at_upper = false;
    for (int m = 0; m < p.size; ++m) {
      if (p.state[m] != kFree) continue;
      const Real d = direction(m);
      const Real room = d < 0 ? -p.solution[m] : p.shape.upper - p.solution[m];
      if (d != 0 && length * std::abs(d) > std::abs(room)) {
        length = room / d;
        blocking = m;
        at_upper = d > 0;
      }
    }
    for (int m = 0; m < p.size; ++m)
      p.next[m] = p.state[m] == kFree
                      ? std::clamp(p.solution[m] + length * direction(m), Real(0), p.shape.upper)
                      : p.solution[m];
    if (blocking >= 0) {
      p.next[blocking] = at_upper ? p.shape.upper : Real(0);
      p.state[blocking] = kBounded;
    }
    Real moved = 0;
    for (int m = 0; m < p.size; ++m) moved += p.sign(m) * (p.next[m] - p.solution[m]);
    std::copy_n(p.next, p.size, p.solution);
    change += moved;
    return blocking < 0;
  }

  static bool take_one_back(const BoxBlockProblem<Real>& p, Real change) {
    int worst = -1;
    Real worst_excess = 0;
    for (int m = 0; m < p.size; ++m) {
      if (p.state[m] != kBounded) continue;
      const Real slope = derivative(p, m, change);
      // The slope is a sum of three terms and only as good as their rounding.
      const Real terms = std::abs(p.gradient[m]) + std::abs(p.shape.coupling * change) +
                         std::abs(p.shape.diagonal * (p.solution[m] - p.start[m]));
      const Real rounding = 64 * std::numeric_limits<Real>::epsilon() * terms;
      const Real excess = (p.solution[m] > 0 ? -slope : slope) - rounding;
      if (excess > worst_excess) {
        worst_excess = excess;
        worst = m;
      }
    }
    if (worst >= 0) p.state[worst] = kFree;
    return worst >= 0;
  }
};

}  // namespace polymargin
