#include "polymargin/restricted/simplex_fixed_point.hpp"
#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_fixed_point {

void run_tests() {
  check_tolerance<double, SimplexFixedPoint<double>>(1, 1500, {0.1, 1e-3, 1e-6, 1e-11});
  check_tolerance<float, SimplexFixedPoint<float>>(2, 1500, {0.1, 1e-3, 1e-5});
}

}  // namespace polymargin::test::test_simplex_fixed_point
