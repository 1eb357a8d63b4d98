// Products of all rows with a few vectors, for solvers that look at all rows before they move.
// Vectors are columns: V and the results of sums over rows are Weights, one class per column, and
// D and S are plain arrays [row][class] without padding. The results do not depend on the number
// of threads.
#pragma once

#include <algorithm>
#include <vector>

#include "polymargin/access/rows.hpp"
#include "polymargin/base/parallel.hpp"

namespace polymargin {

inline constexpr std::int64_t kRowsPerChunk = 256;

// S = X V.
template <class Real>
void products(const Rows<Real>& rows, const Weights<Real>& v, Real* s, int threads) {
  const ClassLayout& layout = v.layout();
  for_each_chunk(threads, rows.size(), kRowsPerChunk, [&](int, auto, auto begin, auto end) {
    AlignedArray<Real> scores(layout.stride);
    for (std::int64_t i = begin; i < end; ++i) {
      rows.scores(i, v, scores.data(), 0, layout.packs);
      std::copy_n(scores.data(), layout.classes, s + i * layout.classes);
    }
  });
}

// How many partial sums over the rows are taken: as many as cost little beside the sums, because
// each is as large as the result.
template <class Real>
std::int64_t parts_of(const Rows<Real>& rows) {
  constexpr std::int64_t kMostParts = 16, kWorth = 32, kSample = 500;
  const std::int64_t step = 1 + rows.size() / kSample;
  std::int64_t values = 0;
  for (std::int64_t i = 0; i < rows.size(); i += step) values += step * rows.row_length(i);
  return std::clamp<std::int64_t>(values / (kWorth * rows.features()), 1, kMostParts);
}

// result = sum_i x_i b_i^T, where coefficients(i, b, buffer) writes the row b_i and says whether it
// is other than zero; `buffer` is as long as b_i and for its own use.
template <class Real, class Coefficients>
void sum_over_rows(const Rows<Real>& rows, Weights<Real>& result, int threads,
                   Coefficients&& coefficients) {
  const ClassLayout& layout = result.layout();
  const std::int64_t parts = parts_of(rows);
  const std::int64_t rows_per_part = std::max<std::int64_t>((rows.size() + parts - 1) / parts, 1);
  std::vector<Weights<Real>> others;
  for (std::int64_t part = 1; part < parts; ++part) others.emplace_back(rows.features(), layout);
  result.clear();

  for_each_chunk(threads, rows.size(), rows_per_part, [&](int, auto part, auto begin, auto end) {
    Weights<Real>& sum = part == 0 ? result : others[part - 1];
    AlignedArray<Real> b(layout.stride), buffer(layout.stride);
    for (std::int64_t i = begin; i < end; ++i)
      if (coefficients(i, b.data(), buffer.data())) rows.add(i, sum, b.data(), 0, layout.packs);
  });
  for_each_chunk(threads, rows.features(), kRowsPerChunk, [&](int, auto, auto begin, auto end) {
    Real* sum = result.of_feature(begin);
    const std::int64_t size = result.of_feature(end) - sum;
    for (const Weights<Real>& other : others)
      for (std::int64_t at = 0; at < size; ++at) sum[at] += other.of_feature(begin)[at];
  });
}

// Whether a row of D is other than zero.
template <class Real>
inline bool any_nonzero(const Real* row, int classes) {
  return std::any_of(row, row + classes, [](Real value) { return value != 0; });
}

// result = X^T D.
template <class Real>
void transposed_products(const Rows<Real>& rows, const Real* d, Weights<Real>& result,
                         int threads) {
  const int classes = result.layout().classes;
  sum_over_rows(rows, result, threads, [&](std::int64_t i, Real* b, Real*) {
    const Real* row = d + i * classes;
    std::copy_n(row, classes, b);
    return any_nonzero(row, classes);
  });
}

// result = X^T (D * X V), elementwise in the middle: the product of the second derivatives of a sum
// of losses of scores, with D their curvatures, in one pass over the rows. A row without curvature
// costs nothing.
template <class Real>
void curvature_products(const Rows<Real>& rows, const Weights<Real>& v, const Real* d,
                        Weights<Real>& result, int threads) {
  const ClassLayout& layout = result.layout();
  sum_over_rows(rows, result, threads, [&](std::int64_t i, Real* b, Real* scores) {
    const Real* row = d + i * layout.classes;
    if (!any_nonzero(row, layout.classes)) return false;
    rows.scores(i, v, scores, 0, layout.packs);
    for (int m = 0; m < layout.classes; ++m) b[m] = row[m] * scores[m];
    return true;
  });
}

}  // namespace polymargin
