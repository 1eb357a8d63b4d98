// The same machine in beta and in u: gradients, feasible set and dual objective.
#include "axes.hpp"
#include "blocks.hpp"
#include "polymargin/machine/crammer_singer_beta.hpp"

namespace polymargin::test::test_crammer_singer_beta {

void check_block(Source& source, int classes) {
  const int label = source.integer(0, classes - 1);
  const double loss_weight = source.power_of_ten(-1, 1);
  const ClassLayout layout = ClassLayout::of<double>(classes);
  AlignedArray<double> score(layout.stride), dual(layout.stride), beta(layout.stride),
      arrays(std::size_t(layout.stride) * kWorkspaceArrays);
  std::vector<std::int32_t> index;
  std::vector<double> value;
  for (int m = 0; m < classes; ++m) {
    score[m] = source.bell();
    if (m == label || source.chance(0.5)) continue;
    dual[m] = loss_weight / classes;
    index.push_back(m);
    value.push_back(dual[m]);
  }
  const auto machine = machine_of<double>("cs", "hinge", classes);
  const Block<double> block{layout,       label,       1.0,         loss_weight,
                            score.data(), dual.data(), beta.data(), arrays.data()};
  const Step<double> step = machine->step(block, std::numeric_limits<double>::infinity());
  machine->coefficients(block);

  double sum = 0, linear = 0, highest = 0;
  for (int m = 0; m < classes; ++m) {
    const double bound = CrammerSingerBeta::bound(m == label, loss_weight);
    CHECK_AT_MOST(beta[m], bound + 1e-12 * loss_weight);
    sum += beta[m];
    linear += CrammerSingerBeta::target(m == label) * beta[m];
    highest = std::max(highest, CrammerSingerBeta::gradient(true, score[label]) -
                                    CrammerSingerBeta::gradient(m == label, score[m]));
  }
  CHECK_NEAR(sum, 0, 1e-12 * loss_weight);
  CHECK_NEAR(linear,
             machine->dual_term(
                 {classes, label, loss_weight, int(value.size()), index.data(), value.data()}),
             1e-12 * loss_weight);
  CHECK_NEAR(highest, step.loss, 1e-12);
}

void run_tests() {
  Source source(3);
  for (int classes : {2, 3, 9, 40})
    for (int round = 0; round < 50; ++round) check_block(source, classes);
}

}  // namespace polymargin::test::test_crammer_singer_beta
