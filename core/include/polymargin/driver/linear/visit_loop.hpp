// The visits of a driver in one loop without calls, for rows of a plain storage: what they share,
// whatever a visit is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "polymargin/access/dual_blocks.hpp"
#include "polymargin/driver/linear/adaptive.hpp"
#include "polymargin/driver/linear/running_objective.hpp"

namespace polymargin {

// What a driver shows of itself.
template <class Real>
struct VisitState {
  std::vector<Example<Real>>& examples;
  DualBlocks<Real>& blocks;  // dense
  Real* weights;
};

// Some visits of those that are left of a round.
template <class Real>
struct Visits {
  std::span<const std::int32_t> left;
  std::size_t count;  // the first of them
  Real scale;         // of what is added to the weights
  Real threshold;     // see Machine::step
};

// Calls visit(example, i), which returns a Step, for each of the visits. `Rows` are StoredRows.
template <class Real, class Order, class Rows, class Visit>
inline void visit_in_a_loop(Order& order, const Rows& rows, const VisitState<Real>& state,
                            const Visits<Real>& visits, RunningObjective& running,
                            EpochReport& report, const Visit& visit) {
  constexpr std::size_t kFar = 12, kNear = 4;
  RunningObjective objective = running;  // in registers
  const std::span<const std::int32_t> left = visits.left;
  Real worst = 0;
  std::int64_t moves = 0;
  for (std::size_t v = 0; v < visits.count; ++v) {
    if (v + kFar < left.size()) {  // the rows come in random order: ask for them before
      const std::int32_t far = left[v + kFar], near = left[v + kNear];
      __builtin_prefetch(&state.examples[far]);
      state.blocks.prefetch(far);
      order.prefetch(far);
      rows.prefetch_place(far);
      rows.prefetch(near);
    }
    const std::int32_t i = left[v];
    Example<Real>& example = state.examples[i];
    const Step<Real> step = visit(example, i);
    objective.count(step, example);
    order.report(i, step.violation, step.gain);
    worst = std::max(worst, step.violation);
    moves += step.moved;
  }
  running = objective;
  report.violation = std::max(report.violation, double(worst));
  report.moves += moves;
}

}  // namespace polymargin
