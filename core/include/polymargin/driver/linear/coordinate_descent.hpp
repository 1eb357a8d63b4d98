// Coordinate descent for smooth losses with a penalty that makes weights zero: one feature after
// the other takes a Newton step of its own weights, with the penalty as it is (Yuan, Chang, Hsieh
// and Lin, 2010, for one weight at a time).
//
//     minimise  sum_f lambda_f |w_f| + sum_i C_i loss_i(s_i),    s_i = sum_f x_if w_f
//
// where |w_f| is the sum of the absolute values of a feature's weights, or their Euclidean norm.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace polymargin {

enum class SmoothLoss { kSquaredHinge, kLogistic, kSoftmax };

// Columns of a matrix. Without `rows` they are dense, one after the other.
struct MatrixColumns {
  std::int64_t count = 0, features = 0;  // of rows, and of columns
  const double* values = nullptr;
  const std::int64_t* starts = nullptr;
  const std::int32_t* rows = nullptr;

  // visit(row, value) of the entries of a column
  template <class Visit>
  void for_each(std::int64_t f, Visit&& visit) const {
    if (rows == nullptr) {
      const double* x = values + f * count;
      for (std::int64_t i = 0; i < count; ++i) visit(i, x[i]);
    } else {
      for (std::int64_t e = starts[f]; e < starts[f + 1]; ++e)
        visit(std::int64_t(rows[e]), values[e]);
    }
  }
};

class CoordinateDescent {
 public:
  // own[i * classes + m] says whether row i has class m; of a softmax it has one.
  CoordinateDescent(MatrixColumns columns, int classes, SmoothLoss loss, bool grouped,
                    std::vector<std::uint8_t> own, std::vector<double> loss_weights,
                    std::vector<double> penalties)
      : columns_(columns),
        k_(classes),
        loss_(loss),
        grouped_(grouped),
        own_(std::move(own)),
        loss_weights_(std::move(loss_weights)),
        penalties_(std::move(penalties)),
        weights_(std::size_t(columns.features) * classes),
        scores_(std::size_t(columns.count) * classes),
        slopes_(scores_.size()),
        curvatures_(scores_.size()),
        gradient_(classes),
        curvature_(classes),
        step_(classes) {
    evaluate_all();
  }

  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& scores() const { return scores_; }

  // Weights to go on from; scores are summed anew.
  void set_weights(const double* weights) {
    std::copy_n(weights, weights_.size(), weights_.begin());
    std::fill(scores_.begin(), scores_.end(), 0.0);
    for (std::int64_t f = 0; f < columns_.features; ++f) {
      const double* w = &weights_[f * k_];
      if (std::all_of(w, w + k_, [](double value) { return value == 0; })) continue;
      columns_.for_each(f, [&](std::int64_t i, double x) {
        for (int m = 0; m < k_; ++m) scores_[i * k_ + m] += x * w[m];
      });
    }
    evaluate_all();
  }

  // One step of each of these features; returns by how much the objective fell.
  double sweep(std::span<const std::int64_t> features) {
    double fall = 0;
    for (const std::int64_t f : features) fall += grouped_ ? step_of_group(f) : step_of_each(f);
    return fall;
  }

 private:
  static constexpr double kEnough = 0.01;  // of the predicted fall
  static constexpr int kHalvings = 40;
  static constexpr int kRounds = 50;  // of Newton's method for a length
  static constexpr double kLeastCurvature = 1e-12;

  // Loss of row i as a function of its scores.
  double loss_of(std::int64_t i, const double* s) const {
    double sum = 0;
    if (loss_ == SmoothLoss::kSoftmax) {
      const double most = *std::max_element(s, s + k_);
      double own = 0;
      for (int m = 0; m < k_; ++m) {
        sum += std::exp(s[m] - most);
        if (own_[i * k_ + m]) own = s[m];
      }
      return loss_weights_[i] * (std::log(sum) + most - own);
    }
    for (int m = 0; m < k_; ++m) sum += loss_of_one(i, m, s[m]);
    return sum;
  }

