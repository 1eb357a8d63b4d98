// E^T J E of all blocks that have free variables, with J = diag(q) - gamma r r^T.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "polymargin/machine/proximal_blocks.hpp"

namespace polymargin {

class Curvature {
 public:
  // Of the blocks at u+, see ProximalBlocks::curvature.
  Curvature(const ProximalBlocks& blocks, const double* u, double sigma) : blocks_(&blocks) {
    const int k = blocks.columns();
    for (std::int64_t i = 0; i < blocks.size(); ++i) {
      const std::size_t before = classes.size();
      const double of_row =
          blocks.curvature(i, u + i * k, sigma, [&](int m, double q_m, double r_m) {
            classes.push_back(m);
            q.push_back(q_m);
            r.push_back(r_m);
          });
      if (classes.size() == before) continue;
      rows.push_back(std::int32_t(i));
      gamma.push_back(of_row);
      starts.push_back(std::int64_t(classes.size()));
    }
  }

  const ProximalBlocks& blocks() const { return *blocks_; }
  std::int64_t size() const { return std::int64_t(rows.size()); }
  std::int64_t variables() const { return std::int64_t(classes.size()); }

  // scores <- E^T J E scores, one block after the other.
  void apply(double* scores) const {
    const int k = blocks_->columns();
    for (std::int64_t j = 0; j < size(); ++j, scores += k) {
      const int y = blocks_->label(rows[j]);
      const double origin = blocks_->is_relative()  ? scores[y]
                            : blocks_->is_centred() ? mean(scores, k)
                                                    : 0;
      double along = 0;
      moved_.assign(k, 0.0);
      if (gamma[j] != 0)
        for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v)
          along += r[v] * row_of_e(y, classes[v]) * (scores[classes[v]] - origin);
      for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) {
        const double sign = row_of_e(y, classes[v]);
        const double u = q[v] * sign * (scores[classes[v]] - origin) - gamma[j] * along * r[v];
        moved_[classes[v]] += sign * u;
        if (blocks_->is_relative()) moved_[y] -= sign * u;
      }
      const double shift = blocks_->is_centred() ? mean(moved_.data(), k) : 0;
      for (int m = 0; m < k; ++m) scores[m] = moved_[m] - shift;
    }
  }

  // Rows of L^T E, for J = L L^T, one for each variable: with s = r / sqrt(q),
  // L^T = (I - delta s s^T) diag(sqrt(q)) where delta = (1 - sqrt(1 - gamma |s|^2)) / |s|^2.
  std::vector<double> factor_rows() const {
    const int k = blocks_->columns();
    std::vector<double> factors(std::size_t(variables()) * k), b(k);
    for (std::int64_t j = 0; j < size(); ++j) {
      const int y = blocks_->label(rows[j]);
      double square = 0;
      for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) square += r[v] * r[v] / q[v];
      const double delta =
          gamma[j] == 0 ? 0 : (1 - std::sqrt(std::max(1 - gamma[j] * square, 0.0))) / square;
      std::fill(b.begin(), b.end(), 0.0);
      for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) add_row_of_e(y, classes[v], r[v], b);
      for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) {
        double* factor = factors.data() + v * k;
        const double root = std::sqrt(q[v]);
        for (int m = 0; m < k; ++m) factor[m] = -r[v] / root * delta * b[m];
        add_row_of_e(y, classes[v], root, factor);
      }
      if (!blocks_->is_centred()) continue;
      for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) {
        double* factor = factors.data() + v * k;
        const double shift = mean(factor, k);
        for (int m = 0; m < k; ++m) factor[m] -= shift;
      }
    }
    return factors;
  }

  // pair(first, second, weight) of what is not zero in E^T J E, before centring, of the j-th block;
  // first >= second. Of Crammer-Singer blocks at their bound, the label's entries cancel. Without
  // `coupling`, of E^T diag(q) E.
  template <class Pair>
  void for_each_pair(std::int64_t j, bool coupling, Pair&& pair) const {
    const int y = blocks_->label(rows[j]);
    const double g = coupling ? gamma[j] : 0;
    double sum_q = 0, sum_r = 0;
    for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) {
      sum_q += q[v];
      sum_r += r[v];
    }
    const double negligible = 1e-13 * sum_q;
    const auto emit = [&](int one, int other, double weight) {
      if (std::abs(weight) > negligible) pair(std::max(one, other), std::min(one, other), weight);
    };
    if (blocks_->is_relative()) emit(y, y, sum_q - g * sum_r * sum_r);
    for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) {
      const int m = classes[v];
      emit(m, m, q[v] - g * r[v] * r[v]);
      if (blocks_->is_relative()) emit(m, y, g * r[v] * sum_r - q[v]);
      if (g == 0) continue;
      for (std::int64_t w = starts[j]; w < v; ++w)
        emit(m, classes[w], -g * r[v] * r[w] * row_of_e(y, m) * row_of_e(y, classes[w]));
    }
  }

  // entry(class, weight) of the diagonal of E^T J E, before centring, of the j-th block.
  template <class Entry>
  void for_each_diagonal(std::int64_t j, Entry&& entry) const {
    double sum_q = 0, sum_r = 0;
    for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v) {
      sum_q += q[v];
      sum_r += r[v];
      entry(classes[v], std::max(q[v] - gamma[j] * r[v] * r[v], 0.0));
    }
    if (blocks_->is_relative())
      entry(blocks_->label(rows[j]), std::max(sum_q - gamma[j] * sum_r * sum_r, 0.0));
  }

  // E^T r sqrt(gamma) of the j-th block, before centring.
  void coupling(std::int64_t j, double* b) const {
    const int y = blocks_->label(rows[j]);
    const double root = std::sqrt(gamma[j]);
    std::fill_n(b, blocks_->columns(), 0.0);
    for (std::int64_t v = starts[j]; v < starts[j + 1]; ++v)
      add_row_of_e(y, classes[v], root * r[v], b);
  }

  // How many pairs of classes have an entry in E^T J E, about, summed up.
  double pairs() const {
    double count = 0;
    for (std::int64_t j = 0; j < size(); ++j) {
      const double free = double(starts[j + 1] - starts[j]);
      if (gamma[j] != 0)
        count += free * (free + 1) / 2;
      else
        count += blocks_->is_relative() ? 2 * free + 1 : free;
    }
    return count;
  }

  std::vector<std::int32_t> rows;       // blocks that have free variables
  std::vector<std::int64_t> starts{0};  // of their variables
  std::vector<std::int32_t> classes;    // of each variable
  std::vector<double> q, r;             // of each variable
  std::vector<double> gamma;            // of each of these blocks

 private:
  static double mean(const double* values, int k) {
    double sum = 0;
    for (int m = 0; m < k; ++m) sum += values[m];
    return sum / k;
  }

  // The entry of a variable's row of E at its own class, before centring. With relative margins the
  // label has the other one.
  double row_of_e(int y, int m) const { return !blocks_->is_relative() && m == y ? 1 : -1; }

  template <class Values>
  void add_row_of_e(int y, int m, double weight, Values& values) const {
    values[m] += weight * row_of_e(y, m);
    if (blocks_->is_relative()) values[y] += weight;
  }

  const ProximalBlocks* blocks_;
  mutable std::vector<double> moved_;
};

}  // namespace polymargin
