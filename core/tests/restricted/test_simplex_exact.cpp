#include "simplex_checks.hpp"

namespace polymargin::test::test_simplex_exact {

// The label's variable is the slack C_i - sum u: it has gradient zero and is not passed on.
template <class Real>
std::vector<Real> solve_on_lanes(const SimplexBlock<Real>& p, int label) {
  BlockArrays<Real> arrays(p.size());
  const int stride = arrays.layout.stride;
  AlignedArray<Real> h(stride), solution(stride);
  std::fill_n(h.data(), stride, kNowhere<Real>);
  Real start_sum = 0;
  for (int m = 0; m < p.size(); ++m) {
    if (m == label) continue;
    h[m] = p.gradient[m];
    arrays.dual[m] = p.start[m];
    start_sum += p.start[m];
  }
  const Real loss = Real(highest_gradient(p));

  const Block<Real> block = arrays.block(label, p.curvature, p.total);
  with_lanes(block, [&](const auto& lanes) {
    using Lanes = std::decay_t<decltype(lanes)>;
    auto gradient = lanes.local(0), result = lanes.local(1);
    for (int v = 0; v < lanes.packs; ++v)
      gradient[v] = load<typename Lanes::V>(h.data() + v * Lanes::kLanes);
    SimplexExact{}.solve(lanes, gradient, loss, start_sum, result);
    for (int v = 0; v < lanes.packs; ++v) store(solution.data() + v * Lanes::kLanes, result[v]);
  });
  CHECK_EQUAL(solution[label], 0);
  for (int m = p.size(); m < stride; ++m) CHECK_EQUAL(solution[m], 0);
  return {solution.data(), solution.data() + p.size()};
}

template <class Real>
void check_blocks(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    auto p = random_simplex_block<Real>(source);
    const int label = source.integer(0, p.size() - 1);
    p.gradient[label] = 0;
    const auto solution = solve_on_lanes(p, label);
    const auto expected = simplex_optimum(p);
    Wide sum = 0;
    for (int m = 0; m < p.size(); ++m) {
      if (m == label) continue;
      CHECK(solution[m] >= 0);
      CHECK_NEAR(solution[m], expected[m], kExact<Real> * p.total);
      sum += solution[m];
    }
    CHECK_AT_MOST(sum, p.total * (1 + 8 * (1 + p.size()) * kRounding<Real>));
  }
}

// A loss_weight far above the solution costs no digits: the error is relative to the solution, not
// to C_i.
template <class Real>
void check_far_loss_weight(unsigned seed, int blocks) {
  Source source(seed);
  for (int b = 0; b < blocks; ++b) {
    const int size = source.integer(2, 40), label = source.integer(0, size - 1);
    SimplexBlock<Real> p{Real(source.power_of_ten(-2, 2)), 0, {}, {}};
    p.gradient = random_gradient<Real>(source, size, 1);
    p.gradient[label] = 0;
    const Real total = 1 / p.curvature;
    p.total = total * Real(kIsFloat<Real> ? 1e5 : 1e7);
    p.start = random_simplex_point(source, size, total);
    p.start[label] = 0;
    Wide sum = 0;
    for (Real u : p.start) sum += u;
    const auto solution = solve_on_lanes(p, label);
    auto wide = SimplexBlock<Wide>{p.curvature, p.total, widened(p.gradient), widened(p.start)};
    wide.start[label] = wide.total - sum;
    const auto expected = simplex_optimum(wide);
    for (int m = 0; m < size; ++m)
      if (m != label) CHECK_NEAR(solution[m], expected[m], kExact<Real> * total);
  }
}

void run_tests() {
  check_blocks<double>(1, 60000);
  check_blocks<float>(2, 50000);
  check_far_loss_weight<double>(3, 5000);
  check_far_loss_weight<float>(4, 5000);
}

}  // namespace polymargin::test::test_simplex_exact
