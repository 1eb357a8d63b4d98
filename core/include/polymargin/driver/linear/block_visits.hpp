// Visits of blocks of a few classes, without calls: scores, the restricted problem and the change
// of the weights in one loop, with numbers of classes and machines fixed at compile time. What
// Sequential does for any machine, for whole weights and dense blocks of the common machines.
#pragma once

#include <memory>

#include "polymargin/access/subset.hpp"
#include "polymargin/driver/linear/visit_loop.hpp"
#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

// More packs of classes than these are visited by Sequential itself.
inline constexpr int kVisitedPacks = 4;

template <class Real>
class BlockVisits {
 public:
  virtual ~BlockVisits() = default;
  virtual void visit(const VisitState<Real>& state, const Visits<Real>& visits,
                     AdaptiveSchedule& schedule, RunningObjective& objective,
                     EpochReport& report) const = 0;
};

// `Maker` is a machine with step_lanes(); `Rows` are StoredRows.
template <class Real, class Rows, class Maker, int Bytes, int Packs>
class BlockVisitsOf final : public BlockVisits<Real> {
 public:
  BlockVisitsOf(const Rows& rows, const Maker& machine, const ClassLayout& layout)
      : rows_(rows), machine_(machine), layout_(layout) {}

  void visit(const VisitState<Real>& state, const Visits<Real>& visits, AdaptiveSchedule& schedule,
             RunningObjective& objective, EpochReport& report) const override {
    const BlockVisitsOf self = *this;  // in registers
    visit_in_a_loop(
        schedule, self.rows_, state, visits, objective, report,
        [&](const Example<Real>& example, std::int32_t i)
            __attribute__((always_inline)) { return self.visit_one(state, visits, example, i); });
  }

 private:
  using V = Pack<Real, Bytes>;
  static constexpr int kStride = Packs * Bytes / int(sizeof(Real));

  // Weights with a stride that compilers know.
  struct Columns {
    Real* values;
    std::int64_t count;
    std::int64_t features() const { return count; }
    Real* of_feature(std::int64_t feature) const { return values + feature * kStride; }
  };

  [[gnu::always_inline]] Step<Real> visit_one(const VisitState<Real>& state,
                                              const Visits<Real>& visits,
                                              const Example<Real>& example, std::int32_t i) const {
    alignas(Bytes) Real score[kStride], change[kStride];
    const auto row = rows_.row(i);
    Columns weights{state.weights, rows_.storage.features() + (rows_.bias != 0)};
    score_tile<Real, Bytes, Packs>(row, weights, 0, rows_.bias, score);
    const Block<Real> block{layout_,
                            example.label,
                            example.curvature,
                            example.loss_weight,
                            score,
                            state.blocks.dense(i),
                            change,
                            nullptr};
    const BlockLanes<Real, Bytes, Packs> lanes(block);
    const Step<Real> step = machine_.step_lanes(lanes, visits.threshold);
    if (step.moved) {
      if (visits.scale != 1)
        for (int m = 0; m < kStride; ++m) change[m] *= visits.scale;
      add_tile<Real, Bytes, Packs>(row, weights, 0, rows_.bias, change);
    }
    return step;
  }

  Rows rows_;
  Maker machine_;
  ClassLayout layout_;
};

// Null if there are none of this kind. Instantiated once: core/src/block_visits.cpp.
template <class Real>
std::unique_ptr<BlockVisits<Real>> make_block_visits(const Rows<Real>& rows,
                                                     const Machine<Real>& machine,
                                                     const ClassLayout& layout);

}  // namespace polymargin
