// Scores of many examples, one example after the other, and how they change when some examples
// have changed their coefficients,
//     s_j += sum_p k(x_p, x_j) b_p,   j = 0, 1, ...,
// with the scores of an example and the coefficients b_p in the lanes of packs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/parallel.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

namespace detail {

// One group of rows at a time, read side by side, for one pack of classes.
template <class Real, int Bytes, int Group>
inline void add_group(const Real* const* rows, const Real* coefficients, int stride,
                      std::int64_t begin, std::int64_t end, Real* scores) {
  using V = Pack<Real, Bytes>;
  std::array<V, Group> b;
  for (int p = 0; p < Group; ++p) b[p] = load<V>(coefficients + std::int64_t(p) * stride);
  for (std::int64_t j = begin; j < end; ++j) {
    V sum = load<V>(scores + j * stride);
    for (int p = 0; p < Group; ++p) sum += rows[p][j] * b[p];
    store(scores + j * stride, sum);
  }
}

}  // namespace detail

// `rows[p]` are kernel rows, `coefficients` the b_p one after the other, padded as the scores are.
// Scores begin..end change; the order of summation does not depend on them.
template <class Real>
void add_kernel_rows(std::span<const Real* const> rows, const Real* coefficients,
                     const ClassLayout& layout, std::int64_t begin, std::int64_t end,
                     Real* scores) {
  constexpr int kGroup = 8;
  constexpr std::int64_t kTile = 1024;  // its scores stay near while all rows are added
  const std::int64_t count = std::int64_t(rows.size());
  with_pack_bytes(layout.bytes, [&](auto bytes) {
    constexpr int kBytes = bytes();
    constexpr int kLanes = kBytes / int(sizeof(Real));
    for (std::int64_t tile = begin; tile < end; tile += kTile) {
      const std::int64_t tile_end = std::min(end, tile + kTile);
      for (int v = 0; v < layout.packs; ++v) {
        const Real* b = coefficients + v * kLanes;
        Real* s = scores + v * kLanes;
        std::int64_t p = 0;
        for (; p + kGroup <= count; p += kGroup)
          detail::add_group<Real, kBytes, kGroup>(rows.data() + p, b + p * layout.stride,
                                                  layout.stride, tile, tile_end, s);
        for (; p < count; ++p)
          detail::add_group<Real, kBytes, 1>(rows.data() + p, b + p * layout.stride, layout.stride,
                                             tile, tile_end, s);
      }
    }
  });
}

template <class Real>
class ScoresByExample {
 public:
  ScoresByExample(const ClassLayout& layout, std::int64_t examples) : layout_(layout) {
    resize(examples);
  }

  // All scores are zero afterwards.
  void resize(std::int64_t examples) {
    examples_ = examples;
    values_.resize(std::size_t(examples) * layout_.stride);
    forget_rest();
  }
  void clear() {
    values_.clear();
    forget_rest();
  }

  Real* data() { return values_.data(); }

  // The scores of one example, where they are.
  const Real* read(std::int64_t j, Real*) const { return values_.data() + j * layout_.stride; }
  void write(std::int64_t j, const Real* scores) {
    std::copy_n(scores, layout_.stride, values_.data() + j * layout_.stride);
  }
  // As add_precisely() has left them, if nothing has been added since.
  void read_precisely(std::int64_t j, double* scores) const {
    const std::int64_t first = j * layout_.stride;
    for (int m = 0; m < layout_.classes; ++m) {
      scores[m] = double(values_[first + m]);
      if (rest_.size() > 0) scores[m] += double(rest_[first + m]);
    }
  }

  // Many kernel rows, with their coefficients one after the other, each padded.
  void add(std::span<const Real* const> rows, const Real* coefficients, int threads) {
    add(rows, coefficients, threads, examples_);
  }
  // The same for the first `count` examples.
  void add(std::span<const Real* const> rows, const Real* coefficients, int threads,
           std::int64_t count) {
    forget_rest();
    for_each_chunk(threads, count, kChunk,
                   [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
                     add_kernel_rows<Real>(rows, coefficients, layout_, begin, end, values_.data());
                   });
  }

  // See ScoresByClass.
  void add_precisely(std::span<const Real* const> rows, const double* coefficients,
                     std::int64_t stride, int threads) {
    add_precisely(rows, coefficients, stride, threads, examples_);
  }
  // The same for the first `count` examples.
  void add_precisely(std::span<const Real* const> rows, const double* coefficients,
                     std::int64_t stride, int threads, std::int64_t count) {
    if constexpr (sizeof(Real) == sizeof(double)) {
      add(rows, coefficients, threads, count);
    } else {
      if (rest_.size() == 0) rest_.resize(values_.size());
      for_each_chunk(threads, count, kTile,
                     [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
                       add_precisely(rows, coefficients, stride, begin, end);
                     });
    }
  }

 private:
  static constexpr std::int64_t kChunk = 4096;
  static constexpr std::int64_t kTile = 64;

  void forget_rest() {
    if (rest_.size() > 0) rest_.resize(0);
  }

  void add_precisely(std::span<const Real* const> rows, const double* coefficients,
                     std::int64_t stride, std::int64_t begin, std::int64_t end) {
    const std::int64_t own = layout_.stride, first = begin * own, classes = layout_.classes;
    std::vector<double> sums(std::size_t((end - begin) * own));
    for (std::size_t a = 0; a < sums.size(); ++a)
      sums[a] = double(values_[first + a]) + double(rest_[first + a]);
    for (std::size_t p = 0; p < rows.size(); ++p) {
      const double* b = coefficients + std::int64_t(p) * stride;
      for (std::int64_t j = begin; j < end; ++j) {
        double* scores = sums.data() + (j - begin) * own;
        const double kernel = double(rows[p][j]);
        for (std::int64_t m = 0; m < classes; ++m) scores[m] += kernel * b[m];
      }
    }
    for (std::size_t a = 0; a < sums.size(); ++a) {
      values_[first + a] = Real(sums[a]);
      rest_[first + a] = Real(sums[a] - double(values_[first + a]));
    }
  }

  ClassLayout layout_;
  std::int64_t examples_ = 0;
  AlignedArray<Real> values_;
  AlignedArray<Real> rest_;  // what precise sums have rounded off
};

}  // namespace polymargin
