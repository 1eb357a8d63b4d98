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
#include "polymargin/driver/linear/visit_loop.hpp"
#include "polymargin/machine/clipped_step.hpp"

namespace polymargin {

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

  virtual void visit(const VisitState<Real>& state, const Visits<Real>& visits, Schedule& schedule,
                     RunningObjective& objective, EpochReport& report) const = 0;
  virtual void visit(const VisitState<Real>& state, const Visits<Real>& visits,
                     AdaptiveSchedule& schedule, RunningObjective& objective,
                     EpochReport& report) const = 0;

  // Brings what visits will read in random order into the cache, in order. Before an epoch: other
  // problems may have had the cache since the last.
  virtual void warm_up(const VisitState<Real>& state) const = 0;

  // By how much an example violates its optimality conditions.
  virtual Real violation(const VisitState<Real>& state, std::int32_t i) const = 0;

  // w += Y u x for these rows.
  virtual void add_blocks(const VisitState<Real>& state,
                          std::span<const std::int32_t> numbers) const = 0;

  // As measure_rows.
  virtual Tally measure(const VisitState<Real>& state, int threads,
                        const std::function<bool()>& poll, std::vector<Real>& losses) const = 0;
};

// `Rows` are StoredRows.
template <class Real, class Rows>
class BinaryVisitsOf final : public BinaryVisits<Real> {
 public:
  BinaryVisitsOf(const Rows& rows, const ClippedStep<Real>& step) : rows_(rows), step_(step) {}

  void visit(const VisitState<Real>& state, const Visits<Real>& visits, Schedule& schedule,
             RunningObjective& objective, EpochReport& report) const override {
    visit_all(state, visits, schedule, objective, report);
  }
  void visit(const VisitState<Real>& state, const Visits<Real>& visits, AdaptiveSchedule& schedule,
             RunningObjective& objective, EpochReport& report) const override {
    visit_all(state, visits, schedule, objective, report);
  }

  void warm_up(const VisitState<Real>& state) const override {
    read_through(state.examples.data(), state.examples.size());
    read_through(state.blocks.dense(0), state.examples.size());
    read_through(state.weights, std::size_t(rows_.storage.features()));
    if (rows_.chosen != nullptr) read_through(rows_.chosen, state.examples.size());
  }

  Real violation(const VisitState<Real>& state, std::int32_t i) const override {
    return measured(state, i).violation;
  }

  void add_blocks(const VisitState<Real>& state,
                  std::span<const std::int32_t> numbers) const override {
    for (std::int32_t i : numbers) {
      const Real dual = *state.blocks.dense(i);
      if (dual == 0) continue;
      single_add(rows_.row(i), state.weights, rows_.storage.features(), rows_.bias,
                 state.examples[i].label == 0 ? dual : -dual);
    }
  }

  Tally measure(const VisitState<Real>& state, int threads, const std::function<bool()>& poll,
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
  void visit_all(const VisitState<Real>& state, const Visits<Real>& visits, Order& order,
                 RunningObjective& objective, EpochReport& report) const {
    const BinaryVisitsOf self = *this;  // in registers
    visit_in_a_loop(order, self.rows_, state, visits, objective, report,
                    [&](const Example<Real>& example, std::int32_t i) {
                      return self.visit_one(state, visits, example, i);
                    });
  }

  [[gnu::always_inline]] Step<Real> visit_one(const VisitState<Real>& state,
                                              const Visits<Real>& visits,
                                              const Example<Real>& example, std::int32_t i) const {
    Real& dual = *state.blocks.dense(i);
    typename ClippedStep<Real>::Change change;
    const Step<Real> step = step_(example.label == 0, score(i, state.weights), example.curvature,
                                  example.loss_weight, dual, visits.threshold, change);
    if (step.moved) {
      dual = change.dual;
      single_add(rows_.row(i), state.weights, rows_.storage.features(), rows_.bias,
                 visits.scale * change.coefficient);
    }
    return step;
  }

  // A visit that changes nothing.
  Step<Real> measured(const VisitState<Real>& state, std::int64_t i) const {
    const Example<Real>& example = state.examples[i];
    typename ClippedStep<Real>::Change change;
    return step_(example.label == 0, score(i, state.weights), example.curvature,
                 example.loss_weight, *state.blocks.dense(i), std::numeric_limits<Real>::infinity(),
                 change);
  }

  Real score(std::int64_t i, const Real* weights) const {
    return single_score(rows_.row(i), weights, rows_.storage.features(), rows_.bias);
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
