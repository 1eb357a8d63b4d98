// Sums of w x x^T over rows, some hundred at a time by BLAS.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "polymargin/access/double_rows.hpp"

namespace polymargin {

// Adds to the lower half of a matrix that is stored column by column. Weights of one sum have one
// sign.
class GramSum {
 public:
  static constexpr int kGroup = 256;

  GramSum(const ChosenRows& rows, double* to, int stride, bool negative = false)
      : rows_(rows), to_(to), stride_(stride), sign_(negative ? -1 : 1) {}

  void add(std::int64_t row, double weight) {
    const std::int64_t d = rows_.features();
    if (rows_.all().is_sparse()) {
      rows_.for_each_entry(row, [&](std::int64_t b, double x_b) {
        rows_.for_each_entry(row, [&](std::int64_t a, double x_a) {
          if (a >= b) to_[b * stride_ + a] += weight * x_a * x_b;
        });
      });
      return;
    }
    group_.resize(std::size_t(count_ + 1) * d);
    rows_.copy_scaled(row, std::sqrt(std::abs(weight)), group_.data() + count_ * d);
    if (++count_ == kGroup) finish();
  }

  void finish() {
    const int d = int(rows_.features());
    if (count_ > 0) rows_.blas().gram('N', d, count_, sign_, group_.data(), d, 1, to_, stride_);
    count_ = 0;
  }

 private:
  const ChosenRows& rows_;
  double* to_;
  int stride_;
  double sign_;
  int count_ = 0;
  std::vector<double> group_;
};

}  // namespace polymargin
