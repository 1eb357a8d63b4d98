#include "line_search.hpp"
#include "polymargin/restricted/simplex_frank_wolfe.hpp"
#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_frank_wolfe {

template <class Real>
void check_steps(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    const auto p = random_simplex_block<Real>(source);
    const auto solution = solve(SimplexFrankWolfe<Real>(), p);
    check_feasible(p, solution);
    check_not_worse_than_start(p, solution);
    const auto most = std::max_element(p.gradient.begin(), p.gradient.end()) - p.gradient.begin();
    std::vector<Wide> vertex(p.size(), 0);
    vertex[most] = p.total;
    check_best_on_segment(p, vertex, solution);
  }
}

void run_tests() {
  check_steps<double>(1, 10000);
  check_steps<float>(2, 10000);
}

}  // namespace polymargin::test::test_simplex_frank_wolfe
