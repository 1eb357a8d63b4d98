// The weights W, class-contiguous: W[feature][class], classes padded to whole packs, so that one
// value of a row meets all classes in a few vector operations. A single class is not padded: there
// the vectors run over features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
class Weights {
 public:
  static constexpr bool kReduced = false;
  static constexpr bool kWhole = true;  // an array with a place for every feature and class

  Weights(std::int64_t features, const ClassLayout& layout)
      : features_(features),
        layout_(layout),
        stride_(layout.classes == 1 ? 1 : layout.stride),
        values_(checked_product(std::size_t(features), std::size_t(stride_))) {}

  Real* of_feature(std::int64_t feature) { return values_.data() + feature * stride_; }
  const Real* of_feature(std::int64_t feature) const { return values_.data() + feature * stride_; }
  bool single() const { return layout_.classes == 1; }
  std::int64_t features() const { return features_; }
  const ClassLayout& layout() const { return layout_; }
  void clear() { values_.clear(); }

  // Gives the memory away as a plain array W[feature][class] without padding; nothing is left.
  AlignedArray<Real> release() {
    Real* packed = values_.data();
    for (std::int64_t f = 0; f < features_; ++f)
      std::copy_n(of_feature(f), layout_.classes, packed + f * layout_.classes);
    return std::move(values_);
  }

  // Subtracts from the weights of every feature their mean over the classes.
  void center() {
    for (std::int64_t f = 0; f < features_; ++f) {
      Real* w = of_feature(f);
      double sum = 0;
      for (int m = 0; m < layout_.classes; ++m) sum += double(w[m]);
      const double mean = sum / layout_.classes;
      for (int m = 0; m < layout_.classes; ++m) w[m] = Real(double(w[m]) - mean);
    }
  }

  double squared_norm() const {
    double sum = 0;
    for (std::int64_t f = 0; f < features_; ++f) {
      double row = 0;
      const Real* w = of_feature(f);
      for (int m = 0; m < layout_.classes; ++m) row += double(w[m]) * double(w[m]);
      sum += row;
    }
    return sum;
  }

 private:
  std::int64_t features_;
  ClassLayout layout_;
  int stride_;  // from one feature to the next
  AlignedArray<Real> values_;
};

}  // namespace polymargin
