// A few examples and the kernel between them: what the block method solves at a time. Scores are
// kept up to date for these examples only, until commit().
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polymargin/access/scores_by_class.hpp"
#include "polymargin/driver/decomposition.hpp"

namespace polymargin {

template <class Real>
class WorkingSet {
 public:
  using Problem = Decomposition<Real, ScoresByClass<Real>>;

  explicit WorkingSet(Problem& problem)
      : problem_(problem),
        machine_(dynamic_cast<const MarginMachine<Real>&>(problem.machine())),
        scores_(problem.layout(), 0),
        duals_(problem.layout(), 0),
        score_(problem.layout().stride) {}

  // Takes these examples, whose rows are in the cache; ascending ones are gathered fastest.
  void gather(std::span<const std::int32_t> examples) {
    examples_.assign(examples.begin(), examples.end());
    make_room();
    std::vector<std::int32_t> columns(size());
    for (std::int64_t p = 0; p < size(); ++p) columns[p] = problem_.column_of(examples_[p]);
    for (std::int64_t p = 0; p < size(); ++p) {
      const Real* row = problem_.cache().at(examples_[p]);
      Real* gathered = kernel_.get() + p * width_;
      for (std::int64_t q = 0; q < size(); ++q) gathered[q] = row[columns[q]];
      std::fill(gathered + size(), gathered + width_, Real(0));
      scores_.write(p, problem_.score(examples_[p]));
      duals_.write(p, problem_.dual(examples_[p]));
      labels_[p] = problem_.examples()[examples_[p]].label;
      caps_[p] = problem_.examples()[examples_[p]].cap;
    }
  }

  std::int64_t size() const { return std::int64_t(examples_.size()); }

  // The violation of every example.
  std::span<const Real> violations() {
    machine_.violations({problem_.layout().classes, size(), scores_.stride(), scores_.data(),
                         duals_.data(), labels_.data(), caps_.data()},
                        violations_.data());
    return {violations_.data(), examples_.size()};
  }

  // The exact step of one example, if it violates its conditions by more than `threshold`.
  bool visit(std::int32_t p, Real threshold) {
    const Block<Real> block = problem_.block(examples_[p], scores_.read(p, score_.data()));
    const Step<Real> step = machine_.step(block, threshold);
    if (!step.moved) return false;
    problem_.count(step);
    scores_.add(kernel_.get() + p * width_, block.change);
    duals_.write(p, block.dual);
    const int stride = problem_.layout().stride;
    for (int m = 0; m < stride; ++m) changes_[std::int64_t(p) * stride + m] += block.change[m];
    return true;
  }

  // Carries all changes to the scores of all examples.
  void commit() { problem_.add_to_scores(examples_, changes_.data()); }

 private:
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));

  // The kernel is the one large array here. It grows in few steps and is not cleared: it would cost
  // more than filling it.
  void make_room() {
    width_ = (size() + kLanes - 1) / kLanes * kLanes;
    const std::int64_t needed = size() * width_;
    if (needed > room_) {
      room_ = std::max(needed, 2 * room_);
      kernel_.reset();
      kernel_ = std::make_unique_for_overwrite<Real[]>(room_);
    }
    changes_.resize(examples_.size() * problem_.layout().stride);
    scores_.resize(size());
    duals_.resize(size());
    labels_.resize(width_);
    caps_.resize(width_);
    violations_.resize(width_);
  }

  Problem& problem_;
  const MarginMachine<Real>& machine_;
  std::vector<std::int32_t> examples_;
  std::unique_ptr<Real[]> kernel_;  // row after row, each padded to `width_`
  std::int64_t width_ = 0, room_ = 0;
  ScoresByClass<Real> scores_, duals_;
  AlignedArray<Real> changes_, score_, caps_, violations_;
  AlignedArray<LaneInt<Real>> labels_;
};

}  // namespace polymargin
