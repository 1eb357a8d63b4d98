// Dual blocks as they come from Python: CSR, with a row for each example.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "driver/interruptible.hpp"
#include "polymargin/access/csr_checks.hpp"

namespace polymargin::bindings {

// They may come from attributes that somebody has changed: what is out of range would write outside
// of the blocks, and what is not a number would prove anything.
template <class Real>
void check_dual_blocks(const Input<std::int64_t>& starts, const Input<std::int32_t>& columns,
                       const Input<double>& values, std::int64_t examples, std::int64_t classes) {
  if (starts.shape(0) != std::size_t(examples) + 1)
    throw std::invalid_argument("dual variables must have one block per row");
  const char* fault =
      csr_fault(std::span(starts.data(), starts.shape(0)),
                std::span(columns.data(), columns.shape(0)), values.shape(0), classes);
  for (std::size_t p = 0; p < values.shape(0) && !fault; ++p)
    if (!(values.data()[p] >= 0) || !std::isfinite(Real(values.data()[p])))
      fault = "a value is negative or not finite";
  if (fault)
    throw std::invalid_argument(std::string("the dual variables to start from are not valid: ") +
                                fault + "; fit with warm_start=False");
}

}  // namespace polymargin::bindings
