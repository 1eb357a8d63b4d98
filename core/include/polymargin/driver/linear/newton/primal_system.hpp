// The Newton system by a matrix of the order of the weights.
//
// Where weights sum to zero over the classes, so do gradients and steps, and along the other
// directions there is no curvature, which rounding must not make up: one class, the reference, is
// left out. With relative margins v_m = w_m - w_reference are the coordinates, in which E^T J E has
// the same entries without those of the reference, and |W|^2 the matrix I - 1 1^T / k. With
// absolute margins they are v_m = w_m, the reference is minus their sum, and |W|^2 has the matrix I
// + 1 1^T.
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

class PrimalSystem {
 public:
  PrimalSystem(const ChosenRows& rows, const Curvature& curvature, std::vector<double>& matrix)
      : rows_(rows),
        curvature_(curvature),
        blocks_(curvature.blocks()),
        k_(blocks_.columns()),
        d_(int(rows.features())),
        reference_(blocks_.is_relative() || blocks_.is_centred() ? most_frequent() : k_),
        columns_(k_ - (reference_ < k_)),
        order_(columns_ * d_),
        matrix_(matrix),
        cholesky_(rows.blas(), matrix, order_) {}

  // Whether the matrix is positive definite.
  template <class Poll>
  bool factorise(Poll&& poll) {
    matrix_.assign(std::size_t(order_) * order_, 0.0);
    const bool outer = 2 * curvature_.pairs() > double(curvature_.size()) * k_ * k_ / 2;
    sort_pairs(!outer);
    add_norm();
    if (outer) add_couplings(poll);
    for (int first = 0; first < k_; ++first) {
      poll();
      for (int second = 0; second <= first; ++second) add_pair(first, second);
    }
    return cholesky_.factorise(poll);
  }

  // step <- solution for a gradient; both of shape (features, classes)
  void solve(const double* gradient, double* step) const {
    std::vector<double> v(order_);
    for (int m = 0; m < k_; ++m) {
      if (m == reference_) continue;
      for (int f = 0; f < d_; ++f) {
        double right = gradient[std::int64_t(f) * k_ + m];
        if (blocks_.is_centred()) right -= gradient[std::int64_t(f) * k_ + reference_];
        v[std::int64_t(column(m)) * d_ + f] = right;
      }
    }
    cholesky_.solve(v.data());
    for (int f = 0; f < d_; ++f) {
      double* of_feature = step + std::int64_t(f) * k_;
      double sum = 0;
      for (int m = 0; m < k_; ++m) {
        of_feature[m] = m == reference_ ? 0 : v[std::int64_t(column(m)) * d_ + f];
        sum += of_feature[m];
      }
      if (blocks_.is_centred()) {
        of_feature[reference_] = -sum;
      } else if (blocks_.is_relative()) {
        for (int m = 0; m < k_; ++m) of_feature[m] -= sum / k_;
      }
    }
  }

 private:
  // The class with most free variables: its entries are those that cost most.
  int most_frequent() const {
    std::vector<std::int64_t> counts(k_);
    for (std::int64_t j = 0; j < curvature_.size(); ++j) {
      counts[blocks_.label(curvature_.rows[j])] += blocks_.is_relative();
      for (std::int64_t v = curvature_.starts[j]; v < curvature_.starts[j + 1]; ++v)
        ++counts[curvature_.classes[v]];
    }
    return int(std::max_element(counts.begin(), counts.end()) - counts.begin());
  }

  int column(int m) const { return m - (m > reference_); }
  double* block(int first, int second) {
    return matrix_.data() + std::int64_t(second) * d_ * order_ + std::int64_t(first) * d_;
  }

  // The entries of all E^T J E by pairs of classes and by their signs.
  void sort_pairs(bool coupling) {
    starts_.assign(2 * std::size_t(k_) * k_ + 1, 0);
    const auto key = [&](int first, int second, double weight) {
      return 2 * (std::size_t(first) * k_ + second) + (weight < 0);
    };
    const bool leave_out = blocks_.is_relative();
    const auto every = [&](auto&& visit) {
      for (std::int64_t j = 0; j < curvature_.size(); ++j)
        curvature_.for_each_pair(j, coupling, [&](int first, int second, double weight) {
          if (!leave_out || (first != reference_ && second != reference_))
            visit(key(first, second, weight), curvature_.rows[j], weight);
        });
    };
    every([&](std::size_t at, std::int32_t, double) { ++starts_[at + 1]; });
    for (std::size_t at = 1; at < starts_.size(); ++at) starts_[at] += starts_[at - 1];
    of_pairs_.resize(starts_.back());
    weights_.resize(starts_.back());
    next_.assign(starts_.begin(), starts_.end() - 1);
    every([&](std::size_t at, std::int32_t row, double weight) {
      of_pairs_[next_[at]] = row;
      weights_[next_[at]++] = weight;
    });
  }

