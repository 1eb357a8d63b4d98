// Small random classification problems in every storage the core reads. The products of rows, which
// take long to compile, are compiled once for all tests, in problems.cpp.
#pragma once

#include <memory>

#include "blocks.hpp"
#include "polymargin/access/storage.hpp"

namespace polymargin::test {

// The last two are views into larger arrays: rows with room behind them, and every other column.
enum class Storage { csr32, csr64, dense_c, dense_f, dense_rows, dense_columns };
inline constexpr Storage kStorages[] = {Storage::csr32,      Storage::csr64,
                                        Storage::dense_c,    Storage::dense_f,
                                        Storage::dense_rows, Storage::dense_columns};
inline bool is_dense(Storage storage) {
  return storage != Storage::csr32 && storage != Storage::csr64;
}

// A matrix held in all storages at once. `density` is the share of values that are not zero.
template <class Real>
class Matrix {
 public:
  Matrix(Source& source, int rows, int columns, double density)
      : rows_(rows), columns_(columns), by_row_(rows * columns), by_column_(rows * columns) {
    for (int i = 0; i < rows; ++i)
      for (int f = 0; f < columns; ++f)
        if (source.chance(density)) by_row_[i * columns + f] = Real(source.bell());
    index();
  }

  void clear_row(int i) {
    std::fill_n(by_row_.begin() + i * columns_, columns_, Real(0));
    index();
  }

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  Real at(int i, int f) const { return by_row_[i * columns_ + f]; }
  int count(int i) const { return starts_[i + 1] - starts_[i]; }

  // The result points into this matrix.
  std::shared_ptr<const Rows<Real>> view(Storage storage, Real bias) const;

 private:
  void index() {
    values_.clear();
    indices_.clear();
    starts_.assign(1, 0);
    // What lies between the values of a view must not be read.
    wide_.assign(2 * rows_ * columns_, std::numeric_limits<Real>::quiet_NaN());
    spread_ = wide_;
    for (int i = 0; i < rows_; ++i) {
      for (int f = 0; f < columns_; ++f) {
        by_column_[f * rows_ + i] = at(i, f);
        wide_[2 * i * columns_ + f] = at(i, f);
        spread_[2 * (i * columns_ + f)] = at(i, f);
        if (at(i, f) == 0) continue;
        values_.push_back(at(i, f));
        indices_.push_back(f);
      }
      starts_.push_back(std::int32_t(values_.size()));
    }
    long_indices_.assign(indices_.begin(), indices_.end());
    long_starts_.assign(starts_.begin(), starts_.end());
  }

  int rows_, columns_;
  std::vector<Real> by_row_, by_column_, wide_, spread_, values_;
  std::vector<std::int32_t> indices_, starts_;
  std::vector<std::int64_t> long_indices_, long_starts_;
};

}  // namespace polymargin::test
