// Products of a batch of dense rows, for drivers that take several steps between two looks at W:
// the scores of all its rows and the sum of their changes for a range of features, so that what is
// read of W once serves all of them, and the products of the rows with each other.
#pragma once

#include <cstdint>

#include "polymargin/access/weights.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

// Features [begin, end). Where the constant one belongs to the range, its weights follow.
struct FeatureRange {
  std::int64_t begin, end;
};

// scores[r][m] = sum over the range of x_r w_m for `Count` rows and one pack of classes. `x` are
// whole rows, and scores are `stride` apart.
template <class Real, int Bytes, int Count>
inline void score_rows(const Real* const* x, FeatureRange range, const Real* weights,
                       std::int64_t feature_stride, Real bias, const Real* bias_weights,
                       Real* scores, std::int64_t stride) {
  using V = Pack<Real, Bytes>;
  constexpr int kChains = Count >= 8 ? 1 : Count >= 4 ? 2 : 4;  // that do not wait for each other
  V sums[kChains][Count] = {};
  std::int64_t f = range.begin;
  for (; f + kChains <= range.end; f += kChains) {
#pragma GCC unroll 4
    for (int c = 0; c < kChains; ++c) {
      const V w = load<V>(weights + (f + c) * feature_stride);
#pragma GCC unroll 8
      for (int r = 0; r < Count; ++r) sums[c][r] += x[r][f + c] * w;
    }
  }
  for (; f < range.end; ++f) {
    const V w = load<V>(weights + f * feature_stride);
#pragma GCC unroll 8
    for (int r = 0; r < Count; ++r) sums[0][r] += x[r][f] * w;
  }
#pragma GCC unroll 8
  for (int r = 0; r < Count; ++r) {
    V sum = sums[0][r];
    for (int c = 1; c < kChains; ++c) sum += sums[c][r];
    if (bias_weights != nullptr) sum += bias * load<V>(bias_weights);
    store(scores + r * stride, sum);
  }
}

// w_m += sum over rows of changes[r][m] x_r in the range, for `Count` rows and one pack of classes.
template <class Real, int Bytes, int Count>
inline void add_rows(const Real* const* x, FeatureRange range, Real* weights,
                     std::int64_t feature_stride, Real bias, Real* bias_weights,
                     const Real* const* changes, std::int64_t offset) {
  using V = Pack<Real, Bytes>;
  V change[Count];
#pragma GCC unroll 8
  for (int r = 0; r < Count; ++r) change[r] = load<V>(changes[r] + offset);
  for (std::int64_t f = range.begin; f < range.end; ++f) {
    Real* const at = weights + f * feature_stride;
    V w = load<V>(at);
#pragma GCC unroll 8
    for (int r = 0; r < Count; ++r) w += x[r][f] * change[r];
    store(at, w);
  }
  if (bias_weights == nullptr) return;
  V w = load<V>(bias_weights);
  for (int r = 0; r < Count; ++r) w += bias * change[r];
  store(bias_weights, w);
}

// Splits `rows` into groups of at most eight: f(IntC<size>, first).
template <class F>
inline void for_each_row_group(int rows, F&& f) {
  for_each_tile(0, rows, f);
}

// scores[r] = what the range adds to the scores of the rows x[0..rows).
template <class Real>
void batch_scores(const Real* const* x, int rows, FeatureRange range, const Weights<Real>& w,
                  Real bias, Real* scores) {
  const ClassLayout& layout = w.layout();
  const Real* const last =
      bias != 0 && range.end == w.features() - 1 ? w.of_feature(w.features() - 1) : nullptr;
  with_pack_bytes(layout.bytes, [&](auto bytes) {
    constexpr int kLanes = bytes() / int(sizeof(Real));
    for (int v = 0; v < layout.packs; ++v)
      for_each_row_group(rows, [&](auto count, int first) {
        const std::int64_t at = v * kLanes;
        score_rows<Real, bytes(), count()>(x + first, range, w.of_feature(0) + at, layout.stride,
                                           bias, last != nullptr ? last + at : nullptr,
                                           scores + std::int64_t(first) * layout.stride + at,
                                           layout.stride);
      });
  });
}

// w += sum over rows of x_r changes[r] in the range.
template <class Real>
void batch_add(const Real* const* x, const Real* const* changes, int rows, FeatureRange range,
               Weights<Real>& w, Real bias) {
  const ClassLayout& layout = w.layout();
  Real* const last =
      bias != 0 && range.end == w.features() - 1 ? w.of_feature(w.features() - 1) : nullptr;
  with_pack_bytes(layout.bytes, [&](auto bytes) {
    constexpr int kLanes = bytes() / int(sizeof(Real));
    for (int v = 0; v < layout.packs; ++v)
      for_each_row_group(rows, [&](auto count, int first) {
        const std::int64_t at = v * kLanes;
        add_rows<Real, bytes(), count()>(x + first, range, w.of_feature(0) + at, layout.stride,
                                         bias, last != nullptr ? last + at : nullptr,
                                         changes + first, at);
      });
  });
}

inline constexpr int kGramBlock = 4;

// result[r * stride + l] = x_r . y_l for up to kGramBlock rows of each, of `size` values.
template <class Real>
void gram_block(const Real* const* x, int x_rows, const Real* const* y, int y_rows,
                std::int64_t size, Real* result, int stride) {
  using V = Pack<Real, kNativeBytes>;
  constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  constexpr int kRows = kGramBlock;
  // Missing rows are another one once more.
  const Real *a[kRows], *b[kRows];
  for (int r = 0; r < kRows; ++r) {
    a[r] = x[r < x_rows ? r : 0];
    b[r] = y[r < y_rows ? r : 0];
  }
  V sums[kRows][kRows] = {};
  std::int64_t f = 0;
  for (; f + kLanes <= size; f += kLanes) {
    V left[kRows];
#pragma GCC unroll 4
    for (int r = 0; r < kRows; ++r) left[r] = load_anywhere<V>(a[r] + f);
#pragma GCC unroll 4
    for (int l = 0; l < kRows; ++l) {
      const V right = load_anywhere<V>(b[l] + f);
#pragma GCC unroll 4
      for (int r = 0; r < kRows; ++r) sums[r][l] += left[r] * right;
    }
  }
  for (int r = 0; r < x_rows; ++r)
    for (int l = 0; l < y_rows; ++l) {
      Real sum = sum_lanes<Real, kNativeBytes>(sums[r][l]);
      for (std::int64_t rest = f; rest < size; ++rest) sum += a[r][rest] * b[l][rest];
      result[r * stride + l] = sum;
    }
}

}  // namespace polymargin
