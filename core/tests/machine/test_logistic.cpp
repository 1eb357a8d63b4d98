#include "box_blocks.hpp"
#include "entropy_checks.hpp"

namespace polymargin::test::test_logistic {

// Blocks of zeros, at bounds, inside, and close to either bound.
template <class Real>
void fill_block(Source& source, Visit<Real>& visit) {
  const int kind = source.integer(0, 3);
  const auto point = random_box_point(source, visit.classes, visit.loss_weight);
  for (int m = 0; m < visit.classes; ++m) {
    const double small = source.power_of_ten(-20, -1);
    const double share = source.chance(0.5) ? small : 1 - small;
    visit.arrays.dual[m] = kind == 0   ? Real(0)
                           : kind == 1 ? Real(visit.loss_weight * share)
                                       : point[m];
  }
}

// A share that was rounded to one, or that is zero, gains what the definition says when its margin
// has turned around, whatever the curvature is.
template <class Real>
void check_far_starts() {
  const auto machine = machine_of<Real>("ovr", "logistic", 1);
  const Definition definition("ovr", "logistic");
  for (double curvature : {1e-6, 1e-2, 1.0, 1e3})
    for (double start : {0.0, 1.0})
      for (double score : {-60.0, -3.0, 0.0, 3.0, 60.0}) {
        BlockArrays<Real> arrays(1);
        arrays.score[0] = Real(score);
        arrays.dual[0] = Real(2 * start);
        const Block<Real> block = arrays.block(0, Real(curvature), 2);
        const Wide before = definition.term({arrays.dual[0]}, 0, 2);
        const Step<Real> step = machine->step(block, Real(0));
        const Wide d = Wide(arrays.dual[0]) - Real(2 * start);
        const Wide norm_change = d * (Wide(score) + Wide(block.curvature) / 2 * d);
        const Wide gain = definition.term({arrays.dual[0]}, 0, 2) - before - norm_change;
        const Wide size = 1 + std::fabs(score) + curvature;
        CHECK_NEAR(step.gain, gain, 1e-11L + 16 * kRounding<Real> * size);
        CHECK_NEAR(step.norm_change, norm_change, 16 * kRounding<Real> * size);
        CHECK_EQUAL(step.moved, step.gain > 0);
      }
}

template <class Real>
void check_real() {
  for (int classes : {1, 2, 3, 7, 20, 70})
    check_at_zero<Real>("ovr", "logistic", classes, Real(0.5));
  check_far_starts<Real>();
  check_random_visits<Real>("ovr", "logistic", 6000, fill_block<Real>);
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_logistic
