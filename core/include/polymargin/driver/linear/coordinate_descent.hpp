// Coordinate descent on a quadratic model of smooth losses, with a penalty that is kept as it is:
// the inner loop of a proximal Newton method (Yuan, Ho and Lin, 2012, for one weight at a time).
//
//     minimise over W   g . (W - W0) + 1/2 (W - W0) . H (W - W0) + sum_f penalty_f(w_f)
//
// where w_f are the weights of a feature, one for each class, and g and H the first and second
// derivatives of the losses at W0. A step is of all classes of one feature.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace polymargin {

enum class PenaltyKind { kAbsolute, kLength, kSquare };

// lambda_f times the sum of the absolute values of a feature's weights, their Euclidean length, or
// half their squares; with bounds of the weights, which only the length does not have.
struct Penalty {
  PenaltyKind kind = PenaltyKind::kAbsolute;
  std::span<const double> lambda, low, high;  // of every feature

  // The step that minimises g.d + 1/2 sum_m h_m d_m^2 + penalty(w + d); returns by how much.
  double solve(std::int64_t f, std::span<const double> w, std::span<const double> g,
               std::span<const double> h, std::span<double> step) const {
    if (kind == PenaltyKind::kLength) return solve_length(lambda[f], w, g, h, step);
    double fall = 0;
    for (std::size_t m = 0; m < w.size(); ++m) {
      const double to = std::clamp(best(lambda[f], w[m] - g[m] / h[m], h[m]), low[f], high[f]);
      const double d = step[m] = to - w[m];
      fall -= d * (g[m] + h[m] / 2 * d) + value(lambda[f], to) - value(lambda[f], w[m]);
    }
    return fall;
  }

 private:
  static constexpr int kRounds = 50;  // of Newton's method for a length

  double value(double weight, double w) const {
    return weight * (kind == PenaltyKind::kSquare ? w * w / 2 : std::abs(w));
  }

  // Where h/2 (w - v)^2 + penalty(w) is least.
  double best(double weight, double v, double h) const {
    if (kind == PenaltyKind::kSquare) return v * h / (h + weight);
    return std::copysign(std::max(std::abs(v) - weight / h, 0.0), v);
  }

  // Where |h w - g| <= lambda all weights go to zero; else to r t / (h t + lambda) with
  // r = h w - g, whose length is t.
  static double solve_length(double weight, std::span<const double> w, std::span<const double> g,
                             std::span<const double> h, std::span<double> step) {
    double square = 0, before = 0;
    for (std::size_t m = 0; m < w.size(); ++m) {
      step[m] = h[m] * w[m] - g[m];  // r, until t is known
      square += step[m] * step[m];
      before += w[m] * w[m];
    }
    const bool to_zero = square <= weight * weight;
    const double t = to_zero ? 0 : length_of_step(weight, step, h);
    double fall = weight * (std::sqrt(before) - t);
    for (std::size_t m = 0; m < w.size(); ++m) {
      const double to = to_zero      ? 0
                        : weight > 0 ? step[m] * t / (h[m] * t + weight)
                                     : step[m] / h[m];
      const double d = step[m] = to - w[m];
      fall -= d * (g[m] + h[m] / 2 * d);
    }
    return fall;
  }

  // t > 0 with sum_m r_m^2 / (h_m t + lambda)^2 = 1, by Newton's method on one over the root of the
  // sum, which is concave and rises. No matter without a penalty.
  static double length_of_step(double weight, std::span<const double> r,
                               std::span<const double> h) {
    double t = 0;
    for (int round = 0; round < kRounds && weight > 0; ++round) {
      double sum = 0, slope = 0;
      for (std::size_t m = 0; m < r.size(); ++m) {
        const double share = r[m] / (h[m] * t + weight);
        sum += share * share;
        slope += share * share * h[m] / (h[m] * t + weight);
      }
      const double change = (std::sqrt(sum) - 1) * sum / slope;
      t += change;
      if (std::abs(change) <= 1e-14 * t) break;
    }
    return t;
  }
};

// The model by the columns of the rows. `slopes` are the derivatives of the losses with respect to
// the scores, and change with the weights; H is that of `bends`, one for each score, or with
// `shares` of rows diag(p) - p p^T times them, p = `bends`.
struct ColumnModel {
  std::int64_t count = 0;  // of rows
  int classes = 0;
  const double* values = nullptr;
  const std::int64_t* starts = nullptr;  // of a CSC matrix; null: dense columns
  const std::int32_t* rows = nullptr;
  double* slopes = nullptr;
  const double* bends = nullptr;
  const double* shares = nullptr;   // null: the loss is a sum over classes
  const double* damping = nullptr;  // of features: half of it times the square of a step is added
  double* moved = nullptr;          // the steps so far, by feature and class

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

