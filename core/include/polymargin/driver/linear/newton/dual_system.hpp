// The Newton system by a matrix of the order of the free variables: with J_i = L_i L_i^T and the
// rows c_v (x) x_i of a matrix A, where c_v are the rows of L_i^T E, the inverse is
// I - A^T (I + A A^T)^-1 A, and A A^T = (C C^T) o (X X^T).
#pragma once

#include <cstdint>
#include <vector>

#include "polymargin/access/double_rows.hpp"
#include "polymargin/driver/linear/newton/cholesky.hpp"
#include "polymargin/machine/curvature.hpp"

namespace polymargin {

class DualSystem {
 public:
  // `rows` are those with free variables, in the order of the curvature.
  DualSystem(const ChosenRows& rows, const Curvature& curvature, std::vector<double>& matrix)
      : rows_(rows),
        curvature_(curvature),
        k_(curvature.blocks().columns()),
        free_(int(curvature.variables())),
        factors_(curvature.factor_rows()),
        matrix_(matrix),
        cholesky_(rows.blas(), matrix, free_) {}

  // Whether the matrix is positive definite.
  template <class Poll>
  bool factorise(Poll&& poll) {
    const int count = int(rows_.size());
    std::vector<double> gram(std::size_t(count) * count);
    if (rows_.all().is_sparse()) {
      sparse_gram(gram);
    } else {
      const int d = int(rows_.features());
      std::vector<double> gathered(std::size_t(count) * d);
      for (int j = 0; j < count; ++j)
        rows_.copy_scaled(j, 1, gathered.data() + std::int64_t(j) * d);
      rows_.blas().gram('T', count, d, 1, gathered.data(), d, 0, gram.data(), count);
    }
    poll();
    matrix_.resize(std::size_t(free_) * free_);
    rows_.blas().gram('T', free_, k_, 1, factors_.data(), k_, 0, matrix_.data(), free_);
    for (std::int64_t j = 0; j < count; ++j)
      for (std::int64_t w = curvature_.starts[j]; w < curvature_.starts[j + 1]; ++w)
        for (std::int64_t i = j; i < count; ++i)
          for (std::int64_t v = std::max(w, curvature_.starts[i]); v < curvature_.starts[i + 1];
               ++v)
            matrix_[w * free_ + v] *= gram[j * count + i];
    for (std::int64_t v = 0; v < free_; ++v) matrix_[v * free_ + v] += 1;
    poll();
    return cholesky_.factorise(poll);
  }

  // step <- solution for a gradient; both of shape (features, classes)
  void solve(const double* gradient, double* step) const {
    const std::int64_t size = rows_.features() * k_;
    std::vector<double> scores(std::size_t(rows_.size()) * k_), along(free_);
    rows_.products(gradient, k_, scores.data());
    for_each_variable([&](std::int64_t j, std::int64_t v) {
      for (int m = 0; m < k_; ++m) along[v] += factors_[v * k_ + m] * scores[j * k_ + m];
    });
    cholesky_.solve(along.data());
    std::fill(scores.begin(), scores.end(), 0.0);
    for_each_variable([&](std::int64_t j, std::int64_t v) {
      for (int m = 0; m < k_; ++m) scores[j * k_ + m] += along[v] * factors_[v * k_ + m];
    });
    rows_.transposed_products(scores.data(), k_, step);
    for (std::int64_t e = 0; e < size; ++e) step[e] = gradient[e] - step[e];
  }

 private:
  template <class Visit>
  void for_each_variable(Visit&& visit) const {
    for (std::int64_t j = 0; j < curvature_.size(); ++j)
      for (std::int64_t v = curvature_.starts[j]; v < curvature_.starts[j + 1]; ++v) visit(j, v);
  }

  void sparse_gram(std::vector<double>& gram) const {
    const std::int64_t count = rows_.size();
    std::vector<double> spread(rows_.features());
    for (std::int64_t j = 0; j < count; ++j) {
      rows_.for_each_entry(j, [&](std::int64_t f, double x) { spread[f] = x; });
      for (std::int64_t i = j; i < count; ++i) {
        double product = 0;
        rows_.for_each_entry(i, [&](std::int64_t f, double x) { product += x * spread[f]; });
        gram[j * count + i] = product;
      }
      rows_.for_each_entry(j, [&](std::int64_t f, double) { spread[f] = 0; });
    }
  }

  const ChosenRows& rows_;
  const Curvature& curvature_;
  int k_, free_;
  std::vector<double> factors_;
  std::vector<double>& matrix_;
  Cholesky cholesky_;
};

}  // namespace polymargin