  // The couplings -gamma r r^T of blocks where most classes are free, as one product: of the rows
  // b (x) x, b = E^T r sqrt(gamma).
  template <class Poll>
  void add_couplings(Poll&& poll) {
    std::vector<double> b(k_), outer(std::size_t(GramSum::kGroup) * order_);
    int count = 0;
    const auto flush = [&] {
      poll();
      rows_.blas().gram('N', order_, count, -1, outer.data(), order_, 1, matrix_.data(), order_);
      count = 0;
    };
    for (std::int64_t j = 0; j < curvature_.size(); ++j) {
      if (curvature_.gamma[j] == 0) continue;
      curvature_.coupling(j, b.data());
      double* row = outer.data() + std::int64_t(count) * order_;
      std::fill_n(row, order_, 0.0);
      const double of_reference = blocks_.is_centred() ? b[reference_] : 0;
      for (int m = 0; m < k_; ++m) {
        if (m == reference_) continue;
        double* of_class = row + std::int64_t(column(m)) * d_;
        rows_.for_each_entry(curvature_.rows[j], [&](std::int64_t f, double x) {
          of_class[f] = (b[m] - of_reference) * x;
        });
      }
      if (++count == GramSum::kGroup) flush();
    }
    if (count > 0) flush();
  }

  void add_norm() {
    const double diagonal = blocks_.is_relative() ? 1 - 1.0 / k_ : blocks_.is_centred() ? 2 : 1;
    const double beside = blocks_.is_relative() ? -1.0 / k_ : blocks_.is_centred() ? 1 : 0;
    for (int b = 0; b < columns_; ++b)
      for (int a = b; a < columns_; ++a)
        for (int f = 0; f < d_; ++f)
          block(a, b)[std::int64_t(f) * order_ + f] += a == b ? diagonal : beside;
  }

  // Adds sum w x x^T of the rows of a pair where it belongs.
  void add_pair(int first, int second) {
    const std::size_t at = 2 * (std::size_t(first) * k_ + second);
    if (starts_[at] == starts_[at + 2]) return;
    const bool whole = first != reference_ && second != reference_;
    if (whole && first == second) {
      add_gram(at, block(column(first), column(first)), order_);
      return;
    }
    gram_.assign(std::size_t(d_) * d_, 0.0);
    add_gram(at, gram_.data(), d_);
    for (int a = 0; a < d_; ++a)
      for (int b = 0; b < a; ++b) gram_[std::int64_t(a) * d_ + b] = gram_[std::int64_t(b) * d_ + a];
    if (whole) {
      add_block(column(first), column(second), 1);
    } else if (first == second) {  // of the reference, which is in every coordinate
      for (int b = 0; b < columns_; ++b)
        for (int a = b; a < columns_; ++a) add_block(a, b, 1);
    } else {
      const int m = column(first == reference_ ? second : first);
      for (int a = 0; a < columns_; ++a)
        add_block(std::max(a, m), std::min(a, m), a == m ? -2 : -1);
    }
  }

  void add_block(int first, int second, double factor) {
    double* to = block(first, second);
    for (int b = 0; b < d_; ++b)
      for (int a = 0; a < d_; ++a)
        to[std::int64_t(b) * order_ + a] += factor * gram_[std::int64_t(b) * d_ + a];
  }

  // The lower half of to += sum w x x^T
  void add_gram(std::size_t at, double* to, int stride) {
    for (int negative = 0; negative < 2; ++negative) {
      GramSum sum(rows_, to, stride, negative);
      for (std::int64_t e = starts_[at + negative]; e < starts_[at + negative + 1]; ++e)
        sum.add(of_pairs_[e], weights_[e]);
      sum.finish();
    }
  }

  const ChosenRows& rows_;
  const Curvature& curvature_;
  const ProximalBlocks& blocks_;
  int k_, d_, reference_, columns_, order_;
  std::vector<double>& matrix_;
  Cholesky cholesky_;
  std::vector<std::int64_t> starts_, next_;  // by pair and sign
  std::vector<std::int32_t> of_pairs_;
  std::vector<double> weights_, gram_;
};

}  // namespace polymargin
