#include "box_checks.hpp"
#include "polymargin/restricted/box_active_set.hpp"

namespace polymargin::test::test_box_active_set {

// Exact on the variables inside their bounds and those that violate optimality at the start; the
// others stay where they are.
template <class Real>
void check_candidates(unsigned seed, int blocks) {
  Source source(seed);
  int compared = 0;
  for (int b = 0; b < blocks; ++b) {
    const auto p = random_box_block<Real>(source);
    std::vector<Real> solution(p.size()), next(p.size()), state(p.size());
    BoxActiveSet<Real>().solve({p.size(), p.shape, p.gradient.data(), p.start.data(),
                                solution.data(), next.data(), state.data()});

    BoxBlock<Real> candidates{p.shape, {}, {}};
    std::vector<Real> at_candidates;
    for (int m = 0; m < p.size(); ++m) {
      const bool can_rise = p.start[m] < p.shape.upper, can_fall = p.start[m] > 0;
      if ((can_rise && can_fall) || (can_rise && p.gradient[m] > 0) ||
          (can_fall && p.gradient[m] < 0)) {
        candidates.gradient.push_back(p.gradient[m]);
        candidates.start.push_back(p.start[m]);
        at_candidates.push_back(solution[m]);
      } else {
        CHECK_EQUAL(solution[m], p.start[m]);
      }
    }
    compared += check_optimal(candidates, at_candidates);
  }
  CHECK(compared > 4 * blocks / 5);
}

void run_tests() {
  check_candidates<double>(1, 10000);
  check_candidates<float>(2, 10000);
}

}  // namespace polymargin::test::test_box_active_set