  void gradient(std::int64_t f, std::span<double> g) const {
    for (int m = 0; m < classes; ++m) g[m] = damping[f] * moved[f * classes + m];
    for_each(f, [&](std::int64_t i, double x) {
      const double* slope = slopes + i * classes;
      for (int m = 0; m < classes; ++m) g[m] += x * slope[m];
    });
  }

  // A diagonal matrix that is not below the block of H: diag(p) is not below diag(p) - p p^T.
  void curvature(std::int64_t f, std::span<double> h) const {
    std::fill(h.begin(), h.end(), damping[f]);
    for_each(f, [&](std::int64_t i, double x) {
      const double* bend = bends + i * classes;
      const double square = x * x * (shares == nullptr ? 1 : shares[i]);
      for (int m = 0; m < classes; ++m) h[m] += square * bend[m];
    });
  }

  void move(std::int64_t f, std::span<const double> step) {
    for (int m = 0; m < classes; ++m) moved[f * classes + m] += step[m];
    for_each(f, [&](std::int64_t i, double x) {
      const double* bend = bends + i * classes;
      double *slope = slopes + i * classes, mean = 0;
      if (shares != nullptr) {
        x *= shares[i];
        for (int m = 0; m < classes; ++m) mean += bend[m] * step[m];
      }
      for (int m = 0; m < classes; ++m) slope[m] += x * bend[m] * (step[m] - mean);
    });
  }
};

// The model by its matrix: entry (m, f, j) of `gram` is that of features f and j for class m, and
// `gradients`, by class and feature, change with the weights.
struct GramModel {
  std::int64_t features = 0;
  int classes = 0;
  const double* gram = nullptr;
  double* gradients = nullptr;

  void gradient(std::int64_t f, std::span<double> g) const {
    for (int m = 0; m < classes; ++m) g[m] = gradients[m * features + f];
  }

  void curvature(std::int64_t f, std::span<double> h) const {
    for (int m = 0; m < classes; ++m) h[m] = gram[(m * features + f) * features + f];
  }

  void move(std::int64_t f, std::span<const double> step) {
    for (int m = 0; m < classes; ++m) {
      if (step[m] == 0) continue;
      const double* row = gram + (m * features + f) * features;
      double* gradient = gradients + m * features;
      for (std::int64_t j = 0; j < features; ++j) gradient[j] += row[j] * step[m];
    }
  }
};

template <class Model>
class CoordinateDescent {
 public:
  // weights: of all features, one after the other; they are changed in place.
  CoordinateDescent(Model& model, const Penalty& penalty, std::span<double> weights)
      : model_(model),
        penalty_(penalty),
        weights_(weights),
        k_(model.classes),
        curvatures_(weights.size()),
        gradient_(k_),
        step_(k_) {
    for (std::int64_t f = 0; f < features(); ++f) {
      const auto h = std::span(curvatures_).subspan(f * k_, k_);
      model.curvature(f, h);
      for (double& value : h) value = std::max(value, kLeastCurvature);
      all_.push_back(f);
    }
  }

  // Sweep until what is left to gain is a small share of what was gained, over all features and
  // then over those whose weights are not zero; returns what was gained at least.
  double run(std::int64_t most, double share) {
    double total = 0;
    for (std::int64_t sweeps = 0; sweeps < most;) {
      double fall = sweep(all_);
      ++sweeps;
      total += fall;
      if (fall <= share * total) break;
      nonzero();
      while (sweeps < most) {
        const double next = sweep(active_), rate = next / fall;
        ++sweeps;
        total += next;
        fall = next;
        // As a geometric series.
        if (next <= 0 || (rate < 1 && next * rate <= share * total * (1 - rate))) break;
      }
    }
    return total;
  }

 private:
  static constexpr double kLeastCurvature = 1e-12;

  std::int64_t features() const { return std::int64_t(weights_.size()) / k_; }

  double sweep(const std::vector<std::int64_t>& some) {
    double fall = 0;
    for (const std::int64_t f : some) {
      const auto w = weights_.subspan(f * k_, k_);
      model_.gradient(f, gradient_);
      const double gain =
          penalty_.solve(f, w, gradient_, std::span(curvatures_).subspan(f * k_, k_), step_);
      if (std::all_of(step_.begin(), step_.end(), [](double d) { return d == 0; })) continue;
      fall += gain;
      for (int m = 0; m < k_; ++m) w[m] += step_[m];
      model_.move(f, step_);
    }
    return fall;
  }

  void nonzero() {
    active_.clear();
    for (const std::int64_t f : all_) {
      const double* w = &weights_[f * k_];
      if (std::any_of(w, w + k_, [](double value) { return value != 0; })) active_.push_back(f);
    }
  }

  Model& model_;
  const Penalty& penalty_;
  std::span<double> weights_;
  int k_;
  std::vector<double> curvatures_, gradient_, step_;
  std::vector<std::int64_t> all_, active_;
};

}  // namespace polymargin
