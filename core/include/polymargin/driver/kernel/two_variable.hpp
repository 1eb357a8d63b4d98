// Decomposition with working sets of one variable (SMO) or two (S2DO), chosen by second-order
// information (004, algorithm 1). An iteration is a choice and a step. Examples whose variables are
// all at bounds they will not leave are shrunk: the columns of the others come first, and an
// iteration sees no more than these. Single variables are shrunk in the paper, and not here: one
// costs nothing within a pack. Whole packs could be left out where there are more classes than
// lanes (docs/papers-kernel.md has how many); that is not built.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "polymargin/access/kernel_rows_on_demand.hpp"
#include "polymargin/base/poller.hpp"
#include "polymargin/driver/kernel/selection.hpp"
#include "polymargin/driver/report.hpp"
#include "polymargin/restricted/two_variables.hpp"

namespace polymargin {

struct TwoVariableOptions {
  int working_set = 2;  // variables: one or two
  bool shrinking = true;
  double accuracy = 1e-3;  // a first goal for the violation; the next is a tenth of what is reached
};

template <class Real>
class TwoVariable {
 public:
  TwoVariable(Decomposition<Real>& problem, std::unique_ptr<Selection<Real>> selection,
              typename KernelRowsOnDemand<Real>::Source source, const TwoVariableOptions& options)
      : problem_(problem),
        selection_(std::move(selection)),
        rows_(problem.cache(), problem.size(), std::move(source)),
        options_(options),
        goal_(options.accuracy),
        active_(problem.size()),
        delta_(problem.layout().stride),
        nothing_(problem.layout().stride) {
    for (int a : {0, 1}) {
      units_[a].resize(problem.layout().stride);
      changes_[a].resize(problem.layout().stride);
    }
    // Examples without variables come last, and no kernel value is computed for them.
    bring_forward([&](std::int32_t i) { return problem_.has_variables(i); });
    movable_ = active_;
  }

  std::int64_t active() const { return active_; }
  std::int64_t kernel_evaluations() const { return rows_.evaluations(); }

  // At most a thousand iterations; fewer if the goal is reached or nothing moves any more.
  EpochReport epoch(const std::function<bool()>& poll) {
    Poller poller(poll);
    EpochReport report;
    report.stopped = !ready_ && !rebuild(poll);
    if (reached_) {
      goal_ = std::max(std::min(goal_, choice_.violation) / 10, kLeastGoal);
      reached_ = looked_back_ = false;
    }
    gain_ = 0;
    bool checked = false;
    while (report.visits < kIterations && !report.stopped) {
      const bool done = !(choice_.violation > goal_);  // also if it is not a number
      const bool near = !looked_back_ && choice_.violation <= 10 * goal_;
      // Look at all examples, and once in an epoch at scores that are not rounded.
      if ((active_ < movable_ && (done || near)) || (done && !exact_ && !checked)) {
        checked |= done;
        looked_back_ = true;
        active_ = movable_;
        until_shrinking_ = shrinking_interval();
        report.stopped = !rebuild(poll);
        continue;
      }
      reached_ = done;
      if (done) break;
      ++report.visits;
      if (!iterate()) break;
      ++report.moves;
      if (options_.shrinking && --until_shrinking_ <= 0) shrink();
      report.stopped = poller.asks_to_stop();
    }
    // Gradients are rounded by some kRounding, which squared is what such an epoch seems to gain.
    if (gain_ <= std::pow(kRounding, 1.5) * std::fabs(problem_.dual())) report.moves = 0;
    summarise(report);
    return report;
  }

  // Scores from the dual variables, without what many additions have rounded; also those of shrunk
  // examples. False if it was stopped.
  bool rebuild(const std::function<bool()>& poll) {
    Poller poller(poll);
    ready_ = false;
    problem_.clear_scores();
    const bool complete =
        rows_.for_each_group(problem_.support(), movable_, [&](auto rows, auto examples) {
          problem_.add_blocks(examples, rows, movable_);
          return !poller.asks_to_stop();
        });
    if (!complete) return false;
    problem_.certify();  // sets the running values
    choice_ = selection_->first(nullptr, active_);
    ready_ = exact_ = true;
    return true;
  }

  Certificate certify(const std::function<bool()>& poll) {
    if ((ready_ && exact_) || rebuild(poll)) return problem_.certify();
    Certificate none;
    none.complete = false;
    return none;
  }

  // To be called when somebody else has changed the dual variables.
  void forget_scores() {
    ready_ = reached_ = looked_back_ = false;
    active_ = movable_;
    goal_ = options_.accuracy;
    selection_->refresh();
  }

 private:
  static constexpr std::int64_t kIterations = 1000;
  static constexpr double kRounding = double(std::numeric_limits<Real>::epsilon());
  static constexpr double kLeastGoal = 4 * kRounding;

  std::int64_t shrinking_interval() const { return std::min(movable_, kIterations); }

