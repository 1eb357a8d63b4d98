// Machines with a target for every pair of a label and a class: costs of one are no costs, and a
// block of a part of the classes brings its own targets.
#include <vector>

#include "axes.hpp"
#include "check.hpp"
#include "polymargin/base/aligned.hpp"
#include "polymargin/base/random.hpp"

namespace polymargin::test::test_pair_targets {

constexpr const char* kMachines[] = {"cs", "ww", "llw", "adm"};

MachineAxes axes_with(const char* name, const char* loss, int classes,
                      const std::vector<double>& costs) {
  MachineAxes axes = axes_of(name, loss, classes);
  for (double cost : costs) axes.pair_targets.push_back(axes.other_target * cost);
  return axes;
}

template <class Real>
struct Arrays {
  explicit Arrays(int stride)
      : score(stride), dual(stride), change(stride), workspace(kWorkspaceArrays * stride) {}
  Block<Real> block(const ClassLayout& layout, int label) {
    return {layout,       label,       Real(1.5),     Real(2),
            score.data(), dual.data(), change.data(), workspace.data()};
  }
  AlignedArray<Real> score, dual, change, workspace;
};

// A step with costs of one is that of the machine without.
template <class Real>
void check_costs_of_one(const char* name, const char* loss, int classes) {
  const ClassLayout layout = ClassLayout::of<Real>(classes);
  const std::vector<double> ones(std::size_t(classes) * classes, 1.0);
  const auto plain = machine_of<Real>(name, loss, classes);
  const auto equal = make_machine<Real>(axes_with(name, loss, classes, ones), "exact", 0);
  CHECK(plain->targets_of(0) == nullptr);
  Arrays<Real> first(layout.stride), second(layout.stride);
  Random random(7);
  for (int m = 0; m < classes; ++m)
    first.score[m] = second.score[m] = Real(double(random.below(1000)) / 500 - 1);
  const Step<Real> one = plain->step(first.block(layout, 1), 0);
  const Step<Real> other = equal->step(second.block(layout, 1), 0);
  const double bound = 100 * std::numeric_limits<Real>::epsilon();
  CHECK_NEAR(one.gain, other.gain, bound * (1 + one.gain));
  CHECK_NEAR(one.norm_change, other.norm_change, bound * (1 + one.gain));
  for (int m = 0; m < classes; ++m) CHECK_NEAR(first.dual[m], second.dual[m], bound * 10);
  CHECK_NEAR(plain->loss_at_zero(classes, 1), equal->loss_at_zero(classes, 1), 1e-6);
}

// Costs by label: the loss of a row without features is that of its label.
template <class Real>
void check_loss_at_zero() {
  const std::vector<double> costs = {9, 1, 2, 3, 9, 4, 0, 0.5, 9};  // 9 is not looked at
  const auto sum = make_machine<Real>(axes_with("ww", "hinge", 3, costs), "exact", 0);
  const auto largest = make_machine<Real>(axes_with("cs", "hinge", 3, costs), "exact", 0);
  const auto squares = make_machine<Real>(axes_with("ww", "squared_hinge", 3, costs), "exact", 0);
  CHECK_NEAR(sum->loss_at_zero(3, 0), 3, 1e-6);
  CHECK_NEAR(sum->loss_at_zero(3, 2), 0.5, 1e-6);
  CHECK_NEAR(largest->loss_at_zero(3, 1), 4, 1e-6);
  CHECK_NEAR(squares->loss_at_zero(3, 0), 5, 1e-6);
}

// Of the classes 0, 2 and 4 alone, with the targets of those.
template <class Real>
void check_part_of_the_classes() {
  std::vector<double> costs(25);
  for (std::size_t at = 0; at < costs.size(); ++at) costs[at] = 0.5 + 0.1 * double(at);
  const auto machine = make_machine<Real>(axes_with("ww", "hinge", 5, costs), "exact", 0);
  const ClassLayout all = ClassLayout::of<Real>(5), some = ClassLayout::of<Real>(3);
  Arrays<Real> whole(all.stride), part(some.stride);
  AlignedArray<Real> targets(some.stride);
  const int listed[] = {0, 2, 4};
  for (int m = 0; m < 5; ++m) whole.score[m] = Real(-50);  // classes that do not matter
  for (int c = 0; c < 3; ++c) {
    whole.score[listed[c]] = part.score[c] = Real(0.3 * c);
    targets[c] = machine->targets_of(2)[listed[c]];
  }
  Block<Real> block = part.block(some, 1);
  block.targets = targets.data();
  const Step<Real> one = machine->step(whole.block(all, 2), 0), other = machine->step(block, 0);
  CHECK(one.moved && other.moved);
  CHECK_NEAR(one.gain, other.gain, 1e-5 * one.gain);
  for (int c = 0; c < 3; ++c) CHECK_NEAR(whole.dual[listed[c]], part.dual[c], 1e-5);
}

template <class Real>
void check_real() {
  for (const char* name : kMachines)
    for (const char* loss : {"hinge", "squared_hinge"})
      for (int classes : {2, 5, 40, 200}) check_costs_of_one<Real>(name, loss, classes);
  check_loss_at_zero<Real>();
  check_part_of_the_classes<Real>();
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_pair_targets
