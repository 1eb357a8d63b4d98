// A sum whose rounding is added up as well (Neumaier).
#pragma once

#include <cmath>

namespace polymargin {

class CompensatedSum {
 public:
  void operator+=(double value) {
    const double sum = sum_ + value;
    lost_ += std::abs(sum_) >= std::abs(value) ? (sum_ - sum) + value : (value - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + lost_; }

 private:
  double sum_ = 0, lost_ = 0;
};

}  // namespace polymargin
