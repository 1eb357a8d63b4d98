// A few examples that are solved at a time, by steps of one example and of two. Scores are kept up
// to date for these examples only, until commit().
//
// Examples that are near each other share their scores: what one gains, the other takes back, and
// they take turns for very long. So the exact step of an example is followed by one of it and a
// neighbour together, chosen by second-order gain as in S2DO (004, section 4.3).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "polymargin/driver/kernel/greedy_pairs.hpp"
#include "polymargin/driver/kernel/working_blocks.hpp"
#include "polymargin/restricted/two_variables.hpp"

namespace polymargin {

template <class Real>
class WorkingSet {
 public:
  using Problem = typename WorkingBlocks<Real>::Problem;

  WorkingSet(Problem& problem, double room)
      : problem_(problem),
        blocks_(problem, room),
        pairs_(blocks_),
        machine_(blocks_.machine()),
        first_(blocks_.visit_room()),
        second_(blocks_.visit_room()),
        coefficients_(problem.layout().classes) {}

  // See WorkingBlocks.
  void gather(std::span<const std::int32_t> examples, Real margin) {
    blocks_.gather(examples, margin);
  }
  const std::vector<std::int32_t>& examples() const { return blocks_.examples(); }
  std::int64_t size() const { return blocks_.size(); }
  bool whole() const { return blocks_.whole(); }
  std::span<Real> violations() { return blocks_.violations(); }

  // The exact step of one example, if it violates its conditions by more than `threshold`, and one
  // of it together with a neighbour, unless it is to be `alone`.
  bool visit(std::int32_t p, Real threshold, bool alone) {
    const Block<Real> block = blocks_.read(p, first_);
    const Step<Real> step = machine_.step(block, threshold);
    if (!step.moved) return false;
    problem_.count(step);
    for (int t = 0; t < block.layout.stride; ++t)
      first_.direction[t] = block.dual[t] - first_.start[t];
    for (int t = 0; t < block.layout.classes; ++t) {
      coefficients_[blocks_.name(p, t)] = block.change[t];
      first_.score[t] += block.curvature * block.change[t];
    }
    if (!alone) step_with_neighbour(p, block);
    blocks_.write(p, block, first_);
    for (int t = 0; t < block.layout.classes; ++t) coefficients_[blocks_.name(p, t)] = 0;
    return true;
  }

  bool has_pairs() const { return pairs_.pays(); }
  // Whether there may be few enough of them, once most blocks have settled.
  bool expects_pairs() const { return has_pairs() && size() <= GreedyPairs<Real>::kMost; }

  // Steps of pairs of all blocks that violate their conditions, by no more than `worst`, until none
  // of them does by more than `target`. Returns how many; none if there are too many blocks.
  std::int64_t descend(std::span<const Real> violations, Real worst, Real target) {
    chosen_.clear();
    for (std::int32_t p = 0; p < std::int32_t(violations.size()); ++p)
      if (violations[p] > 0) chosen_.push_back(p);
    if (!pairs_.gather(chosen_, worst)) return 0;
    const auto outcome = pairs_.descend(target, kStepsOfBlock * std::int64_t(chosen_.size()));
    problem_.count(outcome.gain, outcome.linear - outcome.gain);
    return outcome.steps;
  }

  // Carries all changes to the scores of all examples.
  void commit() { problem_.add_to_scores(examples(), blocks_.changes()); }

 private:
  static constexpr std::int64_t kStepsOfBlock = 50;

  // After the step of p by first_.direction, which is not written yet: finds the neighbour that
  // would gain most by it.
  void step_with_neighbour(std::int32_t p, const Block<Real>& first) {
    const Line<Real> line = machine_.line(first, first_.direction.data());
    Exchange<Real> best;
    std::int32_t other = -1;
    Real between = 0;
    blocks_.for_each_neighbour(p, [&](std::int32_t q, Real kernel) {
      const Exchange<Real> found = machine_.partner(
          read_after(q, kernel), second_.coefficients.data(), kernel, 1 / line.curvature);
      if (!(found.gain > best.gain)) return;
      best = found;
      other = q;
      between = kernel;
    });
    if (other >= 0) step_together(first, line, other, between, best);
  }

  // The block as it will be after the step of the first; `kernel` is that between the two.
  Block<Real> read_after(std::int32_t q, Real kernel) {
    const Block<Real> block = blocks_.read(q, second_);
    for (int t = 0; t < block.layout.classes; ++t) {
      second_.coefficients[t] = coefficients_[blocks_.name(q, t)];
      second_.score[t] += kernel * second_.coefficients[t];
    }
    return block;
  }

  // The first block goes on along its line, and the second moves, so that both gain most.
  void step_together(const Block<Real>& first, const Line<Real>& first_line, std::int32_t q,
                     Real kernel, const Exchange<Real>& chosen) {
    const Block<Real> second = read_after(q, kernel);
    Real* direction = second_.direction.data();
    std::fill_n(direction, second.layout.stride, Real(0));
    if (chosen.up >= 0) direction[chosen.up] = 1;
    if (chosen.down >= 0) direction[chosen.down] = -1;
    const Line<Real> line = machine_.line(second, direction);
    Block<Real> unit = second;
    unit.dual = direction;
    machine_.coefficients(unit);
    Real product = 0;
    for (int t = 0; t < unit.layout.classes; ++t)
      product += unit.change[t] * second_.coefficients[t];
    const TwoVariables<Real> pair{{first_line.gradient, line.gradient},
                                  {first_line.curvature, line.curvature},
                                  kernel * product,
                                  {first_line.lower, line.lower},
                                  {first_line.upper, line.upper}};
    const auto along = pair.solve();
    const double gain = double(pair.gain(along));
    if (!(gain > 0)) return;
    const double linear =
        move(first, first_.direction.data(), along[0]) + move(second, direction, along[1]);
    problem_.count(gain, linear - gain);
    blocks_.write(q, second, second_);
  }

  // Moves a block along a direction; returns what the dual objective gains but for |W|^2.
  double move(const Block<Real>& block, const Real* direction, Real along) const {
    const int count = block.layout.classes;
    const BlockEntries<Real> entries{count, block.label, block.loss_weight,
                                     count, nullptr,     block.dual};
    const double before = machine_.dual_term(entries);
    for (int t = 0; t < count; ++t)
      if (direction[t] != 0)
        block.dual[t] = moved(block.dual[t], along * direction[t], block.loss_weight);
    return machine_.dual_term(entries) - before;
  }

  // On a bound, if it is there but for rounding.
  static Real moved(Real dual, Real change, Real loss_weight) {
    const Real rounding = 2 * std::numeric_limits<Real>::epsilon() * (dual + std::fabs(change));
    if (dual + change < rounding) return 0;
    return std::fabs(dual + change - loss_weight) < rounding ? loss_weight : dual + change;
  }

  Problem& problem_;
  WorkingBlocks<Real> blocks_;
  GreedyPairs<Real> pairs_;
  const MarginMachine<Real>& machine_;
  Visit<Real> first_, second_;
  std::vector<std::int32_t> chosen_;
  std::vector<Real> coefficients_;  // of the step of the first block, by class
};

}  // namespace polymargin
