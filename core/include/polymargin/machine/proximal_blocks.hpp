// Dual blocks of all examples at once, as proximal Newton steps see them: margins, coefficients,
// losses and projections, from the axes of a machine.
//
// A block has variables u >= 0 with targets t and a matrix E such that h = t - E s is by how much
// the scores s of an example violate its margins, and b = E^T u its coefficients. Arrays have a row
// for each example and a column for each class; where a class has no variable, u is zero. The
// proximal step of a block is
//
//     u+ = argmax_v  v.h - penalty(v) - |v - u|^2 / (2 sigma)    over the feasible v,
//
// a clip, a shrinkage or a projection. A loss that has a gradient needs none: u+ is the gradient.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "polymargin/base/compensated.hpp"
#include "polymargin/machine/axes.hpp"

namespace polymargin {

class ProximalBlocks {
 public:
  // The loss weights C_i are positive. A label is -1 if it is not among the columns, which may be
  // with one column only.
  ProximalBlocks(const MachineAxes& axes, std::vector<std::int32_t> labels,
                 std::vector<double> loss_weights, int columns)
      : k_(columns),
        labels_(std::move(labels)),
        loss_weights_(std::move(loss_weights)),
        relative_(axes.is_relative()),
        maximum_(axes.aggregation == "max"),
        centred_(axes.sums_to_zero),
        squared_(axes.loss == "squared_hinge"),
        logistic_(axes.loss == "logistic"),
        log_(axes.loss == "log"),
        others_have_(axes.variables != "label"),
        label_has_(axes.variables != "others"),
        pair_targets_(axes.pair_targets) {
    const bool from_zero = logistic_ || log_;  // they count from a score of zero
    label_target_ = from_zero ? 0 : axes.label_target;
    other_target_ = from_zero ? 0 : axes.other_target;
  }

  std::int64_t size() const { return std::int64_t(labels_.size()); }
  int columns() const { return k_; }
  bool is_relative() const { return relative_; }
  bool is_centred() const { return centred_; }
  bool is_entropy() const { return logistic_ || log_; }
  // Whether the loss has a gradient, with a derivative almost everywhere.
  bool is_smooth() const { return is_entropy() || (squared_ && !maximum_); }
  int label(std::int64_t i) const { return labels_[i]; }
  double loss_weight(std::int64_t i) const { return loss_weights_[i]; }
  double sign(std::int64_t i, int m) const { return labels_[i] == m ? 1.0 : -1.0; }

  double mean_loss_weight() const {
    CompensatedSum sum;
    for (const double weight : loss_weights_) sum += weight;
    return sum.value() / double(size());
  }

  // h = t - E s, negative where there is no variable, but zero for "log"; with `targets` false only
  // -E s, which is by what h changes with the scores.
  void violations(const double* scores, bool targets, double* h) const {
    if (k_ == 1) {
      const double t_label = targets ? label_target_ : 0, t_other = targets ? other_target_ : 0;
      for (std::int64_t i = 0; i < size(); ++i)
        h[i] = labels_[i] == 0 ? t_label - scores[i] : t_other + scores[i];
      return;
    }
    for (std::int64_t i = 0; i < size(); ++i, scores += k_, h += k_) {
      const int y = labels_[i];
      double base = centred_ ? sum_of(scores) / k_ : 0;
      if (relative_) base = scores[y];
      for (int m = 0; m < k_; ++m) h[m] = scores[m] - base;
      if (targets)
        for (int m = 0; m < k_; ++m) h[m] += target(y, m);
      h[y] = (targets ? label_target_ : 0) - (scores[y] - base);
      const double missing = targets && !log_ ? -1 : 0;
      if (!label_has_) h[y] = missing;
      if (!others_have_) {
        const double kept = h[y];
        std::fill_n(h, k_, missing);
        h[y] = kept;
      }
    }
  }

  // b = E^T u of one example
  void coefficients(std::int64_t i, const double* u, double* b) const {
    const int y = labels_[i];
    if (relative_) {
      for (int m = 0; m < k_; ++m) b[m] = -u[m];
      b[y] += sum_of(u);
      return;
    }
    for (int m = 0; m < k_; ++m) b[m] = -u[m];
    if (y >= 0) b[y] = u[y];
    if (centred_) {
      const double mean = sum_of(b) / k_;
      for (int m = 0; m < k_; ++m) b[m] -= mean;
    }
  }

