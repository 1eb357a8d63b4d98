// A few examples and the kernel between them: what the block method solves at a time. Scores are
// kept up to date for these examples only.
#pragma once

#include <cstdint>
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
      : problem_(problem), scores_(problem.layout(), 0), score_(problem.layout().stride) {}

  // Takes these examples, whose rows are in the cache; ascending ones are gathered fastest.
  void gather(std::span<const std::int32_t> examples) {
    examples_.assign(examples.begin(), examples.end());
    const std::int64_t size = this->size();
    width_ = (size + kLanes - 1) / kLanes * kLanes;
    kernel_.resize(size * width_);
    changes_.resize(size * problem_.layout().stride);
    scores_.resize(size);
    std::vector<std::int32_t> columns(size);
    for (std::int64_t p = 0; p < size; ++p) columns[p] = problem_.column_of(examples_[p]);
    for (std::int64_t p = 0; p < size; ++p) {
      const Real* row = problem_.cache().at(examples_[p]);
      Real* gathered = kernel_.data() + p * width_;
      for (std::int64_t q = 0; q < size; ++q) gathered[q] = row[columns[q]];
      scores_.write(p, problem_.score(examples_[p]));
    }
  }

  std::int64_t size() const { return std::int64_t(examples_.size()); }
  const std::vector<std::int32_t>& examples() const { return examples_; }
  ScoresByClass<Real>& scores() { return scores_; }
  const Real* row(std::int64_t p) const { return kernel_.data() + p * width_; }

  // The block of an example; valid until the next call.
  Block<Real> block(std::int64_t p) {
    return problem_.block(examples_[p], scores_.read(p, score_.data()));
  }

  // The exact step of one example.
  Step<Real> visit(std::int64_t p, Real threshold) {
    const Block<Real> block = this->block(p);
    const Step<Real> step = problem_.machine().step(block, threshold);
    if (!step.moved) return step;
    problem_.count(step);
    problem_.simplify(block);
    scores_.add(row(p), block.change);
    add_change(p, block.change);
    return step;
  }

  // Takes note of coefficients that were added to the scores.
  void add_change(std::int64_t p, const Real* change, Real factor = 1) {
    const int stride = problem_.layout().stride;
    for (int m = 0; m < stride; ++m) changes_[p * stride + m] += factor * change[m];
  }

  // Carries all changes to the scores of all examples.
  void commit() { problem_.add_to_scores(examples_, changes_.data()); }

 private:
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));

  Problem& problem_;
  std::vector<std::int32_t> examples_;
  ScoresByClass<Real> scores_;
  AlignedArray<Real> kernel_, changes_, score_;
  std::int64_t width_ = 0;
};

}  // namespace polymargin
