// Working sets of examples for kernel machines: each is solved by itself with exact steps of one
// example and of two neighbours, then one sum of kernel rows changes the scores of all examples.
// Who computes the kernel rows is left to the caller, between select() and solve().
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "polymargin/base/poller.hpp"
#include "polymargin/base/random.hpp"
#include "polymargin/driver/kernel/working_set.hpp"

namespace polymargin {

template <class Real>
class WorkingSets {
 public:
  using Problem = Decomposition<Real, ScoresByClass<Real>>;

  // In working sets there is room for so many kernel values.
  WorkingSets(Problem& problem, std::uint64_t seed,
              double room = std::numeric_limits<double>::infinity())
      : problem_(problem), working_(problem, room), random_(seed), violations_(problem.size()) {}

  // Measures all examples that have columns. Returns those that violate their optimality conditions
  // most, at most `size`, and of those whose kernel row is not there at most `fresh`; ascending.
  std::vector<std::int32_t> select(std::int64_t size, std::int64_t fresh) {
    measure();
    std::vector<std::int32_t> candidates = violating();
    // Equal violations, as at the start, are taken at random.
    random_.shuffle(std::span<std::int32_t>(candidates));
    std::stable_sort(candidates.begin(), candidates.end(), [&](std::int32_t a, std::int32_t b) {
      return violations_[a] > violations_[b];
    });
    std::vector<std::int32_t> chosen;
    for (std::int32_t i : candidates) {
      if (std::int64_t(chosen.size()) == size) break;
      if (problem_.cache().at(i) || fresh-- > 0) chosen.push_back(i);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  // Leaves the columns of examples that do not violate their conditions now, if that saves enough.
  bool shrink() {
    const std::vector<std::int32_t> kept = violating();
    if (double(kept.size()) > kWorthwhile * double(problem_.columns().size())) return false;
    problem_.keep_columns(kept);
    return true;
  }

  // Solves the working set by itself until no example violates its conditions by more than
  // `accuracy`, or for a while, and carries the changes to all scores. Variables of classes that
  // are farther than that from mattering may stay as they are. Returns whether `poll` has stopped
  // it.
  bool solve(std::span<const std::int32_t> working, double accuracy,
             const std::function<bool()>& poll) {
    working_.gather(working, Real(accuracy));
    Poller poller(poll);
    const Real target = std::max(Real(accuracy), kThreshold);
    std::vector<std::int32_t> chosen, rounding;
    bool stopped = false, pairs = false;
    bool alone = working_.expects_pairs();  // until it turns out that they do not pay
    std::int64_t left = kMostPasses * working_.size();
    std::int64_t until_pairs = left - working_.size() / 2;  // after some visits blocks have settled
    for (; left > 0 && !stopped;) {
      const std::span<Real> violations = working_.violations();
      for (std::int32_t p : rounding) violations[p] = 0;
      const Real worst = *std::max_element(violations.begin(), violations.end());
      if (!(worst > target)) break;
      if (pairs) {
        const std::int64_t steps = working_.descend(violations, worst, target);
        visits_ += steps;
        moves_ += steps;
        left -= steps;
        stopped = poller.asks_to_stop();
        pairs = steps >= kWorthGathering;
        alone = alone && pairs;
        until_pairs = left - working_.size();
        continue;
      }
      // A step costs a kernel row: it should be worth it when it is taken, not only now.
      const Real threshold = std::max(target, kShare * worst);
      chosen.clear();
      for (std::int32_t p = 0; p < std::int32_t(violations.size()); ++p)
        if (violations[p] >= threshold) chosen.push_back(p);
      // In the order of the rows, the scores of neighbours swing for very long.
      random_.shuffle(std::span<std::int32_t>(chosen));
      chosen.resize(std::min(chosen.size(), kMostChosen));
      const std::int64_t moves = moves_;
      for (std::int32_t p : chosen) moves_ += working_.visit(p, threshold, alone);
      visits_ += std::int64_t(chosen.size());
      // Violations of examples that do not move are rounding, and will be the same again.
      if (moves_ == moves) rounding.insert(rounding.end(), chosen.begin(), chosen.end());
      left -= std::int64_t(chosen.size());
      pairs = working_.has_pairs() && left <= until_pairs;
      stopped = poller.asks_to_stop();
    }
    working_.commit();
    return stopped;
  }

  // As of the last selection.
  double violation() const { return violation_; }
  double loss_sum() const { return loss_sum_; }
  // Since the beginning.
  std::int64_t visits() const { return visits_; }
  std::int64_t moves() const { return moves_; }

 private:
  static constexpr int kMostPasses = 100;
  static constexpr std::int64_t kWorthGathering = 32;  // steps of pairs
  static constexpr Real kShare = Real(0.5);
  // Many examples move the same weights: after some steps most others need none.
  static constexpr std::size_t kMostChosen = 256;
  static constexpr double kWorthwhile = 0.8;
  // Violations below this are rounding of scores around one.
  static constexpr Real kThreshold = 4 * std::numeric_limits<Real>::epsilon();

  void measure() {
    violation_ = loss_sum_ = 0;
    for (std::int32_t i : problem_.columns()) {
      const Step<Real> step = problem_.measure(i);
      problem_.examples()[i].loss = step.loss;
      violations_[i] = problem_.has_variables(i) ? step.violation : Real(0);
      violation_ = std::max(violation_, double(violations_[i]));
    }
    for (const Example<Real>& example : problem_.examples())
      loss_sum_ += double(example.loss_weight) * double(example.loss);
  }

  std::vector<std::int32_t> violating() const {
    std::vector<std::int32_t> found;
    for (std::int32_t i : problem_.columns())
      if (violations_[i] > kThreshold) found.push_back(i);
    return found;
  }

  Problem& problem_;
  WorkingSet<Real> working_;
  Random random_;
  std::vector<Real> violations_;  // of the examples that have columns
  double violation_ = 0, loss_sum_ = 0;
  std::int64_t visits_ = 0, moves_ = 0;
};

}  // namespace polymargin
