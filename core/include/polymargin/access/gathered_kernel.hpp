// The kernel between some examples, gathered from the rows of a cache. Most examples stay from one
// call to the next, and so do the values between them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
class GatheredKernel {
 public:
  explicit GatheredKernel(std::int64_t examples) : position_(examples, -1) {}

  // Takes these examples. `row(i)` are the kernel values of example i, and `column(j)` says where
  // the value with example j is.
  template <class Row, class Column>
  [[gnu::noinline]] void gather(std::span<const std::int32_t> examples, Row&& row, Column&& column) {
    make_room(std::int64_t(examples.size()));
    const std::vector<std::int32_t> fresh = place(examples);
    std::vector<std::int32_t> all(examples_.size()), some;
    for (std::size_t q = 0; q < all.size(); ++q) all[q] = column(examples_[q]);
    for (std::int32_t p : fresh) some.push_back(all[p]);
    std::vector<bool> is_fresh(examples_.size());
    for (std::int32_t p : fresh) is_fresh[p] = true;
    for (std::size_t p = 0; p < all.size(); ++p) {
      const Real* from = row(examples_[p]);
      Real* to = rows_[p].get();
      if (is_fresh[p])
        for (std::size_t q = 0; q < all.size(); ++q) to[q] = from[all[q]];
      else
        for (std::size_t f = 0; f < some.size(); ++f) to[fresh[f]] = from[some[f]];
      std::fill(to + all.size(), to + padded(std::int64_t(all.size())), Real(0));
    }
  }

  // In the order of their positions.
  const std::vector<std::int32_t>& examples() const { return examples_; }
  // The kernel of the example at a position with all, padded with zeros to whole packs.
  const Real* row(std::int64_t p) const { return rows_[p].get(); }

 private:
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  static std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  // Rows grow in few steps. What is beyond their end is not touched, and costs no memory.
  [[gnu::noinline]] void make_room(std::int64_t size) {
    if (size > length_) {
      length_ = std::min(4 * size, padded(std::int64_t(position_.size())));
      for (std::int32_t i : examples_) position_[i] = -1;
      examples_.clear();
      rows_.clear();
    }
    while (std::int64_t(rows_.size()) < size)
      rows_.push_back(std::make_unique_for_overwrite<Real[]>(padded(length_)));
  }

  // Gives every example a position, its old one if it had one below their number. Returns the
  // positions of the others, ascending.
  std::vector<std::int32_t> place(std::span<const std::int32_t> examples) {
    std::vector<std::int32_t> before = std::move(examples_), fresh;
    examples_.assign(examples.size(), -1);
    std::vector<std::int32_t> arrivals;
    for (std::int32_t i : examples) {
      const std::int32_t p = position_[i];
      if (p >= 0 && p < std::int32_t(examples.size()))
        examples_[p] = i;
      else
        arrivals.push_back(i);
    }
    for (std::int32_t i : before) position_[i] = -1;
    auto next = arrivals.begin();
    for (std::int32_t p = 0; p < std::int32_t(examples_.size()); ++p) {
      if (examples_[p] < 0) {
        examples_[p] = *next++;
        fresh.push_back(p);
      }
      position_[examples_[p]] = p;
    }
    return fresh;
  }

  std::vector<std::int32_t> examples_, position_;  // position by example, -1 if it has none
  std::vector<std::unique_ptr<Real[]>> rows_;
  std::int64_t length_ = 0;
};

}  // namespace polymargin
