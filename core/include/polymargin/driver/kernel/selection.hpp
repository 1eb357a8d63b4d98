// Which variables an iteration changes: a scan over the examples in the first `active` columns of a
// decomposition. The scores of all of them bear the gradients, so that the same scan adds the
// kernel rows of the last step to the scores.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "polymargin/driver/kernel/decomposition.hpp"
#include "polymargin/machine/axes.hpp"

namespace polymargin {

// A way to go: variables of one example, along which the dual objective has the derivative
// `gradient`. A step of mu, lower <= mu <= upper, adds mu to one variable and takes it from
// another; either may be missing, because of -1.
struct Direction {
  std::int32_t example = -1;
  int rising = -1, falling = -1;  // classes
  double gradient = 0, lower = 0, upper = 0;
  bool found() const { return example >= 0; }
};

struct Choice {
  Direction direction;
  double violation = 0;  // of the optimality conditions, the largest
};

// What the last step adds to the scores: s_j += sum_p rows[p][j] coefficients[p].
template <class Real>
struct ScoreUpdate {
  const Real* rows[2] = {};
  const Real* coefficients[2] = {};
};

template <class Real>
class Selection {
 public:
  virtual ~Selection() = default;

  // Updates the scores, unless there is nothing to add, and chooses.
  virtual Choice first(const ScoreUpdate<Real>* update, std::int64_t active) = 0;

  // The best partner: of the directions that differ from the first, by the gain of both together.
  // `coefficients` are those of a step of one along the first, `curvature` is its Q_aa.
  virtual Direction second(const Direction& first, double curvature, const Real* coefficients,
                           const Real* row, std::int64_t active) = 0;

  // Changes the variables and writes the change into two entries of `change`, otherwise zero.
  virtual void apply(const Direction& direction, double mu, Real* change) = 0;

  // What a loss adds to the diagonal of Q.
  virtual double penalty(std::int32_t) const { return 0; }

  // Whether no variable of an example could move if gradients changed by less than `violation`.
  virtual bool is_settled(std::int32_t i, double violation) = 0;

  // To be called when somebody else has changed dual variables.
  virtual void refresh() {}
};

// For machines that sum the hinge or the squared hinge over classes, and for those with the largest
// hinge; throws std::invalid_argument for others. If `by_gain` the first direction is
// that of the largest gain, otherwise that of the largest gradient.
template <class Real>
std::unique_ptr<Selection<Real>> make_selection(Decomposition<Real>& problem,
                                                const MachineAxes& axes, bool by_gain);

}  // namespace polymargin
