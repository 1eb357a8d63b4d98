// Two variables with ranks two, one and zero: against the optimality conditions, and against the
// best of all faces of the box in long double.
#include "blocks.hpp"
#include "polymargin/restricted/two_variables.hpp"

namespace polymargin::test::test_two_variables {

template <class Real>
struct Drawn {
  TwoVariables<Real> problem;
  int rank;
};

// Q = F'F with a factor F of `rank` rows. In rank one the columns of F are small multiples of one
// number, a power of two, so that the determinant vanishes exactly; so may the derivative along the
// null space, and with one column zero there is a variable without curvature.
template <class Real>
Drawn<Real> random_pair(Source& source) {
  Drawn<Real> drawn{{}, source.integer(0, 2)};
  TwoVariables<Real>& p = drawn.problem;
  const double range = kIsFloat<Real> ? 3 : 8;
  const Real scale = Real(std::exp2(source.integer(-int(range), int(range))));
  const double reach = source.power_of_ten(-range / 2, range / 2);
  if (drawn.rank == 2) {
    const double angle = source.uniform(0.05, 3.0), size[] = {source.power_of_ten(-1, 1), 1};
    p.diagonal = {Real(size[0] * size[0]), 1};
    p.coupling = Real(size[0] * std::cos(angle));
  } else if (drawn.rank == 1) {
    int factor[2] = {source.integer(-4, 4), source.integer(-4, 4)};
    if (factor[0] == 0 && factor[1] == 0) factor[source.integer(0, 1)] = 3;
    p.diagonal = {Real(factor[0] * factor[0]), Real(factor[1] * factor[1])};
    p.coupling = Real(factor[0] * factor[1]);
    const double common = std::exp2(std::round(std::log2(scale * reach)) + source.integer(-3, 3));
    p.gradient = {Real(common * factor[0]), Real(common * factor[1])};  // no part in the null space
  }
  for (int a : {0, 1}) {
    p.diagonal[a] *= scale;
    p.lower[a] = source.chance(0.2) ? Real(0) : Real(-reach * source.uniform(0, 1));
    p.upper[a] = source.chance(0.2) ? Real(0) : Real(reach * source.uniform(0, 1));
    // Around Q times the bounds the solution has some variables at their bounds.
    const double strength = scale * reach * source.power_of_ten(-3, 1);
    if (source.chance(0.1))
      p.gradient[a] = 0;
    else if (drawn.rank != 1 || source.chance(0.7))
      p.gradient[a] = Real(strength * source.bell());
  }
  p.coupling *= scale;
  return drawn;
}

template <class Real>
Wide value_at(const TwoVariables<Real>& p, Wide a, Wide b) {
  return p.gradient[0] * a + p.gradient[1] * b -
         (p.diagonal[0] * a * a + 2 * Wide(p.coupling) * a * b + p.diagonal[1] * b * b) / 2;
}

// The best of the box: four corners, the stationary points of four edges and the one inside. A
// concave problem without a corner or an edge that is best has its optimum inside, with full rank.
template <class Real>
Wide best_value(const TwoVariables<Real>& p, int rank) {
  Wide best = 0;
  const Wide bounds[2][2] = {{p.lower[0], p.upper[0]}, {p.lower[1], p.upper[1]}};
  const auto take = [&](Wide a, Wide b) {
    if (a >= bounds[0][0] && a <= bounds[0][1] && b >= bounds[1][0] && b <= bounds[1][1])
      best = std::max(best, value_at(p, a, b));
  };
  for (Wide a : bounds[0])
    for (Wide b : bounds[1]) take(a, b);
  for (int end : {0, 1}) {
    if (p.diagonal[1] > 0)
      take(bounds[0][end], (p.gradient[1] - p.coupling * bounds[0][end]) / p.diagonal[1]);
    if (p.diagonal[0] > 0)
      take((p.gradient[0] - p.coupling * bounds[1][end]) / p.diagonal[0], bounds[1][end]);
  }
  if (rank == 2) {  // eliminate b, then a
    const Wide ratio = Wide(p.coupling) / p.diagonal[1];
    const Wide a = (p.gradient[0] - ratio * p.gradient[1]) / (p.diagonal[0] - ratio * p.coupling);
    take(a, (p.gradient[1] - p.coupling * a) / p.diagonal[1]);
  }
  return best;
}

// Neither variable alone can gain anything, which suffices: Q is positive semidefinite. And nothing
// else is better.
template <class Real>
void check_solution(const Drawn<Real>& drawn) {
  const TwoVariables<Real>& p = drawn.problem;
  const auto mu = p.solve();
  Wide tolerance = 0;  // of terms that cancel in a gain, here and in the comparison
  for (int a : {0, 1}) {
    const Wide range = Wide(p.upper[a]) - p.lower[a], curvature = p.diagonal[a];
    tolerance += 16 * kRounding<Real> *
                     (std::fabs(Wide(p.gradient[a])) * range + curvature * mu[a] * mu[a]) +
                 16 * kRounding<Wide> * curvature * range * range;
  }
  for (int a : {0, 1}) {
    CHECK(mu[a] >= p.lower[a] && mu[a] <= p.upper[a]);
    const Wide slope = p.gradient[a] - Wide(p.diagonal[a]) * mu[a] - Wide(p.coupling) * mu[1 - a];
    Wide step = slope > 0 ? Wide(p.upper[a]) - mu[a] : Wide(p.lower[a]) - mu[a];
    if (p.diagonal[a] > 0 && std::fabs(slope / p.diagonal[a]) < std::fabs(step))
      step = slope / p.diagonal[a];
    CHECK_AT_MOST(step * (slope - p.diagonal[a] * step / 2), tolerance);
  }
  CHECK_NEAR(value_at(p, mu[0], mu[1]), best_value(p, drawn.rank), tolerance);
}

// The gain without bounds, against the best values in two boxes, large and larger: they are the
// gain, or the larger has more.
template <class Real>
void check_gain(const Drawn<Real>& drawn) {
  TwoVariables<Real> p = drawn.problem;
  const Wide gain = p.unbounded_gain();
  const Wide natural = (std::fabs(Wide(p.gradient[0])) + std::fabs(Wide(p.gradient[1]))) /
                       std::max<Wide>(p.diagonal[0] + p.diagonal[1], 1e-3L);
  Wide values[2];
  for (int step : {0, 1}) {
    for (int a : {0, 1}) {
      p.upper[a] = Real(natural * (step == 0 ? 1e5L : 1e6L));
      p.lower[a] = -p.upper[a];
    }
    values[step] = best_value(p, drawn.rank);
  }
  if (std::isinf(gain))
    CHECK(drawn.rank < 2 && values[1] > 1.001L * values[0]);
  else
    CHECK_NEAR(gain, values[1], (kIsFloat<Real> ? 1e-3L : 1e-6L) * values[1]);
}

template <class Real>
void check_random(unsigned seed, int problems) {
  Source source(seed);
  int ranks[3] = {}, active[3] = {};
  for (int n = 0; n < problems; ++n) {
    const Drawn<Real> drawn = random_pair<Real>(source);
    const auto& p = drawn.problem;
    check_solution(drawn);
    check_gain(drawn);
    CHECK_EQUAL(p.full_rank(), drawn.rank == 2);
    const auto mu = p.solve();
    int bounds = 0;
    for (int a : {0, 1}) bounds += mu[a] == p.lower[a] || mu[a] == p.upper[a];
    ++ranks[drawn.rank];
    ++active[bounds];
  }
  for (int rank : ranks) CHECK(rank > problems / 5);
  for (int count : active) CHECK(count > problems / 20);
}

// No upper bounds, and a determinant lost to rounding: still a step, and no worse than one
// variable.
void check_unbounded() {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  TwoVariables<double> p{{1, 2}, {1, 1}, 1, {0, 0}, {kInfinite, kInfinite}};
  CHECK_EQUAL(p.gain(p.solve()), 2.0);  // b alone
  p.coupling = 0.5;
  const auto mu = p.solve();
  CHECK_NEAR(mu[0], 0, 1e-15L);
  CHECK_NEAR(mu[1], 2, 1e-15L);
  CHECK_EQUAL(one_variable_step(3.0, 2.0, -1.0, kInfinite), 1.5);
  CHECK_EQUAL(one_variable_step(-3.0, 2.0, -1.0, kInfinite), -1.0);
  CHECK_EQUAL(one_variable_step(0.0, 0.0, -1.0, 1.0), 0.0);
}

void run_tests() {
  check_random<double>(1, 100000);
  check_random<float>(2, 100000);
  check_unbounded();
}

}  // namespace polymargin::test::test_two_variables
