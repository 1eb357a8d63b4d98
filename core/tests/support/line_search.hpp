// The best point of a segment inside a simplex block, by ternary search on the objective.
#pragma once

#include "blocks.hpp"

namespace polymargin::test {

// `solution` lies between the start and `end`, and no point of the segment is better.
template <class Real>
void check_best_on_segment(const SimplexBlock<Real>& p, const std::vector<Wide>& end,
                           const std::vector<Real>& solution) {
  const auto point = [&](Wide share) {
    std::vector<Wide> b(p.size());
    for (int m = 0; m < p.size(); ++m) b[m] = p.start[m] + share * (end[m] - p.start[m]);
    return b;
  };
  Wide low = 0, high = 1;
  for (int halving = 0; halving < 60; ++halving) {
    const Wide left = low + (high - low) / 3, right = high - (high - low) / 3;
    if (objective(p, point(left)) > objective(p, point(right)))
      low = left;
    else
      high = right;
  }
  const auto wide = widened(solution);
  const auto best = point((low + high) / 2);
  CHECK_AT_MOST(objective(p, wide),
                objective(p, best) + objective_rounding(p, wide) + objective_rounding(p, best));

  const auto widest = [&](int a, int b) {
    return std::fabs(end[a] - p.start[a]) < std::fabs(end[b] - p.start[b]);
  };
  std::vector<int> order(p.size());
  for (int m = 0; m < p.size(); ++m) order[m] = m;
  const int m = *std::max_element(order.begin(), order.end(), widest);
  if (end[m] == p.start[m]) return;
  const auto same_share = point((solution[m] - p.start[m]) / (end[m] - p.start[m]));
  for (int c = 0; c < p.size(); ++c)
    CHECK_NEAR(solution[c], same_share[c], 16 * kRounding<Real> * p.total);
}

}  // namespace polymargin::test