  struct Step {
    double value;  // u+ . h - penalty(u+) - |u+ - u|^2 / (2 sigma), or the losses; summed up
    double slope;  // u+ . dh
  };

  // The projections u+ at h + length dh, starting from u; or the gradients of a smooth loss.
  Step project(const double* u, double sigma, const double* h, const double* dh, double length,
               double* found) const {
    if (k_ == 1 && !logistic_) return project_binary(u, sigma, h, dh, length, found);
    CompensatedSum value;
    double slope = 0;
    std::vector<double> moved(k_);
    for (std::int64_t i = 0; i < size(); ++i) {
      const std::int64_t at = i * k_;
      double along = 0;
      for (int m = 0; m < k_; ++m) moved[m] = h[at + m] + length * dh[at + m];
      if (is_smooth()) {
        value += loss(i, moved.data());
        gradient(i, moved.data(), found + at);
      } else {
        value += project_row(i, u + at, sigma, moved.data(), found + at);
      }
      for (int m = 0; m < k_; ++m) along += found[at + m] * dh[at + m];
      slope += along;
    }
    return {value.value(), slope};
  }

  // Sum of C_i loss_i.
  double losses(const double* h) const {
    CompensatedSum sum;
    for (std::int64_t i = 0; i < size(); ++i) sum += loss(i, h + i * k_);
    return sum.value();
  }

  double losses_at_zero() const {
    std::vector<double> zeros(size() * k_), h(size() * k_);
    violations(zeros.data(), true, h.data());
    return losses(h.data());
  }

  // The dual objective of the variables, without 1/2 |W|^2.
  double dual_terms(const double* u) const {
    CompensatedSum sum;
    for (std::int64_t i = 0; i < size(); ++i, u += k_) sum += dual_term(i, u);
    return sum.value();
  }

  // Makes variables feasible that are so up to rounding.
  void make_feasible(double* u) const {
    for (std::int64_t i = 0; i < size(); ++i, u += k_) {
      const int y = labels_[i];
      for (int m = 0; m < k_; ++m)
        if (!(m == y ? label_has_ : others_have_) || !(u[m] > 0)) u[m] = 0;
      if (squared_) continue;
      const double bound = loss_weights_[i];
      if (maximum_ || log_) {
        const double sum = sum_of(u);
        if (sum > bound)
          for (int m = 0; m < k_; ++m) u[m] *= bound / sum;
      } else {
        for (int m = 0; m < k_; ++m) u[m] = std::min(u[m], bound);
      }
    }
  }

  // Largest violation of the optimality conditions of an example: by how much a variable that could
  // grow would gain, or one that could shrink; if the sum is bounded, by how much more one gains
  // than another loses.
  double violation(const double* h, const double* u) const {
    double largest = 0;
    std::vector<double> of_row(k_);
    for (std::int64_t i = 0; i < size(); ++i, h += k_, u += k_) {
      const double bound = loss_weights_[i];
      if (is_entropy()) {
        gradient(i, h, of_row.data());
        for (int m = 0; m < k_; ++m)
          largest = std::max(largest, std::abs(of_row[m] - u[m]) / bound);
        continue;
      }
      const double sum = sum_of(u), full = bound * (1 - 1e-9);
      const bool bounded_sum = maximum_ && !squared_;
      double gain = 0, least = sum < full ? 0 : kInfinite;
      for (int m = 0; m < k_; ++m) {
        const double used = maximum_ ? sum : u[m];
        const double excess = squared_ ? h[m] - used / (2 * bound) : h[m];
        if (bounded_sum) {
          gain = std::max(gain, excess);
          if (u[m] > 0) least = std::min(least, excess);
        } else {
          if (squared_ || used < full) gain = std::max(gain, excess);
          if (u[m] > 0) gain = std::max(gain, -excess);
        }
      }
      largest = std::max(largest, bounded_sum ? gain - least : gain);
    }
    return largest;
  }

