// Labels and weights C_i as they come from Python.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "driver/interruptible.hpp"
#include "polymargin/machine/workspace.hpp"

namespace polymargin::bindings {

// One for each row. `least` is -1 where an example may be of a class that has no column, as in a
// binary one-vs-rest problem, and 0 otherwise.
inline void check_labels(const Input<std::int32_t>& labels, const Input<double>& loss_weights,
                         std::size_t rows, int least, int classes) {
  if (labels.shape(0) != rows || loss_weights.shape(0) != rows)
    throw std::invalid_argument("labels and loss_weights must have one entry per row");
  for (std::size_t i = 0; i < rows; ++i) {
    if (!(loss_weights.data()[i] >= 0 &&
          loss_weights.data()[i] <= std::numeric_limits<double>::max()))
      throw std::invalid_argument("C times a weight must be finite and not negative");
    if (labels.data()[i] < least || labels.data()[i] >= classes)
      throw std::invalid_argument("a label is out of range");
  }
}

// Of the rows of examples, in the number format that training works in.
template <class Real>
void check_lengths(const std::vector<Example<Real>>& examples) {
  for (const Example<Real>& example : examples)
    if (!std::isfinite(example.curvature))
      throw std::invalid_argument(
          "a row of X is too long: the square of its length is not finite in the number format of "
          "X; scale X, or give it as float64");
}

}  // namespace polymargin::bindings
