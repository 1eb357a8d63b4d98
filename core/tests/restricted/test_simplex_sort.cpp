#include "polymargin/restricted/simplex_sort.hpp"
#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_sort {

template <class Real>
std::vector<Real> solve_exactly(const SimplexBlock<Real>& p) {
  return solve(SimplexSort<Real>(), p);
}

void run_tests() {
  check_exact([](const auto& p) { return solve_exactly(p); });
}

}  // namespace polymargin::test::test_simplex_sort
