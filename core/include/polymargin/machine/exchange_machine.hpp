// A machine as a driver sees it that moves two classes of one example at a time: what one
// coefficient gains, another loses. With the coefficients beta of the weights,
// w_m = sum_i beta_im x_i, machines with relative margins are
//     maximise  sum_i t beta_iy - 1/2 |W|^2 - 1/2 sum_im p_m beta_im^2
//     over      sum_m beta_im = 0,   lower_m <= beta_im <= upper_m
// (001, eqs. (2) to (5) for Crammer-Singer; its alpha in 000, eq. (4)). It is the block of
// simplex_machine.hpp or box_machine.hpp with u_m = -beta_m for m != y, and violations are
// differences of gradients, h_m = g_y - g_m = t + s_m - s_y. The machines differ in what is bounded
// and what is penalised:
//     hinge, max (Crammer-Singer)     beta_m <= 0 for others, beta_y <= C_i
//     hinge, sum (Weston-Watkins)     -C_i <= beta_m <= 0 for others
//     squared hinge                   beta_m <= 0 for others; p = 1/(2 C_i) for the label (max) or
//                                     for each of the others (sum)
// Machines with absolute margins are not of this kind. Without a sum to keep, classes do not meet
// and there is nothing to exchange; where weights sum to zero, a step of one variable changes the
// scores, and so the gradients, of all classes of all examples.
#pragma once

#include <limits>
#include <stdexcept>

#include "polymargin/machine/axes.hpp"

namespace polymargin {

class ExchangeMachine {
 public:
  // Throws std::invalid_argument for machines that are not of this kind.
  explicit ExchangeMachine(const MachineAxes& axes)
      : target_(axes.other_target),
        bounds_sum_(axes.aggregation == "max"),
        squared_(axes.loss == "squared_hinge") {
    const bool exchanges = axes.is_relative() && axes.variables == "others" && !axes.sums_to_zero &&
                           (bounds_sum_ || axes.aggregation == "sum") &&
                           (squared_ || axes.loss == "hinge");
    if (!exchanges)
      throw std::invalid_argument("no exchange between classes for a machine with " +
                                  axes.description());
  }

  // t of the label: the coefficient of beta_m in the dual objective.
  double target(bool is_label) const { return is_label ? target_ : 0.0; }

  // p_m for an example with this C_i.
  double penalty(bool is_label, double loss_weight) const {
    return squared_ && is_label == bounds_sum_ ? 1 / (2 * loss_weight) : 0.0;
  }

  // g_m, the derivative of the dual objective by beta_m: (5) of 001.
  double gradient(bool is_label, double loss_weight, double score, double beta) const {
    return target(is_label) - score - penalty(is_label, loss_weight) * beta;
  }

  double upper(bool is_label, double loss_weight) const {
    if (!is_label) return 0;
    return bounds_sum_ && !squared_ ? loss_weight : kUnbounded;
  }
  double lower(bool is_label, double loss_weight) const {
    return is_label || bounds_sum_ || squared_ ? -kUnbounded : -loss_weight;
  }

 private:
  static constexpr double kUnbounded = std::numeric_limits<double>::infinity();

  double target_;
  bool bounds_sum_, squared_;
};

}  // namespace polymargin
