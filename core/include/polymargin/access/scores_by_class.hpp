// Scores of many examples, class after class: s_m(x_0), s_m(x_1), ... A change of a block has few
// non-zero coefficients, and each is carried to all examples by one kernel row,
//     s_m(x_j) += b_m k(x, x_j),   j = 0, 1, ...,
// in packs over the examples: with k classes, about k times less work than packs over classes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "polymargin/base/aligned.hpp"
#include "polymargin/base/parallel.hpp"
#include "polymargin/base/simd.hpp"

namespace polymargin {

// Coefficients to add, by class.
template <class Real>
class SparseChanges {
 public:
  struct Entry {
    std::int32_t row;
    Real coefficient;
  };

  explicit SparseChanges(int classes) : entries_(classes) {}

  // The non-zeros of arrays over the classes, one for each row, which begin `stride` apart.
  void list(std::size_t rows, const Real* coefficients, std::int64_t stride) {
    for (auto& entries : entries_) entries.clear();
    for (std::size_t row = 0; row < rows; ++row, coefficients += stride)
      for (std::size_t m = 0; m < entries_.size(); ++m)
        if (coefficients[m] != 0) entries_[m].push_back({std::int32_t(row), coefficients[m]});
  }
  std::span<const Entry> of_class(int m) const { return entries_[m]; }

 private:
  std::vector<std::vector<Entry>> entries_;
};

template <class Real>
class ScoresByClass {
 public:
  ScoresByClass(const ClassLayout& layout, std::int64_t examples)
      : classes_(layout.classes),
        layout_(layout),
        changes_(layout.classes),
        precise_changes_(layout.classes) {
    resize(examples);
  }

  // All scores are zero afterwards.
  void resize(std::int64_t examples) {
    examples_ = examples;
    // An odd number of packs: the scores of an example are then not in one set of a cache.
    stride_ = ((examples + kLanes - 1) / kLanes | 1) * kLanes;
    values_.resize(std::size_t(stride_) * classes_);
    forget_rest();
  }
  void clear() {
    values_.clear();
    forget_rest();
  }
  std::int64_t examples() const { return examples_; }
  std::int64_t stride() const { return stride_; }
  const Real* data() const { return values_.data(); }

  // The scores of one example, put into an array over the classes.
  const Real* read(std::int64_t j, Real* scores) const {
    for (int m = 0; m < classes_; ++m) scores[m] = values_[m * stride_ + j];
    return scores;
  }
  void write(std::int64_t j, const Real* scores) {
    for (int m = 0; m < classes_; ++m) values_[m * stride_ + j] = scores[m];
  }
  // As add_precisely() has left them, if nothing has been added since.
  void read_precisely(std::int64_t j, double* scores) const {
    for (int m = 0; m < classes_; ++m) {
      scores[m] = double(values_[m * stride_ + j]);
      if (rest_.size() > 0) scores[m] += double(rest_[m * stride_ + j]);
    }
  }

  // Many kernel rows, with their coefficients one after the other, each padded.
  void add(std::span<const Real* const> rows, const Real* coefficients, int threads) {
    forget_rest();
    changes_.list(rows.size(), coefficients, layout_.stride);
    for_each_chunk(threads, examples_, kChunk,
                   [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
                     add(rows, changes_, begin, end);
                   });
  }

  // The same in double precision, also over several calls since clear(): coefficients as large as
  // C cancel, and what float rounds off there is more than the violations that are left.
  void add_precisely(std::span<const Real* const> rows, const double* coefficients,
                     std::int64_t stride, int threads) {
    if constexpr (sizeof(Real) == sizeof(double)) {
      add(rows, coefficients, threads);
    } else {
      precise_changes_.list(rows.size(), coefficients, stride);
      if (rest_.size() == 0) rest_.resize(values_.size());
      for_each_chunk(threads, examples_, kTile,
                     [&](int, std::int64_t, std::int64_t begin, std::int64_t end) {
                       for (int m = 0; m < classes_; ++m) add_precisely(rows, m, begin, end);
                     });
    }
  }

 private:
  using V = Pack<Real, kNativeBytes>;
  static constexpr int kLanes = kNativeBytes / int(sizeof(Real));
  static constexpr int kGroup = 8;              // rows that are read side by side
  static constexpr std::int64_t kTile = 1024;   // examples and
  static constexpr std::int32_t kRows = 256;    // rows whose kernel values stay near
  static constexpr std::int64_t kChunk = 2048;  // examples of a thread at a time

  void forget_rest() {
    if (rest_.size() > 0) rest_.resize(0);
  }

  // The scores of examples begin..end change. The order of summation does not
  // depend on them.
  void add(std::span<const Real* const> rows, const SparseChanges<Real>& changes,
           std::int64_t begin, std::int64_t end) {
    const std::int32_t count = std::int32_t(rows.size());
    std::vector<std::size_t> next(classes_);
    for (std::int64_t tile = begin; tile < end; tile += kTile) {
      const std::int64_t tile_end = std::min(end, tile + kTile);
      std::fill(next.begin(), next.end(), 0);
      for (std::int32_t row = 0; row < count; row += kRows) {
        for (int m = 0; m < classes_; ++m) {
          const auto entries = changes.of_class(m);
          Real* scores = values_.data() + m * stride_;
          std::size_t last = next[m];
          while (last < entries.size() && entries[last].row < row + kRows) ++last;
          std::size_t e = next[m];
          for (; e + kGroup <= last; e += kGroup)
            add_group<kGroup>(rows, entries.data() + e, tile, tile_end, scores);
          for (; e < last; ++e) add_group<1>(rows, entries.data() + e, tile, tile_end, scores);
          next[m] = last;
        }
      }
    }
  }

  // The scores of one class and examples begin..end, a tile of them.
  void add_precisely(std::span<const Real* const> rows, int m, std::int64_t begin,
                     std::int64_t end) {
    const auto entries = precise_changes_.of_class(m);
    if (entries.empty()) return;
    const std::int64_t first = m * stride_ + begin, count = end - begin;
    std::array<double, kTile> sums;
    for (std::int64_t j = 0; j < count; ++j)
      sums[j] = double(values_[first + j]) + double(rest_[first + j]);
    for (const auto& entry : entries) {
      const Real* row = rows[entry.row] + begin;
      const double b = entry.coefficient;
      for (std::int64_t j = 0; j < count; ++j) sums[j] += b * double(row[j]);
    }
    for (std::int64_t j = 0; j < count; ++j) {
      values_[first + j] = Real(sums[j]);
      rest_[first + j] = Real(sums[j] - double(values_[first + j]));
    }
  }

  template <int Group>
  static void add_group(std::span<const Real* const> rows,
                        const typename SparseChanges<Real>::Entry* entries, std::int64_t begin,
                        std::int64_t end, Real* scores) {
    std::array<const Real*, Group> from;
    std::array<Real, Group> b;
    for (int g = 0; g < Group; ++g) {
      from[g] = rows[entries[g].row];
      b[g] = entries[g].coefficient;
    }
    for (std::int64_t j = begin; j < end; j += kLanes) {
      V sum = load<V>(scores + j);
      for (int g = 0; g < Group; ++g) sum += load_anywhere<V>(from[g] + j) * b[g];
      store(scores + j, sum);
    }
  }

  int classes_;
  ClassLayout layout_;
  SparseChanges<Real> changes_;
  SparseChanges<double> precise_changes_;
  std::int64_t examples_ = 0, stride_ = 0;
  AlignedArray<Real> values_;
  AlignedArray<Real> rest_;  // what precise sums have rounded off
};

}  // namespace polymargin
