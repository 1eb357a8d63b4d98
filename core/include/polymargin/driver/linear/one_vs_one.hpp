// One-vs-one: a binary problem for each pair of classes, on the rows of these two alone.
#pragma once

#include <memory>
#include <vector>

#include "polymargin/access/subset.hpp"
#include "polymargin/driver/linear/binary_problems.hpp"

namespace polymargin {

template <class Real>
class OneVsOne : public BinaryProblems<Real> {
 public:
  // `loss_weights` and `labels` of all rows.
  OneVsOne(std::shared_ptr<const Rows<Real>> rows, std::vector<std::int32_t> labels,
           const std::vector<Real>& loss_weights, int classes,
           std::shared_ptr<const Machine<Real>> machine, Tolerance tolerance, std::uint64_t seed,
           int threads)
      : BinaryProblems<Real>(std::int64_t(labels.size()), tolerance, threads),
        labels_(std::move(labels)),
        rank_(labels_.size()),
        members_(classes) {
    auto squared_norms = std::make_shared<std::vector<Real>>(labels_.size());
    for (std::int32_t i = 0; i < std::int32_t(labels_.size()); ++i) {
      (*squared_norms)[i] = rows->squared_norm(i);
      rank_[i] = std::int32_t(members_[labels_[i]].size());
      members_[labels_[i]].push_back(i);
    }
    for (std::int32_t first = 0; first < classes; ++first) {
      for (std::int32_t second = first + 1; second < classes; ++second) {
        std::vector<std::int32_t> chosen = members_[first];
        chosen.insert(chosen.end(), members_[second].begin(), members_[second].end());
        this->add(
            first, second, 1, std::make_shared<RowsSubset<Real>>(rows, chosen, squared_norms),
            [&](std::size_t i) { return labels_[chosen[i]]; },
            [&](std::size_t i) { return loss_weights[chosen[i]]; }, machine, seed);
      }
    }
  }

  // Calls f(problem, its column, number of the row in it) for the problems of a row, in ascending
  // order.
  template <class F>
  void for_each_problem(std::int64_t i, F&& f) {
    const std::int32_t label = labels_[i];
    const auto pair_of = [&](std::int32_t first, std::int32_t second) {
      const std::int64_t classes = std::int64_t(members_.size());
      return first * (2 * classes - first - 1) / 2 + (second - first - 1);
    };
    for (std::int32_t other = 0; other < std::int32_t(members_.size()); ++other) {
      if (other == label) continue;
      const bool positive = other < label;
      const std::int64_t p = positive ? pair_of(other, label) : pair_of(label, other);
      f(this->problems()[p], p, rank_[i] + (positive ? std::int32_t(members_[other].size()) : 0));
    }
  }

 private:
  std::vector<std::int32_t> labels_;
  std::vector<std::int32_t> rank_;                  // position of a row among those of its class
  std::vector<std::vector<std::int32_t>> members_;  // rows by class
};

}  // namespace polymargin
