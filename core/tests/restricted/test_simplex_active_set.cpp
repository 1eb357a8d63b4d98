#include "polymargin/restricted/simplex_active_set.hpp"
#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_active_set {

// Exact on the variables above zero and the one of largest gradient; the others stay at zero. The
// walk adds up the rounding of as many faces as there are variables: float is allowed 1e-4.
template <class Real>
void check_candidates(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    const auto p = random_simplex_block<Real>(source);
    const auto solution = solve(SimplexActiveSet<Real>(), p);
    check_feasible(p, solution);
    check_not_worse_than_start(p, solution);

    SimplexBlock<Real> candidates{p.curvature, p.total, {}, {}};
    std::vector<Real> at_candidates;
    const auto most = std::max_element(p.gradient.begin(), p.gradient.end()) - p.gradient.begin();
    for (int m = 0; m < p.size(); ++m) {
      if (p.start[m] > 0 || m == most) {
        candidates.gradient.push_back(p.gradient[m]);
        candidates.start.push_back(p.start[m]);
        at_candidates.push_back(solution[m]);
      } else {
        CHECK_EQUAL(solution[m], 0);
      }
    }
    CHECK_AT_MOST(largest_error(at_candidates, simplex_optimum(candidates)),
                  (kIsFloat<Real> ? 1e-4L : 1e-10L) * p.total);
  }
}

void run_tests() {
  check_candidates<double>(1, 15000);
  check_candidates<float>(2, 15000);
}

}  // namespace polymargin::test::test_simplex_active_set
