// Projection by partition around random pivots (002, section IV; Duchi et al. 2008, figure 2):
// exact, expected O(k). The invariant: everything already kept is above theta.
#pragma once

#include <algorithm>

#include "polymargin/base/random.hpp"
#include "polymargin/restricted/simplex_problem.hpp"

namespace polymargin {

template <class Real>
class SimplexPivot final : public SimplexSolver<Real> {
 public:
  void solve(const SimplexProblem<Real>& p) const override {
    shifted_target(p);
    Real* open = p.solution;
    std::copy_n(p.target, p.size, open);
    Random random(std::uint64_t(p.size));
    Real kept_sum = 0;
    int kept = 0, left = p.size;
    while (left > 0) {
      std::swap(open[0], open[random.below(std::uint32_t(left))]);
      const Real pivot = open[0];
      Real* middle = std::partition(open + 1, open + left, [=](Real q) { return q >= pivot; });
      Real sum = pivot;
      for (Real* q = open + 1; q != middle; ++q) sum += *q;
      const int count = int(middle - open);
      if (kept_sum + sum - Real(kept + count) * pivot < p.total) {  // the pivot is above theta
        kept_sum += sum;
        kept += count;
        left -= count;
        open = middle;
      } else {  // so is everything above the pivot; the pivot and what is below it are not
        open += 1;
        left = count - 1;
      }
    }
    threshold_target(p, (kept_sum - p.total) / Real(kept));
  }
};

}  // namespace polymargin
