// The products of rows and packed weights: as in rows.hpp, first over the features stored as whole
// rows, then over those in lists, which are noted on the way. Adding returns by how much 1/2 |W|^2
// has grown: a class that lacks some features of a row has a smaller curvature than |x|^2, so the
// machine cannot know.
#pragma once

#include <algorithm>

#include "polymargin/access/packed_weights.hpp"
#include "polymargin/base/lane_bits.hpp"

namespace polymargin {

// Calls whole(place, value) for every value of a row and its bias, with place 0 for those in lists,
// and then listed(place, value) for these; some hundred values at a time.
template <class Real, class Row, class Whole, class Listed>
[[gnu::always_inline]] inline void for_each_place(const Row& row, const PackedWeights<Real>& w,
                                                  Real bias, Whole&& whole, Listed&& listed) {
  constexpr int kChunk = 256;
  struct {
    std::int32_t place;
    Real value;
  } lists[kChunk];
  const std::int64_t size = row.size + (bias != 0);
  for (std::int64_t begin = 0; begin < size; begin += kChunk) {
    int count = 0;
    const auto visit = [&](std::int32_t place, Real value) __attribute__((always_inline)) {
      lists[count] = {place, value};
      count += place < 0;
      whole(std::max(place, 0), value);
    };
    const std::int64_t end = std::min(begin + kChunk, row.size);
#pragma GCC unroll 4
    for (std::int64_t p = begin; p < end; ++p) visit(w.place(row.feature(p)), row.value(p));
    if (end - begin < kChunk && bias != 0) visit(w.place(w.features() - 1), bias);
    for (int c = 0; c < count; ++c) listed(lists[c].place, lists[c].value);
  }
}

template <class Real, int Bytes, int Tile, class Row>
inline void score_tile(const Row& row, const PackedWeights<Real>& w, int first_pack, Real bias,
                       Real* scores) {
  using V = Pack<Real, Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(Real));
  V sums[Tile] = {};
  for_each_place(
      row, w, bias,
      [&](std::int32_t place, Real value) __attribute__((always_inline)) {
        const Real* weights = w.row(place) + first_pack * kLanes;
#pragma GCC unroll 8
        for (int t = 0; t < Tile; ++t) sums[t] += value * load<V>(weights + t * kLanes);
      },
      [&](std::int32_t place, Real value) __attribute__((always_inline)) {
        const std::uint16_t* bits = w.list_bits(place) + first_pack;
        const Real* weights = w.list(place, first_pack);
#pragma GCC unroll 8
        for (int t = 0; t < Tile; ++t) {
          sums[t] += value * expand_lanes<Real, Bytes>(weights, bits[t]);
          weights += std::popcount(bits[t]);
        }
      });
#pragma GCC unroll 8
  for (int t = 0; t < Tile; ++t) store(scores + (first_pack + t) * kLanes, sums[t]);
}

template <class Real, int Bytes, int Tile, class Row>
inline Real add_tile(const Row& row, PackedWeights<Real>& w, int first_pack, Real bias,
                     const Real* coefficients) {
  using V = Pack<Real, Bytes>;
  constexpr int kLanes = Bytes / int(sizeof(Real));
  V change[Tile], growth{};
#pragma GCC unroll 8
  for (int t = 0; t < Tile; ++t) change[t] = load<V>(coefficients + (first_pack + t) * kLanes);
  for_each_place(
      row, w, bias,
      [&](std::int32_t place, Real value) __attribute__((always_inline)) {
        const std::uint16_t* bits = w.row_bits(place) + first_pack;
        Real* weights = w.row(place) + first_pack * kLanes;
#pragma GCC unroll 8
        for (int t = 0; t < Tile; ++t) {
          const V delta = value * keep_lanes<Real, Bytes>(change[t], bits[t]);
          const V old = load<V>(weights + t * kLanes);
          store(weights + t * kLanes, old + delta);
          growth += delta * (old + delta / 2);
        }
      },
      [&](std::int32_t place, Real value) __attribute__((always_inline)) {
        const std::uint16_t* bits = w.list_bits(place) + first_pack;
        Real* weights = w.list(place, first_pack);
#pragma GCC unroll 8
        for (int t = 0; t < Tile; ++t) {
          const int count = std::popcount(bits[t]);
          const V delta = value * compress_lanes<Real, Bytes>(change[t], bits[t]);
          const V old = add_first<Real, Bytes>(weights, delta, count);
          growth += delta * (old + delta / 2);
          weights += count;
        }
      });
  return sum_lanes<Real, Bytes>(growth);
}

}  // namespace polymargin
