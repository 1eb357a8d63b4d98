// The restricted problem of variables with a bound each,
//     min 1/2 Q |d|^2 + 1/2 R (sigma.d)^2 + 1/2 P (1.d)^2 - gradient.d,   0 <= start + d <= upper,
// where sigma is 1, or -1 at one variable; and the same on plain arrays, for every solver that is
// not a built-in exact one, with the adapter that puts such a solver into a machine.
#pragma once

#include <memory>

#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

template <class Real>
struct BoxProblem {
  Real diagonal;  // Q
  Real coupling;  // R
  Real upper;
  Real reference = 0;     // a value near R (1.d) at the solution, for precision only
  Real sum_coupling = 0;  // P, only beside signs: otherwise R has it
  int reversed = -1;      // the variable whose sigma is -1
  // Q + k R, exactly: the curvature along sigma where all k variables of a block are free. Zero, if
  // the objective is flat there. Only beside signs.
  Real along_signs = 0;
};

template <class Real>
struct BoxBlockProblem {
  int size;
  BoxProblem<Real> shape;  // without P
  const Real* gradient;    // kNowhere where a variable is fixed at zero
  const Real* start;
  Real* solution;  // out
  Real* next;      // room for `size` numbers
  Real* state;     // and as many more

  Real sign(int m) const { return m == shape.reversed ? Real(-1) : Real(1); }
};

template <class Real>
class BoxSolver {
 public:
  virtual ~BoxSolver() = default;
  virtual void solve(const BoxBlockProblem<Real>& problem) const = 0;
};

template <class Real>
class AnyBox {
 public:
  static constexpr bool kExact = false;

  explicit AnyBox(std::shared_ptr<const BoxSolver<Real>> solver) : solver_(std::move(solver)) {}

  template <class Lanes, class Packs>
  void solve(const Lanes& lanes, const BoxProblem<Real>& shape, const Packs& gradient,
             Packs& solution) const {
    const Block<Real>& block = lanes.block;
    for (int v = 0; v < lanes.packs; ++v) solution[v] = typename Lanes::V{};
    solver_->solve({block.layout.classes, shape, reinterpret_cast<const Real*>(&gradient[0]),
                    block.dual, reinterpret_cast<Real*>(&solution[0]),
                    block.workspace + 2 * block.layout.stride,
                    block.workspace + 3 * block.layout.stride});
  }

 private:
  std::shared_ptr<const BoxSolver<Real>> solver_;
};

}  // namespace polymargin
