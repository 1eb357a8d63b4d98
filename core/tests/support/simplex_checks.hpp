// What every solver on the simplex is held to.
#pragma once

#include "blocks.hpp"
#include "polymargin/restricted/simplex_exact.hpp"

namespace polymargin::test {

template <class Real>
std::vector<Real> solve(const SimplexSolver<Real>& solver, const SimplexBlock<Real>& p) {
  std::vector<Real> solution(p.size()), target(p.size());
  solver.solve({p.size(), p.curvature, p.total, p.gradient.data(), p.start.data(), solution.data(),
                target.data()});
  return solution;
}

template <class Real>
void check_feasible(const SimplexBlock<Real>& p, const std::vector<Real>& solution) {
  Wide sum = 0;
  for (Real b : solution) {
    CHECK(b >= 0);
    sum += b;
  }
  CHECK_NEAR(sum, p.total, 8 * (1 + p.size()) * kRounding<Real> * p.total);
}

template <class Real>
Wide largest_error(const std::vector<Real>& solution, const std::vector<Wide>& expected) {
  Wide error = 0;
  for (std::size_t m = 0; m < expected.size(); ++m)
    error = std::max(error, std::fabs(solution[m] - expected[m]));
  return error;
}

template <class Real>
void check_not_worse_than_start(const SimplexBlock<Real>& p, const std::vector<Real>& solution) {
  const auto wide = widened(solution);
  CHECK_AT_MOST(objective(p, wide), objective_rounding(p, wide));
}

template <class Real, class Solve>
void check_exact_of(unsigned seed, int blocks, Solve&& solve_block) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    const auto p = random_simplex_block<Real>(source);
    const std::vector<Real> solution = solve_block(p);
    check_feasible(p, solution);
    CHECK_AT_MOST(largest_error(solution, simplex_optimum(p)), kExact<Real> * p.total);
  }
}

template <class Solve>
void check_exact(Solve&& solve_block) {
  check_exact_of<double>(1, 60000, solve_block);
  check_exact_of<float>(2, 50000, solve_block);
}

// Solvers with a tolerance approach the exact solution as it falls: an error of tau C_i in the sum
// is spread over the kept variables, and the scaling that follows adds no more than as much again.
template <class Real, class Solver>
void check_tolerance(unsigned seed, int blocks, std::initializer_list<double> taus) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    const auto p = random_simplex_block<Real>(source);
    const auto expected = simplex_optimum(p);
    for (double tau : taus) {
      const auto solution = solve(Solver(tau), p);
      check_feasible(p, solution);
      CHECK_AT_MOST(largest_error(solution, expected), (2.5L * tau + kExact<Real>)*p.total);
    }
  }
}

}  // namespace polymargin::test
