// Solves binary problems, one after the other, where the kernel between all examples is there: one
// variable at a time, or two, chosen by second-order gain, which are the SMO and the S2DO of 004
// (sections 4.2 and 4.3). Variables that
// are likely to stay at their bound are left out for a while. Certificates are summed up from the
// dual variables, in double precision.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "polymargin/access/gram_rows.hpp"
#include "polymargin/driver/kernel/binary_problem.hpp"
#include "polymargin/driver/kernel/binary_variables.hpp"
#include "polymargin/driver/report.hpp"
#include "polymargin/driver/tolerance.hpp"
#include "polymargin/machine/workspace.hpp"
#include "polymargin/restricted/two_variables.hpp"

namespace polymargin {

template <class Real>
class BinarySolver {
 public:
  using Stop = std::function<bool()>;

  // `room` is for kernel values besides the matrix. C_i is given for all examples of the matrix.
  BinarySolver(const GramMatrix<Real>& gram, std::span<const double> loss_weights, bool squared,
               bool shrinking, bool in_pairs, double room)
      : gram_(gram),
        loss_weights_(loss_weights),
        squared_(squared),
        shrinking_(shrinking),
        in_pairs_(in_pairs),
        rows_(gram, room) {}

  // Moves variables of a problem until it is finished, for a while, or until `stop` says so.
  EpochReport solve(BinaryProblem& problem, const Tolerance& tolerance, const Stop& stop) {
    open(problem);
    certify(problem, tolerance);
    EpochReport report;
    const double before = problem.certificate.dual;
    std::int64_t left = kPasses * std::int64_t(active_.size) + kLeastSteps;
    double share = kShare;  // of the tolerance, at which to certify
    while (!problem.finished && left > 0 && !report.stopped) {
      const std::int64_t steps = descend(tolerance, share, left, stop, report.stopped);
      left -= steps;
      report.visits += steps;
      close(problem);
      certify(problem, tolerance);
      if (steps == 0) break;
      share /= 2;
    }
    // What grows by less is rounding.
    const double grown = problem.certificate.dual - before;
    const double rounding = 0.01 * double(std::numeric_limits<Real>::epsilon());
    if (problem.finished || grown > rounding * std::fabs(before)) report.moves = report.visits;
    return report;
  }

 private:
  static constexpr std::int64_t kPasses = 10, kLeastSteps = 1000;
  static constexpr std::int64_t kLeastBetween = 32;  // steps between two estimates of the gap
  static constexpr double kShare = 0.9;
  static constexpr double kWorthwhile = 0.7;  // of the variables are left, at most, by shrinking
  static constexpr double kSolved =
      0.05;  // of the violation of all is left when shrunk ones return

  bool has_variable(std::int32_t i) const {
    return loss_weights_[i] > 0 && !(gram_.diagonal(i) < kEmptyCurvature<Real>);
  }

  // Makes all variables of a problem active; their gradients are not known yet.
  void open(const BinaryProblem& problem) {
    examples_.clear();
    signs_.clear();
    const std::int64_t size = problem.size();
    all_.resize(size);
    problem.for_each([&](std::int32_t p, std::int32_t i, bool positive) {
      examples_.push_back(i);
      signs_.push_back(positive ? 1 : -1);
      const bool able = has_variable(i);
      const double c = loss_weights_[i];
      all_.sign[p] = Real(able ? signs_.back() : 0);
      all_.penalty[p] = Real(able && squared_ ? 1 / (2 * c) : 0);
      all_.upper[p] = Real(!able ? 0 : squared_ ? std::numeric_limits<double>::infinity() : c);
      all_.diagonal[p] = able ? gram_.diagonal(i) + all_.penalty[p] : Real(1);
      all_.weight[p] = 1 / std::sqrt(all_.diagonal[p]);
      all_.dual[p] = problem.duals.empty() || !able ? Real(0) : Real(problem.duals[p]);
    });
  }

  void close(BinaryProblem& problem) {
    for (std::int64_t j = 0; j < active_.size; ++j) all_.dual[places_[j]] = active_.dual[j];
    problem.duals.assign(all_.dual.data(), all_.dual.data() + all_.size);
  }

  // Scores of all examples of the problem from the dual variables, and what they prove. All
  // variables are active then.
  void certify(BinaryProblem& problem, const Tolerance& tolerance) {
    scores_.assign(examples_.size(), 0.0);
    for (std::int64_t p = 0; p < all_.size; ++p)
      if (all_.dual[p] > 0) add_row(problem, examples_[p], double(all_.dual[p]) * signs_[p]);
    double norm = 0, losses = 0, linear = 0, violation = 0;
    for (std::int64_t p = 0; p < all_.size; ++p) {
      const double c = loss_weights_[examples_[p]], u = double(all_.dual[p]);
      const double h = 1 - signs_[p] * scores_[p], loss = std::max(h, 0.0);
      const double penalty = squared_ && u > 0 ? 1 / (2 * c) : 0;
      const double g = h - penalty * u;
      losses += c * (squared_ ? loss * loss : loss);
      all_.gradient[p] = Real(g);
      if (!has_variable(examples_[p])) {
        if (c > 0) linear += c;  // its score is zero
        continue;
      }
      linear += u - penalty * u * u / 2;
      norm += u * signs_[p] * scores_[p];
      if (u > 0 || g > 0)
        violation = std::max(violation, all_.dual[p] < all_.upper[p] ? std::fabs(g) : -g);
    }
    problem.certificate = {norm / 2 + losses, linear - norm / 2, violation};
    problem.finished = tolerance.reached(problem.certificate.primal, problem.certificate.dual,
                                         problem.certificate.violation);
    dual_ = problem.certificate.dual;
    places_.resize(examples_.size());
    active_.resize(all_.size);
    for (std::int64_t p = 0; p < all_.size; ++p) {
      places_[p] = std::int32_t(p);
      active_.take(p, all_, p);
    }
    fixed_ = {};
    for (std::int32_t i : examples_)
      if (loss_weights_[i] > 0 && !has_variable(i)) {
        fixed_.losses += loss_weights_[i];
        fixed_.linear += loss_weights_[i];
      }
    rows_.choose(examples_);
    whole_violation_ = Real(violation);
  }

