// Conjugate gradients on the face of the feasible set in which the free variables of a working set
// lie: where exact steps of one example after the other creep, because many examples pull on each
// other, this moves all of them together. The end point is clipped to the feasible set and the dual
// maximised on the way to it, so that the dual objective never falls.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "polymargin/driver/working_set.hpp"

namespace polymargin {

template <class Real>
class FaceGradients {
 public:
  using Problem = Decomposition<Real, ScoresByClass<Real>>;

  FaceGradients(Problem& problem, WorkingSet<Real>& working)
      : problem_(problem),
        machine_(dynamic_cast<const QuadraticMachine<Real>&>(problem.machine())),
        working_(working),
        product_scores_(problem.layout(), 0),
        score_(problem.layout().stride),
        zero_(problem.layout().stride) {}

  // At most `most` products with the kernel, or until the gradient on the face has fallen to
  // `share` of what it was. Returns the gain of the dual objective.
  double run(int most, double share) {
    const std::int64_t stride = problem_.layout().stride;
    find_free();
    if (free_.empty()) return 0;
    const std::size_t length = free_.size() * stride;
    for (auto* array : {&gradient_, &residual_, &direction_, &product_, &solution_, &coefficients_})
      array->resize(length);
    double norm = 0;
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const Block<Real> block = working_.block(free_[f]);
      Real* residual = at(residual_, f);
      machine_.gradient(block, residual);
      std::copy_n(residual, stride, at(gradient_, f));
      machine_.project_on_face(block, residual);
      for (int m = 0; m < stride; ++m) {
        at(direction_, f)[m] = residual[m] / block.curvature;
        norm += double(residual[m]) * double(at(direction_, f)[m]);
      }
    }
    const double enough = share * share * norm;
    for (int iteration = 0; iteration < most && norm > enough; ++iteration) {
      const double curvature = multiply(direction_, true);
      if (!(curvature > 0)) break;
      const Real length = Real(norm / curvature);
      double next = 0;
      for (std::size_t f = 0; f < free_.size(); ++f) {
        const Real inverse = 1 / working_.block(free_[f]).curvature;
        for (int m = 0; m < stride; ++m) {
          at(solution_, f)[m] += length * at(direction_, f)[m];
          at(residual_, f)[m] -= length * at(product_, f)[m];
          next += double(at(residual_, f)[m]) * double(at(residual_, f)[m] * inverse);
        }
      }
      const Real turn = Real(next / norm);
      norm = next;
      for (std::size_t f = 0; f < free_.size(); ++f) {
        const Real inverse = 1 / working_.block(free_[f]).curvature;
        for (int m = 0; m < stride; ++m)
          at(direction_, f)[m] = at(residual_, f)[m] * inverse + turn * at(direction_, f)[m];
      }
    }
    return move();
  }

 private:
  static Real* at_(AlignedArray<Real>& array, std::size_t f, std::int64_t stride) {
    return array.data() + std::int64_t(f) * stride;
  }
  Real* at(AlignedArray<Real>& array, std::size_t f) {
    return at_(array, f, problem_.layout().stride);
  }

  void find_free() {
    free_.clear();
    AlignedArray<Real> ones(problem_.layout().stride);
    for (std::int64_t p = 0; p < working_.size(); ++p) {
      const Block<Real> block = working_.block(p);
      std::fill_n(ones.data(), ones.size(), Real(1));
      for (int m = 0; m < int(ones.size()); m += 2) ones[m] = -1;
      machine_.project_on_face(block, ones.data());
      if (std::any_of(ones.data(), ones.data() + ones.size(), [](Real x) { return x != 0; }))
        free_.push_back(std::int32_t(p));
    }
  }

  // product = Q direction, on the face if asked for, and product_scores. Returns direction' Q
  // direction.
  double multiply(AlignedArray<Real>& direction, bool on_face) {
    const std::int64_t stride = problem_.layout().stride;
    rows_.clear();
    for (std::size_t f = 0; f < free_.size(); ++f) {
      Block<Real> block = working_.block(free_[f]);
      block.dual = at(direction, f);
      block.change = at(coefficients_, f);
      machine_.coefficients(block);
      problem_.simplify(block);
      rows_.push_back(working_.row(free_[f]));
    }
    product_scores_.resize(working_.size());
    product_scores_.add(rows_, coefficients_.data(), 1);
    double curvature = 0;
    for (std::size_t f = 0; f < free_.size(); ++f) {
      const Block<Real> here = working_.block(free_[f]);
      Block<Real> block = here;
      block.score = product_scores_.read(free_[f], score_.data());
      block.dual = at(direction, f);
      Real* product = at(product_, f);
      machine_.gradient(block, product);
      const Real constant = unit(here);
      for (int m = 0; m < stride; ++m) {
        product[m] = constant - product[m];
        if (block.dual[m] != 0) curvature += double(product[m]) * double(block.dual[m]);
      }
      if (on_face) machine_.project_on_face(here, product);
    }
    return curvature;
  }

  // The derivative where scores and duals are zero, the same for all variables.
  Real unit(Block<Real> block) {
    if (unit_ == 0) {
      AlignedArray<Real> derivative(problem_.layout().stride);
      block.score = block.dual = zero_.data();
      machine_.gradient(block, derivative.data());
      for (std::size_t m = 0; m < derivative.size(); ++m) unit_ = std::max(unit_, derivative[m]);
    }
    return unit_;
  }

  double term(const Block<Real>& block) const {
    return machine_.dual_term(block.layout.classes, block.cap, block.dual, block.layout.classes);
  }

  double move() {
    const std::int64_t stride = problem_.layout().stride;
    double along = 0;
    for (std::size_t f = 0; f < free_.size(); ++f) {
      Block<Real> block = working_.block(free_[f]);
      Real* solution = at(solution_, f);
      const Real* dual = block.dual;
      for (int m = 0; m < stride; ++m) solution[m] += dual[m];
      block.dual = solution;
      machine_.make_feasible(block);
      for (int m = 0; m < stride; ++m) {
        solution[m] -= dual[m];
        if (solution[m] != 0) along += double(solution[m]) * double(at(gradient_, f)[m]);
      }
    }
    if (!(along > 0)) return 0;
    const double curvature = multiply(solution_, false);
    const Real length = curvature > along ? Real(along / curvature) : Real(1);
    const double gain = double(length) * (along - double(length) * curvature / 2);
    double linear = 0;
    for (std::size_t f = 0; f < free_.size(); ++f) {
      Block<Real> block = working_.block(free_[f]);
      linear -= term(block);
      for (int m = 0; m < stride; ++m) block.dual[m] += length * at(solution_, f)[m];
      machine_.make_feasible(block);  // rounding
      linear += term(block);
      working_.add_change(free_[f], at(coefficients_, f), length);
    }
    working_.scores().add(product_scores_, length);
    Step<Real> step;
    step.gain = Real(gain);
    step.norm_change = Real(linear - gain);
    problem_.count(step);
    return gain;
  }

  Problem& problem_;
  const QuadraticMachine<Real>& machine_;
  WorkingSet<Real>& working_;
  ScoresByClass<Real> product_scores_;
  AlignedArray<Real> score_, zero_, gradient_, residual_, direction_, product_, solution_,
      coefficients_;
  std::vector<std::int32_t> free_;
  std::vector<const Real*> rows_;
  Real unit_ = 0;
};

}  // namespace polymargin
