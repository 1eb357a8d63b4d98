// Crammer-Singer whose restricted problem is solved by algorithm 3 of 002 as it is printed: theta
// is searched by bisection in [0, U] until |sum beta - z| <= tau z, and
//     alpha_m <- C_m - beta_m / |x|
// is taken as it is: neither scaled to the simplex nor asked whether the dual objective has gained.
// So sum_m alpha_m is zero only up to tau C_i. A block has u_m = -alpha_m of the other classes, and
// in the place of its label what is missing, alpha_y - sum u: the sum of all is alpha_y, the
// coefficient of the label. Here beta is divided by |x|, so that z is C_i.
#pragma once

#include "polymargin/machine/simplex_machine.hpp"

namespace polymargin {

template <class Real>
class PrintedBisection final : public SimplexBlocks<Real, RelativeMargin> {
 public:
  PrintedBisection(const Targets& targets, double tau)
      : SimplexBlocks<Real, RelativeMargin>({0, targets.other, {}}), tau_(Real(tau)) {}

  Step<Real> step(const Block<Real>& block, Real threshold) const override {
    const int classes = block.layout.classes, label = block.label;
    const Real total = block.loss_weight;
    Real* const gradient = block.workspace;  // g_m, eq. (4)
    Real* const target = block.workspace + block.layout.stride;
    Real label_dual = 0;  // alpha_y
    for (int m = 0; m < classes; ++m) {
      gradient[m] = block.score[m] + (m == label ? Real(0) : Real(margin_.targets().other));
      label_dual += block.dual[m];
    }
    const Real slack = total - label_dual;
    Real highest = gradient[label], lowest = slack > kZeroShare * total ? highest : -kNowhere<Real>;
    for (int m = 0; m < classes; ++m) {
      highest = std::max(highest, gradient[m]);
      if (m != label && block.dual[m] > 0) lowest = std::min(lowest, gradient[m]);
      target[m] = (m == label ? slack : block.dual[m]) + gradient[m] / block.curvature;
    }
    Step<Real> step;
    step.loss = highest - gradient[label];
    step.violation = highest - lowest;  // eq. (5)
    if (!(step.violation > threshold)) return step;

    const Real theta = root(target, classes, total);
    double along = 0, squares = 0, given = 0, sum = 0;
    for (int m = 0; m < classes; ++m) {
      const Real beta = std::max(target[m] - theta, Real(0));
      sum += double(beta);
      const Real change = m == label ? (total - beta) - label_dual : block.dual[m] - beta;
      along += double(gradient[m]) * double(change);
      squares += double(change) * double(change);
      if (m != label) given -= double(change);
      block.change[m] = change;
      if (m != label) block.dual[m] = beta;
    }
    block.dual[label] = Real(double(total) - sum);
    std::fill(block.change + classes, block.change + block.layout.stride, Real(0));
    const double gain = -(double(block.curvature) / 2 * squares + along);  // may be below zero
    step.gain = Real(gain);
    step.norm_change = Real(margin_.targets().other * given - gain);
    step.moved = squares > 0;
    return step;
  }

  bool may_be_infeasible() const override { return true; }
  Real feasible_factor(const BlockEntries<Real>& entries, int c) const override {
    if (entries.is_label(c)) return 0;
    double sum = 0;
    for (int other = 0; other < entries.count; ++other)
      if (!entries.is_label(other)) sum += double(entries.value[other]);
    const double total = double(entries.loss_weight);
    return sum > total ? Real(total / sum) : Real(1);
  }

 private:
  using SimplexBlocks<Real, RelativeMargin>::margin_;
  using SimplexBlocks<Real, RelativeMargin>::kZeroShare;

  // Algorithm 3. It also ends where tau is finer than the number format.
  Real root(const Real* target, int classes, Real total) const {
    Real below = 0, above = *std::max_element(target, target + classes);
    for (;;) {
      const Real theta = below + (above - below) / 2;
      Real surplus = -total;
      for (int m = 0; m < classes; ++m) surplus += std::max(target[m] - theta, Real(0));
      if (!(std::abs(surplus) > tau_ * total)) return theta;
      Real& end = surplus < 0 ? above : below;
      if (theta == end) return theta;
      end = theta;
    }
  }

  Real tau_;
};

}  // namespace polymargin