  // J = diag(q) - gamma r r^T of one example, where u+ is the solution: sigma times the derivative
  // of the projection, or the derivative of the gradient of a smooth loss. Calls
  // variable(class, q, r) for every variable with a q, and returns gamma.
  template <class Variable>
  double curvature(std::int64_t i, const double* u, double sigma, Variable&& variable) const {
    const double bound = loss_weights_[i];
    if (is_entropy()) {
      for (int m = 0; m < k_; ++m)
        if (u[m] != 0) variable(m, logistic_ ? u[m] * (1 - u[m] / bound) : u[m], u[m]);
      return logistic_ ? 0 : 1 / bound;
    }
    if (!maximum_) {
      const double q = is_smooth() ? 2 * bound : sigma, most = squared_ ? kInfinite : bound;
      for (int m = 0; m < k_; ++m)
        if (u[m] > 0 && u[m] < most) variable(m, q, q);
      return 0;
    }
    double sum = 0;
    int count = 0;
    for (int m = 0; m < k_; ++m) {
      sum += u[m];
      count += u[m] > 0;
    }
    double gamma = 0;
    if (squared_) {
      const double soft = sigma / (2 * bound);
      gamma = soft / (1 + soft * count) / sigma;
    } else if (sum >= bound * (1 - 1e-12)) {
      if (count <= 1) return 0;  // one free variable that takes all is none
      gamma = 1 / (sigma * count);
    }
    for (int m = 0; m < k_; ++m)
      if (u[m] > 0) variable(m, sigma, sigma);
    return gamma;
  }

 private:
  static constexpr double kInfinite = 1e300;

  double target(int y, int m) const {
    if (m == y) return label_target_;
    return pair_targets_.empty() ? other_target_ : pair_targets_[std::size_t(y) * k_ + m];
  }

  double sum_of(const double* values) const {
    double sum = 0;
    for (int m = 0; m < k_; ++m) sum += values[m];
    return sum;
  }

  double loss(std::int64_t i, const double* h) const {
    double total = 0, most = 0;
    if (is_entropy()) {
      if (logistic_) {
        for (int m = 0; m < k_; ++m)
          total += std::max(h[m], 0.0) + std::log1p(std::exp(-std::abs(h[m])));
        return loss_weights_[i] * total;
      }
      return loss_weights_[i] * log_sum(h);
    }
    for (int m = 0; m < k_; ++m) {
      const double slack = std::max(h[m], 0.0);
      most = std::max(most, slack);
      total += squared_ ? slack * slack : slack;
    }
    if (maximum_) total = squared_ ? most * most : most;
    return loss_weights_[i] * total;
  }

  double log_sum(const double* h) const {
    const int largest = int(std::max_element(h, h + k_) - h);
    double others = 0;
    for (int m = 0; m < k_; ++m)
      if (m != largest) others += std::exp(h[m] - h[largest]);
    return h[largest] + std::log1p(others);
  }

  void gradient(std::int64_t i, const double* h, double* u) const {
    const double weight = loss_weights_[i];
    if (squared_) {
      for (int m = 0; m < k_; ++m) u[m] = 2 * weight * std::max(h[m], 0.0);
    } else if (logistic_) {
      for (int m = 0; m < k_; ++m) {
        const double small = std::exp(-std::abs(h[m]));
        u[m] = weight * (h[m] > 0 ? 1 : small) / (1 + small);
      }
    } else {
      const double shift = log_sum(h);
      for (int m = 0; m < k_; ++m) u[m] = weight * std::exp(h[m] - shift);
      u[labels_[i]] = 0;
    }
  }

  double dual_term(std::int64_t i, const double* u) const {
    const double weight = loss_weights_[i];
    if (is_entropy()) {
      double entropy = 0, rest = 1;
      for (int m = 0; m < k_; ++m) {
        const double p = u[m] / weight;
        entropy += x_log_x(p);
        if (logistic_)
          entropy += x_log_x(std::max(1 - p, 0.0));
        else
          rest -= p;
      }
      if (log_) entropy += x_log_x(std::max(rest, 0.0));
      return -weight * entropy;
    }
    double value = 0;
    const int y = labels_[i];
    for (int m = 0; m < k_; ++m) value += target(y, m) * u[m];
    return squared_ ? value - penalty(i, u) : value;
  }

