// The kernel between some examples, gathered from the rows of a cache. Most examples stay from one
// call to the next, and so do the values between them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

template <class Real>
class GatheredKernel {
 public:
  explicit GatheredKernel(std::int64_t examples) : position_(examples, -1) {}

  // Takes these examples. `row(i)` are the kernel values of example i, and `column(j)` says where
  // the value with example j is.
  template <class Row, class Column>
  void gather(std::span<const std::int32_t> examples, Row&& row, Column&& column) {
    make_room(std::int64_t(examples.size()));
    const std::vector<std::int32_t> fresh = place(examples);
    const std::int32_t size = std::int32_t(examples_.size());
    std::vector<bool> is_fresh(size);
    std::vector<std::int32_t> columns(size);
    for (std::int32_t q = 0; q < size; ++q) columns[q] = column(examples_[q]);
    neighbours_.resize(size);
    for (std::int32_t p : fresh) {
      is_fresh[p] = true;
      const Real* from = row(examples_[p]);
      Real* to = rows_[p].get();
      for (std::int32_t q = 0; q < size; ++q) to[q] = from[columns[q]];
      scale_[p] = 1 / std::sqrt(std::abs(to[p]));
      neighbours_[p].clear();
    }
    // The others have the same values with them.
    for (std::int32_t p = 0; p < size; ++p) {
      Real* to = rows_[p].get();
      if (!is_fresh[p])
        for (std::int32_t q : fresh) to[q] = rows_[q][p];
      std::fill(to + size, to + padded(size), Real(0));
      std::erase_if(neighbours_[p], [&](const Neighbour& one) {
        return one.position >= size || is_fresh[one.position];
      });
      const bool many = kLanes * std::int32_t(fresh.size()) > size;
      if (many || neighbours_[p].size() < kNeighbours / 2) {
        find_neighbours(p, size);
      } else {
        for (std::int32_t q : fresh) consider(p, q, std::abs(to[q]) * scale_[q]);
      }
    }
  }

  // Others whose rows are much like that of position p: those with the largest values after scaling
  // all examples to length one, as far as they are known.
  struct Neighbour {
    Real closeness, value;
    std::int32_t position;
  };
  std::span<const Neighbour> neighbours(std::int64_t p) const { return neighbours_[p]; }

  // In the order of their positions.
  const std::vector<std::int32_t>& examples() const { return examples_; }
  // The kernel of the example at a position with all, padded with zeros to whole packs.
  const Real* row(std::int64_t p) const { return rows_[p].get(); }

 private:
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  using V = Pack<Real, kNativeBytes>;
  static constexpr std::size_t kNeighbours = 8;
  static std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  void find_neighbours(std::int32_t p, std::int32_t size) {
    neighbours_[p].clear();
    for (std::int32_t q = 0; q < size; q += kLanes) {
      const V value = load_anywhere<V>(rows_[p].get() + q);
      const V closeness = max_of(value, -value) * load<V>(scale_.data() + q);
      const Real least = neighbours_[p].size() == kNeighbours ? neighbours_[p].back().closeness : 0;
      if (!lane_bits<Real, kNativeBytes>(closeness > least)) continue;
      for (int lane = 0; lane < kLanes && q + lane < size; ++lane)
        consider(p, q + lane, closeness[lane]);
    }
  }

  void consider(std::int32_t p, std::int32_t q, Real closeness) {
    std::vector<Neighbour>& known = neighbours_[p];
    if (q == p || (known.size() == kNeighbours && closeness <= known.back().closeness)) return;
    if (known.size() == kNeighbours) known.pop_back();
    const auto at = std::find_if(known.begin(), known.end(),
                                 [&](const Neighbour& one) { return one.closeness < closeness; });
    known.insert(at, {closeness, rows_[p][q], q});
  }

  // Rows grow in few steps. What is beyond their end is not touched, and costs no memory.
  void make_room(std::int64_t size) {
    if (size > length_) {
      length_ = std::min(4 * size, padded(std::int64_t(position_.size())));
      for (std::int32_t i : examples_) position_[i] = -1;
      examples_.clear();
      rows_.clear();
      neighbours_.clear();
      scale_.resize(padded(length_));
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
  AlignedArray<Real> scale_;
  std::vector<std::vector<Neighbour>> neighbours_;  // the nearest first
  std::int64_t length_ = 0;
};

}  // namespace polymargin