  // Of losses that are sums over classes: the part of class m.
  double loss_of_one(std::int64_t i, int m, double s) const {
    const double z = own_[i * k_ + m] ? s : -s;
    if (loss_ == SmoothLoss::kSquaredHinge) {
      const double slack = std::max(1 - z, 0.0);
      return loss_weights_[i] * slack * slack;
    }
    return loss_weights_[i] * (z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z);
  }

  void evaluate_all() {
    for (std::int64_t i = 0; i < columns_.count; ++i) evaluate(i);
  }

  // First and second derivatives of the loss of row i.
  void evaluate(std::int64_t i) {
    const double* s = &scores_[i * k_];
    if (loss_ != SmoothLoss::kSoftmax) {
      for (int m = 0; m < k_; ++m) evaluate_one(i, m);
      return;
    }
    const double most = *std::max_element(s, s + k_);
    double sum = 0;
    for (int m = 0; m < k_; ++m) sum += slopes_[i * k_ + m] = std::exp(s[m] - most);
    for (int m = 0; m < k_; ++m) {
      const double p = slopes_[i * k_ + m] / sum;
      slopes_[i * k_ + m] = loss_weights_[i] * (p - own_[i * k_ + m]);
      curvatures_[i * k_ + m] = loss_weights_[i] * p * (1 - p);
    }
  }

  void evaluate_one(std::int64_t i, int m) {
    const std::int64_t e = i * k_ + m;
    const double sign = own_[e] ? 1 : -1, z = sign * scores_[e], weight = loss_weights_[i];
    if (loss_ == SmoothLoss::kSquaredHinge) {
      const double slack = std::max(1 - z, 0.0);
      slopes_[e] = -2 * weight * sign * slack;
      curvatures_[e] = slack > 0 ? 2 * weight : 0;
    } else {
      const double p = 1 / (1 + std::exp(z));
      slopes_[e] = -weight * sign * p;
      curvatures_[e] = weight * p * (1 - p);
    }
  }

  void derivatives(std::int64_t f) {
    std::fill(gradient_.begin(), gradient_.end(), 0.0);
    std::fill(curvature_.begin(), curvature_.end(), 0.0);
    columns_.for_each(f, [&](std::int64_t i, double x) {
      const double *slope = &slopes_[i * k_], *bend = &curvatures_[i * k_];
      for (int m = 0; m < k_; ++m) {
        gradient_[m] += x * slope[m];
        curvature_[m] += x * x * bend[m];
      }
    });
  }

  // Absolute values: classes are steps of their own, one after the other if the loss joins them.
  double step_of_each(std::int64_t f) {
    derivatives(f);
    double fall = 0;
    const double lambda = penalties_[f];
    for (int m = 0; m < k_; ++m) {
      double& w = weights_[f * k_ + m];
      const double h = std::max(curvature_[m], kLeastCurvature), g = gradient_[m];
      const double v = w - g / h;
      const double to = std::copysign(std::max(std::abs(v) - lambda / h, 0.0), v);
      if (to == w) continue;
      double d = to - w;
      const double predicted = g * d + lambda * (std::abs(to) - std::abs(w));
      for (int halving = 0; halving < kHalvings; ++halving, d /= 2) {
        const double change = loss_change(f, m, d) + lambda * (std::abs(w + d) - std::abs(w));
        if (change > kEnough * predicted * std::ldexp(1.0, -halving)) continue;
        fall -= change;
        w += d;
        columns_.for_each(f, [&](std::int64_t i, double x) {
          scores_[i * k_ + m] += x * d;
          if (loss_ == SmoothLoss::kSoftmax)
            evaluate(i);
          else
            evaluate_one(i, m);
        });
        if (loss_ == SmoothLoss::kSoftmax) derivatives(f);
        break;
      }
    }
    return fall;
  }

