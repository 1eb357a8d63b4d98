// The block method for kernel machines: a working set of examples, solved by itself with the exact
// step of one example after the other, then one sum of kernel rows for the scores of all examples.
// Who computes the kernel rows is left to the caller, between select() and solve().
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "polymargin/base/poller.hpp"
#include "polymargin/base/random.hpp"
#include "polymargin/restricted/face_gradients.hpp"

namespace polymargin {

template <class Real>
class BlockSolver {
 public:
  using Problem = Decomposition<Real, ScoresByClass<Real>>;

  BlockSolver(Problem& problem, std::uint64_t seed)
      : problem_(problem),
        random_(seed),
        violations_(problem.size()),
        noise_(problem.size()),
        working_(problem),
        face_(problem, working_) {}

  // Measures all examples that have columns and returns those that violate their optimality
  // conditions most, at most `size`.
  std::vector<std::int32_t> select(std::int64_t size, std::int64_t fresh) {
    std::vector<std::int32_t> violating;
    violation_ = 0;
    loss_sum_ = 0;
    for (std::int32_t i : problem_.columns()) {
      const Step<Real> step = problem_.measure(i);
      problem_.examples()[i].loss = step.loss;
      violations_[i] = problem_.has_variables(i) ? step.violation : Real(0);
      violation_ = std::max(violation_, double(violations_[i]));
      noise_[i] = std::uint32_t(random_.next() >> 32);
      if (violations_[i] > kThreshold) violating.push_back(i);
    }
    for (const Example<Real>& example : problem_.examples())
      loss_sum_ += double(example.cap) * double(example.loss);
    const auto more = [&](std::int32_t a, std::int32_t b) {
      if (violations_[a] != violations_[b]) return violations_[a] > violations_[b];
      return noise_[a] > noise_[b];
    };
    std::sort(violating.begin(), violating.end(), more);
    std::vector<std::int32_t> chosen;
    for (std::int32_t i : violating) {
      if (std::int64_t(chosen.size()) == size) break;
      if (!problem_.cache().at(i) && fresh-- <= 0) continue;
      chosen.push_back(i);
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  double violation() const { return violation_; }  // as of the last selection
  double loss_sum() const { return loss_sum_; }
  std::int64_t visits() const { return visits_; }
  std::int64_t moves() const { return moves_; }

  // Solves the working set by itself until no example violates its conditions by more than
  // `accuracy`, or for some passes, and carries the changes to all scores. Returns whether `poll`
  // has stopped it.
  bool solve(std::span<const std::int32_t> working, double accuracy,
             const std::function<bool()>& poll) {
    working_.gather(working);
    Poller poller(poll);
    std::vector<std::int32_t> order(working.size());
    std::iota(order.begin(), order.end(), 0);
    const Real target = std::max(Real(accuracy), kThreshold);
    Real worst = 0;
    bool stopped = false;
    for (int pass = 0; pass < kMostPasses && !stopped; ++pass) {
      const Real threshold = std::max(target, kShare * worst);
      worst = 0;
      random_.shuffle(std::span<std::int32_t>(order));
      for (std::int32_t p : order) {
        const Step<Real> step = working_.visit(p, threshold);
        ++visits_;
        moves_ += step.moved;
        worst = std::max(worst, step.violation);
      }
      if (worst <= target) break;
      stopped = poller.asks_to_stop();
    }
    working_.commit();
    return stopped;
  }

 private:
  static constexpr int kMostPasses = 50;
  static constexpr Real kShare = Real(0.3);
  static constexpr Real kThreshold = 4 * std::numeric_limits<Real>::epsilon();

  Problem& problem_;
  Random random_;
  std::vector<Real> violations_;
  std::vector<std::uint32_t> noise_;
  WorkingSet<Real> working_;
  FaceGradients<Real> face_;
  double violation_ = 0, loss_sum_ = 0;
  std::int64_t visits_ = 0, moves_ = 0;
};

}  // namespace polymargin
