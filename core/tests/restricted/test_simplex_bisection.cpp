#include "polymargin/restricted/simplex_bisection.hpp"
#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_bisection {

void run_tests() {
  check_tolerance<double, SimplexBisection<double>>(1, 10000, {0.1, 1e-3, 1e-6, 1e-11, 0.0});
  check_tolerance<float, SimplexBisection<float>>(2, 10000, {0.1, 1e-3, 1e-5, 0.0});
}

}  // namespace polymargin::test::test_simplex_bisection