  // Euclidean norm: one step for all classes, each with its curvature h. Where |h w - g| <= lambda
  // it goes to zero; else to r t / (h t + lambda) with r = h w - g, whose length is t.
  double step_of_group(std::int64_t f) {
    derivatives(f);
    const double lambda = penalties_[f];
    double* w = &weights_[f * k_];
    // A softmax bends by less than twice its diagonal in any direction.
    const double joint = loss_ == SmoothLoss::kSoftmax ? 2 : 1;
    double square = 0;
    for (int m = 0; m < k_; ++m) {
      curvature_[m] = std::max(joint * curvature_[m], kLeastCurvature);
      square += std::pow(curvature_[m] * w[m] - gradient_[m], 2);
    }
    const bool to_zero = std::sqrt(square) <= lambda;
    const double t = to_zero ? 0 : length_of_step(w, lambda);
    for (int m = 0; m < k_; ++m) {
      const double r = curvature_[m] * w[m] - gradient_[m];
      step_[m] = (to_zero ? 0 : r * t / (curvature_[m] * t + lambda)) - w[m];
    }
    double slope = 0;
    bool moves = false;
    for (int m = 0; m < k_; ++m) {
      slope += gradient_[m] * step_[m];
      moves |= step_[m] != 0;
    }
    if (!moves) return 0;
    const double before = length(w, step_.data(), 0);
    const double predicted = slope + lambda * (length(w, step_.data(), 1) - before);
    double share = 1;
    for (int halving = 0; halving < kHalvings; ++halving, share /= 2) {
      const double change =
          loss_change(f, share) + lambda * (length(w, step_.data(), share) - before);
      if (change > kEnough * predicted * share) continue;
      for (int m = 0; m < k_; ++m) w[m] = share == 1 && to_zero ? 0 : w[m] + share * step_[m];
      columns_.for_each(f, [&](std::int64_t i, double x) {
        for (int m = 0; m < k_; ++m) scores_[i * k_ + m] += share * x * step_[m];
        evaluate(i);
      });
      return -change;
    }
    return 0;
  }

  // t > 0 with sum_m r_m^2 / (h_m t + lambda)^2 = 1, by Newton's method on one over the root of the
  // sum, which is concave and rises.
  double length_of_step(const double* w, double lambda) const {
    double t = 0;
    for (int round = 0; round < kRounds; ++round) {
      double sum = 0, slope = 0;
      for (int m = 0; m < k_; ++m) {
        const double r = curvature_[m] * w[m] - gradient_[m];
        const double below = curvature_[m] * t + lambda;
        if (below <= 0) return euclidean(w);
        sum += r * r / (below * below);
        slope += r * r * curvature_[m] / (below * below * below);
      }
      const double root = std::sqrt(sum);
      const double change = (root - 1) * sum / slope;
      t += change;
      if (std::abs(change) <= 1e-14 * t) break;
    }
    return t;
  }

  // Without a penalty: the length of r / h.
  double euclidean(const double* w) const {
    double square = 0;
    for (int m = 0; m < k_; ++m) square += std::pow(w[m] - gradient_[m] / curvature_[m], 2);
    return std::sqrt(square);
  }

  double length(const double* w, const double* step, double t) const {
    double square = 0;
    for (int m = 0; m < k_; ++m) square += std::pow(w[m] + t * step[m], 2);
    return std::sqrt(square);
  }

  // By how much the losses change with d more of feature f for class m.
  double loss_change(std::int64_t f, int m, double d) {
    double change = 0;
    moved_.resize(k_);
    columns_.for_each(f, [&](std::int64_t i, double x) {
      const double* s = &scores_[i * k_];
      if (loss_ == SmoothLoss::kSoftmax) {
        std::copy_n(s, k_, moved_.begin());
        moved_[m] += x * d;
        change += loss_of(i, moved_.data()) - loss_of(i, s);
      } else {
        change += loss_of_one(i, m, s[m] + x * d) - loss_of_one(i, m, s[m]);
      }
    });
    return change;
  }

  // The same with t times the step, of all classes.
  double loss_change(std::int64_t f, double t) {
    double change = 0;
    moved_.resize(k_);
    columns_.for_each(f, [&](std::int64_t i, double x) {
      const double* s = &scores_[i * k_];
      for (int m = 0; m < k_; ++m) moved_[m] = s[m] + t * x * step_[m];
      change += loss_of(i, moved_.data()) - loss_of(i, s);
    });
    return change;
  }

  MatrixColumns columns_;
  int k_;
  SmoothLoss loss_;
  bool grouped_;
  std::vector<std::uint8_t> own_;
  std::vector<double> loss_weights_, penalties_;
  std::vector<double> weights_, scores_, slopes_, curvatures_;  // of all rows and classes
  std::vector<double> gradient_, curvature_, step_, moved_;     // of one feature
};

}  // namespace polymargin
