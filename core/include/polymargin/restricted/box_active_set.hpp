// Active-set method for the box with a rank-one coupling (000, section 3, after eq. (21)), over the
// variables inside their bounds and those that violate optimality. The Hessian of a face is
// Q I + R 1 1^T, inverted in closed form.
#pragma once

#include <algorithm>
#include <vector>

#include "polymargin/restricted/restricted.hpp"

namespace polymargin {

template <class Real>
class BoxActiveSet final : public BoxSolver<Real> {
 public:
  void solve(const BoxBlockProblem<Real>& p) const override {
    std::vector<State> state(p.size);
    Real change = 0;  // t = sum of (solution - start)
    for (int m = 0; m < p.size; ++m) {
      p.solution[m] = p.start[m];
      const bool rises = p.start[m] < p.shape.upper && p.gradient[m] > 0;
      const bool falls = p.start[m] > 0 && p.gradient[m] < 0;
      const bool inside = p.start[m] > 0 && p.start[m] < p.shape.upper;
      state[m] = rises || falls || inside ? State::free : State::outside;
    }
    for (int iteration = 0; iteration < 20 * p.size + 20; ++iteration) {
      if (walk_to_face_minimiser(p, state, change) && !take_one_back(p, state, change)) break;
    }
  }

 private:
  enum class State : char { outside, free, bounded };

  static Real derivative(const BoxBlockProblem<Real>& p, int m, Real change) {
    return p.gradient[m] - p.shape.diagonal * (p.solution[m] - p.start[m]) -
           p.shape.coupling * change;
  }

  static bool walk_to_face_minimiser(const BoxBlockProblem<Real>& p, std::vector<State>& state,
                                     Real& change) {
    // (Q I + R 1 1^T) d = derivative:  d = (derivative - R s) / Q,  s = sum d
    Real sum = 0;
    int count = 0;
    for (int m = 0; m < p.size; ++m) {
      if (state[m] != State::free) continue;
      sum += derivative(p, m, change);
      ++count;
    }
    const Real total = sum / (p.shape.diagonal + p.shape.coupling * Real(count));
    const auto direction = [&](int m) {
      return (derivative(p, m, change) - p.shape.coupling * total) / p.shape.diagonal;
    };
    Real length = 1;
    int blocking = -1;
    bool at_upper = false;
    for (int m = 0; m < p.size; ++m) {
      if (state[m] != State::free) continue;
      const Real d = direction(m);
      const Real room = d < 0 ? -p.solution[m] : p.shape.upper - p.solution[m];
      if (d != 0 && length * std::abs(d) > std::abs(room)) {
        length = room / d;
        blocking = m;
        at_upper = d > 0;
      }
    }
    Real moved = 0;
    std::vector<Real> next(p.solution, p.solution + p.size);
    for (int m = 0; m < p.size; ++m) {
      if (state[m] != State::free) continue;
      next[m] = std::clamp(p.solution[m] + length * direction(m), Real(0), p.shape.upper);
    }
    if (blocking >= 0) {
      next[blocking] = at_upper ? p.shape.upper : Real(0);
      state[blocking] = State::bounded;
    }
    for (int m = 0; m < p.size; ++m) moved += next[m] - p.solution[m];
    std::copy(next.begin(), next.end(), p.solution);
    change += moved;
    return blocking < 0;
  }

  static bool take_one_back(const BoxBlockProblem<Real>& p, std::vector<State>& state,
                            Real change) {
    int worst = -1;
    Real worst_excess = 0;
    for (int m = 0; m < p.size; ++m) {
      if (state[m] != State::bounded) continue;
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
    if (worst >= 0) state[worst] = State::free;
    return worst >= 0;
  }
};

}  // namespace polymargin
