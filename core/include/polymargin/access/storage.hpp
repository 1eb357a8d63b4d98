// The storages rows are read from, in place: compressed sparse rows with 32- or 64-bit indices,
// and dense arrays with any strides (C- or Fortran-ordered).
#pragma once

#include "polymargin/access/rows.hpp"

namespace polymargin {

// Asks for the first lines of a row: two of a short one, eight of a long one, whose rest the
// processor asks for by itself. Unrolled, because compilers drop loops that only prefetch.
template <class T>
inline void prefetch_row(const T* row, std::int64_t size) {
  const char* line = reinterpret_cast<const char*>(row);
  __builtin_prefetch(line);
  __builtin_prefetch(line + 64);
  if (size * std::int64_t(sizeof(T)) > 256) {
    __builtin_prefetch(line + 128);
    __builtin_prefetch(line + 192);
    __builtin_prefetch(line + 256);
    __builtin_prefetch(line + 320);
    __builtin_prefetch(line + 384);
    __builtin_prefetch(line + 448);
  }
}

template <class Real, class Index>
struct CsrStorage {
  const Real* values;
  const Index* indices;
  const Index* starts;  // row i is [starts[i], starts[i + 1])
  std::int64_t rows;
  std::int64_t columns;

  std::int64_t size() const { return rows; }
  std::int64_t features() const { return columns; }
  SparseRow<Real, Index> row(std::int64_t i) const {
    return {values + starts[i], indices + starts[i], std::int64_t(starts[i + 1] - starts[i])};
  }
  void prefetch(std::int64_t i) const {
    prefetch_row(values + starts[i], starts[i + 1] - starts[i]);
    prefetch_row(indices + starts[i], starts[i + 1] - starts[i]);
  }
  void prefetch_place(std::int64_t i) const { __builtin_prefetch(starts + i); }
};

// `Contiguous`: the values of a row lie side by side.
template <class Real, bool Contiguous = false>
struct DenseStorage {
  const Real* values;
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::int64_t rows;
  std::int64_t columns;

  std::int64_t size() const { return rows; }
  std::int64_t features() const { return columns; }
  DenseRow<Real, Contiguous> row(std::int64_t i) const {
    return {values + i * row_stride, column_stride, columns};
  }
  void prefetch(std::int64_t i) const {
    if (Contiguous) prefetch_row(values + i * row_stride, columns);
  }
  void prefetch_place(std::int64_t) const {}
};

}  // namespace polymargin
