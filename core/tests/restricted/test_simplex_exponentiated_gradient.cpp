#include "polymargin/restricted/simplex_exponentiated_gradient.hpp"
#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_exponentiated_gradient {

template <class Real>
std::vector<Real> step(const SimplexBlock<Real>& p, Real& multiple, int label = 0) {
  std::vector<Real> solution(p.size()), target(p.size());
  SimplexExponentiatedGradient<Real>().solve({p.size(), p.curvature, p.total, p.gradient.data(),
                                              p.start.data(), solution.data(), target.data(),
                                              &multiple, label});
  return solution;
}

template <class Real>
void check_never_worse(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    const auto p = random_simplex_block<Real>(source);
    Real multiple = source.chance(0.5) ? Real(0) : Real(source.power_of_ten(0, 5));
    const auto solution = step(p, multiple, source.integer(0, p.size() - 1));
    check_feasible(p, solution);
    CHECK(multiple >= 1 && multiple <= Real(1e6));
    // The variables need not sum to their total by more than a rounding.
    const auto wide = widened(solution);
    const auto least = *std::min_element(p.gradient.begin(), p.gradient.end());
    const Wide sums = kRounding<Real> * p.size() * p.total * (highest_gradient(p) - least);
    CHECK_AT_MOST(objective(p, wide), objective_rounding(p, wide) + 16 * sums);
  }
}

// The definition, in long double: the longest of the steps 2 / (A C) times multiple, multiple / 2,
// ..., 1 that does not lower the dual.
void check_definition(unsigned seed, int blocks) {
  Source source(seed);
  int halved = 0;
  for (int b = 0; b < blocks; ++b) {
    SimplexBlock<double> p{source.power_of_ten(-2, 2), source.power_of_ten(-2, 2), {}, {}};
    const int size = source.integer(2, 30);
    double sum = 0;
    for (int m = 0; m < size; ++m) {
      p.gradient.push_back(p.curvature * p.total * 0.1 * source.bell());
      p.start.push_back(source.uniform(0.1, 1));
      sum += p.start[m];
    }
    for (double& s : p.start) s *= p.total / sum;
    const double before = source.power_of_ten(0, 3);
    double after = before;
    const auto solution = step(p, after, source.integer(0, size - 1));

    Wide multiple = before;
    std::vector<Wide> expected(size);
    Wide value = 0;
    for (;; multiple = std::max(multiple / 2, Wide(1))) {
      Wide total = 0;
      for (int m = 0; m < size; ++m) {
        expected[m] =
            p.start[m] * std::exp(2 * multiple / (Wide(p.curvature) * p.total) * p.gradient[m]);
        total += expected[m];
      }
      for (Wide& share : expected) share *= p.total / total;
      value = objective(p, expected);
      if (value < 0 || multiple == 1) break;
      ++halved;
    }
    CHECK(value < 0);  // at the latest with a multiple of one
    CHECK_NEAR(after, 1.05L * multiple, 1e-12L * multiple);
    CHECK_AT_MOST(largest_error(solution, expected), 1e-9L * p.total);
  }
  CHECK(halved > blocks / 10);
}

// Step after step leads to the optimum, also from zeros: they come back where they are needed. In
// float that ends where the gain of a variable that comes back is a rounding of the others: at
// differences of a few hundredths of gradients around one.
template <class Real>
void check_convergence(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    SimplexBlock<Real> p{1, 1, {}, {}};
    const int size = source.integer(2, 8);
    p.gradient = random_gradient<Real>(source, size, source.power_of_ten(-1, 0.5));
    p.start = random_simplex_point(source, size, p.total);
    const int label = source.integer(0, size - 1);
    const auto expected = simplex_optimum(p);
    const SimplexBlock<Real> first = p;
    Real multiple = 0;
    for (int s = 0; s < 3000; ++s) {
      const auto solution = step(p, multiple, label);
      for (int m = 0; m < size; ++m)
        p.gradient[m] = first.gradient[m] - (solution[m] - first.start[m]);
      p.start = solution;
    }
    CHECK_AT_MOST(largest_error(p.start, expected), kIsFloat<Real> ? 4e-2L : 1e-3L);
    const Wide optimum = objective(first, expected);
    CHECK_NEAR(objective(first, widened(p.start)), optimum, kIsFloat<Real> ? 5e-4L : 1e-7L);
  }
}

// Exponents far outside the range of exp.
template <class Real>
void check_extremes() {
  const Real huge = kIsFloat<Real> ? Real(1e30) : Real(1e250);
  for (Real curvature : {1 / huge, Real(1), huge})
    for (Real gradient : {Real(1), huge}) {
      SimplexBlock<Real> p{curvature, 2, {-gradient, 0, gradient}, {1, 1, 0}};
      Real multiple = Real(1e6);
      const auto solution = step(p, multiple, 1);
      check_feasible(p, solution);
      if (curvature < 1) CHECK_EQUAL(solution[2], p.total);
    }
}

void run_tests() {
  check_never_worse<double>(1, 20000);
  check_never_worse<float>(2, 20000);
  check_definition(3, 5000);
  check_convergence<double>(4, 500);
  check_convergence<float>(5, 500);
  check_extremes<double>();
  check_extremes<float>();
}

}  // namespace polymargin::test::test_simplex_exponentiated_gradient
