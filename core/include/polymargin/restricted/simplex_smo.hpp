// Sequential minimal optimisation inside the block (002, supplement A): the variables above zero
// give in turn, each to the class of largest derivative, as often round as there are sweeps.
// Approximate. A class that has just received may give in the same sweep, where its turn is still
// to come; the paper does not say how often it goes round.
#pragma once

#include <algorithm>

#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexSmo final : public SimplexSolver<Real> {
 public:
  explicit SimplexSmo(int sweeps = 1) : sweeps_(sweeps) {}

  void solve(const SimplexProblem<Real>& p) const override {
    Real* derivative = p.target;
    std::copy_n(p.gradient, p.size, derivative);
    std::copy_n(p.start, p.size, p.solution);
    for (int sweep = 0; sweep < sweeps_; ++sweep)
      if (!give_in_turn(p, derivative)) break;
  }

 private:
  // Whether anything moved.
  static bool give_in_turn(const SimplexProblem<Real>& p, Real* derivative) {
    bool any = false;
    for (int giver = 0; giver < p.size; ++giver) {
      if (!(p.solution[giver] > 0)) continue;
      const int taker = int(std::max_element(derivative, derivative + p.size) - derivative);
      const Real wanted = (derivative[taker] - derivative[giver]) / (2 * p.curvature);
      const Real moved = std::min(wanted, p.solution[giver]);
      if (taker == giver || !(moved > 0)) continue;
      p.solution[giver] -= moved;
      p.solution[taker] += moved;
      derivative[giver] += p.curvature * moved;
      derivative[taker] -= p.curvature * moved;
      any = true;
    }
    return any;
  }

  int sweeps_;
};

}  // namespace polymargin
