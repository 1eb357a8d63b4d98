// Semismooth Newton steps for one problem: proximal points of the dual, or plain.
//
// With dual variables u and a length sigma, the dual of the proximal step is to minimise
//
//     phi(W) = 1/2 |W|^2 + sum_i [ u+ . h_i - penalty(u+) - |u+ - u|^2 / (2 sigma) ]
//
// where u+ are the projections of ProximalBlocks; its gradient is W - W(u+), its (generalised)
// Hessian that of NewtonSystem, and the gap of the step is exactly 1/2 |W - W(u+)|^2. When that is
// small beside |u+ - u|^2 / (2 sigma), u becomes u+ and sigma grows. Smooth losses need no proximal
// term: phi is the objective itself and u+ its gradient in h. Either way u+ is feasible, so that
// every step has a certificate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "polymargin/access/double_rows.hpp"
#include "polymargin/driver/linear/newton/system.hpp"
#include "polymargin/machine/curvature.hpp"
#include "polymargin/machine/proximal_blocks.hpp"

namespace polymargin {

// When a problem is solved: by its relative gap or, if that is asked for, by the largest violation
// of an optimality condition.
struct NewtonTolerance {
  double value;
  bool by_violation;
};

class ProximalNewton {
 public:
  // The rows have features other than zero.
  ProximalNewton(ChosenRows rows, ProximalBlocks blocks, NewtonTolerance tolerance)
      : rows_(std::move(rows)),
        blocks_(std::move(blocks)),
        tolerance_(tolerance),
        system_(rows_),
        k_(blocks_.columns()),
        u_(std::size_t(rows_.size()) * k_) {}
  ProximalNewton(ProximalNewton&&) = delete;

  const ChosenRows& rows() const { return rows_; }
  const ProximalBlocks& blocks() const { return blocks_; }
  bool has_started() const { return started_; }

  // Whether nothing has happened yet: no dual variables were given, and no step was taken.
  bool is_untouched() const { return !started_ && !given_; }

  double primal() const { return best_primal_; }
  double dual() const { return best_dual_; }
  const std::vector<double>& weights() const { return best_weights_; }
  const std::vector<double>& duals() const { return best_duals_; }
  double operations() const { return operations_ + system_.operations(); }

  // The length of the last proximal step, over that of the first in a run that begins at zero.
  double growth() const { return sigma_ / first_length(); }

  // Begins with these weights if they are better than those of the dual variables, and with a
  // length that was found before: both of a solution nearby.
  void start_near(std::vector<double> weights, double growth) {
    near_weights_ = std::move(weights);
    near_growth_ = std::max(1.0, growth);
  }

  // The last point: its projections, and the length with which they were made.
  const std::vector<double>& projections() const { return point_.u; }
  double length() const { return sigma_; }

  // Begins from dual variables, which are feasible up to rounding.
  void start(std::vector<double> u) {
    u_ = std::move(u);
    blocks_.make_feasible(u_.data());
    given_ = std::any_of(u_.begin(), u_.end(), [](double value) { return value != 0; });
    started_ = false;
  }

  // Evaluates the first point, if there is none: with the weights of u, or none if these are
  // better. No dual objective is below that of u.
  void first() {
    if (started_) return;
    sigma_ = std::min(first_length() * near_growth_, kLongest);
    steps_of_this_ = 0;
    failed_ = false;
    point_.weights = weights_of(u_);
    const double dual = blocks_.dual_terms(u_.data()) - inner(point_.weights, point_.weights) / 2;
    evaluate_scores(point_);
    if (project(point_) > blocks_.losses_at_zero()) {
      std::fill(point_.weights.begin(), point_.weights.end(), 0.0);
      std::fill(point_.scores.begin(), point_.scores.end(), 0.0);
      blocks_.violations(point_.scores.data(), true, point_.h.data());
      project(point_);
    }
    if (!near_weights_.empty()) {
      Point other;
      other.weights = std::move(near_weights_);
      near_weights_.clear();
      evaluate_scores(other);
      if (project(other) < point_.phi) std::swap(point_, other);
    }
    complete(point_);
    keep_best();
    if (dual > best_dual_ && !tolerance_.by_violation) {
      best_dual_ = dual;
      best_duals_ = u_;
    }
    started_ = true;
  }

