// Sizes that become memory: products that may not wrap, and an error that says what was wanted.
#pragma once

#include <cstddef>
#include <cstdio>
#include <limits>
#include <new>

namespace polymargin {

// Becomes a MemoryError in Python.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(double bytes) {
    std::snprintf(message_, sizeof message_,
                  "%.3g GB of memory in one piece are not to be had; use fewer features, classes "
                  "or rows, or float32",
                  bytes / 1e9);
  }
  const char* what() const noexcept override { return message_; }

 private:
  char message_[160];
};

// left * right, unless a size_t cannot hold it.
inline std::size_t checked_product(std::size_t left, std::size_t right) {
  if (right != 0 && left > std::numeric_limits<std::size_t>::max() / right)
    throw OutOfMemory(double(left) * double(right));
  return left * right;
}

}  // namespace polymargin
