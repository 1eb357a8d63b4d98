// One-vs-rest, every class by itself: a binary problem for each class, on all rows, with an order
// of its own and an end of its own. Where rows are dense and long, vectors run along the features
// and a class that is done costs nothing; elsewhere Sequential solves all classes in lockstep,
// because a row that has been read serves them all.
#pragma once

#include <memory>
#include <vector>

#include "polymargin/driver/linear/binary_problems.hpp"

namespace polymargin {

template <class Real>
class OneVsRest : public BinaryProblems<Real> {
 public:
  OneVsRest(std::shared_ptr<const Rows<Real>> rows, const std::vector<std::int32_t>& labels,
            const std::vector<Real>& loss_weights, int classes,
            std::shared_ptr<const Machine<Real>> machine, Tolerance tolerance, std::uint64_t seed,
            int threads)
      : BinaryProblems<Real>(rows->size(), tolerance, threads) {
    for (std::int32_t label = 0; label < classes; ++label)
      this->add(
          kRest, label, rows, [&](std::size_t i) { return labels[i]; },
          [&](std::size_t i) { return loss_weights[i]; }, machine, seed);
  }

  // As in OneVsOne: all problems have all rows.
  template <class F>
  void for_each_problem(std::int64_t i, F&& f) {
    for (std::size_t p = 0; p < this->problems().size(); ++p)
      f(this->problems()[p], std::int64_t(p), std::int32_t(i));
  }
};

}  // namespace polymargin
