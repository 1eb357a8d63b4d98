// The storages rows are read from, in place: compressed sparse rows with 32- or 64-bit indices,
// and dense arrays with any strides (C- or Fortran-ordered).
#pragma once

#include "polymargin/access/rows.hpp"

namespace polymargin {

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
  // The processor follows a row by itself once it has begun: the first lines are enough.
  void prefetch(std::int64_t i) const {
    const Real* first_value = values + starts[i];
    const Index* first_index = indices + starts[i];
    __builtin_prefetch(first_value);
    __builtin_prefetch(first_index);
    __builtin_prefetch(first_value + 64 / sizeof(Real));
    __builtin_prefetch(first_index + 64 / sizeof(Index));
  }
};

template <class Real>
struct DenseStorage {
  const Real* values;
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::int64_t rows;
  std::int64_t columns;

  std::int64_t size() const { return rows; }
  std::int64_t features() const { return columns; }
  DenseRow<Real> row(std::int64_t i) const {
    return {values + i * row_stride, column_stride, columns};
  }
  void prefetch(std::int64_t i) const {
    const Real* first = values + i * row_stride;
    __builtin_prefetch(first);
    __builtin_prefetch(first + 64 / sizeof(Real));
  }
};

}  // namespace polymargin