  bool is_finished() const {
    if (tolerance_.by_violation) return violation() <= tolerance_.value;
    return is_enough(best_primal_);
  }

  // Whether the gap of weights with this objective is within the tolerance.
  bool is_enough(double primal) const { return primal - best_dual_ <= tolerance_.value * primal; }

  // Takes one Newton step; returns whether anything moved. A step that rounding keeps from falling
  // ends the proximal one where it is. poll() may throw, and then nothing has moved.
  template <class Poll>
  bool step(Poll&& poll) {
    first();
    next_proximal_point();
    ++steps_of_this_;
    direction_.resize(point_.weights.size());
    system_.solve(Curvature(blocks_, point_.u.data(), sigma_), point_.gradient.data(),
                  direction_.data(), poll);
    if (search(poll)) {
      failed_ = false;
      keep_best();
      return true;
    }
    if (blocks_.is_smooth()) return false;
    if (!failed_) {
      failed_ = true;
      restart(point_.u, sigma_ / 10);
      return true;
    }
    if (near_growth_ == 1) return false;
    // What was near was too far: as if nothing was known of lengths.
    near_growth_ = 1;
    failed_ = false;
    restart(point_.u, first_length());
    return true;
  }

  // Largest violation of an optimality condition at the last point.
  double violation() const {
    std::vector<double> of_duals(point_.weights.size());
    for (std::size_t e = 0; e < of_duals.size(); ++e)
      of_duals[e] = point_.weights[e] - point_.gradient[e];
    return largest_violation(point_.weights, point_.h, point_.u, of_duals);
  }

  struct Objective {
    double value, violation;
  };

  // The objective of other weights, and their violation with the best variables.
  Objective objective_at(std::vector<double> weights) const {
    Point other;
    other.weights = std::move(weights);
    evaluate_scores(other);
    return {inner(other.weights, other.weights) / 2 + blocks_.losses(other.h.data()),
            largest_violation(other.weights, other.h, best_duals_, weights_of(best_duals_))};
  }

  // The same where weights and variables are zero, without a look at the rows.
  Objective objective_at_zero() const {
    std::vector<double> zeros(u_.size()), h(u_.size());
    blocks_.violations(zeros.data(), true, h.data());
    return {blocks_.losses(h.data()), blocks_.violation(h.data(), zeros.data())};
  }

  // The solution of the system of the last point for some right hand side, in one form: what tests
  // compare.
  std::optional<std::vector<double>> solution(SystemForm form, const std::vector<double>& right) {
    std::vector<double> step(right.size());
    const Curvature curvature(blocks_, point_.u.data(), sigma_);
    const bool found =
        system_.solve_in(form, curvature, right.data(), step.data(), [] {}, /*accuracy=*/1e-12);
    if (!found) return std::nullopt;
    return step;
  }

 private:
  static constexpr double kEnough = 0.9;  // of |u+ - u|^2 / (2 sigma), to end a proximal step
  static constexpr double kFlat = 0.01;   // slope at the end of a step that rises there, of that at
                                          // its beginning
  static constexpr double kSteep = 0.5;   // the same, if it falls there, and is not a whole step
  static constexpr int kSearches = 40;    // at most, for the length of a step
  static constexpr int kFar = 6;          // searches that were too far, after which lengths shrink
  static constexpr double kShrink = 0.01;  // by this factor
  static constexpr double kDrift = 100;    // a step's scores over what they leave, from which they
                                           // are summed anew
  static constexpr int kPatience = 25;  // Newton steps for a proximal one, before sigma is reduced

  static constexpr double kLongest = 1e100;  // sigma, so that what it multiplies stays a number

  struct Point {
    std::vector<double> weights, scores, h, u, gradient;
    double phi = 0, primal = 0, dual = 0;
  };

  static double inner(const std::vector<double>& a, const std::vector<double>& b) {
    CompensatedSum sum;
    for (std::size_t e = 0; e < a.size(); ++e) sum += a[e] * b[e];
    return sum.value();
  }

  static double largest(const std::vector<double>& values) {
    double most = 0;
    for (const double value : values) most = std::max(most, std::abs(value));
    return most;
  }

  // By what sigma is multiplied, after so many Newton steps of a proximal one.
  static double growth_after(int steps) {
    return steps <= 2 ? 5 : steps <= 4 ? 3 : steps <= 8 ? 2 : 1.5;
  }

