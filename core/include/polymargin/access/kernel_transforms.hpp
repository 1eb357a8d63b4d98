// From products or coordinates of two sets of points to their kernel, a tile at a time. Tiles are
// plain arrays [left point][right point] without padding; the matrix product before it is BLAS's.
#pragma once

#include <algorithm>
#include <cstdint>

#include "polymargin/base/transcendental.hpp"

namespace polymargin {

// Calls f(first, lanes) for the packs of [0, size), with IntC<> lanes where a pack is whole.
template <class Real, class F>
[[gnu::always_inline]] inline void for_each_pack(std::int64_t size, F&& f) {
  constexpr std::int64_t kLanes = kNativeBytes / sizeof(Real);
  std::int64_t first = 0;
  for (; first + kLanes <= size; first += kLanes) f(first, IntC<kLanes>{});
  if (first < size) f(first, int(size - first));
}

// The first `lanes` numbers from p; zeros behind them.
template <class Real>
[[gnu::always_inline]] inline Pack<Real, kNativeBytes> load_lanes(const Real* p, int lanes) {
  Pack<Real, kNativeBytes> v{};
  __builtin_memcpy(&v, p, lanes * sizeof(Real));
  return v;
}
template <class Real>
[[gnu::always_inline]] inline void store_lanes(Real* p, Pack<Real, kNativeBytes> v, int lanes) {
  __builtin_memcpy(p, &v, lanes * sizeof(Real));
}

// exp(x) for x <= 0, and zero where exp(x) is smaller than any normal number: arithmetic with what
// is in between is slow, and nobody would miss it.
template <class Real>
[[gnu::always_inline]] inline Pack<Real, kNativeBytes> exp_or_zero(Pack<Real, kNativeBytes> x) {
  using V = Pack<Real, kNativeBytes>;
  return x < FloatFormat<Real>::kLeastExponent ? V{} : exp_pack<Real, kNativeBytes>(x);
}

// tile_ij = exp(-gamma (|x_i|^2 + |y_j|^2 - 2 tile_ij)), where tile_ij = x_i . y_j before: the
// Gaussian kernel. `left` and `right` are gamma |x_i|^2 and gamma |y_j|^2. A squared distance below
// the share `indistinct` of |x_i|^2 + |y_j|^2 is what rounding left over, and zero: so copies of a
// point have kernel 1, however large gamma is.
template <class Real>
void gaussian_of_products(Real* tile, std::int64_t rows, std::int64_t columns, const Real* left,
                          const Real* right, Real gamma, Real indistinct) {
  using V = Pack<Real, kNativeBytes>;
  for (std::int64_t i = 0; i < rows; ++i, tile += columns)
    for_each_pack<Real>(columns, [&](std::int64_t j, auto lanes) {
      const V norms = load_lanes(right + j, lanes) + left[i];
      const V exponents = load_lanes(tile + j, lanes) * (2 * gamma) - norms;
      const V apart = exponents < -indistinct * norms ? exponents : V{};
      store_lanes(tile + j, exp_or_zero<Real>(apart), lanes);
    });
}

// tile_ij = exp(-gamma |x_i - y_j|_1), with the points y in the columns of `right`: the Laplacian
// kernel. Eight packs of sums stay in registers over all features.
template <class Real>
void laplacian_kernel(Real* tile, std::int64_t rows, std::int64_t columns, std::int64_t features,
                      const Real* left, const Real* right, Real gamma) {
  using V = Pack<Real, kNativeBytes>;
  constexpr int kRows = 8;
  for (std::int64_t i = 0; i < rows; i += kRows) {
    const Real* x[kRows];  // the last ones are repeated
    for (int r = 0; r < kRows; ++r) x[r] = left + std::min(i + r, rows - 1) * features;
    for_each_pack<Real>(columns, [&](std::int64_t j, auto lanes) {
      V sums[kRows] = {};
      for (std::int64_t f = 0; f < features; ++f) {
        const V y = load_lanes(right + f * columns + j, lanes);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) sums[r] += max_of(x[r][f] - y, y - x[r][f]);
      }
      for (int r = 0; r < std::min<std::int64_t>(kRows, rows - i); ++r)
        store_lanes(tile + (i + r) * columns + j, exp_or_zero<Real>(sums[r] * -gamma), lanes);
    });
  }
}

// Rows of a CSR matrix, whose indices were checked.
template <class Real, class Index>
struct SparseRows {
  const Real* values;
  const Index* indices;
  const Index* starts;
};

// tile_ij = x_i . y_j, with the points y in the columns of `right`: work for the features that two
// points have in common only, which are few in sparse data.
template <class Real, class Index>
void sparse_products(Real* tile, std::int64_t rows, std::int64_t columns,
                     const SparseRows<Real, Index>& left, const SparseRows<Real, Index>& right) {
  for (std::int64_t i = 0; i < rows; ++i, tile += columns) {
    std::fill_n(tile, columns, Real(0));
    for (Index p = left.starts[i]; p < left.starts[i + 1]; ++p) {
      const Index feature = left.indices[p];
      for (Index q = right.starts[feature]; q < right.starts[feature + 1]; ++q)
        tile[right.indices[q]] += left.values[p] * right.values[q];
    }
  }
}

// m_ji = m_ij for rows i of [first, last) and columns j < first, in small blocks. Rows are written
// from their beginning on: those of a large matrix are pages apart.
template <class Real>
void mirror(Real* matrix, std::int64_t stride, std::int64_t first, std::int64_t last) {
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t j = 0; j < first; j += kBlock)
    for (std::int64_t i = first; i < last; i += kBlock)
      for (std::int64_t to = j; to < std::min(j + kBlock, first); ++to)
        for (std::int64_t from = i; from < std::min(i + kBlock, last); ++from)
          matrix[to * stride + from] = matrix[from * stride + to];
}

}  // namespace polymargin
