// What examples add to primal, dual and violation, and the one place where these sums become a
// certificate. Every driver counts here, in double precision.
#pragma once

#include <algorithm>

#include "polymargin/certify/certificate.hpp"
#include "polymargin/machine/workspace.hpp"

namespace polymargin {

struct Tally {
  double losses = 0;      // sum of C_i loss_i
  double dual_terms = 0;  // the dual objective without -1/2 |W|^2
  double violation = 0;   // of the optimality conditions, the largest
  bool complete = true;   // false if it was stopped

  template <class Real>
  void add_loss(const Example<Real>& example, double loss, double violated) {
    losses += double(example.loss_weight) * loss;
    if (example.has_variables()) violation = std::max(violation, violated);
  }

  // `loss_at_zero(label)` and `term()` are what the machine says of the block: without variables,
  // and if it has some.
  template <class Real, class AtZero, class Term>
  void add_dual_term(const Example<Real>& example, AtZero&& loss_at_zero, Term&& term) {
    if (example.is_empty())
      dual_terms += double(example.loss_weight) * loss_at_zero(example.label);
    else if (example.loss_weight > 0)
      dual_terms += term();
  }

  void add(const Tally& other) {
    losses += other.losses;
    dual_terms += other.dual_terms;
    violation = std::max(violation, other.violation);
  }

  // P = 1/2 |W|^2 + sum of C_i loss_i and D = sum of dual terms - 1/2 |W|^2, where W is that of the
  // dual variables.
  Certificate certificate(double half_norm) const {
    Certificate result;
    result.complete = complete;
    if (!complete) return result;
    result.primal = half_norm + losses;
    result.dual = dual_terms - half_norm;
    result.violation = violation;
    return result;
  }
};

}  // namespace polymargin