  // Both C and one over |x|^2 are what dual variables are measured in: the same steps are taken for
  // X times t and C over t squared, whose solution is W over t.
  double first_length() const {
    if (rows_.size() == 0) return 1;
    const double square = rows_.mean_square();
    return std::min(std::sqrt(blocks_.mean_loss_weight() / (square > 0 ? square : 1)), kLongest);
  }

  std::vector<double> weights_of(const std::vector<double>& u) const {
    coefficients_.resize(u.size());
    for (std::int64_t i = 0; i < rows_.size(); ++i)
      blocks_.coefficients(i, u.data() + i * k_, coefficients_.data() + i * k_);
    std::vector<double> weights(std::size_t(rows_.features()) * k_);
    rows_.transposed_products(coefficients_.data(), k_, weights.data());
    operations_ += products();
    return weights;
  }

  double products() const { return rows_.row_entries() * double(rows_.size()) * k_; }

  void evaluate_scores(Point& point) const {
    point.scores.resize(u_.size());
    point.h.resize(u_.size());
    rows_.products(point.weights.data(), k_, point.scores.data());
    operations_ += products();
    blocks_.violations(point.scores.data(), true, point.h.data());
  }

  // Sets u+ and phi from weights and h; returns phi.
  double project(Point& point) const {
    point.u.resize(u_.size());
    const double value =
        blocks_.project(u_.data(), sigma_, point.h.data(), point.h.data(), 0, point.u.data()).value;
    return point.phi = inner(point.weights, point.weights) / 2 + value;
  }

  // Sets the gradient and the objectives from weights, h and u+.
  void complete(Point& point) const {
    point.gradient = weights_of(point.u);
    point.dual = blocks_.dual_terms(point.u.data()) - inner(point.gradient, point.gradient) / 2;
    for (std::size_t e = 0; e < point.gradient.size(); ++e)
      point.gradient[e] = point.weights[e] - point.gradient[e];
    point.primal = blocks_.is_smooth()
                       ? point.phi
                       : inner(point.weights, point.weights) / 2 + blocks_.losses(point.h.data());
  }

  // The first point is the best so far, whatever its objectives. With tolerances of violations, the
  // weights and the dual variables are to be those of one point, the last.
  void keep_best() {
    const bool always = !started_ || tolerance_.by_violation;
    if (always || point_.primal < best_primal_) {
      best_primal_ = point_.primal;
      best_weights_ = point_.weights;
    }
    if (always || point_.dual > best_dual_) {
      best_dual_ = point_.dual;
      best_duals_ = point_.u;
    }
  }

  // Moves u, and changes sigma, if it is time to.
  void next_proximal_point() {
    if (blocks_.is_smooth()) return;
    CompensatedSum square;
    for (std::size_t e = 0; e < u_.size(); ++e)
      square += (point_.u[e] - u_[e]) * (point_.u[e] - u_[e]);
    const double reached = square.value() / (2 * sigma_);
    if (inner(point_.gradient, point_.gradient) / 2 <= kEnough * reached)
      restart(point_.u, sigma_ * growth_after(steps_of_this_));
    else if (steps_of_this_ >= kPatience)
      restart(u_, sigma_ / 10);
  }

  // Begins another proximal step, with the weights as they are.
  void restart(const std::vector<double>& u, double sigma) {
    if (&u != &u_) u_ = u;
    sigma_ = std::min(sigma, kLongest);
    steps_of_this_ = 0;
    project(point_);
    complete(point_);
    keep_best();
  }

