#include "entropy_checks.hpp"

namespace polymargin::test::test_max_entropy {

// Blocks of zeros, a vertex, the centre, inside, a face, and shares of every size.
template <class Real>
void fill_block(Source& source, Visit<Real>& visit) {
  const int kind = source.integer(0, 3);
  auto point = random_simplex_point(source, visit.classes, visit.loss_weight);
  if (kind == 0) std::fill(point.begin(), point.end(), Real(0));
  if (kind == 1)
    for (Real& u : point)
      u = Real(visit.loss_weight * source.power_of_ten(-20, -1) / visit.classes);
  for (int m = 0; m < visit.classes; ++m)
    if (m != visit.label) visit.arrays.dual[m] = point[m];
}

template <class Real>
void check_real() {
  for (int classes : {2, 4, 8, 64})
    check_at_zero<Real>("maxent", "log", classes, Real(1) / Real(classes));
  check_random_visits<Real>("maxent", "log", 6000, fill_block<Real>);
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_max_entropy
