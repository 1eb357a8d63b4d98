#include "line_search.hpp"
#include "polymargin/restricted/simplex_smo.hpp"
#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_smo {

// From the last vertex there is one giver: the sweep is one step along taker minus giver, whose
// turn to give is over.
template <class Real>
void check_pair_step(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    auto p = random_simplex_block<Real>(source);
    const int giver = p.size() - 1;
    std::fill(p.start.begin(), p.start.end(), Real(0));
    p.start[giver] = p.total;
    const auto solution = solve(SimplexSmo<Real>(), p);
    check_feasible(p, solution);
    const auto taker = std::max_element(p.gradient.begin(), p.gradient.end()) - p.gradient.begin();
    std::vector<Wide> vertex(p.size(), 0);
    vertex[taker] = p.total;
    check_best_on_segment(p, vertex, solution);
  }
}

template <class Real>
void check_sweeps(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    const auto p = random_simplex_block<Real>(source);
    const auto solution = solve(SimplexSmo<Real>(), p);
    check_feasible(p, solution);
    check_not_worse_than_start(p, solution);
  }
}

// Sweep after sweep leads to the exact solution.
void check_convergence(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    SimplexBlock<double> p{1, 1, {}, {}};
    const int size = source.integer(2, 12);
    p.gradient = random_gradient<double>(source, size, source.power_of_ten(-2, 2));
    p.start = random_simplex_point(source, size, p.total);
    const auto expected = simplex_optimum(p);
    CHECK_AT_MOST(largest_error(solve(SimplexSmo<double>(400), p), expected), 1e-9L);
    for (int sweep = 0; sweep < 400; ++sweep) {
      const auto solution = solve(SimplexSmo<double>(), p);
      for (int m = 0; m < size; ++m) p.gradient[m] -= p.curvature * (solution[m] - p.start[m]);
      p.start = solution;
    }
    CHECK_AT_MOST(largest_error(p.start, expected), 1e-9L);
  }
}

void run_tests() {
  check_pair_step<double>(1, 5000);
  check_pair_step<float>(2, 5000);
  check_sweeps<double>(3, 10000);
  check_sweeps<float>(4, 10000);
  check_convergence(5, 1000);
}

}  // namespace polymargin::test::test_simplex_smo