  void add_row(const BinaryProblem& problem, std::int32_t i, double coefficient) {
    const Real* const row = gram_.row(i);
    double* score = scores_.data();
    for (const ExampleRange& range : problem.ranges)
      for (std::int32_t j = range.first; j < range.last; ++j)
        *score++ += coefficient * double(row[j]);
  }

  // Steps until the gap of all variables is estimated to be small enough, or that of the active
  // ones is, or nothing moves. Returns how many.
  std::int64_t descend(const Tolerance& tolerance, double share, std::int64_t most,
                       const Stop& stop, bool& stopped) {
    auto first = active_.first();
    std::int64_t steps = 0, next_look = kLeastBetween;
    for (; steps < most && first.at >= 0; ++steps) {
      if (tolerance.by_violation && double(first.violation) <= share * tolerance.value) break;
      if (steps == next_look) {
        if ((stopped = stop())) break;
        const auto sums = active_.sums(first.violation);
        const double half_norm = sums.linear + fixed_.linear - dual_;
        const double primal = half_norm + sums.losses + fixed_.losses;
        if (!tolerance.by_violation && primal - dual_ <= share * tolerance.value * primal) break;
        if (active_.size < all_.size && double(first.violation) < kSolved * whole_violation_) break;
        if (shrinking_ && double(active_.size - sums.settled) < kWorthwhile * active_.size) {
          shrink(first.violation);
          first = active_.first();
        }
        next_look = steps + std::max(kLeastBetween, active_.size / 8);
      }
      if (!step(first)) break;
    }
    return steps;
  }

  // A step of two variables, the first of which is given, or of this one alone.
  bool step(typename BinaryVariables<Real>::First& first) {
    const std::int32_t a = first.at;
    const Real* const row = rows_.row(a);
    const std::int32_t second = in_pairs_ ? active_.second(a, row) : -1;
    const std::int32_t b = second < 0 ? a : second;
    TwoVariables<double> pair{{gradient(a), gradient(b)},
                              {diagonal(a), diagonal(b)},
                              double(active_.sign[a] * active_.sign[b] * row[b]),
                              {-dual(a), -dual(b)},
                              {upper(a) - dual(a), upper(b) - dual(b)}};
    std::array<double, 2> along{};
    if (second < 0)
      along[0] = one_variable_step(gradient(a), diagonal(a), pair.lower[0], pair.upper[0]);
    else
      along = pair.solve();
    const double gain = pair.gain(along);
    if (!(gain > 0)) return false;
    // Without bounds, and with a kernel that is not definite, they may go on for ever.
    if (!std::isfinite(Real(dual(a) + along[0])) || !std::isfinite(Real(dual(b) + along[1])))
      return false;
    dual_ += gain;
    const Real changes[2] = {move(a, along[0]), second < 0 ? Real(0) : move(b, along[1])};
    const auto rows = rows_.pair(a, b);
    first = active_.first(
        {{rows[0], rows[1]}, {changes[0] * active_.sign[a], changes[1] * active_.sign[b]}});
    return true;
  }

  double gradient(std::int32_t a) const { return double(active_.gradient[a]); }
  double diagonal(std::int32_t a) const { return double(active_.diagonal[a]); }
  double dual(std::int32_t a) const { return double(active_.dual[a]); }
  double upper(std::int32_t a) const { return double(active_.upper[a]); }

  // Moves a variable, to a bound if it is there but for rounding; returns by how much.
  Real move(std::int32_t a, double along) {
    constexpr double kRounding = 2 * double(std::numeric_limits<Real>::epsilon());
    const Real before = active_.dual[a];
    const double now = dual(a) + along, rounding = kRounding * (dual(a) + std::fabs(along));
    if (now <= rounding)
      active_.dual[a] = 0;
    else
      active_.dual[a] = std::fabs(now - upper(a)) <= rounding ? active_.upper[a] : Real(now);
    const Real change = active_.dual[a] - before;
    active_.gradient[a] -= active_.penalty[a] * change;
    return change;
  }

  // Leaves out the settled variables.
  void shrink(Real violation) {
    std::vector<std::int32_t> columns;
    std::int64_t kept = 0;
    const auto before = active_.sums(violation);
    for (std::int64_t j = 0; j < active_.size; ++j) {
      if (active_.settled(j, violation)) {
        all_.dual[places_[j]] = active_.dual[j];
        continue;
      }
      columns.push_back(examples_[places_[j]]);
      places_[kept] = places_[j];
      active_.take(kept++, active_, j);
    }
    active_.resize(kept);
    const auto after = active_.sums(violation);
    fixed_.losses += before.losses - after.losses;  // as they are now
    fixed_.linear += before.linear - after.linear;
    rows_.choose(columns);
  }

  GramMatrix<Real> gram_;
  std::span<const double> loss_weights_;
  bool squared_, shrinking_, in_pairs_;
  GramRows<Real> rows_;
  std::vector<std::int32_t> examples_;  // of the problem
  std::vector<double> signs_, scores_;
  BinaryVariables<Real> all_, active_;
  std::vector<std::int32_t> places_;            // of the active variables among all
  typename BinaryVariables<Real>::Sums fixed_;  // of what is not active
  double dual_ = 0;
  Real whole_violation_ = 0;  // when all were active
};

}  // namespace polymargin