  // Takes the chosen direction and its best partner, makes a step and chooses again. False if that
  // did not change any variable.
  bool iterate() {
    if (!choice_.direction.found()) return false;  // kernel values too large to compare gains
    Direction set[2] = {choice_.direction, {}};
    ScoreUpdate<Real> update;
    update.rows[0] = update.rows[1] = rows_.row(set[0].example, active_);
    TwoVariables<double> pair{};
    describe(set[0], 0, pair);
    if (options_.working_set == 2)
      set[1] =
          selection_->second(set[0], pair.diagonal[0], units_[0].data(), update.rows[0], active_);
    const int count = set[1].found() ? 2 : 1;
    double kernel = 0;
    std::array<double, 2> mu{};
    if (count == 2) {
      describe(set[1], 1, pair);
      kernel = double(update.rows[0][problem_.column_of(set[1].example)]);
      pair.coupling = kernel * product(units_[0].data(), units_[1].data());
      update.rows[1] = rows_.row(set[1].example, active_);
      mu = pair.solve();
    } else {
      mu[0] = one_variable_step(pair.gradient[0], pair.diagonal[0], pair.lower[0], pair.upper[0]);
    }

    double norm_change = 0;
    for (int a = 0; a < count; ++a) {
      const std::int32_t i = set[a].example;
      mu[a] = move(set[a], mu[a], changes_[a].data());
      norm_change += product(changes_[a].data(), problem_.score(i)) +
                     double(problem_.examples()[i].curvature) / 2 *
                         product(changes_[a].data(), changes_[a].data());
    }
    if (mu[0] == 0 && mu[1] == 0) return false;
    if (count == 2) norm_change += kernel * product(changes_[0].data(), changes_[1].data());
    const double gain = pair.gain(mu);
    problem_.count(gain, norm_change);
    gain_ += gain;
    update.coefficients[0] = changes_[0].data();
    update.coefficients[1] = count == 2 ? changes_[1].data() : nothing_.data();
    choice_ = selection_->first(&update, active_);
    exact_ = false;
    return true;
  }

  // One of the two variables of the restricted problem: its coefficients for a step of one, its
  // gradient, curvature and bounds.
  void describe(const Direction& direction, int a, TwoVariables<double>& pair) {
    const std::int32_t i = direction.example;
    if (direction.rising >= 0) delta_[direction.rising] = 1;
    if (direction.falling >= 0) delta_[direction.falling] = -1;
    write_coefficients(direction, units_[a].data());
    pair.gradient[a] = direction.gradient;
    pair.diagonal[a] =
        double(problem_.examples()[i].curvature) * product(units_[a].data(), units_[a].data()) +
        selection_->penalty(i);
    pair.lower[a] = direction.lower;
    pair.upper[a] = direction.upper;
  }

  // Changes the variables, and returns the step as rounding has left it.
  double move(const Direction& direction, double mu, Real* coefficients) {
    selection_->apply(direction, mu, delta_.data());
    const double moved = direction.rising >= 0 ? double(delta_[direction.rising])
                                               : -double(delta_[direction.falling]);
    write_coefficients(direction, coefficients);
    return moved;
  }

  // The coefficients of a change of the block, which is in delta_; clears it.
  void write_coefficients(const Direction& direction, Real* coefficients) {
    Block<Real> block = problem_.block(direction.example, nullptr);
    block.dual = delta_.data();
    block.change = coefficients;
    problem_.machine().coefficients(block);
    for (int m : {direction.rising, direction.falling})
      if (m >= 0) delta_[m] = 0;
  }

  double product(const Real* left, const Real* right) const {
    double sum = 0;
    for (int m = 0; m < problem_.layout().classes; ++m) sum += double(left[m]) * double(right[m]);
    return sum;
  }

  // Leaves examples out whose gradients point out of the feasible set by more than the largest
  // violation there is, if it is worth the time to put the columns in order.
  void shrink() {
    until_shrinking_ = shrinking_interval();
    const auto stays = [&](std::int32_t i) {
      return !selection_->is_settled(i, choice_.violation);
    };
    const auto first = problem_.columns().begin(), last = first + active_;
    if (std::count_if(first, last, stays) <= active_ - active_ / kWorthwhile - 1)
      bring_forward(stays);
  }

  // Puts the columns of the examples that stay before those of the others.
  template <class Stays>
  void bring_forward(Stays&& stays) {
    std::vector<std::int32_t> order(active_);
    std::iota(order.begin(), order.end(), 0);
    const auto end = std::stable_partition(
        order.begin(), order.end(), [&](std::int32_t c) { return stays(problem_.columns()[c]); });
    if (end == order.end()) return;
    rows_.reorder(order);
    problem_.reorder_columns(order);
    active_ = end - order.begin();
  }

  // Losses of shrunk examples are as they were when they left.
  void summarise(EpochReport& report) {
    for (std::int64_t c = 0; c < active_ && ready_; ++c) {
      const std::int32_t i = problem_.columns()[c];
      problem_.examples()[i].loss = problem_.measure(i).loss;
    }
    for (const Example<Real>& example : problem_.examples())
      report.loss_sum += double(example.loss_weight) * double(example.loss);
    report.violation = choice_.violation;
    report.dual = problem_.dual();
    report.half_norm = problem_.half_norm();
  }

  static constexpr std::int64_t kWorthwhile = 10;  // a tenth of the columns

  Decomposition<Real>& problem_;
  std::unique_ptr<Selection<Real>> selection_;
  KernelRowsOnDemand<Real> rows_;
  TwoVariableOptions options_;
  double goal_;
  double gain_ = 0;  // of an epoch
  Choice choice_;
  bool ready_ = false;        // scores and choice are those of the dual variables
  bool exact_ = false;        // they have been rebuilt since the last step
  bool reached_ = false;      // the goal
  bool looked_back_ = false;  // at all examples, before the goal was reached
  std::int64_t active_, movable_ = 0, until_shrinking_ = kIterations;
  AlignedArray<Real> delta_, nothing_, units_[2], changes_[2];
};

}  // namespace polymargin
