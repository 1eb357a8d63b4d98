// The Newton system as if classes met only in that their weights sum to zero: a matrix for each,
//
//     H_m = I + sum_i q_im x_i x_i^T,    D_m = H_m^-1 (G_m + lambda),    sum_m D_m = 0,
//
// and one for the multiplier: (sum_m H_m^-1) lambda = -sum_m H_m^-1 G_m. With the diagonals of
// E^T J E for q it is the whole system of machines whose variables do not meet otherwise, and a
// good approximation of the others, whatever the scales of features.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "polymargin/access/double_rows.hpp"
#include "polymargin/driver/linear/newton/cholesky.hpp"
#include "polymargin/driver/linear/newton/gram_sum.hpp"
#include "polymargin/machine/curvature.hpp"

namespace polymargin {

class ClassSystem {
 public:
  // Of a machine whose weights sum to zero.
  ClassSystem(const ChosenRows& rows, const Curvature& curvature)
      : rows_(rows),
        curvature_(curvature),
        k_(curvature.blocks().columns()),
        d_(int(rows.features())),
        matrices_(k_),
        inverses_(std::size_t(d_) * d_) {}

  // Whether the matrices are positive definite.
  template <class Poll>
  bool factorise(Poll&& poll) {
    struct Entry {
      std::int32_t row;
      double weight;
    };
    std::vector<std::vector<Entry>> of_class(k_);
    for (std::int64_t j = 0; j < curvature_.size(); ++j)
      curvature_.for_each_diagonal(
          j, [&](int m, double weight) { of_class[m].push_back({curvature_.rows[j], weight}); });
    std::vector<double> inverse(std::size_t(d_) * d_);
    for (int m = 0; m < k_; ++m) {
      poll();
      auto& matrix = matrices_[m];
      matrix.assign(std::size_t(d_) * d_, 0.0);
      for (int f = 0; f < d_; ++f) matrix[std::int64_t(f) * d_ + f] = 1;
      GramSum sum(rows_, matrix.data(), d_);
      for (const Entry& entry : of_class[m]) sum.add(entry.row, entry.weight);
      sum.finish();
      if (!Cholesky(rows_.blas(), matrix, d_).factorise(poll)) return false;
      // With L^-1, the inverse is L^-T L^-1.
      std::fill(inverse.begin(), inverse.end(), 0.0);
      for (int f = 0; f < d_; ++f) inverse[std::int64_t(f) * d_ + f] = 1;
      const char left = 'L', lower = 'L', no = 'N';
      const double one = 1;
      rows_.blas().dtrsm(&left, &lower, &no, &no, &d_, &d_, &one, matrix.data(), &d_,
                         inverse.data(), &d_);
      rows_.blas().gram('T', d_, d_, 1, inverse.data(), d_, m > 0, inverses_.data(), d_);
    }
    return Cholesky(rows_.blas(), inverses_, d_).factorise(poll);
  }

  // step <- solution for a gradient; both of shape (features, classes)
  void solve(const double* gradient, double* step) const {
    std::vector<double> lambda(d_), of_class(d_);
    for (int m = 0; m < k_; ++m) {
      for (int f = 0; f < d_; ++f) of_class[f] = gradient[std::int64_t(f) * k_ + m];
      Cholesky(rows_.blas(), matrices_[m], d_).solve(of_class.data());
      for (int f = 0; f < d_; ++f) {
        step[std::int64_t(f) * k_ + m] = of_class[f];
        lambda[f] -= of_class[f];
      }
    }
    Cholesky(rows_.blas(), inverses_, d_).solve(lambda.data());
    for (int m = 0; m < k_; ++m) {
      of_class = lambda;
      Cholesky(rows_.blas(), matrices_[m], d_).solve(of_class.data());
      for (int f = 0; f < d_; ++f) step[std::int64_t(f) * k_ + m] += of_class[f];
    }
  }

 private:
  const ChosenRows& rows_;
  const Curvature& curvature_;
  int k_, d_;
  mutable std::vector<std::vector<double>> matrices_;  // the factors of H_m
  mutable std::vector<double> inverses_;               // the factor of their inverses' sum
};

}  // namespace polymargin
