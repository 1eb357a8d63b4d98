// The kernel between some examples, gathered from the rows of a cache. Most examples stay from one
// call to the next, and so do the values between them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
    // Rows are read in the order of their columns.
    std::vector<std::pair<std::int32_t, std::int32_t>> places(size);  // column, position
    for (std::int32_t q = 0; q < size; ++q) places[q] = {column(examples_[q]), q};
    std::sort(places.begin(), places.end());
    known_.resize(size);
    is_fresh_.assign(size, false);
    for (std::int32_t p : fresh) {
      const Real* from = row(examples_[p]);
      Real* to = rows_[p].get();
      for (const auto& [at, q] : places) to[q] = from[at];
      std::fill(to + size, to + padded(size), Real(0));
      scale_[p] = 1 / std::sqrt(std::abs(to[p]));
      is_fresh_[p] = true;
      known_[p].as_of = kNever;
    }
    mirror(fresh);
    list_packs(fresh);
    ++gathered_;
  }

  // Others whose rows are much like that of position p: those with the largest values after scaling
  // all examples to length one, as far as they are known.
  struct Neighbour {
    Real closeness, value;
    std::int32_t position;
  };
  std::span<const Neighbour> neighbours(std::int32_t p) {
    Known& known = known_[p];
    if (known.as_of == gathered_ - 1) renew_neighbours(p);
    if (known.as_of < gathered_) find_neighbours(p);
    return known.neighbours;
  }

  // In the order of their positions.
  const std::vector<std::int32_t>& examples() const { return examples_; }
  // The kernel of the example at a position with all, padded with zeros to whole packs.
  const Real* row(std::int64_t p) const { return rows_[p].get(); }

 private:
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  using V = Pack<Real, kNativeBytes>;
  static constexpr std::size_t kNeighbours = 8;
  static std::int64_t padded(std::int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }

  // Of a position, as of one of the calls.
  struct Known {
    std::vector<Neighbour> neighbours;  // the nearest first
    std::int64_t as_of = kNever;
  };
  static constexpr std::int64_t kNever = -2;

  // The others have the same values with those that are fresh. As many rows as a pack has lanes are
  // written side by side, from whole packs.
  void mirror(std::span<const std::int32_t> fresh) {
    const std::int32_t size = std::int32_t(examples_.size());
    std::array<std::int32_t, kLanes> some;
    std::array<Real*, kLanes> to;
    for (std::int32_t begin = 0; begin < size; begin += kLanes) {
      int count = 0;
      for (std::int32_t p = begin; p < std::min(begin + kLanes, size); ++p) {
        if (is_fresh_[p]) continue;
        some[count] = p;
        to[count] = rows_[p].get();
        std::fill(to[count] + size, to[count] + padded(size), Real(0));
        ++count;
      }
      for (std::int32_t q : fresh) {
        const Real* from = rows_[q].get();
        for (int c = 0; c < count; ++c) to[c][q] = from[some[c]];
      }
    }
  }

  // Where the packs begin in which there are fresh positions.
  void list_packs(std::span<const std::int32_t> fresh) {
    packs_.clear();
    for (std::int32_t q : fresh)
      if (packs_.empty() || q >= packs_.back() + kLanes) packs_.push_back(q / kLanes * kLanes);
  }

  void find_neighbours(std::int32_t p) {
    known_[p].neighbours.clear();
    for (std::int32_t q = 0; q < std::int32_t(examples_.size()); q += kLanes)
      consider_pack(p, q, [](int) { return true; });
    known_[p].as_of = gathered_;
  }

  // Those of the call before that are left, and better ones among the fresh; unless few are left.
  void renew_neighbours(std::int32_t p) {
    Known& known = known_[p];
    std::erase_if(known.neighbours, [&](const Neighbour& one) {
      return one.position >= std::int32_t(examples_.size()) || is_fresh_[one.position];
    });
    if (known.neighbours.size() < kNeighbours / 2) return;
    for (std::int32_t q : packs_) consider_pack(p, q, [&](int at) { return is_fresh_[at]; });
    known.as_of = gathered_;
  }

  // The positions from q on, as many as a pack has lanes, of which `able` says true.
  template <class Able>
  void consider_pack(std::int32_t p, std::int32_t q, const Able& able) {
    const std::vector<Neighbour>& known = known_[p].neighbours;
    const V value = load_anywhere<V>(rows_[p].get() + q);
    const V closeness = max_of(value, -value) * load<V>(scale_.data() + q);
    const Real least = known.size() == kNeighbours ? known.back().closeness : 0;
    unsigned bits = lane_bits<Real, kNativeBytes>(closeness > least);
    for (; bits != 0; bits &= bits - 1) {
      const int lane = std::countr_zero(bits);
      if (q + lane < std::int32_t(examples_.size()) && able(q + lane))
        consider(p, q + lane, closeness[lane]);
    }
  }

  void consider(std::int32_t p, std::int32_t q, Real closeness) {
    std::vector<Neighbour>& known = known_[p].neighbours;
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
      known_.clear();
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
  std::vector<Known> known_;
  std::vector<bool> is_fresh_;       // in the last call
  std::vector<std::int32_t> packs_;  // with such positions
  std::int64_t gathered_ = 0;        // calls
  std::int64_t length_ = 0;
};

}  // namespace polymargin
