// Crammer-Singer in its coefficients beta (001, eqs. (2) to (5); the alpha of 000, eq. (4)),
//     maximise  sum_i beta_iy - 1/2 |W|^2   over   beta_im <= C_i [m = y],  sum_m beta_im = 0,
// with w_m = sum_i beta_im x_i. It is the block of simplex_machine.hpp with u_m = -beta_m for m !=
// y, and its violations are differences of gradients, h_m = g_y - g_m = 1 + s_m - s_y.
#pragma once

namespace polymargin {

struct CrammerSingerBeta {
  // The coefficient of beta_m in the dual objective.
  static double target(bool is_label) { return is_label ? 1.0 : 0.0; }

  // g_m, the derivative of the dual objective by beta_m: (5) of 001.
  static double gradient(bool is_label, double score) { return target(is_label) - score; }

  // The most that beta_m can be.
  static double bound(bool is_label, double loss_weight) { return is_label ? loss_weight : 0.0; }
};

}  // namespace polymargin
