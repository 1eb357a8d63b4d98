// A binary problem without calls: its visits, its certificate and its weights, each in one loop
// over rows of a plain storage. What Sequential does for any machine, for one class and a machine
// that has a clipped step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/access/subset.hpp"
#include "polymargin/certify/measured_rows.hpp"
#include "polymargin/driver/linear/adaptive.hpp"
#include "polymargin/driver/linear/running_objective.hpp"
#include "polymargin/machine/clipped_step.hpp"

namespace polymargin {

// What a driver shows of itself.
template <class Real>
struct BinaryState {
  std::vector<Example<Real>>& examples;  // those of the class have label 0
  DualBlocks<Real>& blocks;              // not padded
  Real* weights;
};

// Reads a number of every line of an array.
template <class T>
inline void read_through(const T* array, std::size_t size) {
  const char* bytes = reinterpret_cast<const char*>(array);
  int sum = 0;
  for (std::size_t at = 0; at < size * sizeof(T); at += 64) sum += bytes[at];
  asm volatile("" : : "r"(sum));
}

template <class Real>
class BinaryVisits {
 public:
  virtual ~BinaryVisits() = default;

  // The first `count` visits of those that are left of a round. What is added to the weights is
  // multiplied by `scale`.
  virtual void visit(const BinaryState<Real>& state, std::span<const std::int32_t> left,
                     std::size_t count, Real scale, Real threshold, RunningObjective& objective,
                     EpochReport& report) const = 0;

  // Brings what visits will read in random order into the cache, in order. Before an epoch: other
  // problems may have had the cache since the last.
  virtual void warm_up(const BinaryState<Real>& state) const = 0;

  // By how much an example violates its optimality conditions.
  virtual Real violation(const BinaryState<Real>& state, std::int32_t i) const = 0;

  // w += Y u x for these rows.
  virtual void add_blocks(const BinaryState<Real>& state,
                          std::span<const std::int32_t> numbers) const = 0;

  // As measure_rows.
  virtual Tally measure(const BinaryState<Real>& state, int threads,
                        const std::function<bool()>& poll, std::vector<Real>& losses) const = 0;

  // Who is told of every visit.
  void set_schedule(Schedule& schedule) {
    schedule_ = &schedule;
    adaptive_ = dynamic_cast<AdaptiveSchedule*>(&schedule);
  }

 protected:
  Schedule* schedule_ = nullptr;
  AdaptiveSchedule* adaptive_ = nullptr;  // the same, if it is of this kind
};

// `Rows` are StoredRows.
template <class Real, class Rows>
class BinaryVisitsOf final : public BinaryVisits<Real> {
 public:
  BinaryVisitsOf(const Rows& rows, const ClippedStep<Real>& step) : rows_(rows), step_(step) {}

  void visit(const BinaryState<Real>& state, std::span<const std::int32_t> left, std::size_t count,
             Real scale, Real threshold, RunningObjective& objective,
             EpochReport& report) const override {
    if (this->adaptive_ != nullptr)
      visit(*this->adaptive_, state, left, count, scale, threshold, objective, report);
    else
      visit(*this->schedule_, state, left, count, scale, threshold, objective, report);
  }

  void warm_up(const BinaryState<Real>& state) const override {
    read_through(state.examples.data(), state.examples.size());
    read_through(state.blocks.dense(0), state.examples.size());
    read_through(state.weights, std::size_t(rows_.storage.features()));
    if (rows_.chosen != nullptr) read_through(rows_.chosen, state.examples.size());
  }

  Real violation(const BinaryState<Real>& state, std::int32_t i) const override {
    return measured(state, i).violation;
  }

  void add_blocks(const BinaryState<Real>& state,
                  std::span<const std::int32_t> numbers) const override {
    for (std::int32_t i : numbers) {
      const Real dual = *state.blocks.dense(i);
      if (dual == 0) continue;
      single_add(rows_.row(i), state.weights, rows_.storage.features(), rows_.bias,
                 state.examples[i].label == 0 ? dual : -dual);
    }
  }

  Tally measure(const BinaryState<Real>& state, int threads, const std::function<bool()>& poll,
                std::vector<Real>& losses) const override {
    losses.resize(state.examples.size());
    const auto measure_some = [&](int, std::int64_t begin, std::int64_t end, Tally& tally) {
      for (std::int64_t i = begin; i < end; ++i) {
        const Step<Real> step = measured(state, i);
        losses[i] = step.loss;
        tally.add_loss(state.examples[i], double(step.loss), double(step.violation));
      }
    };
    return measure_chunks(std::int64_t(losses.size()), threads, poll, measure_some);
  }

 private:
  template <class Order>
  void visit(Order& order, const BinaryState<Real>& state, std::span<const std::int32_t> left,
             std::size_t count, Real scale, Real threshold, RunningObjective& running,
             EpochReport& report) const {
    const BinaryVisitsOf self = *this;     // in registers,
    RunningObjective objective = running;  // like this
    Real worst = 0;
    for (std::size_t v = 0; v < count; ++v) {
      self.look_ahead(order, state, left, v);
      const std::int32_t i = left[v];
      Example<Real>& example = state.examples[i];
      Real& dual = *state.blocks.dense(i);
      typename ClippedStep<Real>::Change change;
      const Step<Real> step =
          self.step_(example.label == 0, self.score(i, state.weights), example.curvature,
                     example.loss_weight, dual, threshold, change);
      if (step.moved) {
        dual = change.dual;
        single_add(self.rows_.row(i), state.weights, self.rows_.storage.features(), self.rows_.bias,
                   scale * change.coefficient);
        ++report.moves;
      }
      objective.count(step, example);
      order.report(i, step.violation, step.gain);
      worst = std::max(worst, step.violation);
    }
    running = objective;
    report.violation = std::max(report.violation, double(worst));
  }

  // A visit that changes nothing.
  Step<Real> measured(const BinaryState<Real>& state, std::int64_t i) const {
    const Example<Real>& example = state.examples[i];
    typename ClippedStep<Real>::Change change;
    return step_(example.label == 0, score(i, state.weights), example.curvature,
                 example.loss_weight, *state.blocks.dense(i), std::numeric_limits<Real>::infinity(),
                 change);
  }

  Real score(std::int64_t i, const Real* weights) const {
    return single_score(rows_.row(i), weights, rows_.storage.features(), rows_.bias);
  }

  // Asks for what a visit needs, a few visits before: the rows come in random order.
  template <class Order>
  void look_ahead(const Order& order, const BinaryState<Real>& state,
                  std::span<const std::int32_t> left, std::size_t v) const {
    constexpr std::size_t kFar = 12, kNear = 4;
    if (v + kFar >= left.size()) return;
    const std::int32_t far = left[v + kFar], near = left[v + kNear];
    __builtin_prefetch(&state.examples[far]);
    state.blocks.prefetch(far);
    order.prefetch(far);
    rows_.prefetch_place(far);
    rows_.prefetch(near);
  }

  Rows rows_;
  ClippedStep<Real> step_;
};

// Null if the problem is not of this kind.
template <class Real>
std::unique_ptr<BinaryVisits<Real>> make_binary_visits(const Rows<Real>& rows,
                                                       const Machine<Real>& machine,
                                                       const ClassLayout& layout) {
  std::unique_ptr<BinaryVisits<Real>> made;
  const auto step = machine.clipped_step();
  if (layout.classes == 1 && step)
    with_stored_rows(rows, [&]<class Stored>(const Stored& stored) {
      made = std::make_unique<BinaryVisitsOf<Real, Stored>>(stored, *step);
    });
  return made;
}

}  // namespace polymargin
