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
#include "polymargin/driver/decomposition.hpp"

namespace polymargin {

template <class Real>
class BlockSolver {
 public:
  BlockSolver(Decomposition<Real>& problem, std::uint64_t seed)
      : problem_(problem), random_(seed), violations_(problem.size()), noise_(problem.size()) {}

  // Measures all examples that have columns and returns those that violate their optimality
  // conditions most, at most `size`.
  std::vector<std::int32_t> select(std::int64_t size) {
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
    if (std::int64_t(violating.size()) > size) {
      const auto more = [&](std::int32_t a, std::int32_t b) {
        if (violations_[a] != violations_[b]) return violations_[a] > violations_[b];
        return noise_[a] > noise_[b];
      };
      std::nth_element(violating.begin(), violating.begin() + size, violating.end(), more);
      violating.resize(size);
    }
    return violating;
  }

  double violation() const { return violation_; }  // as of the last selection
  double loss_sum() const { return loss_sum_; }
  std::int64_t visits() const { return visits_; }
  std::int64_t moves() const { return moves_; }

  bool solve(std::span<const std::int32_t> working, double accuracy, int most_passes,
             const std::function<bool()>& poll) {
    gather(working);
    Poller poller(poll);
    const std::int64_t stride = problem_.layout().stride;
    std::vector<std::int32_t> order(working.size());
    std::iota(order.begin(), order.end(), 0);
    bool stopped = false;
    const Real target = Real(accuracy);
    for (int pass = 0; pass < most_passes && !stopped; ++pass) {
      Real worst = 0;
      random_.shuffle(std::span<std::int32_t>(order));
      for (std::int32_t p : order) {
        const Block<Real> block = problem_.block(working[p], scores_.data() + p * stride);
        const Step<Real> step = problem_.machine().step(block, std::max(target / 10, kThreshold));
        ++visits_;
        worst = std::max(worst, step.violation);
        if (!step.moved) continue;
        ++moves_;
        problem_.count(step);
        const Real* row = kernel_.data() + p * std::int64_t(working.size());
        add_kernel_rows<Real>(std::span<const Real* const>(&row, 1), block.change,
                              problem_.layout(), 0, std::int64_t(working.size()), scores_.data());
        for (std::int64_t m = 0; m < stride; ++m) changes_[p * stride + m] += block.change[m];
      }
      if (worst <= target) break;
      stopped = poller.asks_to_stop();
    }
    problem_.add_to_scores(working, changes_.data());
    return stopped;
  }

 private:
  static constexpr Real kThreshold = 4 * std::numeric_limits<Real>::epsilon();

  // The kernel, scores and (so far no) changes of the working set.
  void gather(std::span<const std::int32_t> working) {
    const std::int64_t size = std::int64_t(working.size()), stride = problem_.layout().stride;
    kernel_.resize(size * size);
    scores_.resize(size * stride);
    changes_.resize(size * stride);
    for (std::int64_t p = 0; p < size; ++p) {
      const Real* row = problem_.cache().at(working[p]);
      for (std::int64_t q = 0; q < size; ++q)
        kernel_[p * size + q] = row[problem_.column_of(working[q])];
      std::copy_n(problem_.score(working[p]), stride, scores_.data() + p * stride);
    }
  }

  Decomposition<Real>& problem_;
  Random random_;
  std::vector<Real> violations_;
  std::vector<std::uint32_t> noise_;
  AlignedArray<Real> kernel_, scores_, changes_;
  double violation_ = 0, loss_sum_ = 0;
  std::int64_t visits_ = 0, moves_ = 0;
};

}  // namespace polymargin
