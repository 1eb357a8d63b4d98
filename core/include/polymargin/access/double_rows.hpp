// Rows in double precision, dense or sparse, whose products are those of BLAS; the constant
// feature, if there is one, is among them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "polymargin/base/blas.hpp"

namespace polymargin {

struct DoubleRows {
  std::int64_t count = 0, features = 0;
  const double* values = nullptr;        // of dense rows, one after the other; or of sparse ones
  const std::int64_t* starts = nullptr;  // of sparse rows
  const std::int32_t* indices = nullptr;
  const Blas* blas = nullptr;

  bool is_sparse() const { return starts != nullptr; }
  const double* row(std::int64_t i) const { return values + i * features; }
  bool is_empty(std::int64_t i) const {
    const double* begin = is_sparse() ? values + starts[i] : row(i);
    const double* end = is_sparse() ? values + starts[i + 1] : begin + features;
    return std::all_of(begin, end, [](double value) { return value == 0; });
  }
  double entries() const {
    return is_sparse() ? double(starts[count]) : double(count) * double(features);
  }
};

// Some of the rows, in their order. W, of shape (features, k), and scores, of shape (rows, k), are
// stored row by row.
class ChosenRows {
 public:
  ChosenRows(const DoubleRows& all, std::vector<std::int32_t> chosen)
      : all_(&all), chosen_(std::move(chosen)) {
    whole_ = std::int64_t(chosen_.size()) == all.count;  // they are in order, none twice
  }

  const DoubleRows& all() const { return *all_; }
  const Blas& blas() const { return *all_->blas; }
  std::int64_t size() const { return std::int64_t(chosen_.size()); }
  std::int64_t features() const { return all_->features; }
  std::int32_t operator[](std::int64_t i) const { return chosen_[i]; }
  double row_entries() const {
    return all_->entries() / double(std::max<std::int64_t>(all_->count, 1));
  }

  double mean_square() const {
    double sum = 0;
    for (std::int64_t i = 0; i < size(); ++i) {
      double square = 0;
      for_each_entry(i, [&](std::int64_t, double x) { square += x * x; });
      sum += square;
    }
    return sum / double(size());
  }

  // scores <- X W
  void products(const double* w, int k, double* scores) const {
    const int d = int(features());
    if (all_->is_sparse()) return sparse_products(w, k, scores);
    if (whole_ && k == 1) {
      blas().product_with_vector('T', d, int(size()), all_->values, d, w, 0, scores);
    } else if (whole_) {
      blas().product('N', 'N', k, int(size()), d, 1, w, k, all_->values, d, 0, scores, k);
    } else {
      in_groups(every(), [&](const double* rows, std::int64_t begin, int count) {
        blas().product('N', 'N', k, count, d, 1, w, k, rows, d, 0, scores + begin * k, k);
      });
    }
  }

  // w <- X^T coefficients; rows without coefficients are not looked at.
  void transposed_products(const double* coefficients, int k, double* w) const {
    std::fill_n(w, features() * k, 0.0);
    if (all_->is_sparse()) return sparse_transposed(coefficients, k, w);
    const int d = int(features());
    std::vector<std::int32_t> support;
    for (std::int64_t i = 0; i < size(); ++i) {
      const double* b = coefficients + i * k;
      if (std::any_of(b, b + k, [](double value) { return value != 0; }))
        support.push_back(std::int32_t(i));
    }
    if (whole_ && 4 * support.size() > 3 * std::size_t(size())) {
      if (k == 1)
        blas().product_with_vector('N', d, int(size()), all_->values, d, coefficients, 0, w);
      else
        blas().product('N', 'T', k, d, int(size()), 1, coefficients, k, all_->values, d, 0, w, k);
      return;
    }
    std::vector<double> gathered(std::min<std::size_t>(kGroup, support.size()) * k);
    in_groups(support, [&](const double* rows, std::int64_t begin, int count) {
      for (int j = 0; j < count; ++j)
        std::copy_n(coefficients + std::int64_t(support[begin + j]) * k, k,
                    gathered.data() + std::int64_t(j) * k);
      blas().product('N', 'T', k, d, count, 1, gathered.data(), k, rows, d, 1, w, k);
    });
  }

  // Copies a row, which is dense, times a factor.
  void copy_scaled(std::int64_t i, double factor, double* to) const {
    const double* x = all_->row(chosen_[i]);
    for (std::int64_t f = 0; f < features(); ++f) to[f] = factor * x[f];
  }

  // visit(feature, value) of the entries of a row
  template <class Visit>
  void for_each_entry(std::int64_t i, Visit&& visit) const {
    const std::int64_t row = chosen_[i];
    if (all_->is_sparse()) {
      for (std::int64_t e = all_->starts[row]; e < all_->starts[row + 1]; ++e)
        visit(std::int64_t(all_->indices[e]), all_->values[e]);
    } else {
      const double* x = all_->row(row);
      for (std::int64_t f = 0; f < features(); ++f) visit(f, x[f]);
    }
  }

 private:
  static constexpr int kGroup = 256;

  std::vector<std::int32_t> every() const {
    std::vector<std::int32_t> numbers(chosen_.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  // work(rows, begin, count) of groups of these dense rows, side by side. Nothing of a group is
  // kept: there may be as many of these objects as pairs of classes.
  template <class Work>
  void in_groups(const std::vector<std::int32_t>& these, Work&& work) const {
    const std::int64_t d = features(), total = std::int64_t(these.size());
    const auto group =
        std::make_unique_for_overwrite<double[]>(std::min<std::int64_t>(kGroup, total) * d);
    for (std::int64_t begin = 0; begin < total; begin += kGroup) {
      const int count = int(std::min<std::int64_t>(kGroup, total - begin));
      for (int j = 0; j < count; ++j)
        std::copy_n(all_->row(chosen_[these[begin + j]]), d, group.get() + j * d);
      work(group.get(), begin, count);
    }
  }

  void sparse_products(const double* w, int k, double* scores) const {
    for (std::int64_t i = 0; i < size(); ++i) {
      double* s = scores + i * k;
      std::fill_n(s, k, 0.0);
      for_each_entry(i, [&](std::int64_t f, double x) {
        const double* of_feature = w + f * k;
        for (int m = 0; m < k; ++m) s[m] += x * of_feature[m];
      });
    }
  }

  void sparse_transposed(const double* coefficients, int k, double* w) const {
    for (std::int64_t i = 0; i < size(); ++i) {
      const double* b = coefficients + i * k;
      if (std::all_of(b, b + k, [](double value) { return value == 0; })) continue;
      for_each_entry(i, [&](std::int64_t f, double x) {
        double* of_feature = w + f * k;
        for (int m = 0; m < k; ++m) of_feature[m] += x * b[m];
      });
    }
  }

  const DoubleRows* all_;
  std::vector<std::int32_t> chosen_;
  bool whole_;
};

}  // namespace polymargin
