// What every solver on the box is held to.
#pragma once

#include "box_blocks.hpp"

namespace polymargin::test {

template <class Real>
void check_feasible(const BoxBlock<Real>& p, const std::vector<Real>& solution) {
  for (Real u : solution) CHECK(u >= 0 && u <= p.shape.upper);
}

// How far the optimality conditions fail.
template <class Real>
Wide optimality_residual(const BoxBlock<Real>& p, const std::vector<Real>& solution) {
  Wide change = 0, failure = 0;
  for (int m = 0; m < p.size(); ++m) change += Wide(solution[m]) - p.start[m];
  for (int m = 0; m < p.size(); ++m) {
    const Wide own = p.shape.diagonal * (Wide(solution[m]) - p.start[m]);
    const Wide slope = p.gradient[m] - own - p.shape.coupling * change;
    if (solution[m] > 0) failure = std::max(failure, -slope);
    if (solution[m] < p.shape.upper) failure = std::max(failure, slope);
  }
  return failure;
}

// Compares with the optimum. A variable inside its bounds is the difference q_m - r t; where that
// difference cancels more digits than Real has to spare, the last digits of the input decide the
// solution. Then the objective is compared, and the optimality conditions up to what they fail by
// if each of these terms is rounded (the objective, only to second order). Returns whether the
// solutions were compared.
template <class Real>
bool check_optimal(const BoxBlock<Real>& p, const std::vector<Real>& solution) {
  check_feasible(p, solution);
  const BoxOptimum optimum = BoxOracle<Real>(p).optimum();
  const Wide rounded = kRounding<Real> * (32 * optimum.free_terms + 2 * optimum.sum_terms);
  const bool well_conditioned = rounded <= kExact<Real> * optimum.scale;
  if (well_conditioned) {
    for (int m = 0; m < p.size(); ++m)
      CHECK_NEAR(solution[m], optimum.solution[m], kExact<Real> * optimum.scale);
  } else {
    const Wide curvature = p.shape.diagonal + p.size() * std::fabs(Wide(p.shape.coupling));
    CHECK_AT_MOST(optimality_residual(p, solution), rounded * curvature);
    const Wide best = objective(p, optimum.solution);
    CHECK_NEAR(objective(p, widened(solution)), best,
               kExact<Real> * std::fabs(best) + p.size() * curvature * rounded * rounded);
  }
  return well_conditioned;
}

}  // namespace polymargin::test
