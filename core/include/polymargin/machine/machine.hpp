// What is solved: a machine knows its loss, its dual block and how a block becomes coefficients of
// the weights. A driver asks for nothing else, so any machine runs in any driver.
#pragma once

#include <cstdint>
#include <optional>

#include "polymargin/machine/clipped_step.hpp"
#include "polymargin/machine/example_lanes.hpp"
#include "polymargin/restricted/block.hpp"

namespace polymargin {

// The non-zeros of a block: value[c] is the variable of class index[c], or of class c without an
// index.
template <class Real>
struct BlockEntries {
  int classes, label;
  Real loss_weight;  // C_i
  int count;
  const std::int32_t* index;
  const Real* value;

  int class_of(int c) const { return index != nullptr ? index[c] : c; }
  bool is_label(int c) const { return class_of(c) == label; }
};

template <class Real>
class Machine {
 public:
  virtual ~Machine() = default;

  // Solves the restricted problem if its violation exceeds `threshold`, by what is rounding in that
  // machine; with an infinite threshold it only measures.
  virtual Step<Real> step(const Block<Real>& block, Real threshold) const = 0;

  // Writes the coefficients b of the block into block.change: the weights are sums of b_m x.
  virtual void coefficients(const Block<Real>& block) const = 0;

  // Whether the weights of the classes sum to zero. Then every example touches all classes;
  // otherwise only those in the support of its block, and its label.
  virtual bool sums_to_zero() const = 0;

  // Whether every variable of a block ends above zero, so that blocks are best stored whole.
  virtual bool fills_blocks() const { return false; }

  // The example's term of the dual objective, without -1/2 |W|^2, from the non-zeros of its block.
  virtual double dual_term(const BlockEntries<Real>& entries) const = 0;

  // Whether a block, given by its non-zeros, is at a vertex of its feasible set: no variable free.
  virtual bool at_vertex(const BlockEntries<Real>& entries) const = 0;

  // Whether a variable is at an upper bound of its own: it is not free then, nor zero.
  virtual bool at_bound(Real /*dual*/, Real /*loss_weight*/) const { return false; }

  // Whether its restricted solver may leave the feasible set. The dual objective of such blocks
  // bounds nothing, that of feasible ones near them does: each non-zero times this factor.
  virtual bool may_be_infeasible() const { return false; }
  virtual Real feasible_factor(const BlockEntries<Real>&, int /*c*/) const { return 1; }

  // Whether its restricted solver adapts a step length to each example.
  virtual bool adapts_step() const { return false; }

  // The step of a single variable, if its variables do not meet and it is solved exactly.
  virtual std::optional<ClippedStep<Real>> clipped_step() const { return std::nullopt; }

  // The loss of a row without features, whose scores are zero whatever W is.
  virtual double loss_at_zero(int classes, int label) const = 0;

  // Targets of all classes for examples of a class, or null if they do not differ from class to
  // class. A block of a part of the classes has to be told its own.
  virtual const Real* targets_of(int /*label*/) const { return nullptr; }
};

// The dual objective along a direction d of a block: gradient t - 1/2 curvature t^2 more at u + t
// d, which is feasible between `lower` and `upper`.
template <class Real>
struct Line {
  Real gradient, curvature, lower, upper;
};

// A direction of a block in which one variable grows, one falls, or both. The gain is twice that of
// a step without bounds, beside what the other block gains by itself.
template <class Real>
struct Exchange {
  Real gain = 0;
  int up = -1, down = -1;  // classes, -1 if there is none
};

// Of the curvature of a direction, at least this share is left when the other block follows.
template <class Real>
inline constexpr Real kLeastShare = Real(1e-6);

// What the variables of a block share beside the weights.
enum class BlockCoupling { none, of_bound, other };

// A machine that can look at many examples at a time, and at two together.
template <class Real>
class MarginMachine : public Machine<Real> {
 public:
  // The violation of each example, as step() would tell it.
  virtual void violations(const ExampleBlocks<Real>& blocks, Real* found) const = 0;

  // Writes a number above zero into block.change for every class that matters as long as scores do
  // not change by more than about `margin`: it has a variable above zero, or one that may become
  // so.
  virtual void near(const Block<Real>& block, Real margin) const = 0;

  virtual Line<Real> line(const Block<Real>& block, const Real* direction) const = 0;

  // The best direction of this block together with a step of another along a line, whose curvature
  // is 1 / `inverse` and whose coefficients are `coefficients`; `kernel` is that between the two.
  virtual Exchange<Real> partner(const Block<Real>& block, const Real* coefficients, Real kernel,
                                 Real inverse) const = 0;

  virtual BlockCoupling coupling() const = 0;

  // Whether a unit of a variable has the coefficient 1 for the label and -1 for its class; else it
  // has one for its class alone, 1 for the label and -1 for others, less the mean if weights sum to
  // zero.
  virtual bool is_relative() const = 0;

  // After variables have moved one by one: puts a bound on several of them that holds but for
  // rounding exactly, before the rounding of many moves adds up.
  virtual void tighten(const Block<Real>&) const {}
};

}  // namespace polymargin
