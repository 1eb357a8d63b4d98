// A margin with a target for every pair of a label and a class, h_m = t[y, m] - (E s)_m: class
// costs. The table has all classes; a block of a part of them brings its own targets.
#pragma once

#include <algorithm>
#include <cmath>

#include "polymargin/base/aligned.hpp"
#include "polymargin/machine/margin.hpp"

namespace polymargin {

// `Margin` is one whose label has no variable.
template <class Real, class Margin>
class PairTargets : public Margin {
  static_assert(!Margin::kLabelHasVariable);

 public:
  static constexpr bool kPairTargets = true;

  explicit PairTargets(const Targets& targets)
      : Margin(Targets{0, 0}),
        classes_(int(std::lround(std::sqrt(double(targets.pairs.size()))))),
        stride_(ClassLayout::of<Real>(classes_).stride),
        table_(std::size_t(classes_) * stride_) {
    for (int y = 0; y < classes_; ++y)
      for (int m = 0; m < classes_; ++m)
        if (m != y)
          table_[std::size_t(y) * stride_ + m] = Real(targets.pairs[std::size_t(y) * classes_ + m]);
  }

  const Real* row(int label) const { return table_.data() + std::int64_t(label) * stride_; }
  double pair_target(int label, int m) const { return double(row(label)[m]); }

  template <class Lanes>
  auto target(const Lanes& lanes, int v) const {
    return lanes.target(table_.data(), stride_, v);
  }

  // kNowhere stays far below everything whatever is added to it.
  template <class Lanes, class Shift>
  auto violation(const Lanes& lanes, int v, const Shift& shift) const {
    return Margin::violation(lanes, v, shift) + target(lanes, v);
  }

  // Of an example whose scores are zero: the sum, or the largest, of what `slack` makes of targets.
  template <class Slack>
  double loss_at_zero(int label, Slack&& slack, bool largest) const {
    double sum = 0, highest = 0;
    for (int m = 0; m < classes_; ++m) {
      const double of_class = slack(pair_target(label, m));
      sum += of_class;
      highest = std::max(highest, of_class);
    }
    return largest ? highest : sum;
  }

 private:
  int classes_, stride_;
  AlignedArray<Real> table_;
};

}  // namespace polymargin
