// The restricted problem of relative margins with the largest hinge, on plain arrays, for every
// solver that is not the built-in exact one, and the adapter that puts such a solver into a
// machine. Sizes count classes, without padding.
#pragma once

#include <algorithm>
#include <memory>

#include "polymargin/restricted/block_lanes.hpp"

namespace polymargin {

// min 1/2 A |b - start|^2 - gradient.(b - start),   b >= 0,   sum b = total
// which is the projection of start + gradient / A on the simplex of size total (002, eq. (7)).
template <class Real>
struct SimplexProblem {
  int size;
  Real curvature;  // A
  Real total;      // C_i
  const Real* gradient;
  const Real* start;     // feasible
  Real* solution;        // out
  Real* target;          // room for `size` numbers: start + gradient / A, shifted by a constant
  Real* step = nullptr;  // kept from visit to visit of the example, 0 before the first; may be null
  int label = 0;         // the variable that is known as a difference only
};

template <class Real>
class SimplexSolver {
 public:
  virtual ~SimplexSolver() = default;
  virtual void solve(const SimplexProblem<Real>& problem) const = 0;
  virtual bool adapts_step() const { return false; }  // whether it uses problem.step
};

template <class Real>
class AnySimplex {
 public:
  static constexpr bool kExact = false;

  explicit AnySimplex(std::shared_ptr<const SimplexSolver<Real>> solver)
      : solver_(std::move(solver)) {}

  bool adapts_step() const { return solver_->adapts_step(); }

  // Puts the slack beta_y = C_i - sum u, with gradient 0, into the label's place.
  template <class Lanes, class Packs>
  void solve(const Lanes& lanes, Packs& h, Real, Real start_sum, Packs& solution) const {
    const Block<Real>& block = lanes.block;
    auto start = lanes.local(2);
    for (int v = 0; v < lanes.packs; ++v) {
      start[v] = lanes.dual(v);
      solution[v] = typename Lanes::V{};
    }
    Real* gradients = reinterpret_cast<Real*>(&h[0]);
    Real* starts = reinterpret_cast<Real*>(&start[0]);
    Real* solutions = reinterpret_cast<Real*>(&solution[0]);
    gradients[block.label] = 0;
    starts[block.label] = std::max(block.loss_weight - start_sum, Real(0));
    solver_->solve({block.layout.classes, block.curvature, block.loss_weight, gradients, starts,
                    solutions, block.workspace + 3 * block.layout.stride, block.step, block.label});
    solutions[block.label] = 0;
  }

 private:
  std::shared_ptr<const SimplexSolver<Real>> solver_;
};

// target = start + (gradient - max gradient) / A. The projection does not see the shift, and
// without it a tiny A would drown the small numbers that matter. Returns the largest target.
template <class Real>
inline Real shifted_target(const SimplexProblem<Real>& p) {
  Real highest = p.gradient[0];
  for (int m = 1; m < p.size; ++m) highest = std::max(highest, p.gradient[m]);
  Real largest = kNowhere<Real>;
  for (int m = 0; m < p.size; ++m) {
    p.target[m] = p.start[m] + (p.gradient[m] - highest) / p.curvature;
    largest = std::max(largest, p.target[m]);
  }
  return largest;
}

// solution = [target - theta]_+
template <class Real>
inline void threshold_target(const SimplexProblem<Real>& p, Real theta) {
  for (int m = 0; m < p.size; ++m) p.solution[m] = std::max(p.target[m] - theta, Real(0));
}

// The same for a theta that is only near its root: scaled so that it stays on the simplex.
template <class Real>
inline void threshold_target_feasibly(const SimplexProblem<Real>& p, Real theta) {
  threshold_target(p, theta);
  Real sum = 0;
  for (int m = 0; m < p.size; ++m) sum += p.solution[m];
  for (int m = 0; m < p.size; ++m) p.solution[m] *= p.total / sum;
}

}  // namespace polymargin