  // Moves to the point that nearly minimises phi along the direction; false if there is none.
  //
  // Along the step phi is convex, and its slope is that of a quadratic function and of the
  // projections. The whole step is taken if phi still falls there or has hardly begun to rise, as
  // near the solution it does; else the slope's zero is found by the secant method, safeguarded by
  // bisection.
  template <class Poll>
  bool search(Poll&& poll) {
    const double toward = -inner(direction_, point_.gradient);
    if (!(toward < 0)) return false;
    along_.resize(u_.size());
    dh_.resize(u_.size());
    found_.resize(u_.size());
    rows_.products(direction_.data(), k_, along_.data());
    operations_ += products();
    blocks_.violations(along_.data(), false, dh_.data());
    for (double& change : dh_) change = -change;
    const double square = inner(direction_, direction_), cross = inner(point_.weights, direction_);
    const double noise = 1e-14 * std::abs(point_.phi);
    double low = 0, low_slope = toward, high = 0, high_slope = 0, length = 1;
    for (int searches = 0; searches < kSearches; ++searches) {
      poll();
      const auto [value, pull] =
          blocks_.project(u_.data(), sigma_, point_.h.data(), dh_.data(), length, found_.data());
      const double phi = half_norm_at(length) + value;
      const double slope = length * square - cross + pull;
      const bool finite = std::isfinite(phi + slope);  // else it is too far to be a number
      const bool falls = finite && slope <= 0 && (length == 1 || slope >= kSteep * toward);
      if (falls || (finite && 0 < slope && slope <= -kFlat * toward && phi <= point_.phi + noise)) {
        move(length, phi);
        return true;
      }
      if (slope > 0 || !finite) {
        high = length;
        high_slope = finite ? slope : HUGE_VAL;
      } else {
        low = length;
        low_slope = slope;
      }
      // Where no variable is free, the step is as long as rows are, and all are at once if they are
      // alike: lengths of a billionth are found by their digits.
      const bool far = low == 0 && searches >= kFar;
      const double share =
          far ? kShrink : std::clamp(low_slope / (low_slope - high_slope), 0.1, 0.9);
      length = low + share * (high - low);
    }
    // Where the slope jumps there is no flat place: as far as phi falls, then, which is convex.
    if (low == 0) return false;
    const double phi =
        half_norm_at(low) +
        blocks_.project(u_.data(), sigma_, point_.h.data(), dh_.data(), low, found_.data()).value;
    if (!(phi < point_.phi)) return false;
    move(low, phi);
    return true;
  }

  // Steps leave the sum over classes where it is zero, but for rounding, which long rows would
  // show.
  void centre(std::vector<double>& weights) const {
    for (auto of_feature = weights.begin(); of_feature != weights.end(); of_feature += k_) {
      const double mean = std::accumulate(of_feature, of_feature + k_, 0.0) / k_;
      for (int m = 0; m < k_; ++m) of_feature[m] -= mean;
    }
  }

  double half_norm_at(double length) const {
    CompensatedSum sum;
    for (std::size_t e = 0; e < direction_.size(); ++e) {
      const double weight = point_.weights[e] - length * direction_[e];
      sum += weight * weight;
    }
    return sum.value() / 2;
  }

  void move(double length, double phi) {
    double left = 0;
    for (std::size_t e = 0; e < point_.weights.size(); ++e)
      point_.weights[e] -= length * direction_[e];
    if (blocks_.is_centred()) centre(point_.weights);
    for (std::size_t e = 0; e < u_.size(); ++e) {
      point_.scores[e] -= length * along_[e];
      point_.h[e] += length * dh_[e];
      left = std::max(left, std::abs(point_.scores[e]));
    }
    if (largest(along_) > kDrift * left) {  // digits were lost
      evaluate_scores(point_);
      project(point_);
    } else {
      point_.u.swap(found_);
      point_.phi = phi;
    }
    complete(point_);
  }

  double largest_violation(const std::vector<double>& weights, const std::vector<double>& h,
                           const std::vector<double>& u,
                           const std::vector<double>& of_duals) const {
    double most = blocks_.violation(h.data(), u.data());
    for (std::size_t e = 0; e < weights.size(); ++e)
      most = std::max(most, std::abs(weights[e] - of_duals[e]));
    return most;
  }

  ChosenRows rows_;
  ProximalBlocks blocks_;
  NewtonTolerance tolerance_;
  NewtonSystem system_;
  int k_;
  std::vector<double> u_;  // from which the proximal step starts
  double sigma_ = 1;
  int steps_of_this_ = 0;  // Newton steps since u was moved
  bool failed_ = false;    // whether the last step did
  bool given_ = false;     // dual variables other than zero
  bool started_ = false;
  std::vector<double> near_weights_;
  double near_growth_ = 1;
  Point point_;
  double best_primal_ = HUGE_VAL, best_dual_ = -HUGE_VAL;
  std::vector<double> best_weights_, best_duals_;
  std::vector<double> direction_, along_, dh_, found_;  // of a step
  mutable std::vector<double> coefficients_;
  mutable double operations_ = 0;
};

}  // namespace polymargin
