// Symmetric positive definite systems by LAPACK; large ones in panels, between which one can ask
// whether to go on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "polymargin/base/blas.hpp"

namespace polymargin {

// Of a matrix whose lower half is stored column by column, and is overwritten by the factor.
class Cholesky {
 public:
  // What is factorised between two calls of poll().
  static constexpr int kPanel = 1024;

  Cholesky(const Blas& blas, std::vector<double>& matrix, int order)
      : blas_(blas), matrix_(matrix), order_(order) {}

  // Whether the matrix is positive definite.
  template <class Poll>
  bool factorise(Poll&& poll) {
    if (order_ <= 2 * kPanel) return factorise_block(0, order_);
    for (int begin = 0; begin < order_; begin += kPanel) {
      poll();
      const int size = std::min(kPanel, order_ - begin), below = order_ - begin - size;
      blas_.gram('N', size, begin, -1, at(begin, 0), order_, 1, at(begin, begin), order_);
      if (!factorise_block(begin, size)) return false;
      if (below == 0) break;
      blas_.product('N', 'T', below, size, begin, -1, at(begin + size, 0), order_, at(begin, 0),
                    order_, 1, at(begin + size, begin), order_);
      poll();
      const char right = 'R', lower = 'L', transposed = 'T', no = 'N';
      const double one = 1;
      blas_.dtrsm(&right, &lower, &transposed, &no, &below, &size, &one, at(begin, begin), &order_,
                  at(begin + size, begin), &order_);
    }
    return true;
  }

  // Overwrites a right hand side by the solution.
  void solve(double* x) const {
    const char lower = 'L', no = 'N', transposed = 'T';
    const int one = 1;
    blas_.dtrsv(&lower, &no, &no, &order_, matrix_.data(), &order_, x, &one);
    blas_.dtrsv(&lower, &transposed, &no, &order_, matrix_.data(), &order_, x, &one);
  }

 private:
  double* at(std::int64_t row, std::int64_t column) {
    return matrix_.data() + column * order_ + row;
  }

  bool factorise_block(int begin, int size) {
    const char lower = 'L';
    int failed = 0;
    blas_.dpotrf(&lower, &size, at(begin, begin), &order_, &failed);
    return failed == 0;
  }

  const Blas& blas_;
  std::vector<double>& matrix_;
  int order_;
};

}  // namespace polymargin