  static double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0; }

  double penalty(std::int64_t i, const double* u) const {
    double sum = 0, squares = 0;
    for (int m = 0; m < k_; ++m) {
      sum += u[m];
      squares += u[m] * u[m];
    }
    return (maximum_ ? sum * sum : squares) / (4 * loss_weights_[i]);
  }

  // Returns u+ . h - penalty(u+) - |u+ - u|^2 / (2 sigma).
  double project_row(std::int64_t i, const double* u, double sigma, const double* h,
                     double* v) const {
    const double bound = loss_weights_[i];
    double sum = 0;
    for (int m = 0; m < k_; ++m) {
      v[m] = std::max(u[m] + sigma * h[m], 0.0);
      sum += v[m];
    }
    if (!maximum_) {
      for (int m = 0; m < k_; ++m) v[m] = std::min(v[m], bound);
    } else if (squared_) {
      if (sum > 0) cut(v, threshold(v, 0, 2 * bound / sigma, 0));
    } else if (sum > bound) {
      const int largest = int(std::max_element(v, v + k_) - v);
      double total = cut(v, threshold(v, bound, 0, std::max(v[largest] - bound, 0.0)));
      // To the last bits, which a large sigma blurs; where it blurs all of them, the whole bound is
      // for the largest.
      if (total == 0) total = v[largest] = bound;
      for (int m = 0; m < k_; ++m) v[m] *= bound / total;
    }
    double value = 0, square = 0;
    for (int m = 0; m < k_; ++m) {
      const double step = v[m] - u[m];
      value += v[m] * h[m];
      square += step * step;
    }
    value -= square / (2 * sigma);
    return squared_ ? value - penalty(i, v) : value;
  }

  // theta with sum_m [v_m - theta]_+ = bound + softness theta: Newton's method on a convex,
  // piecewise linear function (Michelot's) comes from below.
  double threshold(const double* v, double bound, double softness, double theta) const {
    for (;;) {
      double total = 0;
      int count = 0;
      for (int m = 0; m < k_; ++m) {
        const bool above = v[m] > theta;
        total += above ? v[m] : 0;
        count += above;
      }
      const double next = (total - bound) / (count + softness);
      if (!(next > theta * (1 + 1e-15))) return theta;
      theta = next;
    }
  }

  double cut(double* v, double theta) const {
    double total = 0;
    for (int m = 0; m < k_; ++m) {
      v[m] = std::max(v[m] - theta, 0.0);
      total += v[m];
    }
    return total;
  }

  // With one column a row is one number: eight at a time, each with sums of its own.
  Step project_binary(const double* u, double sigma, const double* h, const double* dh,
                      double length, double* found) const {
    constexpr int kLanes = 8;
    const double half = 1 / (2 * sigma);
    double values[kLanes] = {}, slopes[kLanes] = {};
    const auto visit = [&](std::int64_t i, int lane) {
      const double moved = h[i] + length * dh[i], weight = loss_weights_[i];
      double v;
      if (squared_) {
        const double slack = std::max(moved, 0.0);
        v = 2 * weight * slack;
        values[lane] += weight * slack * slack;
      } else {
        v = std::min(std::max(u[i] + sigma * moved, 0.0), weight);
        const double step = v - u[i];
        values[lane] += v * moved - half * step * step;
      }
      slopes[lane] += v * dh[i];
      found[i] = v;
    };
    const std::int64_t whole = size() / kLanes * kLanes;
    for (std::int64_t i = 0; i < whole; i += kLanes)
      for (int lane = 0; lane < kLanes; ++lane) visit(i + lane, lane);
    for (std::int64_t i = whole; i < size(); ++i) visit(i, int(i - whole));
    Step sums{0, 0};
    for (int lane = 0; lane < kLanes; ++lane) {
      sums.value += values[lane];
      sums.slope += slopes[lane];
    }
    return sums;
  }

  int k_;
  std::vector<std::int32_t> labels_;
  std::vector<double> loss_weights_;
  bool relative_, maximum_, centred_, squared_, logistic_, log_, others_have_, label_has_;
  double label_target_, other_target_;
  std::vector<double> pair_targets_;  // t_m by label and class, where these differ
};

}  // namespace polymargin
