// A single class: <w, x> and w += coefficient x. Where a row has its values side by side, vectors
// run over the features: packs of the native size, then one of every smaller size. Both products
// cut a row at the same places, so that what one has stored the next can load from the same pack.
#pragma once

#include <cstdint>

#include "polymargin/base/simd.hpp"

namespace polymargin {

// `sum` and the products of fewer values than two packs of this size hold.
template <class Real, int Bytes>
inline Real finish_score(const Real* values, const Real* weights, std::int64_t size,
                         Pack<Real, Bytes> sum) {
  using V = Pack<Real, Bytes>;
  constexpr std::int64_t kLanes = Bytes / int(sizeof(Real));
  if (size >= kLanes) {
    sum += load_anywhere<V>(values) * load_anywhere<V>(weights);
    values += kLanes, weights += kLanes, size -= kLanes;
  }
  if constexpr (Bytes > 16) {
    const auto halves = half_of<Real, Bytes, 0>(sum) + half_of<Real, Bytes, 1>(sum);
    return finish_score<Real, Bytes / 2>(values, weights, size, halves);
  } else {
    Real rest = 0;
    for (std::int64_t p = 0; p < size; ++p) rest += values[p] * weights[p];
    return sum_lanes<Real, Bytes>(sum) + rest;
  }
}

template <class Real, int Bytes = kNativeBytes>
inline void add_side_by_side(const Real* values, Real* weights, std::int64_t size,
                             Real coefficient) {
  using V = Pack<Real, Bytes>;
  constexpr std::int64_t kLanes = Bytes / int(sizeof(Real));
  std::int64_t p = 0;
  for (; p + kLanes <= size; p += kLanes)
    store_anywhere(weights + p,
                   load_anywhere<V>(weights + p) + coefficient * load_anywhere<V>(values + p));
  if constexpr (Bytes > 16)
    add_side_by_side<Real, Bytes / 2>(values + p, weights + p, size - p, coefficient);
  else
    for (; p < size; ++p) weights[p] += coefficient * values[p];
}

// The constant feature, if `bias` is not zero, is the one after the last of `columns`.
template <class Real, class Row>
inline Real single_score(const Row& row, const Real* weights, std::int64_t columns, Real bias) {
  const Real constant = bias != 0 ? bias * weights[columns] : Real(0);
  std::int64_t p = 0;
  if constexpr (Row::kContiguous) {
    using V = Pack<Real, kNativeBytes>;
    constexpr std::int64_t kLanes = kNativeBytes / int(sizeof(Real));
    V sums[2] = {};
    for (; p + 2 * kLanes <= row.size; p += 2 * kLanes)
      for (int half = 0; half < 2; ++half)
        sums[half] += load_anywhere<V>(row.values + p + half * kLanes) *
                      load_anywhere<V>(weights + p + half * kLanes);
    return constant + finish_score<Real, kNativeBytes>(row.values + p, weights + p, row.size - p,
                                                       sums[0] + sums[1]);
  } else {
    Real sums[4] = {constant};  // which do not wait for each other
    for (; p + 4 <= row.size; p += 4)
      for (int f = 0; f < 4; ++f) sums[f] += row.value(p + f) * weights[row.feature(p + f)];
    for (; p < row.size; ++p) sums[1] += row.value(p) * weights[row.feature(p)];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
}

template <class Real, class Row>
inline void single_add(const Row& row, Real* weights, std::int64_t columns, Real bias,
                       Real coefficient) {
  if constexpr (Row::kContiguous)
    add_side_by_side(row.values, weights, row.size, coefficient);
  else
    for (std::int64_t p = 0; p < row.size; ++p)
      weights[row.feature(p)] += coefficient * row.value(p);
  if (bias != 0) weights[columns] += coefficient * bias;
}

}  // namespace polymargin
