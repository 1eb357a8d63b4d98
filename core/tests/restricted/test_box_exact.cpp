#include "box_checks.hpp"
#include "polymargin/restricted/box_exact.hpp"

namespace polymargin::test::test_box_exact {

template <class Real>
std::vector<Real> solve_on_lanes(const BoxBlock<Real>& p) {
  BlockArrays<Real> arrays(p.size());
  const int stride = arrays.layout.stride;
  AlignedArray<Real> gradient(stride), solution(stride);
  std::fill_n(gradient.data(), stride, kNowhere<Real>);
  std::copy(p.gradient.begin(), p.gradient.end(), gradient.data());
  std::copy(p.start.begin(), p.start.end(), arrays.dual.data());

  const Block<Real> block = arrays.block(0, p.shape.diagonal, p.shape.upper);
  with_lanes(block, [&](const auto& lanes) {
    using Lanes = std::decay_t<decltype(lanes)>;
    auto g = lanes.local(0), result = lanes.local(1);
    for (int v = 0; v < lanes.packs; ++v)
      g[v] = load<typename Lanes::V>(gradient.data() + v * Lanes::kLanes);
    BoxExact<false>{}.solve(lanes, p.shape, g, result);
    for (int v = 0; v < lanes.packs; ++v) store(solution.data() + v * Lanes::kLanes, result[v]);
  });
  for (int m = p.size(); m < stride; ++m) CHECK_EQUAL(solution[m], 0);
  return {solution.data(), solution.data() + p.size()};
}

template <class Real>
void check_blocks(unsigned seed, int blocks) {
  Source source(seed);
  int compared = 0;
  for (int b = 0; b < blocks; ++b) {
    auto p = random_box_block<Real>(source);
    const auto solution = solve_on_lanes(p);
    compared += check_optimal(p, solution);
    // From a reference at the solution or away from it: the same optimum.
    Wide change = 0;
    for (int m = 0; m < p.size(); ++m) change += Wide(solution[m]) - p.start[m];
    p.shape.reference = Real(p.shape.coupling * change * source.uniform(0, 1.5));
    check_optimal(p, solve_on_lanes(p));
  }
  CHECK(compared > 4 * blocks / 5);
}

void run_tests() {
  check_blocks<double>(1, 60000);
  check_blocks<float>(2, 50000);
}

}  // namespace polymargin::test::test_box_exact
