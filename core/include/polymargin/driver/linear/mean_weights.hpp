// The mean of the weights after the last epochs. The loss has kinks, at which the weights of single
// epochs swing from one side to the other: near the optimum the objective of their mean is lower.
#pragma once

#include <cmath>

#include "polymargin/access/weights.hpp"

namespace polymargin {

template <class Real>
class MeanWeights {
 public:
  MeanWeights(std::int64_t features, const ClassLayout& layout) : mean_(features, layout) {}

  const Weights<Real>& weights() const { return mean_; }
  Weights<Real>& weights() { return mean_; }
  // Whether it is more than the last weights.
  bool is_mean() const { return epochs_ > 1; }
  void forget() { epochs_ = 0; }

  // Epochs count less the older they are, by this factor for each.
  void add(const Weights<Real>& weights) {
    constexpr double kFading = 0.7;
    const Real share = Real((1 - kFading) / (1 - std::pow(kFading, ++epochs_)));
    Real* mean = mean_.of_feature(0);
    Real* const end = mean_.of_feature(mean_.features());
    for (const Real* w = weights.of_feature(0); mean != end; ++mean, ++w)
      *mean = share == 1 ? *w : *mean + share * (*w - *mean);
  }

 private:
  Weights<Real> mean_;
  int epochs_ = 0;
};

}  // namespace polymargin
