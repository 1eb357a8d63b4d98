// One-vs-rest in groups of classes: a problem for each group, on all rows, with an order of its own
// and an end of its own, so that threads take whole groups and a group that is done costs nothing.
// Inside a group a row that has been read serves all classes. With a group for each class, which
// pays where rows are dense and long, vectors run along the features.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "polymargin/driver/linear/binary_problems.hpp"

namespace polymargin {

template <class Real>
class OneVsRest : public BinaryProblems<Real> {
 public:
  // Classes are shared out evenly, in their order.
  OneVsRest(std::shared_ptr<const Rows<Real>> rows, const std::vector<std::int32_t>& labels,
            const std::vector<Real>& loss_weights, int classes, int groups,
            std::shared_ptr<const Machine<Real>> machine, Tolerance tolerance, std::uint64_t seed,
            int threads)
      : BinaryProblems<Real>(rows->size(), tolerance, threads) {
    for (std::int64_t group = 0; group < groups; ++group) {
      const auto first = std::int32_t(classes * group / groups);
      const auto last = std::int32_t(classes * (group + 1) / groups);
      this->add(
          kRest, first, last - first, rows, [&](std::size_t i) { return labels[i]; },
          [&](std::size_t i) { return loss_weights[i]; }, machine, seed);
    }
  }

  // As in OneVsOne: all problems have all rows.
  template <class F>
  void for_each_problem(std::int64_t i, F&& f) {
    for (auto& problem : this->problems()) f(problem, problem.second, std::int32_t(i));
  }
};

}  // namespace polymargin
