// Violations of many examples at a time, against those of one step each.
#include "box_blocks.hpp"
#include "machine_checks.hpp"

namespace polymargin::test::test_example_lanes {

// Blocks of many examples as packs over the examples read them. What is between the last example
// and the end of its pack, and behind it, must not matter.
template <class Real>
struct ManyBlocks {
  static constexpr int kLanes = ExampleLanes<Real>::kLanes;

  ManyBlocks(int classes, int count, int more_packs)
      : classes(classes),
        count(count),
        padded((count + kLanes - 1) / kLanes * kLanes),
        stride(padded + more_packs * kLanes),
        scores(classes * stride),
        duals(classes * stride),
        loss_weights(padded),
        found(padded),
        labels(padded) {
    constexpr Real kNone = std::numeric_limits<Real>::quiet_NaN();
    for (AlignedArray<Real>* array : {&scores, &duals, &loss_weights, &found})
      std::fill_n(array->data(), array->size(), kNone);
  }

  void set(int i, const Block<Real>& block) {
    for (int m = 0; m < classes; ++m) {
      scores[m * stride + i] = block.score[m];
      duals[m * stride + i] = block.dual[m];
    }
    loss_weights[i] = block.loss_weight;
    labels[i] = block.label;
  }

  void measure(const MarginMachine<Real>& machine) {
    machine.violations(
        {classes, count, stride, scores.data(), duals.data(), labels.data(), loss_weights.data()},
        found.data());
  }

  int classes, count, padded;
  std::int64_t stride;
  AlignedArray<Real> scores, duals, loss_weights, found;
  AlignedArray<LaneInt<Real>> labels;
};

// Any scores, or whole numbers, with which margins are met exactly.
template <class Real>
void fill_scores(Source& source, const Definition& definition, BlockArrays<Real>& arrays) {
  const int classes = arrays.layout.classes;
  const bool whole = source.chance(0.5);
  const double size = source.power_of_ten(-1, 1);
  for (int m = 0; m < classes; ++m)
    arrays.score[m] = whole ? Real(source.integer(-2, 2)) : Real(size * source.bell());
  if (!definition.sums_to_zero()) return;
  Wide sum = 0;
  for (int m = 0; m < classes; ++m) sum += arrays.score[m];
  for (int m = 0; m < classes; ++m) arrays.score[m] -= Real(sum / classes);
}

// Duals inside, at zero and at the bounds of the block; in cs, on all faces of the simplex.
template <class Real>
void fill_duals(Source& source, const Definition& definition, int label, Real loss_weight,
                BlockArrays<Real>& arrays) {
  const int classes = arrays.layout.classes;
  const bool simplex = definition.one_slack() && !definition.squared();
  const auto point = simplex ? random_simplex_point(source, classes, loss_weight)
                             : random_box_point(source, classes, loss_weight);
  for (int m = 0; m < classes; ++m)
    if (definition.has_variable(m, label)) arrays.dual[m] = point[m];
}

struct Extremes {
  int zero = 0, above = 0;  // examples without and with a violation
};

template <class Real>
void check_count(const std::string& name, const std::string& loss, Source& source, int count,
                 Extremes& seen) {
  const Definition definition(name, loss);
  const bool any_label = definition.label_may_be_outside();
  const int classes = any_label && source.chance(0.4) ? 1 : source.block_size();
  const auto machine = machine_of<Real>(name, loss, classes);
  const auto* many = dynamic_cast<const MarginMachine<Real>*>(machine.get());
  CHECK(many != nullptr);
  if (!many) return;
  // Nothing is summed, multiplied or rounded more than once.
  const bool exact = !definition.squared() && !definition.sums_to_zero();

  ManyBlocks<Real> blocks(classes, count, source.integer(0, 2));
  std::vector<Wide> expected, tolerance;
  for (int i = 0; i < count; ++i) {
    BlockArrays<Real> arrays(classes);
    const int label = source.integer(any_label ? -1 : 0, classes - 1);
    const Real loss_weight = Real(source.power_of_ten(-2, 2));
    fill_scores(source, definition, arrays);
    fill_duals(source, definition, label, loss_weight, arrays);
    const Block<Real> block = arrays.block(label, Real(1), loss_weight);
    blocks.set(i, block);
    const Step<Real> step = machine->step(block, std::numeric_limits<Real>::infinity());
    expected.push_back(step.violation);
    ++(step.violation > 0 ? seen.above : seen.zero);

    Wide size = 1, sum = 0;
    for (int m = 0; m < classes; ++m) {
      size += std::fabs(arrays.score[m]);
      sum += arrays.dual[m];
    }
    tolerance.push_back(
        exact ? 0 : 2 * kRounding<Real> * (size + (4 + classes) * sum / (2 * loss_weight)));
  }
  blocks.measure(*many);
  for (int i = 0; i < count; ++i) CHECK_NEAR(blocks.found[i], expected[i], tolerance[i]);
}

template <class Real>
void check_machine(const std::string& name, const std::string& loss) {
  Source source(3);
  Extremes seen;
  constexpr int kLanes = ExampleLanes<Real>::kLanes;
  for (int repetition = 0; repetition < 100; ++repetition)
    for (int count : {1, 2, kLanes - 1, kLanes, kLanes + 1, 2 * kLanes - 1, 2 * kLanes,
                      2 * kLanes + 1, 5 * kLanes + 3})
      check_count<Real>(name, loss, source, count, seen);
  CHECK(seen.zero > 10 && seen.above > 500);
}

// At the solution, where many variables share all of C_i and the label's own is zero but for
// rounding: neither way of adding them up may see a violation.
template <class Real>
void check_full_blocks() {
  const auto machine = machine_of<Real>("cs", "hinge", 3);
  const auto& many = dynamic_cast<const MarginMachine<Real>&>(*machine);
  Source source(4);
  for (int classes : {3, 50, 200, 1000, 5000})
    for (double spread : {0.0, 1e-3})
      for (int repetition = 0; repetition < 50; ++repetition) {
        BlockArrays<Real> arrays(classes);
        for (int m = 0; m < classes; ++m) arrays.score[m] = Real(spread * source.bell());
        const Real loss_weight = Real(source.power_of_ten(-2, 0));
        const Block<Real> block =
            arrays.block(source.integer(0, classes - 1), Real(1), loss_weight);
        CHECK(machine->step(block, Real(0)).moved);
        for (int m = 0; m < classes; ++m) arrays.score[m] += arrays.change[m];
        const Step<Real> step = machine->step(block, std::numeric_limits<Real>::infinity());
        CHECK_AT_MOST(step.violation, 8 * kRounding<Real>);
        ManyBlocks<Real> blocks(classes, 1, 0);
        blocks.set(0, block);
        blocks.measure(many);
        CHECK_EQUAL(blocks.found[0], step.violation);
      }
}

template <class Real>
void check_real() {
  check_full_blocks<Real>();
  for (const char* name : {"cs", "ww", "llw", "ovr"})
    for (const char* loss : {"hinge", "squared_hinge"}) check_machine<Real>(name, loss);
}

void run_tests() {
  check_real<double>();
  check_real<float>();
}

}  // namespace polymargin::test::test_example_lanes
