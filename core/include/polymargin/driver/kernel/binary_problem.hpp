// A binary problem on examples that come class after class,
//     max sum u - 1/2 |sum u_i Y_i phi(x_i)|^2 - sum u_i^2 / 4C_i,   0 <= u_i <= C_i,
// without the last term for the hinge, and without the upper bound for its square.
#pragma once

#include <cstdint>
#include <vector>

#include "polymargin/certify/certificate.hpp"

namespace polymargin {

// The examples from `first` to before `last`.
struct ExampleRange {
  std::int32_t first, last;
  bool positive;
};

struct BinaryProblem {
  std::vector<ExampleRange> ranges;  // ascending
  std::vector<double> duals = {};    // of the examples of the ranges
  Certificate certificate = {};
  bool finished = false;

  std::int64_t size() const {
    std::int64_t count = 0;
    for (const ExampleRange& range : ranges) count += range.last - range.first;
    return count;
  }

  // Calls f(position, example, positive) for all examples.
  template <class F>
  void for_each(F&& f) const {
    std::int32_t position = 0;
    for (const ExampleRange& range : ranges)
      for (std::int32_t i = range.first; i < range.last; ++i) f(position++, i, range.positive);
  }
};

}  // namespace polymargin
